"""Finding bad pairs by their losses: miner, thresholds and weights, usable in any torch loop."""

from pairsift.mining.auto import Auto
from pairsift.mining.memory import Memory, Ramp, Statistics
from pairsift.mining.mend import PARTS, MendingMiner
from pairsift.mining.miner import BadPairMiner
from pairsift.mining.plan import Plan
from pairsift.mining.population import Population
from pairsift.mining.presets import MININGS, build_miner, usual_weight
from pairsift.mining.sync import hide_from_ddp
from pairsift.mining.thresholds import FAULTY, KINDS, NOISY, NORMAL, Judge, Sigma, Threshold
from pairsift.mining.weights import ConstantWeight, GaussianWeight, MixtureWeight, Weight

__all__ = [
    "FAULTY",
    "KINDS",
    "MININGS",
    "NOISY",
    "NORMAL",
    "PARTS",
    "Auto",
    "BadPairMiner",
    "ConstantWeight",
    "GaussianWeight",
    "Judge",
    "Memory",
    "MendingMiner",
    "MixtureWeight",
    "Plan",
    "Population",
    "Ramp",
    "Sigma",
    "Statistics",
    "Threshold",
    "Weight",
    "build_miner",
    "hide_from_ddp",
    "usual_weight",
]
