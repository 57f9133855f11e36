"""EDF files: whether one is whole, one channel of a recording, and the annotations of a hypnogram."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pairsift.errors import PairsiftError, shown


def open_channel(path: Path, channel: str, rate: int) -> Any:
    """One channel of a recording as mne's raw object, its samples not read yet."""
    check_whole(path)
    try:
        raw = load_mne().io.read_raw_edf(path, preload=False, verbose="ERROR")
        names = list(raw.ch_names)
        if channel in names:
            raw = load_mne().io.read_raw_edf(path, include=[channel], preload=False, verbose="ERROR")
    except Exception as error:  # mne raises many kinds for a broken file
        raise PairsiftError(
            f"{path} cannot be read as EDF ({shown(error, 120)}); download it again"
        ) from error
    if channel not in names:
        raise PairsiftError(
            f"{path} has no channel {channel} (it has {shown(', '.join(names))}); use the published files"
        )
    if raw.info["sfreq"] != rate:
        raise PairsiftError(
            f"{path} has {raw.info['sfreq']:g} samples a second where {rate} are published; check it"
        )
    return raw


def check_whole(path: Path) -> None:
    """Refuse an EDF file that is shorter than its own header says."""
    with path.open("rb") as file:
        head = file.read(256)
        try:
            start, records, signals = int(head[184:192]), int(head[236:244]), int(head[252:256])
            if signals < 1:
                raise ValueError("it has no signals")
            file.seek(256 + signals * 216)
            samples = sum(int(file.read(8)) for _ in range(signals))
        except ValueError as error:
            raise PairsiftError(f"{path} is no EDF file, or a cut one; download it again") from error
    size = path.stat().st_size
    if records < 1 or samples < 1 or start < 256 or size < start + records * samples * 2:
        raise PairsiftError(f"{path} is shorter ({size} bytes) than its header says; download it again")


def read_annotations(path: Path) -> Any:
    """A hypnogram's annotations: onsets and durations in seconds, and what each says."""
    check_whole(path)
    try:
        return load_mne().read_annotations(path)
    except Exception as error:  # mne raises many kinds for a broken file
        raise PairsiftError(
            f"{path} cannot be read as an EDF+ hypnogram ({shown(error, 120)}); download it again"
        ) from error


def load_mne() -> Any:
    """The module mne, or the sentence that says how to have it."""
    try:
        import mne
    except ImportError as error:
        raise PairsiftError(
            'EDF files need mne, which is not installed; run pip install "pairsift[physio]"'
        ) from error
    return mne
