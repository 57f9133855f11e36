"""Tell from an epoch's mean loss that an encoder has collapsed, and say what the likely cause is."""

from __future__ import annotations


def collapse_message(mean_loss: float, chance_level: float | None, *, tolerance: float = 0.01) -> str | None:
    """What to warn of, or None: ask it once an epoch, with the epoch's mean loss.

    Args:
        mean_loss: the epoch's mean loss before any weighting.
        chance_level: ``loss.chance_level(batch_size)``: log of the number of candidates for InfoNCE, None
            for a loss that cannot show collapse.
        tolerance: how near to the chance level counts, as a share of it.

    Returns:
        A sentence for a warning.
    """
    if chance_level is None or not abs(mean_loss - chance_level) <= tolerance * chance_level:
        return None
    return (
        f"the mean loss, {mean_loss:.3f}, sits at the log of the number of candidates, {chance_level:.3f}: "
        "the encoder cannot tell a pair's other view from anybody's (collapse). The likely cause is a "
        "learning rate that is too high; if a lower one does not help, look for constant or unscaled series, "
        "augmentation so strong that two views share nothing, or a temperature that is too high"
    )
