"""Int8 with fixed scales: what enters each dense layer is measured once, evened out, and rounded.

docs/decisions/0003-bundled-model.md says why.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tokenizers import Tokenizer

from octavo.fast_dataclass import Value, replace
from octavo_train.numpy_encoder import WIDTH, WINDOW, Array, Linear, Model, forward

_UNUSED = 999  # below are the tokens that no text produces
SMOOTHING = 0.7  # how much of an input's range moves into the weights: SmoothQuant's alpha, by measured cosine
COPIES = 16  # inner channels added to each layer
INNER = 4 * WIDTH  # how many there are without


class Range(Value):
    """What calibration saw enter a dense layer, input channel by input channel. `smooth` is what each channel is
    divided by, where that was settled before."""

    low: Array
    high: Array
    smooth: Array | None = None


def calibration_texts(tokenizer: Tokenizer, prose: str, window: int = WINDOW) -> list[list[int]]:
    """What `calibration_ids` makes of prose as BERT's tokenizer cuts it."""
    start, end = (int(tokenizer.token_to_id(name) or 0) for name in ("[CLS]", "[SEP]"))
    body = tokenizer.encode(prose, add_special_tokens=False).ids
    return calibration_ids(body, (start, end), tokenizer.get_vocab_size(), window)


def calibration_ids(body: Sequence[int], around: tuple[int, int], size: int, window: int) -> list[list[int]]:
    """Prose, random tokens and repeated tokens: the ranges hardly differ, the extremes come from the last two."""
    source = random.Random(0)
    pieces = range(min(_UNUSED, size // 2), size)
    texts = [list(body[place : place + window - 2]) for place in range(0, len(body), window - 2)]
    for _ in range(40):
        texts.append([source.choice(pieces) for _ in range(source.randrange(window - 1))])
        texts.append([source.choice(pieces)] * source.randrange(1, window - 1))
    return [[around[0], *text, around[1]] for text in texts]


def calibrate(
    model: Model, texts: Sequence[Sequence[int]], segments: Callable[[Sequence[int]], Array] | None = None
) -> dict[str, Range]:
    """In float64, so that another machine's last bit disappears when the ranges are rounded. `segments` gives the
    vectors that a reranker adds to the tokens of a text."""
    ranges: dict[str, Range] = {}

    def seen(name: str, x: Array) -> None:
        low, high = x.min(0), x.max(0)
        before = ranges.get(name)
        ranges[name] = Range(np.minimum(before.low, low), np.maximum(before.high, high)) if before else Range(low, high)

    for text in texts:
        forward(model, text, seen, 0.0 if segments is None else segments(text))
    return ranges


def ranges_as_arrays(ranges: Mapping[str, Range]) -> dict[str, Array]:
    """To be stored with the weights that were rounded for them."""
    return {
        f"{name}.{part}": value
        for name, seen in ranges.items()
        for part, value in (("low", seen.low), ("high", seen.high), ("smooth", seen.smooth))
        if value is not None
    }


def read_ranges(arrays: Mapping[str, Array]) -> dict[str, Range]:
    names = sorted(key.removesuffix(".low") for key in arrays if key.endswith(".low"))
    return {name: Range(arrays[f"{name}.low"], arrays[f"{name}.high"], arrays.get(f"{name}.smooth")) for name in names}


def smoothing(linear: Linear, seen: Range) -> Array:
    """A power of two per input channel: the input is divided by it, the weight's row multiplied."""
    if seen.smooth is not None:
        return seen.smooth
    spread = np.maximum(np.abs(seen.low), np.abs(seen.high))
    weights = np.abs(linear.weight).max(1).astype(np.float64)
    used = (spread > 0) & (weights > 0)  # a channel that was rounded away has no scale, and needs none
    wanted = np.zeros(len(spread))
    wanted[used] = SMOOTHING * np.log2(spread[used]) - (1 - SMOOTHING) * np.log2(weights[used])
    wanted[used] -= wanted[used].mean()
    smooth: Array = (2.0 ** np.rint(wanted)).astype(np.float32)
    return smooth


def smoothed(linear: Linear, seen: Range, smooth: Array) -> tuple[Linear, Range]:
    """The layer and its range for an input divided by `smooth`."""
    scaled = replace(linear, weight=linear.weight * smooth[:, None])
    return scaled, Range(seen.low / smooth, seen.high / smooth)


def spread_out(model: Model, ranges: Mapping[str, Range], extra: int = COPIES) -> tuple[Model, dict[str, Range]]:
    """The same function with more inner channels: those that int8 would suffer from most are there several times.

    A few channels behind GELU reach far beyond all others, for the first token alone. Each copy has its share of the
    weights, so that smoothing can divide what enters it without making the largest weights larger. One copy after the
    other goes to the channel with the largest product of range and weight. A copy costs a column and a row. A model
    that has copies already is left as it is.
    """
    layers, found = [], dict(ranges)
    for layer in model.layers:
        if len(layer.down.weight) > INNER:
            layers.append(layer)
            continue
        seen = ranges[layer.down.name]
        reach = np.maximum(np.abs(seen.low), np.abs(seen.high)) * np.abs(layer.down.weight).max(1)
        times = np.ones(len(reach), np.int64)
        for _ in range(extra):
            times[np.argmax(reach / times)] += 1
        places = np.repeat(np.arange(len(reach)), times)
        share = (1 / times).astype(np.float32)[places]
        up = replace(layer.up, weight=layer.up.weight[:, places], bias=layer.up.bias[places])
        down = replace(layer.down, weight=layer.down.weight[places] * share[:, None])
        found[layer.down.name] = Range(seen.low[places], seen.high[places])
        layers.append(replace(layer, up=up, down=down))
    return replace(model, layers=tuple(layers)), found


def fold_contexts(model: Model, ranges: Mapping[str, Range]) -> tuple[Model, dict[str, Range]]:
    """Smooths what enters each attention output for free: a context is linear in the values, so they are divided."""
    layers, folded = [], dict(ranges)
    for layer in model.layers:
        smooth = smoothing(layer.out, ranges[layer.out.name])
        out, folded[layer.out.name] = smoothed(layer.out, ranges[layer.out.name], smooth)
        divisor = np.concatenate([np.ones(2 * WIDTH, np.float32), smooth])
        qkv = replace(layer.qkv, weight=layer.qkv.weight / divisor, bias=layer.qkv.bias / divisor)
        layers.append(replace(layer, qkv=qkv, out=out))
    return replace(model, layers=tuple(layers)), folded


def input_scale(seen: Range) -> tuple[np.float32, np.uint8]:
    low, high = min(0.0, float(seen.low.min())), max(0.0, float(seen.high.max()))
    scale = float(f"{(high - low) / 255:.4g}")
    return np.float32(scale), np.uint8(min(255, round(-low / scale)))


def quantise_columns(weight: Array) -> tuple[Array, Array]:
    """int8 with a scale per output, such that no pair of products overflows 16 bits.

    x86 without VNNI adds the products of rows 2i and 2i+1 in saturating 16-bit arithmetic. A uint8 input is at
    most 255, so neighbours of one sign must not exceed 128 together. Few columns hold two large neighbours: this
    costs a quarter of a bit where halving the range would cost a whole one.
    """
    pairs = weight.reshape(-1, 2, weight.shape[1])
    together = np.maximum(np.maximum(pairs, 0).sum(1).max(0), np.maximum(-pairs, 0).sum(1).max(0))
    scale = (together / 127).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def quantise_rows(table: Array) -> tuple[Array, Array]:
    scale = np.abs(table).max(1, keepdims=True) / np.float32(127)
    return np.rint(table / scale).astype(np.int8), scale
