"""One line of what `horacerta doctor` finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was looked at, and either how it is or what is wrong with the cure."""

    ok: bool
    subject: str
    text: str

    def line(self) -> str:
        return f"{'ok   ' if self.ok else 'WRONG'}  {self.subject}: {self.text}"
