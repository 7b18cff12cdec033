"""What is said where the server cannot listen: the setting that is the cause."""

import socket

import pytest
from waitress.adjustments import Adjustments

from bot.process.server import NotListening

OTHER_HOST = "HOST or --host must be an address of this machine, such as 127.0.0.1."


def refusal(host: str, port: int) -> OSError | ValueError:
    """How this very system, or waitress, refuses the address."""
    with socket.socket() as mine, pytest.raises((OSError, ValueError)) as caught:
        Adjustments(host=host, port=port)
        mine.bind((host, port))
    assert isinstance(caught.value, OSError | ValueError)
    return caught.value


def test_a_taken_port_is_a_matter_of_the_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = str(NotListening("127.0.0.1", port, refusal("127.0.0.1", port)))
    assert said == (
        f"cannot listen on 127.0.0.1:{port} (Address already in use); choose another with PORT or --port."
    )


def test_a_port_of_the_system_is_a_matter_of_the_port() -> None:
    said = str(NotListening("127.0.0.1", 80, PermissionError(13, "Permission denied")))
    assert said.endswith("(Permission denied); choose another with PORT or --port.")


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid", "a..b"])
def test_a_foreign_address_is_a_matter_of_the_host(host: str) -> None:
    said = str(NotListening(host, 8000, refusal(host, 8000)))
    assert said.startswith(f"cannot listen on {host}:8000 (")
    assert said.endswith(OTHER_HOST)
