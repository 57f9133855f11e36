"""One cell of the results: a training and its probe, declared by all its settings and keyed by them."""

from __future__ import annotations

import hashlib
import json
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from pairsift.errors import PairsiftError, shown

FORMAT = 1  # part of every key: a new one means that old cells answer another question
BAD_ONLY = ("noisy", "faulty", "weight", "history", "warmup")  # these say nothing where nothing is mined
Framework = Literal["simclr", "moco", "simsiam", "tstcc", "tfc", "btsf"]
Mining = Literal["none", "rince", "dbpm", "auto", "mend", "known", "oracle", "clean"]
Part = Literal["negatives", "gentle", "noisy"]
PARTS: tuple[Part, ...] = ("negatives", "gentle", "noisy")
Beta = float | Literal["off"] | None


class Cell(BaseModel):
    """A cell's settings, complete; those that change nothing are None, so that equal cells are equal.

    Args:
        dataset: a known dataset's name.
        split: "published" or "grouped".
        task: where the dataset has several.
        sample: how many series the whole dataset must have; None: as many as were published.
        data: what ``simulate`` takes; for "simulated" only.
        planted: the share of the training pairs that is made bad.
        kind: which kinds are planted: "both" (half each), "noisy" or "faulty".
        damage: how faulty pairs are damaged: "fixed" to the pair's second view, or "random", one view anew
        each
            epoch; None: fixed.
        framework: the contrastive method.
        options: its own settings.
        mining: "none", "rince", a miner's name, "known" (mend, told what was planted), "oracle" (exactly the
            planted pairs are dropped) or "clean" (nothing is planted).
        parts: which parts of mend are on; None: all.
        noisy: beta of the noisy side, or "off".
        faulty: beta of the faulty side, or "off".
        weight: the miner's weight: a name, a number, or "mixture-P"; see ``usual_weight`` for None.
        history: what the miner judges by.
        warmup: epochs that only watch; None: a third.
        epochs: of pretraining.
        batch_size: pairs a batch.
        lr: Adam's.
        weight_decay: Adam's.
        seed: of everything.
        precision: of the arithmetic; with "auto" the machine decides and the result says how.
        keep: what else the result holds: "pairs" (each pair's mean and spread), "tsne" (a map of features).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: str
    split: Literal["published", "grouped"] = "published"
    task: str | None = None
    sample: int | None = Field(default=None, ge=1)
    data: dict[str, Any] = Field(default_factory=dict)
    planted: float = Field(default=0.0, ge=0, lt=1)
    kind: Literal["both", "noisy", "faulty"] = "both"
    damage: Literal["fixed", "random"] | None = None
    framework: Framework = "simclr"
    options: dict[str, Any] = Field(default_factory=dict)
    mining: Mining = "none"
    parts: tuple[Part, ...] | None = None
    noisy: Beta = 2.0
    faulty: Beta = 3.0
    weight: str | None = None
    history: Literal["mean", "last", "ramp"] | None = "mean"
    warmup: int | None = Field(default=None, ge=0)
    epochs: int = Field(default=40, ge=1)
    batch_size: int = Field(default=128, ge=2)
    lr: float = Field(default=3e-4, gt=0)
    weight_decay: float = Field(default=3e-4, ge=0)
    seed: int = Field(default=0, ge=0)
    precision: Literal["auto", "32-true", "bf16-mixed"] = "32-true"
    keep: tuple[Literal["pairs", "tsne"], ...] = ()

    @field_validator("dataset")
    @classmethod
    def _known_dataset(cls, name: str) -> str:
        from pairsift.data.catalog import known

        known(name)
        return name

    @cached_property
    def key(self) -> str:
        """The settings' fingerprint. Fields that are None or empty do not count, so new ones may come."""
        said = {k: v for k, v in self.model_dump(mode="json").items() if v not in (None, {}, [])}
        return hashlib.sha256(json.dumps([FORMAT, said], sort_keys=True).encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        """The cell in a few words."""
        bad = f" {100 * self.planted:g}% planted" if self.planted else ""
        where = "-".join(
            filter(None, [self.dataset, self.task, self.split if self.split != "published" else ""])
        )
        struck = " random damage" if self.damage == "random" else ""
        mining = " ".join([self.mining, *(self.parts or ())])
        return f"{where}{bad}{struck} {self.framework} {mining} seed {self.seed}"

    @property
    def file(self) -> str:
        """The name of its file: words for people, the key for us."""
        return (
            f"{self.title.replace('% planted', '').replace(' seed ', ' s').replace(' ', '-')}-{self.key}.json"
        )

    @property
    def defined(self) -> bool:
        """RINCE needs negatives, and SimSiam has none."""
        return not (self.framework == "simsiam" and self.mining == "rince")


def make_cell(**settings: Any) -> Cell:
    """A cell with what makes no difference left out; a mistake is one sentence.

    "clean" is the run without planting, and where nothing is planted the oracle has nothing to drop and
    nothing is known: all become "none", and share its result.
    """
    for name in settings:
        refuse_unknown("setting", name, Cell.model_fields)
    given = dict(settings)
    if given.get("mining") == "clean":
        given.update(mining="none", planted=0.0)
    if not given.get("planted"):
        given.update(kind="both", damage=None)
        if given.get("mining") in ("oracle", "known"):
            given["mining"] = "none"
    if given.get("damage") == "fixed" or given.get("kind") == "noisy":
        given["damage"] = None
    if given.get("mining") != "mend" or set(given.get("parts") or PARTS) == set(PARTS):
        given["parts"] = None
    if given.get("noisy") == "off" == given.get("faulty") and given.get("mining") == "dbpm":
        given["mining"] = "none"  # nothing is ever flagged
    if given.get("mining", "none") in ("none", "rince", "known", "oracle"):
        given.update(dict.fromkeys(BAD_ONLY))
    elif given.get("mining") in ("auto", "mend"):
        given.update(noisy=None, faulty=None)
    try:
        return Cell(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise PairsiftError(f"spec: {shown(where)}: {reason}, got {shown(repr(first['input']))}") from None


def refuse_unknown(what: str, name: str, known: Any) -> None:
    """Refuse a name that is not known, with the nearest one that is."""
    if name not in known:
        near = get_close_matches(str(name), list(known), 1, 0.0)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise PairsiftError(f"spec: there is no {what} {shown(name)!r}{hint}")
