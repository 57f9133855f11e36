"""Users' words made harmless before they are written where something might act on them."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a terminal may obey it; \r also ends a CSV row
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # what UTF-8 cannot hold


def as_text(value: Any) -> str:
    """A value as text that UTF-8 can hold and no terminal obeys."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))


def as_value(value: Any) -> Any:
    """A user's cell as a number where it is one, None where it is missing, and harmless text otherwise."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, bool | int | float):
        return value
    return as_text(value)


def csv_cell(value: Any) -> Any:
    """A cell for a CSV file: text that a spreadsheet might run gets a leading apostrophe."""
    if not isinstance(value, str):
        return value
    return as_text("'" + value if value.startswith(_FORMULA) else value)


def shorten(text: str, most: int = 120) -> str:
    """At most ``most`` characters of it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shorten_all(texts: list[str], most: int = 120, budget: int = 1 << 20) -> list[str]:
    """Each shortened to ``most`` characters, or fewer if all would be more than ``budget`` bytes of JSON."""
    out = [shorten(text, most) for text in texts]
    size = sum(len(json_for_page(text)) for text in out)
    return out if size <= budget else [shorten(text, max(most * budget // size, 8)) for text in out]


def json_for_page(value: Any) -> Any:
    """JSON that can stand inside a script element: nothing in it can end the element."""
    from markupsafe import Markup

    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
