"""Fuzz one target: python -m tests.fuzz.run TARGET --seconds 60 [--collect FOLDER].

Coverage of pairsift and of the pure Python parsers under it guides the inputs. Without --collect the first
finding ends the run with a traceback; with it, one input for each place that failed is kept, and the run
goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import atheris

_FOLLOWED = [
    "pairsift",
    "tomllib",
    "zipfile",
    "json",
    "numpy.lib",
    "torch._weights_only_unpickler",
    "wfdb",
    "ast",
]


def main() -> None:
    """Read the command line, then hand over to libFuzzer, which does not return."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--collect", type=Path, help="keep an input for each place that fails, and go on")
    parser.add_argument("--corpus", type=Path, help="inputs to start from beside the seeds; grows")
    given = parser.parse_args()
    with atheris.instrument_imports(include=_FOLLOWED):
        from tests.fuzz.targets import TARGETS
    if given.target not in TARGETS:
        sys.exit(f"no target {given.target}; there are {', '.join(TARGETS)}")
    fuzzed = TARGETS[given.target]
    warnings.simplefilter("ignore")
    corpus = given.corpus or Path(tempfile.mkdtemp(prefix="pairsift-corpus-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in fuzzed.seeds():
        fuzzed.test(seed)  # imports what is imported late, and sound files must not fail
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    test = fuzzed.test if given.collect is None else _collecting(fuzzed.test, given.collect, given.target)
    limits = [
        f"-max_total_time={given.seconds}",
        f"-max_len={fuzzed.longest}",
        "-timeout=30",
        "-rss_limit_mb=4096",
    ]
    where = given.collect or Path(tempfile.gettempdir())
    where.mkdir(parents=True, exist_ok=True)
    atheris.Setup(
        [
            sys.argv[0],
            *limits,
            "-print_final_stats=1",
            f"-artifact_prefix={where}/{given.target}-",
            str(corpus),
        ],
        test,
    )
    atheris.Fuzz()


def _collecting(test, folder: Path, name: str):
    """The test, which writes a failing input and its traceback down instead of failing; once a place."""
    seen: set[str] = set()

    def collect(data: bytes) -> None:
        try:
            test(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)
            ours = [f"{f.filename}:{f.lineno}" for f in last if "/pairsift/" in f.filename]
            place = f"{type(error).__name__} {ours[-1] if ours else last[-1]}"
            if place not in seen:
                seen.add(place)
                mark = hashlib.sha256(place.encode()).hexdigest()[:8]
                (folder / f"{name}-{mark}.input").write_bytes(data)
                (folder / f"{name}-{mark}.txt").write_text(traceback.format_exc())

    return collect


if __name__ == "__main__":
    main()
