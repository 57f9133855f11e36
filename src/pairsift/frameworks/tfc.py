"""TF-C (Zhang et al., 2022): views agree in time and in spectrum, and time agrees with spectrum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Generator, Tensor

from pairsift.augment.spectrum import perturb_spectrum
from pairsift.augment.views import STRENGTHS, Augmentation, TwoViews, weak_strong
from pairsift.encoders import build_encoder
from pairsift.encoders.spectral import magnitude_spectrum, spectrum_length
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.heads import projection_head
from pairsift.losses import Contrast


@dataclass(frozen=True)
class AlsoInSpectrum:
    """A view that is augmented in time and then in its spectrum."""

    in_time: Augmentation
    share: float
    level: float

    def __call__(self, x: Tensor, strength: Tensor | None, generator: Generator | None) -> Tensor:
        """Draw a view."""
        view = self.in_time(x, strength, generator)
        return perturb_spectrum(view, self.share, self.level, strength=strength, generator=generator)


@dataclass(frozen=True)
class TFCConfig(FrameworkConfig):
    """TF-C's settings.

    Args:
        hidden: size of both projectors' hidden layer.
        projection: size of the space that time and spectrum share.
        within: weight of the two contrasts within a domain, lambda.
        triplet: the paper's consistency, lambda (L_T + L_F) + (1 - lambda) L_C, in place of the released
            lambda (L_T + L_F) + L_TF.
        margin: of the triplets, delta.
        share: of the frequencies that are taken out, and put in; 0 leaves the spectrum alone.
        level: the most that is put in, as a share of the largest amplitude.
        jitter: whether the strong view is jittered in time too.
    """

    hidden: int = 256
    projection: int = 128
    within: float = 0.2
    triplet: bool = False
    margin: float = 1.0
    share: float = 0.1
    level: float = 0.1
    jitter: bool = False

    def build_views(self) -> TwoViews:
        """The weak and the strong view, the strong one augmented in its spectrum too."""
        views = super().build_views()
        if self.augmentation == "none":
            return views
        if not self.jitter:
            views = weak_strong(replace(STRENGTHS[self.augmentation], jitter=0.0))
        return TwoViews(views.first, AlsoInSpectrum(views.second, self.share, self.level))


class TFC(Framework):
    """TF-C with two encoders of one kind, of the series and of its magnitude spectrum.

    Per pair, with h the encoders' features and z their projections into one shared space:

    * L_T and L_F, that h of a series' two views agree, in time and in spectrum;
    * L_TF, that z of the first view's series and of its spectrum agree.

    The loss is lambda (L_T + L_F) + L_TF with lambda 0.2, as released. ``triplet`` takes the paper's in its
    place, lambda (L_T + L_F) + (1 - lambda) L_C, where L_C sums L_TF - L_other + delta over the three other
    ways to pair time with spectrum in which a view is the second one; as the paper writes it, without floor.

    Views are series: what the paper does to the second view's spectrum (take frequencies out, put some in) is
    done by ``views``, phases kept, after the strong augmentation in time. So one seed, one strength and one
    damaged series govern both domains, and both encoders see the same two views. Published TF-C augments each
    domain by itself; here jitter would reach the spectrum too, and as strong as TS-TCC's settings have it
    for HAR it drowns all of it. So in time the strong view is permuted and not jittered, unless ``jitter``
    says so; on HAR's validation people a probe gained by it.

    The spectral encoder reads log(1 + amplitude) of the T // 2 + 1 frequencies of every channel. The features
    for users are h of both, before the projectors.
    """

    name = "tfc"
    Config: ClassVar[type[FrameworkConfig]] = TFCConfig

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: TFCConfig | None = None,
    ) -> None:
        config = config or TFCConfig()
        super().__init__(channels, length, loss, config)
        self.time = build_encoder(config.encoder, channels, length, **config.encoder_options)
        self.spectrum = build_encoder(
            config.encoder, channels, spectrum_length(length), **config.encoder_options
        )
        self.time_head = projection_head(self.time.out_features, config.hidden, config.projection)
        self.spectrum_head = projection_head(self.spectrum.out_features, config.hidden, config.projection)
        self.out_features = self.time.out_features + self.spectrum.out_features
        self.within, self.triplet, self.margin = config.within, config.triplet, config.margin

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,); see ``Framework.forward``."""
        self.check_pair(u, v)
        both = torch.cat([u, v])
        h_time, h_spectrum = self.time(both), self.spectrum(magnitude_spectrum(both))
        within = self.criterion(*h_time.chunk(2), negatives) + self.criterion(*h_spectrum.chunk(2), negatives)
        time_u, time_v = self.time_head(h_time).chunk(2)
        spectrum_u, spectrum_v = self.spectrum_head(h_spectrum).chunk(2)
        across = self.criterion(time_u, spectrum_u, negatives)
        losses: Tensor = self.within * within + across
        if self.triplet:
            pairs = ((time_u, spectrum_v), (time_v, spectrum_u), (time_v, spectrum_v))
            triplets = [across - self.criterion(*pair, negatives) + self.margin for pair in pairs]
            losses = self.within * within + (1 - self.within) * torch.stack(triplets).sum(0)
        return losses

    def chance_level(self, batch_size: int) -> float | None:
        """All contrasts at theirs, which cancel out in the triplets; see ``Framework.chance_level``."""
        level = super().chance_level(batch_size)
        if level is None:
            return None
        across = (1 - self.within) * 3 * self.margin if self.triplet else level
        return 2 * self.within * level + across

    def represent(self, x: Tensor) -> Tensor:
        """Both encoders' features, side by side: (B, out_features)."""
        return torch.cat([self.time(x), self.spectrum(magnitude_spectrum(x))], dim=1)
