"""What comes from outside is safe to print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairsift.errors import shown


@pytest.mark.parametrize(
    "nasty", ["\x1b[2J", "a\nb", "a\rb", "a\tb", "\u202egpj.exe", "\x00", "\x9b31m", "\ud800"]
)
def test_nothing_that_steers_a_terminal_is_left(nasty):
    assert shown(nasty).isprintable()
    shown(nasty).encode()


def test_plain_text_stays():
    assert shown("Élan 12.5 µV") == "Élan 12.5 µV"
    assert shown(3.5) == "3.5"


@given(st.text(), st.integers(4, 80))
def test_it_is_one_short_line(text, most):
    assert len(shown(text, most)) <= most
    assert shown(text, most).isprintable()


def test_long_text_keeps_both_ends():
    assert shown("start" + "x" * 100 + "end", 20).startswith("start")
    assert shown("start" + "x" * 100 + "end", 20).endswith("end")
