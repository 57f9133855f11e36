"""The model card that goes with an exported encoder."""

from __future__ import annotations

from typing import Any

_CARD = """\
---
library_name: pairsift
tags:
- time-series
- feature-extraction
- contrastive-learning
---

# {framework} features of time series

An encoder trained without labels by [pairsift](https://pypi.org/project/pairsift/): {framework}, {mining}.

| | |
|---|---|
| in | float32, (batch, {channels}, {length}): series, channels, time steps |
| out | float32, (batch, {features}) |
| learned from | {data} |
| epochs | {epochs} |
| seed | {seed} |
| made with | pairsift {pairsift}, torch {torch} |

```python
import torch
from pairsift.training import load_exported

encoder = load_exported("path/to/this/folder")
features = encoder.embed(torch.randn(4, {channels}, {length}))  # (4, {features})
```

Only what features depend on is in `model.safetensors`; projection heads are not. Series must be scaled as the
ones it was trained on. `config.json` has all settings.
"""


def model_card(config: dict[str, Any]) -> str:
    """A README.md for the hub, from an export's config."""
    settings, data = config["run"].get("settings", {}), config["run"].get("data", {})
    shape = data.get("shape", ["?", "?", "?"])
    mining = settings.get("mining", "none")
    return _CARD.format(
        framework=config["framework"]["name"],
        mining={"none": "no bad pairs mined", "rince": "RINCE as its loss"}.get(
            mining, f"bad pairs mined by {mining}"
        ),
        channels=config["input"]["shape"][1],
        length=config["input"]["shape"][2],
        features=config["output"]["shape"][1],
        data=f"{data.get('name', 'unknown')}, {shape[0]} series",
        epochs=settings.get("epochs", "?"),
        seed=settings.get("seed", "?"),
        pairsift=config["versions"]["pairsift"],
        torch=config["versions"]["torch"],
    )
