"""The weights of a published encoder, read from its file into arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from octavo_train.numpy_encoder import WINDOW, Array, Layer, Linear, Model

LAYERS = 6
Weights = Mapping[str, Array]


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
