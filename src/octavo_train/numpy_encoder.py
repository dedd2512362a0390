"""The encoder's weights as plain arrays, run in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.fast_dataclass import Value

Array = NDArray[Any]

HEADS, WIDTH, WINDOW, EPSILON = 12, 384, 256, 1e-12


class Linear(Value):
    """One dense layer, `x @ weight + bias`, with the weight already laid out as inputs × outputs."""

    name: str
    weight: Array
    bias: Array


class Layer(Value):
    qkv: Linear
    out: Linear
    up: Linear
    down: Linear
    attention_norm: tuple[Array, Array]
    output_norm: tuple[Array, Array]


class Model(Value):
    """`first` says that a text's vector is the first token's, not the mean of all."""

    words: Array
    positions: Array
    norm: tuple[Array, Array]
    layers: tuple[Layer, ...]
    first: bool = False


class RerankerWeights(Value):
    """Layers over `[CLS] query [SEP] passage [SEP]`, a vector for each segment, a linear head on the first token."""

    model: Model
    segments: Array
    head: Array
    bias: float


def normalise(x: Array, norm: tuple[Array, Array]) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    result: Array = centred / np.sqrt(variance + EPSILON) * norm[0] + norm[1]
    return result


def gelu(x: Array) -> Array:
    """With the error function of Abramowitz and Stegun 7.1.26 (error below 1.5e-7; numpy has none)."""
    z = np.abs(x) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    result: Array = 0.5 * x * (1.0 + np.sign(x) * (1.0 - series * np.exp(-z * z)))
    return result


def forward(
    model: Model, ids: Sequence[int], seen: Callable[[str, Array], None], segments: Array | float = 0.0
) -> Array:
    """The last token states in float64, with what enters each dense layer shown to `seen`. `segments` are vectors to
    add to each token's."""

    def dense(x: Array, linear: Linear) -> Array:
        seen(linear.name, x)
        return x @ linear.weight.astype(np.float64) + linear.bias

    x = normalise(model.words[list(ids)].astype(np.float64) + model.positions[: len(ids)] + segments, model.norm)
    for layer in model.layers:
        heads = dense(x, layer.qkv).reshape(len(ids), 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        context = (weights / weights.sum(-1, keepdims=True)) @ heads[2]
        context = context.transpose(1, 0, 2).reshape(len(ids), WIDTH)
        x = normalise(x + dense(context, layer.out), layer.attention_norm)
        x = normalise(x + dense(gelu(dense(x, layer.up)), layer.down), layer.output_norm)
    return x
