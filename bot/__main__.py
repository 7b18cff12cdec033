"""`python -m bot` is the same as `horacerta`."""

from bot.cli import main

main()
