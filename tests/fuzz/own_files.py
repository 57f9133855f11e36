"""Fuzzing the readers of a person's own series."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.base import npy, series, zipped


def read_series(path: Path) -> None:
    from pairsift.data import load_series

    lenient = {"gaps": "interpolate", "lengths": "pad"} if path.stat().st_size % 2 else {}
    found = load_series(path, **lenient)
    x = np.asarray(found.x)
    assert x.ndim == 3 and x.dtype == np.float32 and np.isfinite(x).all(), "not series"
    assert found.y is None or len(found.y) == len(x), "labels for other series"


def npz_of_members(data: bytes) -> bytes:
    """An archive that is sound as a zip: X, and a fuzzed member of a fuzzed kind."""
    kinds = ("X", "y", "group", "id", "split", "other", "truth", "classes", "facts", "extra")
    kind = kinds[data[0] % len(kinds)] if data else "X"
    return zipped({"X.npy": npy(series()), f"{kind}.npy": data[1:]} if kind != "X" else {"X.npy": data[1:]})


def npz_seeds() -> list[bytes]:
    full: dict[str, Any] = {
        "X": series(),
        "y": np.arange(4) % 2,
        "group": np.array(list("aabb")),
        "other": series(),
    }
    full |= {
        "classes": np.array(["a", "b"]),
        "facts": np.array(json.dumps({"a": 1})),
        "truth": np.zeros(4, "i1"),
    }
    return [zipped({f"{k}.npy": npy(v) for k, v in full.items()}), zipped({"X.npy": npy(series())})]


def member_seeds() -> list[bytes]:
    found = [series(), np.arange(4), np.array(list("aabb")), np.arange(4), np.array(["train"] * 4), series()]
    found += [np.zeros(4, "i1"), np.array(["a", "b"]), np.array('{"a": [1, 2]}'), np.arange(3)]
    return [bytes([at]) + npy(array) for at, array in enumerate(found)]


def csv_seeds() -> list[bytes]:
    return [
        b"id,y,a,b,c\n1,u,1,2,3\n2,v,4,,6\n",
        b"series,time,value,y\n1,0,1.5,a\n1,1,2,a\n2,0,3,b\n2,1,4,b\n",
        b"id\ttime\tx\n1\t2024-01-31\t1\n1\t2024-02-01\t2\n",
        b'"a","b"\n1e5,inf\n?,nan\n',
    ]


def ts_seeds() -> list[bytes]:
    return [
        b"@problemName t\n@univariate false\n@dimensions 2\n@classLabel true a b\n"
        b"@data\n1,2:3,?:a\n4,5:6,7:b\n",
        b"#c\n@timestamps false\n@targetlabel true\n@data\n1,2,3:0.5\n4,5:1\n",
    ]


def parquet_seeds() -> list[bytes]:
    import pandas as pd

    stream = io.BytesIO()
    pd.DataFrame({"id": ["a", "b"], "t0": [1.0, 2.0], "t1": [3, 4]}).to_parquet(stream)
    return [stream.getvalue()]
