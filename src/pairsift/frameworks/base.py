"""What a framework is: two views of a batch in, one loss per pair out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

import torch
from torch import Generator, Tensor, nn

from pairsift.augment.views import STRENGTHS, TwoViews, plain, weak_strong
from pairsift.errors import PairsiftError, nearest
from pairsift.losses import Contrast, build_loss


@dataclass(frozen=True)
class FrameworkConfig:
    """What every framework can be told; JSON types only, so that a run folder can repeat it.

    Args:
        encoder: a name that ``build_encoder`` knows.
        encoder_options: what is passed on to it.
        augmentation: a name in ``STRENGTHS``, or "none" for views that are the series itself.
        temperature: of the contrastive loss, t in Eq. 1.
        gather: where several processes train together, let the views on all of them serve as negatives, with
            gradients; each process' own views alone do if False.
    """

    encoder: str = "conv"
    encoder_options: dict[str, Any] = field(default_factory=dict)
    augmentation: str = "default"
    temperature: float = 0.2
    gather: bool = False

    # What differs from the defaults on a dataset, by its name.
    published: ClassVar[dict[str, dict[str, Any]]] = {
        "har": {"augmentation": "har"},
        "epilepsy": {"augmentation": "epilepsy"},
        "sleep-edf": {"augmentation": "sleep-edf", "encoder_options": {"kernel": 25, "stride": 3}},
        "ptb-xl": {"augmentation": "ptb-xl", "encoder": "resnet34"},
        # What a simulated series is lies in its waveform, not in its place: features are averaged over time.
        "simulated": {
            "augmentation": "none",
            "encoder_options": {"kernel": 8, "stride": 3, "dropout": 0.0, "pooling": "average"},
        },
    }

    @classmethod
    def for_dataset(cls, dataset: str | None = None, **options: Any) -> Self:
        """The published settings for a dataset (the defaults where there are none); options win."""
        known = {f.name for f in fields(cls)}
        unknown = sorted(set(options) - known)
        if unknown:
            raise PairsiftError(
                f"unknown framework option {unknown[0]!r}; there are {', '.join(sorted(known))}"
                f"{nearest(unknown[0], known)}"
            )
        return cls(**{**cls.published.get(dataset or "", {}), **options})

    def build_views(self) -> TwoViews:
        """The weak and the strong view that ``augmentation`` names."""
        if self.augmentation == "none":
            return plain()
        if self.augmentation not in STRENGTHS:
            choices = ", ".join(["none", *sorted(STRENGTHS)])
            raise PairsiftError(f"unknown augmentation {self.augmentation!r}; there are {choices}")
        return weak_strong(STRENGTHS[self.augmentation])


class Framework(nn.Module, ABC):
    """A contrastive method. It knows nothing of mining: masks come in, per-pair losses go out.

    Args:
        channels: C of the series it will see.
        length: T of the series it will see.
        loss: "infonce", "rince", or a loss of one's own.
        config: the method's settings; its defaults if None.
    """

    name: ClassVar[str]
    Config: ClassVar[type[FrameworkConfig]] = FrameworkConfig
    # The miner's weight that suits this method's losses; a name that ``pairsift.mining`` knows.
    mining_weight: ClassVar[str] = "gaussian"

    criterion: nn.Module
    two_views: TwoViews
    out_features: int

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: FrameworkConfig | None = None,
    ) -> None:
        super().__init__()
        self.channels = channels
        self.length = length
        self.config = config if config is not None else self.Config()
        self.loss_name = loss if isinstance(loss, str) else type(loss).__name__.lower()
        self.criterion = self.build_criterion(loss)
        self.two_views = self.config.build_views()

    def build_criterion(self, loss: str | Contrast) -> nn.Module:
        """The loss, by name or as given; a method that allows only one refuses the others here."""
        if isinstance(loss, Contrast):
            return loss
        return build_loss(loss, temperature=self.config.temperature, gather=self.config.gather)

    @property
    def settings(self) -> dict[str, Any]:
        """All that ``build_framework`` needs to make this framework again; JSON types only."""
        return {
            "name": self.name,
            "channels": self.channels,
            "length": self.length,
            "loss": self.loss_name,
            **asdict(self.config),
        }

    def views(
        self,
        x: Tensor,
        other: Tensor | None = None,
        *,
        gentle: Tensor | None = None,
        generator: Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw two views of every series.

        Args:
            x: series, shape (B, C, T).
            other: where the second view is drawn from if not from ``x``, shape (B, C, T).
            gentle: how much milder each series' views shall be, shape (B,): a mask, or 0 (full strength)
                to 1 (mildest). Where it is above 0 the second view is drawn from ``x`` too.
            generator: where the randomness comes from; torch's own if None.

        Returns:
            Two batches of views, each (B, C, T).
        """
        return self.two_views(x, other, gentle=gentle, generator=generator)

    @abstractmethod
    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair.

        Args:
            u: first views, shape (B, C, T).
            v: second views, shape (B, C, T).
            negatives: mask, shape (B,): False keeps a series out of everybody's negatives.

        Returns:
            Losses, shape (B,).
        """

    @torch.no_grad()
    def glance(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """The losses that ``forward`` would give in the mode it is in, without gradient and without a trace.

        What a pass of training leaves behind (running statistics, a slow copy, a queue) is put back. Only
        torch's randomness moves on, where dropout draws from it.

        Returns:
            Losses, shape (B,).
        """
        state = [*self.buffers(), *(p for p in self.parameters() if not p.requires_grad)]
        before = [tensor.clone() for tensor in state]
        try:
            losses: Tensor = self(u, v, negatives)
        finally:
            for tensor, old in zip(state, before):
                tensor.copy_(old)
        return losses

    @abstractmethod
    def represent(self, x: Tensor) -> Tensor:
        """The encoder's features, shape (B, out_features), in whatever mode the framework is in."""

    @torch.no_grad()
    def embed(self, x: Tensor) -> Tensor:
        """Features for users and probes, shape (B, out_features): no gradient, and as in eval mode.

        Args:
            x: series, shape (B, C, T).
        """
        self.check_series(x)
        was_training = self.training
        self.eval()
        try:
            return self.represent(x)
        finally:
            self.train(was_training)

    def chance_level(self, batch_size: int) -> float | None:
        """The mean loss of an encoder that maps everything to one point; None where that says nothing.

        It is the criterion's, unless a method adds several contrasts up.

        Args:
            batch_size: pairs in a batch.
        """
        level = getattr(self.criterion, "chance_level", None)  # a loss of one's own may know none
        return None if level is None else level(batch_size)

    def check_series(self, x: Tensor) -> None:
        """Refuse series of another shape than the framework was built for."""
        if x.ndim != 3 or x.shape[1] != self.channels or x.shape[2] != self.length:
            raise PairsiftError(
                f"series must have shape (batch, {self.channels}, {self.length}), as the framework was built "
                f"for, got {tuple(x.shape)}"
            )

    def check_pair(self, u: Tensor, v: Tensor) -> None:
        """Refuse two views that no contrastive loss can be computed from."""
        self.check_series(u)
        if u.shape != v.shape:
            raise PairsiftError(f"both views must have one shape, got {tuple(u.shape)} and {tuple(v.shape)}")
        if len(u) < 2:
            raise PairsiftError("a batch of one series has no negatives; give batches of at least two")
