"""What the metrics accept: tensors, arrays and lists, made into plain arrays with a check."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from pairsift.errors import PairsiftError

Array = NDArray[Any]


def to_array(values: Any) -> Array:
    """A numpy array of whatever came; half-precision tensors become float32."""
    if isinstance(values, Tensor):
        values = values.detach().cpu()
        return np.asarray((values.float() if values.is_floating_point() else values).numpy())
    return np.asarray(values)


def to_labels(name: str, values: Any) -> Array:
    """Classes (N,) as int64, or a 0/1 table (N, K) as int64, whichever came.

    Args:
        name: the argument's name, for the message.
        values: classes 0, 1, ... (N,), or a table (N, K) of zeros and ones.
    """
    y = to_array(values)
    if y.ndim not in (1, 2):
        raise PairsiftError(f"{name} must be classes (N,) or a 0/1 table (N, K), got shape {y.shape}")
    if y.ndim == 2:
        if not np.isin(y, (0, 1)).all():
            raise PairsiftError(
                f"{name} is a table (N, K), so it may hold 0 and 1 only; it holds other values"
            )
    elif not (np.issubdtype(y.dtype, np.integer) or y.dtype == np.bool_):
        raise PairsiftError(f"{name} must hold whole numbers, got {y.dtype}; number the classes 0, 1, ...")
    elif len(y) and y.min() < 0:
        raise PairsiftError(f"{name} must number its classes from 0, got {int(y.min())}")
    return y.astype(np.int64)
