"""All that decides how a run goes, checked when it is read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from pairsift.data.catalog import CATALOG
from pairsift.errors import PairsiftError, nearest, shown
from pairsift.frameworks import FRAMEWORKS, FrameworkConfig


class Settings(BaseModel):
    """What a run folder keeps and what the command line and TOML files can say.

    ``mining`` is "none", "rince" (the loss is RINCE, nothing is mined), "dbpm", "auto" (dbpm with thresholds
    that need no beta), or "mend" (auto, and more is done with a bad pair than to weigh it down). ``noisy``
    and ``faulty`` are the betas of Eq. 5, which "auto" and "mend" do not look at; None switches a side
    off. ``mend`` says which parts of "mend" are on, all if None. ``warmup`` None means a third of the
    epochs. ``options`` go to the framework.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    framework: str = "simclr"
    dataset: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    mining: str = "dbpm"
    noisy: float | None = Field(default=2.0, ge=0)
    faulty: float | None = Field(default=3.0, ge=0)
    weight: str | None = None
    history: Literal["mean", "last", "ramp"] = "mean"
    mend: tuple[Literal["negatives", "gentle", "noisy"], ...] | None = None
    warmup: int | None = Field(default=None, ge=0)
    epochs: int = Field(default=40, ge=1)
    batch_size: int = Field(default=128, ge=2)
    lr: float = Field(default=3e-4, gt=0)
    weight_decay: float = Field(default=3e-4, ge=0)
    seed: int = Field(default=0, ge=0)
    precision: Literal["auto", "32-true", "bf16-mixed", "16-mixed", "64-true"] = "32-true"

    @property
    def loss(self) -> str:
        """The loss that ``mining`` asks for."""
        return "rince" if self.mining == "rince" else "infonce"

    @property
    def warmup_epochs(self) -> int:
        """Epochs in which the miner only watches."""
        return self.epochs // 3 if self.warmup is None else self.warmup

    @field_validator("dataset")
    @classmethod
    def _has_published_settings(cls, value: str | None) -> str | None:
        if value is not None and value not in CATALOG:
            raise ValueError(
                f"no dataset is called {shown(value)!r}, whose published settings could be taken"
                f"{nearest(value, CATALOG)}"
            )
        return value

    @model_validator(mode="after")
    def _mining_begins(self) -> Settings:
        if self.mining not in ("none", "rince") and self.epochs <= self.warmup_epochs:
            raise ValueError(
                f"epochs ({self.epochs}) must be more than warmup ({self.warmup_epochs}), "
                "else mining never begins; train longer or warm up less"
            )
        return self


def make_settings(base: Settings | None = None, **options: Any) -> Settings:
    """Settings with ``options`` in place of what ``base`` says; a mistake is one sentence."""
    try:
        return Settings(**{**(base.model_dump() if base else {}), **options})
    except ValidationError as error:
        raise PairsiftError(_sentence(error)) from None


def check_options(settings: Settings) -> None:
    """Refuse framework options of a wrong type; unknown ones are the framework's to refuse."""
    kind = FRAMEWORKS.get(settings.framework)
    if kind is not None:
        check_config(kind.Config, settings.options)


def check_config(config: type[FrameworkConfig], options: dict[str, Any]) -> None:
    """Refuse options that have another type than the field of ``config`` with their name."""
    known = {f.name for f in fields(config)}
    try:
        TypeAdapter(config).validate_python({k: v for k, v in options.items() if k in known})
    except ValidationError as error:
        raise PairsiftError(f"options: {_sentence(error)}") from None


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    where = shown(".".join(str(part) for part in first["loc"]))
    came = "" if first["type"] == "value_error" else f", got {shown(repr(first['input']))}"
    reason = first["msg"].removeprefix("Value error, ")
    return f"{where}{': ' if where else ''}{reason}{came}"
