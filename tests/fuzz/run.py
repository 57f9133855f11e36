"""Fuzz targets one after the other: python -m tests.fuzz.run [TARGET ...] --seconds 120 --out FOLDER.

Coverage of pairsift and of the pure Python parsers under it guides the inputs. A target is a process of its
own, forked from one that has imported everything, and ends after so many seconds of the processor, however
busy the machine is. With --runs it ends after so many inputs instead, which are drawn alike each time, from
the seeds alone: a gate that finds nothing today finds nothing tomorrow. For each place that fails one input
and its traceback are kept in FOLDER, and the target goes on. Inputs that reached something new are kept in
FOLDER/corpus, from where --seconds goes on. FOLDER/fuzz.json gets a line a target. The exit code is 1
if anything was found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import inspect
import json
import os
import re
import shutil
import sys
import time
import traceback
import types
import warnings
from pathlib import Path

import atheris

_FOLLOWED = ["pairsift", "tomllib", "zipfile", "json", "ast", "wfdb"]
# Of packages too large to be followed whole, what reads the files: an .npy's header, a checkpoint's pickle.
_FOLLOWED_ALONE = ["numpy.lib._format_impl", "torch._weights_only_unpickler"]
_EARLY = ["pairsift.cli.options", "pairsift.data.prepare", "pairsift.training.export", "pairsift.bench.store"]


def main() -> None:
    """Read the command line, import, and fork for each target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="these alone")
    parser.add_argument("--seconds", type=float, default=120, help="of the processor, for each target")
    parser.add_argument("--runs", type=int, help="instead: so many inputs for each, the same each time")
    parser.add_argument("--out", type=Path, required=True, help="where findings, corpora and fuzz.json go")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=_FOLLOWED), _quiet():
        from tests.fuzz.targets import TARGETS

        for module in _EARLY:
            importlib.import_module(module)
        for module in _FOLLOWED_ALONE:
            _follow(importlib.import_module(module))
    if unknown := set(given.targets) - set(TARGETS):
        sys.exit(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    given.out.mkdir(parents=True, exist_ok=True)
    found = inputs = 0
    for name in (names := given.targets or list(TARGETS)):
        entry = fuzz(name, given.out.absolute(), given.seconds, given.runs)
        found += len(entry["findings"])
        inputs += entry["executions"] or 0
        print(json.dumps(entry), flush=True)
        for told in (given.out / name / f"{Path(one).stem}.txt" for one in entry["findings"]):
            print(told.read_text() if told.exists() else "", flush=True)
        with (given.out / "fuzz.json").open("a") as file:
            file.write(json.dumps(entry) + "\n")
    print(f"{len(names)} targets, {inputs:,} inputs, {found} findings in {given.out}")
    sys.exit(bool(found))


def fuzz(name: str, out: Path, seconds: float, runs: int | None) -> dict:
    """Run one target; its name, seconds (of the clock, of the processor), executions, and what it found."""
    folder, log = out / name, out / f"{name}.log"
    folder.mkdir(exist_ok=True)
    before, began = _written(folder), time.monotonic()
    if (child := os.fork()) == 0:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        code = 1
        try:
            _be_fuzzed(name, out, folder, seconds, runs)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    text = log.read_text(errors="replace")
    places, done = re.findall(r" cov: (\d+)", text), re.findall(r"^executions: (\d+)$", text, re.MULTILINE)
    inputs = sorted(path.name for path, _ in _written(folder) - before if path.suffix != ".txt")
    if status and not inputs:
        inputs = [f"the process ended with {status}, see {log.name}"]
    return {
        "target": name,
        "seconds": round(time.monotonic() - began),
        "processor_seconds": round(used.ru_utime + used.ru_stime),
        "executions": int(done[-1]) if done else None,
        "peak_mb": used.ru_maxrss >> 10,
        "places": int(places[-1]) if places else None,
        "findings": inputs,
    }


def _written(folder: Path) -> set[tuple[Path, int]]:
    """The files in a folder, and when each was written."""
    return {(path, path.stat().st_mtime_ns) for path in folder.iterdir()}


def _be_fuzzed(name: str, out: Path, folder: Path, seconds: float, runs: int | None) -> None:
    """In the child: start libFuzzer, which does not return."""
    from tests.fuzz.targets import TARGETS, found

    fuzzed, seeds, corpus = TARGETS[name], out / "seeds" / name, out / "corpus" / name
    if runs:
        shutil.rmtree(corpus, ignore_errors=True)  # what another run has left would be drawn from too
    for made in (seeds, corpus):
        made.mkdir(parents=True, exist_ok=True)
    paths = []
    with atheris.instrument_imports(include=_FOLLOWED), _quiet():
        for number, seed in enumerate(fuzzed.seeds() + found(name)):
            fuzzed.test(seed)  # imports what is imported late; and what is sound must not fail
            paths.append(seeds / str(number))
            paths[-1].write_bytes(seed)
    options = [f"-max_len={fuzzed.longest}", "-timeout=600", "-report_slow_units=600", "-rss_limit_mb=4096"]
    options += ["-seed=1", "-shuffle=0"] if runs else []
    options += [f"-seed_inputs={','.join(map(str, paths))}", f"-artifact_prefix={folder}/", str(corpus)]
    until = float("inf") if runs else time.process_time() + seconds
    atheris.Setup([sys.argv[0], *options], _collecting(fuzzed.test, folder, until, runs or float("inf")))
    atheris.Fuzz()


def _follow(module: types.ModuleType) -> None:
    """Have a module's functions and methods followed."""
    owners = [module, *(kind for kind in vars(module).values() if inspect.isclass(kind))]
    for owner in owners:
        for part in list(vars(owner).values()):
            if inspect.isfunction(part) and part.__module__ == module.__name__:
                atheris.instrument_func(part)


@contextlib.contextmanager
def _quiet():
    """Atheris names every module that it follows; they are many."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _collecting(test, folder: Path, until: float, most: float):
    """The test, which writes a failing input and its traceback down instead of failing; once a place.

    It ends the process at a moment of the processor's clock, or after so many inputs.
    """
    seen: set[str] = set()
    count = 0

    def collect(data: bytes) -> None:
        nonlocal count
        count += 1
        try:
            test(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)
            ours = [f"{f.filename}:{f.lineno}" for f in last if "/pairsift/" in f.filename]
            place = f"{type(error).__name__} {ours[-1] if ours else last[-1]}"
            if place not in seen:
                seen.add(place)
                mark = hashlib.sha256(place.encode()).hexdigest()[:8]
                (folder / f"{mark}.input").write_bytes(data)
                (folder / f"{mark}.txt").write_text(traceback.format_exc())
        if count >= most or time.process_time() > until:
            os.write(2, f"\nexecutions: {count}\n".encode())
            os._exit(0)

    return collect


if __name__ == "__main__":
    main()
