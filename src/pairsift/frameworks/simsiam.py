"""SimSiam (Chen & He, 2021): predict the other view's projection; no negatives, and a stopped gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from pairsift.encoders import build_encoder
from pairsift.errors import PairsiftError
from pairsift.frameworks.base import Framework, FrameworkConfig
from pairsift.frameworks.heads import projection_head
from pairsift.losses import Contrast, NegativeCosine

OWN_LOSS = "negative-cosine"


@dataclass(frozen=True)
class SimSiamConfig(FrameworkConfig):
    """SimSiam's settings; ``temperature`` and ``gather`` have no meaning here.

    Args:
        projection: width of the projector, all three layers of it.
        bottleneck: size of the predictor's hidden layer; published is a quarter of the projection.
    """

    projection: int = 512
    bottleneck: int = 128


class SimSiam(Framework):
    """SimSiam: projector, predictor, stop-gradient, and the mean of both directions' negative cosine.

    Losses lie in [-1, 1] with a spread far below 0.4. The paper's weight (Eq. 7) is a density, and one of so
    narrow a Gaussian is above 1 even some deviations from the mean: at beta = 2 and a deviation of 0.05 it is
    1.08. Clipped to 1 it would not down-weight at all, so ``mining_weight`` asks for the density scaled to a
    peak of 1.

    There are no negatives, so a mask of them changes nothing, and RINCE, which needs them, is refused. The
    default "infonce" stands for the method's own loss.

    The features for users are the encoder's, before the projector.
    """

    name = "simsiam"
    Config: ClassVar[type[FrameworkConfig]] = SimSiamConfig
    mining_weight: ClassVar[str] = "peak-one"

    def __init__(
        self,
        channels: int,
        length: int,
        loss: str | Contrast = "infonce",
        config: SimSiamConfig | None = None,
    ) -> None:
        config = config or SimSiamConfig()
        super().__init__(channels, length, loss, config)
        self.loss_name = OWN_LOSS
        self.encoder = build_encoder(config.encoder, channels, length, **config.encoder_options)
        self.out_features = self.encoder.out_features
        self.projector = projector(self.out_features, config.projection)
        self.predictor = projection_head(config.projection, config.bottleneck, config.projection)

    def build_criterion(self, loss: str | Contrast) -> nn.Module:
        """Negative cosine; whatever needs negatives is refused."""
        if loss not in ("infonce", OWN_LOSS):
            name = loss if isinstance(loss, str) else type(loss).__name__
            raise PairsiftError(
                f"loss {name!r} needs negative pairs and SimSiam has none; leave loss at its default, or "
                "choose another framework"
            )
        return NegativeCosine()

    def forward(self, u: Tensor, v: Tensor, negatives: Tensor | None = None) -> Tensor:
        """One loss a pair, (B,), in [-1, 1]; see ``Framework.forward``."""
        self.check_pair(u, v)
        # Each view passes by itself. Batch norm keeps a batch from falling onto one point, and so keeps this
        # method from collapsing; over both views at once it would be content with two points, one a view.
        zu, zv = self.projector(self.encoder(u)), self.projector(self.encoder(v))
        pu, pv = self.predictor(zu), self.predictor(zv)
        one_way = self.criterion(pu, zv.detach(), negatives)
        other_way = self.criterion(pv, zu.detach(), negatives)
        losses: Tensor = (one_way + other_way) / 2
        return losses

    def represent(self, x: Tensor) -> Tensor:
        """The encoder's features, (B, out_features)."""
        features: Tensor = self.encoder(x)
        return features


def projector(features: int, width: int) -> nn.Sequential:
    """Three linear layers, each batch-normalised, the last without scale, shift and ReLU."""
    return nn.Sequential(
        nn.Linear(features, width, bias=False),
        nn.BatchNorm1d(width),
        nn.ReLU(inplace=True),
        nn.Linear(width, width, bias=False),
        nn.BatchNorm1d(width),
        nn.ReLU(inplace=True),
        nn.Linear(width, width, bias=False),
        nn.BatchNorm1d(width, affine=False),
    )
