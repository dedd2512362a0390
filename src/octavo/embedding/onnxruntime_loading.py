"""Loads onnxruntime with its telemetry off and opens models on execution providers; cores and batches for a model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from octavo.errors import MissingExtra, ModelUnavailable
from octavo.model.execution_provider import CPU, ExecutionProvider

TOPOLOGY = Path("/sys/devices/system/cpu")
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """Physical cores among those the process may run on, within a container's quota; at least one.

    Two threads of one core share its vector units, so a second one makes a model's arithmetic no faster.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    cores = {_siblings(number) for number in allowed}
    return max(1, min(len(cores), _quota() or len(cores)))


def _siblings(number: int) -> str:
    try:
        return (TOPOLOGY / f"cpu{number}/topology/thread_siblings_list").read_text()
    except OSError:
        return str(number)


def _quota() -> int | None:
    try:
        limit, period = QUOTA.read_text().split()
        return None if limit == "max" else max(1, int(limit) // int(period))
    except (OSError, ValueError):
        return None


Batch = tuple[int, ...]
"""Places in the list that was asked for; they say where each result belongs."""


def plan(lengths: Sequence[int], max_tokens: int, max_texts: int) -> tuple[Batch, ...]:
    """Every place once, longest first, each batch within `max_tokens` once padded to its longest.

    A text that is longer on its own is a batch of its own. Longest first: the largest batch shows at once whether
    there is memory for it, and the short ones at the end keep all workers busy until they finish together.
    """
    batches: list[Batch] = []
    batch: list[int] = []
    widest = 0
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) == max_texts or (len(batch) + 1) * widest > max_tokens):
            batches.append(tuple(batch))
            batch = []
        if not batch:
            widest = lengths[place]
        batch.append(place)
    if batch:
        batches.append(tuple(batch))
    return tuple(batches)


class _Build(NamedTuple):
    """What onnxruntime calls an execution provider, and the package that has it."""

    name: str
    package: str


BUILDS: Mapping[ExecutionProvider, _Build] = {
    "cpu": _Build("CPUExecutionProvider", "onnxruntime"),
    "cuda": _Build("CUDAExecutionProvider", "onnxruntime-gpu[cuda,cudnn]"),
    "tensorrt": _Build("TensorrtExecutionProvider", "onnxruntime-gpu[cuda,cudnn]"),
    "rocm": _Build("ROCMExecutionProvider", "onnxruntime-rocm"),
    "migraphx": _Build("MIGraphXExecutionProvider", "onnxruntime-migraphx"),
    "openvino": _Build("OpenVINOExecutionProvider", "onnxruntime-openvino"),
    "directml": _Build("DmlExecutionProvider", "onnxruntime-directml"),
    "coreml": _Build("CoreMLExecutionProvider", "onnxruntime"),
}


def onnx_runtime() -> Any:
    """The library, its telemetry switched off before it can send any."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # First, and whole: its own import begins inside numpy, and a thread that imports numpy meanwhile gets half of it.
    import numpy  # noqa: F401
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def model_session(
    graph: Path,
    *,
    threads: int,
    remedy: str,
    providers: Sequence[ExecutionProvider] = CPU,
    optimised: bool = False,
) -> Any:
    """A graph, loaded on the first of the providers that can run it. `optimised` graphs are taken as they are."""
    onnxruntime = onnx_runtime()
    names = _installed(onnxruntime.get_available_providers(), providers)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors reach us as exceptions; stderr is for the operator
    if optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(str(graph), options, providers=names)
    except Exception as error:  # onnxruntime's errors share no base
        raise ModelUnavailable(f"{graph} cannot be loaded: {error}", hint=remedy) from error
    if names[0] not in session.get_providers():  # a driver that is missing is no error to onnxruntime: it takes the CPU
        raise ModelUnavailable(
            f"the execution provider {providers[0]} is installed and could not be started",
            hint=f"check its driver, run `{_install(providers[0])}`, or take {providers[0]} out of the providers",
        )
    return session


def _installed(available: Sequence[str], providers: Sequence[ExecutionProvider]) -> list[str]:
    """The providers as onnxruntime calls them; the CPU comes last, for what the others cannot compute."""
    for provider in providers:
        if BUILDS[provider].name not in available:
            raise MissingExtra(
                f"the execution provider {provider} is not installed with onnxruntime",
                hint=f"run `{_install(provider)}`",
            )
    return list(dict.fromkeys(BUILDS[provider].name for provider in (*providers, *CPU)))


def _install(provider: ExecutionProvider) -> str:
    package = BUILDS[provider].package
    install = f"pip install '{package}'" if "[" in package else f"pip install {package}"
    # Every build brings the same module: two of them in one environment overwrite each other.
    return install if package == "onnxruntime" else f"pip uninstall --yes onnxruntime && {install}"
