"""The encoder as one ONNX graph, with fused attention and GELU, mean pooling and normalisation inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from recto.training.quantise import Range, input_scale, quantise_columns, quantise_rows, smoothed, smoothing
from recto.training.weights import EPSILON, HEADS, WIDTH, Array, Layer, Linear, Model


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


def emit(model: Model, ranges: Mapping[str, Range] | None, title: str = "all-MiniLM-L6-v2") -> bytes:
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
        helper.make_graph(graph.nodes, title, [ids], [vectors], graph.constants),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
        producer_name="recto",
    )
    return bytes(proto.SerializeToString(deterministic=True))


def read_graph(data: bytes) -> Model:
    """The weights back from a graph that `emit` wrote, in float32: what int8 has kept of them."""
    proto = onnx.load_from_string(data)
    held = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}

    def rows(name: str) -> Array:
        table = held[name].astype(np.float32)
        scales = held.get(f"{name}.scales")
        return table if scales is None else table * scales

    def linear(name: str) -> Linear:
        weight = held[f"{name}.weight"].astype(np.float32)
        if f"{name}.scales" in held:
            weight = weight * held[f"{name}.scales"]
        if f"{name}.smooth" in held:
            weight = weight * held[f"{name}.smooth"][:, None]
        return Linear(name, weight, held[f"{name}.bias"])

    def norm(name: str) -> tuple[Array, Array]:
        return held[f"{name}.scale"], held[f"{name}.bias"]

    count = sum(1 for name in held if name.endswith(".qkv.weight"))
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
    return Model(rows("words"), rows("positions"), norm("norm"), layers)


def read_ranges_of(data: bytes) -> dict[str, Range]:
    """What enters each dense layer of an int8 graph that `emit` wrote, and what each channel is divided by."""
    held = {one.name: numpy_helper.to_array(one) for one in onnx.load_from_string(data).graph.initializer}
    found = {}
    for name in (key.removesuffix(".x_scale") for key in held if key.endswith(".x_scale")):
        step, zero = float(held[f"{name}.x_scale"]), int(held[f"{name}.x_zero"])
        # What enters an attention's output is divided already, by what makes the values.
        divided = held.get(f"{name}.smooth")
        smooth = np.ones(len(held[f"{name}.weight"]), np.float32) if divided is None else 1 / divided
        found[name] = Range(-zero * step * smooth, (255 - zero) * step * smooth, smooth)
    return found
