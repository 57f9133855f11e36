"""What is fuzzed: every reader of files from strangers and every parser of settings, by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.fuzz import kept, own_files, publishers
from tests.fuzz.base import Fuzzed, as_file, lazily, npy, series

_AS_NPZ = as_file(".npz", own_files.read_series)


def _npy_seeds() -> list[bytes]:
    return [npy(series()), npy(np.arange(6)), npy(series(), version=(3, 0))]


OWN = {
    "npy": Fuzzed(as_file(".npy", own_files.read_series), _npy_seeds),
    "npz": Fuzzed(_AS_NPZ, own_files.npz_seeds),
    "npz-members": Fuzzed(lambda data: _AS_NPZ(own_files.npz_of_members(data)), own_files.member_seeds, 1024),
    "csv": Fuzzed(as_file(".csv", own_files.read_series), own_files.csv_seeds, 512),
    "tsv": Fuzzed(as_file(".tsv", own_files.read_series), own_files.csv_seeds, 512),
    "ts": Fuzzed(as_file(".ts", own_files.read_series), own_files.ts_seeds, 512),
    "parquet": Fuzzed(as_file(".parquet", own_files.read_series), own_files.parquet_seeds, 8192),
}

PUBLISHED = {
    "uci-text": Fuzzed(publishers.numbers, lambda: [b"1 2 3\n4 5 6\n", b"1\n2\n6\n", b" 1e-3  2 nan\n"], 256),
    "uci-csv": Fuzzed(as_file(".csv", publishers.uci_csv), publishers.uci_seeds),
    "uci-zip": Fuzzed(as_file(".zip", publishers.publisher_zip), publishers.zip_seeds),
    "publisher-npz": Fuzzed(as_file(".npz", publishers.publisher_npz), own_files.npz_seeds),
    "hypnogram": Fuzzed(as_file("-Hypnogram.edf", publishers.hypnogram), publishers.edf_seeds("hypnogram")),
    "recording": Fuzzed(as_file("-PSG.edf", publishers.recording), publishers.edf_seeds("psg"), 8192),
    "ecg-header": Fuzzed(as_file(".hea", publishers.ecg_header), publishers.ecg_seeds, 2048),
    "ecg-signal": Fuzzed(publishers.ecg_signal, lambda: [bytes(24_000), bytes(100)], 32_768),
    "ecg-codes": Fuzzed(publishers.codes, lambda: [b"{'NORM': 100.0, 'SR': 0.0}"], 256),
    "ecg-tables": Fuzzed(lazily(publishers.ecg_tables), publishers.ecg_table_seeds, 2048),
    "prepared": Fuzzed(lazily(publishers.card_as_file), publishers.card_seeds),
}

SETTINGS = {
    "settings-toml": Fuzzed(as_file(".toml", kept.toml), kept.toml_seeds, 512),
    "data-options": Fuzzed(as_file(".toml", kept.data_options), kept.data_option_seeds, 512),
    "columns": Fuzzed(kept.columns, lambda: [b"sit,stand\0y=activity\0id=0"], 256),
    "set-option": Fuzzed(
        kept.set_option, lambda: [b"temperature=0.1\0encoder=resnet18", b"encoder_options={widths=[1]}"], 256
    ),
    "bench-spec": Fuzzed(as_file(".toml", kept.spec), kept.spec_seeds, 512),
}

LEFT_BEHIND = {
    "checkpoint": Fuzzed(kept.checkpoint, kept.checkpoint_seeds),
    "safetensors": Fuzzed(as_file(".safetensors", kept.weights), kept.weights_seeds, 512),
    "run-folder": Fuzzed(lazily(kept.run_folder), kept.run_seeds, 8192),
    "exported": Fuzzed(lazily(kept.exported), kept.exported_seeds, 8192),
    "results": Fuzzed(kept.result, kept.result_seeds, 1024),
}

TARGETS: dict[str, Fuzzed] = {**OWN, **PUBLISHED, **SETTINGS, **LEFT_BEHIND}

FOUND = Path(__file__).parent / "found"


def found(name: str) -> list[bytes]:
    """What fuzzing this target has once found; the files' names begin with the target's."""
    return [path.read_bytes() for path in sorted(FOUND.iterdir()) if target_of(path) == name]


def target_of(path: Path) -> str:
    """Whose finding this is."""
    return max((name for name in TARGETS if path.name.startswith(name)), key=len)
