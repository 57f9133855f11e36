"""Sleep-EDF from its PSG and hypnogram EDF files, by way of mne."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairsift.data.catalog import SLEEP_EDF
from pairsift.data.edf import load_mne, open_channel, read_annotations
from pairsift.data.holdout import GROUPED, PUBLISHED, Split
from pairsift.data.published import Published, Task
from pairsift.errors import PairsiftError, shown

Array = NDArray[Any]

CHANNEL, RATE, EPOCH = "EEG Fpz-Cz", 100, 30  # samples a second; seconds
CLASSES = SLEEP_EDF.tasks["stage"].classes
STAGES = {  # stages 3 and 4 are one; movement and unknown are left out
    "Sleep stage W": 0,
    "Sleep stage 1": 1,
    "Sleep stage 2": 2,
    "Sleep stage 3": 3,
    "Sleep stage 4": 3,
    "Sleep stage R": 4,
    "Sleep stage ?": -1,
    "Movement time": -1,
}
WAKE_KEPT = 30 * 60 // EPOCH  # epochs before the first and after the last sleep
PEOPLE = 20
ORDER = (14, 5, 4, 17, 8, 7, 19, 12, 0, 15, 16, 9, 11, 10, 3, 1, 6, 18, 2, 13)  # TS-TCC's


@dataclass(frozen=True)
class Night:
    """One recording: which epochs of it are kept, and their stages."""

    psg: Path
    person: int
    epochs: Array
    y: Array


def scan(source: Path) -> Published:
    """Understand the PSG and hypnogram files below the folder ``source``."""
    load_mne()
    if not source.is_dir():
        raise PairsiftError(f"{source} is no folder; unpack it and give the folder with the EDF files")
    recordings, hypnograms = _by_night(source, "PSG"), _by_night(source, "Hypnogram")
    if not recordings:
        raise PairsiftError(
            f"{source} holds no SC4*-PSG.edf; give the folder sleep-cassette (pairsift data info sleep-edf "
            "says where to get it)"
        )
    chosen = {night: path for night, path in recordings.items() if int(night[3:5]) < PEOPLE}
    if not chosen:
        raise PairsiftError(
            f"{source} holds nobody of the first {PEOPLE} people (SC400* to SC419*); add their files"
        )
    for night, path in chosen.items():
        if night not in hypnograms:
            raise PairsiftError(
                f"{path} has no {night}*-Hypnogram.edf with it; add it or take the recording away"
            )
    nights = [_night(path, hypnograms[night]) for night, path in chosen.items()]
    person = np.repeat([night.person for night in nights], [len(night.y) for night in nights])
    y = np.concatenate([night.y for night in nights])
    notes = []
    if len(chosen) < len(recordings):
        notes.append(
            f"{len(recordings) - len(chosen)} recordings of further people were left out: the published "
            f"split is of the first {PEOPLE} people"
        )
    split = _by_person(person)
    return Published(
        name=SLEEP_EDF.name,
        shape=(len(y), 1, RATE * EPOCH),
        blocks=partial(_blocks, nights),
        tasks={"stage": Task(y, CLASSES, {PUBLISHED: split, GROUPED: split})},
        group=person,
        ids=np.array([f"{night.psg.name[:6]}/{epoch}" for night in nights for epoch in night.epochs]),
        files=tuple(path for night in chosen for path in (chosen[night], hypnograms[night])),
        notes=tuple(notes),
        facts={"channels": [CHANNEL], "group": "person", "rate": float(RATE), "unit": "microvolt"},
    )


def stages(onsets: Array, durations: Array, texts: list[str], count: int, name: str) -> tuple[Array, Array]:
    """Which of a night's first ``count`` epochs are kept and what stage each is.

    Args:
        onsets: annotations' starts in seconds.
        durations: their lengths in seconds.
        texts: what they say.
        count: whole epochs that the recording has.
        name: the hypnogram's name, for messages.

    Returns:
        Epoch numbers (n,) and stages (n,), both int64.
    """
    label = np.full(count, -1, np.int64)
    for onset, duration, text in zip(onsets, durations, texts):
        if text not in STAGES:
            raise PairsiftError(
                f"{name} has the annotation {shown(text)!r}, which is no sleep stage; check the file"
            )
        if STAGES[text] >= 0 and (duration % EPOCH or onset % EPOCH):
            raise PairsiftError(
                f"{name} has a stage that is no multiple of {EPOCH} s, at {onset:g} s; check the file"
            )
        label[int(onset // EPOCH) : int((onset + duration) // EPOCH)] = STAGES[text]
    epochs = np.flatnonzero(label >= 0)
    asleep = np.flatnonzero(label[epochs] > 0)
    if not len(asleep):
        raise PairsiftError(
            f"{name} has no sleep in the recording's time; check that the two files belong together"
        )
    epochs = epochs[max(0, asleep[0] - WAKE_KEPT) : asleep[-1] + WAKE_KEPT + 1]
    return epochs, label[epochs]


def _by_night(source: Path, kind: str) -> dict[str, Path]:
    """Files by night (SC4ssN: ss the person, N the night), in order."""
    found: dict[str, Path] = {}
    for path in sorted(source.rglob("*.edf")):
        match = re.fullmatch(rf"(SC4\d\d\d)\w*-{kind}\.edf", path.name)
        if match and found.setdefault(match.group(1), path) != path:
            raise PairsiftError(
                f"{source} holds two files of one night, {found[match.group(1)]} and {path}; keep one"
            )
    return found


def _night(psg: Path, hypnogram: Path) -> Night:
    raw = open_channel(psg, CHANNEL, RATE)
    said = read_annotations(hypnogram)
    count = raw.n_times // (RATE * EPOCH)
    epochs, y = stages(said.onset, said.duration, list(said.description), count, str(hypnogram))
    return Night(psg, int(psg.name[3:5]), epochs, y)


def _blocks(nights: list[Night]) -> Iterator[Array]:
    """Microvolts, a night at a time."""
    size = RATE * EPOCH
    for night in nights:
        first, last = int(night.epochs[0]), int(night.epochs[-1])
        try:
            signal = open_channel(night.psg, CHANNEL, RATE).get_data(
                start=first * size, stop=(last + 1) * size
            )
        except Exception as error:  # mne raises many kinds for a broken file
            raise PairsiftError(
                f"{night.psg} cannot be read ({shown(error, 120)}); download it again"
            ) from error
        yield (signal.reshape(-1, 1, size)[night.epochs - first] * 1e6).astype(np.float32)


def _by_person(person: Array) -> Split:
    """60/20/20 of the people in the fixed order; those who are absent are passed over."""
    present = [one for one in ORDER if one in set(person.tolist())]
    first = max(1, int(len(present) * 0.6))
    second = first + int(len(present) * 0.2)
    parts = (present[:first], present[first:second], present[second:])
    train, val, test = (np.flatnonzero(np.isin(person, part)) for part in parts)
    return Split(train, val, test)
