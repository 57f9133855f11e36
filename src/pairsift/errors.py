"""The one exception for a user's mistake: its message is the sentence a person reads."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PairsiftError(ValueError):
    """Something the user gave cannot be used; the message says what came and what to do."""


def shown(text: object, most: int = 60) -> str:
    """Text from outside (a cell, a label, a file's name) made safe to print in a sentence.

    Args:
        text: anything; `str` is taken of it.
        most: how many characters are kept; the middle gives way.

    Returns:
        One line without control characters or characters that turn the direction of writing.
    """
    plain = "".join(c if c.isprintable() else "?" for c in str(text)[: 20 * most])
    return plain if len(plain) <= most else f"{plain[: most - most // 3 - 1]}…{plain[-(most // 3) :]}"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at which known word was probably meant, to put at a sentence's end."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.0)
    return f"; did you mean {close[0]!r}?" if close else ""
