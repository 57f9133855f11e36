"""How a command ends early: by Ctrl-C, or by words that it does not understand."""

from __future__ import annotations


class Stopped(Exception):
    """The user stopped the command; the message says how to go on.

    Args:
        sentence: that message.
        code: the exit code, 128 and the signal's number.
    """

    def __init__(self, sentence: str, code: int = 130) -> None:
        super().__init__(sentence)
        self.code = code


def is_usage(error: Exception) -> bool:
    """Whether an exception is typer's word for a wrong command line (it keeps click in different places)."""
    return any(kind.__name__ == "ClickException" for kind in type(error).__mro__)


def is_help(error: Exception) -> bool:
    """Whether an exception stands for a command that was called without anything and shows its help."""
    return type(error).__name__ == "NoArgsIsHelpError"
