"""ONNX Runtime's execution providers, such as CPU and CUDA, by the names that settings give them."""

from __future__ import annotations

from typing import Annotated, Literal

from octavo.model.field_constraints_and_cli_options import Field

ExecutionProvider = Literal["cpu", "cuda", "tensorrt", "rocm", "migraphx", "openvino", "directml", "coreml"]
ExecutionProviders = Annotated[
    tuple[ExecutionProvider, ...], Field("What computes the model, best first; the CPU takes what the others cannot.")
]

CPU: tuple[ExecutionProvider, ...] = ("cpu",)
