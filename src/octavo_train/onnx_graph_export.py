"""An encoder or a reranker as one ONNX graph, with fused attention and GELU; what follows the layers is inside too."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import load_external_data_for_model, set_external_data

from octavo.fast_dataclass import dataclass
from octavo_train.int8_quantisation import Range, input_scale, quantise_columns, quantise_rows, smoothed, smoothing
from octavo_train.numpy_encoder import EPSILON, HEADS, WIDTH, Array, Layer, Linear, Model, RerankerWeights

WORDS = "words.bin"


@dataclass(slots=True)
class OnnxGraph:
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


@dataclass(slots=True)
class _Body:
    """The layers of one model as nodes. Without ranges, in float32."""

    model: Model
    ranges: Mapping[str, Range] | None
    graph: OnnxGraph = field(default_factory=OnnxGraph)

    def states(self, segments: str | None = None, mask: str | None = None) -> str:
        """What the last layer makes of each token of `input_ids` (texts × tokens), or of the first alone where no other
        counts. `segments` are vectors to add to each token; without a mask all texts have one length."""
        graph, model = self.graph, self.model
        for name, value in (("zero", 0), ("one", 1), ("two", 2)):
            graph.constant(name, np.array([value], np.int64))
        graph.constant("thirds", np.array([WIDTH] * 3, np.int64))
        length = graph.add("Slice", graph.add("Shape", "input_ids"), "one", "two")
        words = self.rows("words", model.words, lambda table: graph.add("Gather", table, "input_ids"))
        positions = self.rows(
            "positions", model.positions, lambda table: graph.add("Slice", table, "zero", length, "zero")
        )
        x = graph.add("Add", words, positions)
        if segments is not None:
            x = graph.add("Add", x, segments)
        x = self.norm("norm", x, model.norm)
        for index, layer in enumerate(model.layers):
            parts = [f"{index}.{part}" for part in ("query", "key", "value")]
            if model.first and layer is model.layers[-1]:
                graph.add("Split", self.dense(x, layer.qkv, "kv", slice(WIDTH, None)), names=parts[1:], axis=-1)
                x = graph.add("Slice", x, "zero", "one", "one")
                parts[0] = self.dense(x, layer.qkv, "q", slice(WIDTH))
            else:
                graph.add("Split", self.dense(x, layer.qkv), "thirds", names=parts, axis=-1)
            masked = () if mask is None else ("", mask)
            context = graph.fused("MultiHeadAttention", *parts, *masked, num_heads=HEADS)
            attended = graph.add("Add", self.dense(context, layer.out), x)
            x = self.norm(f"{index}.attention_norm", attended, layer.attention_norm)
            widened = graph.fused("Gelu", self.dense(x, layer.up))
            x = self.norm(
                f"{index}.output_norm", graph.add("Add", self.dense(widened, layer.down), x), layer.output_norm
            )
        return x

    def dense(self, x: str, linear: Linear, part: str = "", columns: slice = slice(None)) -> str:
        """`part` names the outputs in `columns`, if not all are asked for."""
        name, constant, add = linear.name, self.graph.constant, self.graph.add
        seen = None if self.ranges is None else self.ranges[name]
        if part:
            name = name.replace("qkv", part)
        if seen is None:
            product = add("MatMul", x, constant(f"{name}.weight", linear.weight[:, columns]))
            return add("Add", product, constant(f"{name}.bias", linear.bias[columns]))
        if not name.endswith("out"):
            smooth = smoothing(linear, seen)
            linear, seen = smoothed(linear, seen, smooth)
            x = add("Mul", x, constant(f"{name}.smooth", 1 / smooth))
        weight, scales = quantise_columns(linear.weight)
        scale, zero = input_scale(seen)
        x_scale, x_zero = constant(f"{name}.x_scale", scale), constant(f"{name}.x_zero", zero)
        weights = constant(f"{name}.weight", weight[:, columns])
        weight_scales = constant(f"{name}.scales", scales[columns])
        quantised = add("QuantizeLinear", x, x_scale, x_zero)
        bias = constant(f"{name}.bias", linear.bias[columns])
        return self.graph.fused("MatMulIntegerToFloat", quantised, weights, x_scale, weight_scales, x_zero, "", bias)

    def rows(self, name: str, table: Array, pick: Callable[[str], str]) -> str:
        if self.ranges is None:
            return pick(self.graph.constant(name, table))
        values, scales = quantise_rows(table)
        picked = self.graph.add("Cast", pick(self.graph.constant(name, values)), to=TensorProto.FLOAT)
        return self.graph.add("Mul", picked, pick(self.graph.constant(f"{name}.scales", scales)))

    def norm(self, name: str, x: str, parameters: tuple[Array, Array]) -> str:
        scale = self.graph.constant(f"{name}.scale", parameters[0])
        bias = self.graph.constant(f"{name}.bias", parameters[1])
        return self.graph.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)


def emit(model: Model, ranges: Mapping[str, Range] | None, title: str = "all-MiniLM-L6-v2") -> bytes:
    """The graph: `input_ids` (texts × tokens, all of one length) → `embedding`. Without ranges, in float32."""
    body = _Body(model, ranges)
    x = body.states()
    # The sum has the mean's direction, and only the direction is kept; of the first token alone it is that token's.
    summed = body.graph.add("ReduceSum", x, "one", keepdims=0)
    body.graph.add("LpNormalization", summed, names=["embedding"], axis=-1, p=2)
    return _serialised(body.graph, title, ["input_ids"], "embedding", WIDTH)


def emit_reranker(reranker: RerankerWeights, ranges: Mapping[str, Range] | None, title: str) -> bytes:
    """The graph: `input_ids`, `token_type_ids` and `attention_mask` (pairs × tokens) → `logit`, one for each pair."""
    body = _Body(reranker.model, ranges)
    graph = body.graph
    segments = graph.add("Gather", graph.constant("segments", reranker.segments), "token_type_ids")
    mask = graph.add("Cast", "attention_mask", to=TensorProto.INT32)
    first = graph.add("Gather", body.states(segments, mask), graph.constant("first", np.array(0, np.int64)), axis=1)
    product = graph.add("MatMul", first, graph.constant("head.weight", reranker.head[:, None]))
    graph.add("Add", product, graph.constant("head.bias", np.array([reranker.bias], np.float32)), names=["logit"])
    return _serialised(graph, title, ["input_ids", "token_type_ids", "attention_mask"], "logit", 1)


def _serialised(graph: OnnxGraph, title: str, inputs: Sequence[str], output: str, width: int) -> bytes:
    taken = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in inputs]
    given = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["texts", width])
    proto = helper.make_model(
        helper.make_graph(graph.nodes, title, taken, [given], graph.constants),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
        producer_name="octavo",
    )
    return bytes(proto.SerializeToString(deterministic=True))


def without_words(graph: bytes) -> tuple[bytes, bytes]:
    """A graph of `emit` whose rows of words lie in a file beside it, and that file's bytes: they are two thirds of the
    model, and a file that is mapped is read where a text has the word. The graph names their sha256."""
    proto = onnx.load_from_string(graph)
    words = next(tensor for tensor in proto.graph.initializer if tensor.name == "words")
    rows = words.raw_data
    set_external_data(words, WORDS, offset=0, length=len(rows), checksum=hashlib.sha256(rows).hexdigest())
    words.ClearField("raw_data")
    return bytes(proto.SerializeToString(deterministic=True)), rows


def read_graph(data: bytes, folder: Path | None = None) -> Model:
    """The weights back from a graph that `emit` wrote, in float32: what int8 has kept of them. A graph without words
    has them in `folder`."""
    proto = onnx.load_from_string(data)
    if folder is not None:
        load_external_data_for_model(proto, str(folder))
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}

    def rows(name: str) -> Array:
        table = tensors[name].astype(np.float32)
        scales = tensors.get(f"{name}.scales")
        return table if scales is None else table * scales

    def linear(name: str) -> Linear:
        if f"{name}.weight" not in tensors:  # the last layer of a model that takes the first token
            parts = [linear(name.replace("qkv", part)) for part in ("q", "kv")]
            weights, biases = ([getattr(part, field) for part in parts] for field in ("weight", "bias"))
            return Linear(name, np.concatenate(weights, 1), np.concatenate(biases))
        weight = tensors[f"{name}.weight"].astype(np.float32)
        if f"{name}.scales" in tensors:
            weight = weight * tensors[f"{name}.scales"]
        if f"{name}.smooth" in tensors:
            weight = weight * tensors[f"{name}.smooth"][:, None]
        return Linear(name, weight, tensors[f"{name}.bias"])

    def norm(name: str) -> tuple[Array, Array]:
        return tensors[f"{name}.scale"], tensors[f"{name}.bias"]

    count = sum(1 for name in tensors if name.endswith(".out.weight"))
    first = any(name.endswith(".kv.weight") for name in tensors)
    layers = tuple(
        Layer(
            qkv=linear(f"{index}.qkv"),
            out=linear(f"{index}.out"),
            up=linear(f"{index}.up"),
            down=linear(f"{index}.down"),
            attention_norm=norm(f"{index}.attention_norm"),
            output_norm=norm(f"{index}.output_norm"),
        )
        for index in range(count)
    )
    return Model(rows("words"), rows("positions"), norm("norm"), layers, first)


def read_reranker(data: bytes) -> RerankerWeights:
    """The weights back from a graph that `emit_reranker` wrote, in float32."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load_from_string(data).graph.initializer}
    head, bias = tensors["head.weight"][:, 0], float(tensors["head.bias"][0])
    return RerankerWeights(read_graph(data), tensors["segments"], head, bias)


def read_ranges_of(data: bytes) -> dict[str, Range]:
    """What enters each dense layer of an int8 graph that `emit` wrote, and what each channel is divided by."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load_from_string(data).graph.initializer}
    ranges = {}
    for name in (key.removesuffix(".x_scale") for key in tensors if key.endswith(".x_scale")):
        step, zero = float(tensors[f"{name}.x_scale"]), int(tensors[f"{name}.x_zero"])
        # What enters an attention's output is divided already, by what makes the values.
        divided = tensors.get(f"{name}.smooth")
        smooth = np.ones(len(tensors[f"{name}.weight"]), np.float32) if divided is None else 1 / divided
        whole = name.replace(".kv", ".qkv") if name.endswith(".kv") else name
        ranges[whole] = Range(-zero * step * smooth, (255 - zero) * step * smooth, smooth)
    return {name: seen for name, seen in ranges.items() if not name.endswith(".q")}
