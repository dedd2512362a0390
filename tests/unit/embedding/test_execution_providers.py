"""What computes a model: the CPU unless said, and what is not installed is an error that says how to install it."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from octavo.embedding.bundled_embedder import bundled_embedder
from octavo.embedding.onnxruntime_loading import BUILDS, onnx_runtime
from octavo.errors import MissingExtra
from octavo.model.execution_provider import ExecutionProvider

MISSING = [name for name, build in BUILDS.items() if build.name not in onnx_runtime().get_available_providers()]


def test_every_provider_that_may_be_chosen_has_a_package() -> None:
    assert set(BUILDS) == set(get_args(ExecutionProvider))


@pytest.mark.parametrize("provider", MISSING)
def test_a_provider_that_is_not_installed_is_an_error_with_the_command_that_installs_it(
    provider: ExecutionProvider,
) -> None:
    command = f"pip install {BUILDS[provider].package.partition('[')[0]}"
    with pytest.raises(MissingExtra, match=f"the execution provider {provider} is not installed") as caught:
        bundled_embedder(providers=(provider, "cpu")).embed_query("a boat")
    assert caught.value.hint is not None
    assert command in caught.value.hint.replace("'", "")


def test_the_cpu_named_or_not_gives_the_same_vectors() -> None:
    named = bundled_embedder(threads=1, providers=("cpu",)).embed_query("a boat")
    assert np.array_equal(named, bundled_embedder(threads=1).embed_query("a boat"))
