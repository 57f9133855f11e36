"""Text in NumPy arrays is four bytes a character, and a file can hold four bytes that are no character."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.errors import PairsiftError

_LAST = 0x10FFFF  # of Unicode's characters
_HALVES = 0xD800, 0xDFFF  # halves of characters, which cannot be written anywhere


def check_letters(array: NDArray[Any], where: str) -> NDArray[Any]:
    """The array; refused where it is text with something in it that is no character.

    Args:
        array: of any type and shape.
        where: what it was read from, for the sentence.
    """
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        order = np.dtype("u4").newbyteorder(array.dtype.byteorder)
        codes = np.ascontiguousarray(array).reshape(-1).view(order)
        if ((codes > _LAST) | ((codes >= _HALVES[0]) & (codes <= _HALVES[1]))).any():
            raise PairsiftError(f"{where} holds text with what is no character in it; write it again")
    return array
