"""Contrastive learning of time series that finds its bad positive pairs."""

__version__ = "0.1.0"
