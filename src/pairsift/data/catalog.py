"""The datasets that pairsift knows by name: what they are, where to get them, under what licence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pairsift.errors import PairsiftError

if TYPE_CHECKING:
    from pairsift.data.published import Published


@dataclass(frozen=True)
class TaskFacts:
    """What is published of a task: classes, series in train, val and test, and series a class in all."""

    counts: tuple[int, int, int]
    classes: tuple[str, ...] = ()  # empty where the files themselves name them
    per_class: tuple[int, ...] = ()
    unnamed: int = 0  # how many classes there are where they are not named here

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return self.unnamed or len(self.classes)


@dataclass(frozen=True)
class Known:
    """A dataset that has a name here."""

    name: str
    title: str
    what: str
    channels: int
    length: int
    tasks: dict[str, TaskFacts]
    splits: dict[str, str]
    scaling: str
    where: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # what --source may be
    folders: tuple[str, ...] = ()  # where a raw copy may lie below the data root
    reader: str = ""  # the module that has scan(source) -> Published
    licence: str = ""
    citation: str = ""
    needs: str = ""  # the extra that must be installed

    def scan(self, source: str | Path) -> Published:
        """Understand the publisher's files at ``source`` without reading the series yet."""
        place = Path(source).expanduser()
        if not self.reader:
            raise PairsiftError(f"{self.name} is generated: there is nothing to prepare, load it by its name")
        if not place.exists():
            raise PairsiftError(f"source: there is no file or folder {place}; check the path")
        published: Published = import_module(self.reader).scan(place)
        return published


SIMULATED = Known(
    name="simulated",
    title="Simulated sine, square and sawtooth series with planted bad pairs",
    what="The paper's simulation: two segments of one waveform each, some series drowned in noise, some "
    "with a second view of another waveform. It is generated, so there is nothing to fetch.",
    channels=1,
    length=500,
    tasks={},
    splits={},
    scaling="none",
    licence="made here",
    citation="Lan et al., Towards Enhancing Time Series Contrastive Learning: A Dynamic Bad Pair Mining "
    "Approach, ICLR 2024",
)

HAR = Known(
    name="har",
    title="UCI Human Activity Recognition Using Smartphones",
    what="30 people, 6 activities; accelerometer and gyroscope of a waist-worn phone at 50 Hz, windows of "
    "2.56 s that overlap by half.",
    channels=9,
    length=128,
    tasks={
        "activity": TaskFacts(
            (5881, 1471, 2947),
            ("WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING"),
            (1722, 1544, 1406, 1777, 1906, 1944),
        )
    },
    splits={
        "published": "the publisher's test people; the rest split at random over windows 80/20, seed 42. "
        "Windows of one person, which overlap, are in both train and val",
        "grouped": "the publisher's test people; the rest split by person",
    },
    scaling="none",
    where=("https://archive.ics.uci.edu/dataset/240/human+activity+recognition+using+smartphones",),
    sources=(
        "the folder 'UCI HAR Dataset' or the folder above it",
        "the zip that UCI ships (with or without the zip inside it)",
        "a .npz with X (N, 9, 128), y 0-5, subject, official_test",
    ),
    folders=("har", "UCI HAR Dataset"),
    reader="pairsift.data.har",
    licence="free for research with the citation, no commercial use (its README)",
    citation="Anguita, Ghio, Oneto, Parra, Reyes-Ortiz: A Public Domain Dataset for Human Activity "
    "Recognition Using Smartphones, ESANN 2013",
)

EPILEPSY = Known(
    name="epilepsy",
    title="Epileptic Seizure Recognition (Bonn EEG)",
    what="500 EEG recordings of 23.6 s at 173.61 Hz, 100 in each of five sets, cut into 23 chunks of 178 "
    "samples; the task is seizure or not. Which of the 10 people each is of was not published.",
    channels=1,
    length=178,
    tasks={"seizure": TaskFacts((7360, 1840, 2300), ("no seizure", "seizure"), (9200, 2300))},
    splits={
        "published": "random over chunks, 80/20 twice, seed 42. It leaks: chunks of one recording are in "
        "train and in test, and all rows serve the scaling",
        "grouped": "by recording, 80/20 twice, seed 42; only training rows serve the scaling",
    },
    scaling="columns",
    where=(
        "https://archive.ics.uci.edu/dataset/388/epileptic+seizure+recognition (the CSV)",
        "https://www.upf.edu/web/ntsa/downloads (Bonn's original text files)",
    ),
    sources=(
        "UCI's CSV (an id column, X1..X178, y), or a folder or zip that holds it",
        "a folder with Bonn's sets Z, O, N, F and S, as folders or zips of 100 text files each",
        "a .npz with X (N, 178), y 1-5 and file_index, or X (500, 4097) and y_uci",
    ),
    folders=("epilepsy",),
    reader="pairsift.data.epilepsy",
    licence="free for research with the citation",
    citation="Andrzejak, Lehnertz, Mormann, Rieke, David, Elger: Indications of nonlinear deterministic and "
    "finite-dimensional structures in time series of brain electrical activity, Physical Review E 64, 2001",
)

SLEEP_EDF = Known(
    name="sleep-edf",
    title="Sleep-EDF, the first 20 people of Sleep Cassette",
    what="39 nights of EEG (Fpz-Cz, 100 Hz, microvolts) in epochs of 30 s with their sleep stages; stages 3 "
    "and 4 are one, movement and unknown are left out, 30 minutes of wake are kept around sleep.",
    channels=1,
    length=3000,
    tasks={
        "stage": TaskFacts(
            (25612, 7786, 8910), ("W", "N1", "N2", "N3", "REM"), (8285, 2804, 17799, 5703, 7717)
        )
    },
    splits={
        "published": "by person, 12/4/4, in TS-TCC's fixed order",
        "grouped": "the published one, which keeps each person on one side",
    },
    scaling="none",
    where=("https://physionet.org/content/sleep-edfx/1.0.0/ (the folder sleep-cassette)",),
    sources=("a folder with SC4*-PSG.edf and SC4*-Hypnogram.edf files, at any depth",),
    folders=("sleep-edf", "sleep-edfx", "sleep-cassette"),
    reader="pairsift.data.sleep_edf",
    licence="ODC-By 1.0",
    citation="Kemp, Zwinderman, Tuk, Kamphuisen, Oberyé: Analysis of a sleep-dependent neuronal feedback "
    "loop, IEEE Transactions on Biomedical Engineering 47(9), 2000; Goldberger et al., "
    "PhysioBank, Circulation 101(23), 2000",
    needs="physio",
)

PTB_XL = Known(
    name="ptb-xl",
    title="PTB-XL, a large publicly available electrocardiography dataset",
    what="Clinical 12-lead ECGs of 10 s at 100 Hz, in millivolts; several statements hold at once.",
    channels=12,
    length=1000,
    tasks={
        "diagnostic": TaskFacts((13715, 3429, 4286), unnamed=44),
        "form": TaskFacts((5752, 1438, 1798), unnamed=19),
        "rhythm": TaskFacts((13481, 3371, 4214), unnamed=12),
    },
    splits={
        "published": "the paper's counts: random over records, 80/20 twice, seed 42. "
        "A patient may be on both sides",
        "grouped": "the publisher's own folds, 1-8, 9 and 10, which keep each patient on one side",
    },
    scaling="moments",
    where=("https://physionet.org/content/ptb-xl/1.0.1/ (the version with 21,837 records)",),
    sources=("the unpacked folder with ptbxl_database.csv, scp_statements.csv and records100",),
    folders=("ptb-xl", "ptbxl"),
    reader="pairsift.data.ptb_xl",
    licence="CC BY 4.0",
    citation="Wagner, Strodthoff, Bousseljot, Kreiseler, Lunze, Samek, Schaeffter: PTB-XL, a large publicly "
    "available electrocardiography dataset, Scientific Data 7, 2020",
    needs="physio",
)

CATALOG = {entry.name: entry for entry in (SIMULATED, HAR, EPILEPSY, SLEEP_EDF, PTB_XL)}


def known(name: str) -> Known:
    """The dataset of that name."""
    if name in CATALOG:
        return CATALOG[name]
    near = get_close_matches(name.lower().replace("_", "-"), CATALOG, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise PairsiftError(f"no dataset is called {name!r}{hint}; known are {', '.join(CATALOG)}")


def info(name: str) -> str:
    """What a dataset is, where to get it, its licence and citation, and how to prepare it: text to print."""
    return "\n".join(_lines(known(name)))


def _lines(entry: Known) -> Iterator[str]:
    yield f"{entry.name}: {entry.title}"
    yield f"  what      {entry.what}"
    yield f"  series    {entry.channels} channel{'s' * (entry.channels > 1)} x {entry.length} time steps"
    for name, task in entry.tasks.items():
        names = f" ({', '.join(task.classes)})" if task.classes else ""
        train, val, test = task.counts
        yield f"  task      {name}: {task.class_count} classes{names}; {train}/{val}/{test} train/val/test"
    for kind, words in entry.splits.items():
        yield f"  split     {kind}: {words}"
    for place in entry.where:
        yield f"  where     {place}"
    yield f"  licence   {entry.licence}"
    yield f"  cite      {entry.citation}"
    for source in entry.sources:
        yield f"  source    {source}"
    if entry.needs:
        yield f'  install   pip install "pairsift[{entry.needs}]"'
    if entry.reader:
        yield f"  prepare   pairsift data prepare {entry.name} --source PATH"
