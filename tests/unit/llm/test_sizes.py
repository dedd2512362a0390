"""How large a model is, by what is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.llm.model_providers import millions_of_parameters, smallest_first
from octavo.model.language_model_settings import LanguageModels, ModelSettings


@pytest.mark.parametrize(
    ("model", "millions"),
    [
        ("qwen3-4b", 4_000),
        ("llama3.2:1b", 1_000),
        ("SmolLM2-1.7B-Instruct", 1_700),
        ("smollm2-135m", 135),
        ("mixtral-8x7b-instruct-v0.1", 56_000),
        ("Qwen3-30B-A3B", 30_000),
        ("claude-sonnet-4", float("inf")),
        ("phi3b2", float("inf")),
    ],
)
def test_the_name_of_a_model_says_its_size(model: str, millions: float) -> None:
    assert millions_of_parameters(ModelSettings("openai", model)) == millions


def test_a_declared_size_counts_before_the_name() -> None:
    assert millions_of_parameters(ModelSettings("openai", "writer-4b", size="2B")) == 2_000


def test_a_file_without_a_size_in_its_name_is_as_large_as_its_bytes(tmp_path: Path) -> None:
    named, plain = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf", tmp_path / "model.gguf"
    plain.write_bytes(b"x" * 600_000)
    assert millions_of_parameters(ModelSettings("gguf", path=named)) == 135
    assert millions_of_parameters(ModelSettings("gguf", path=plain)) == pytest.approx(1.0)
    assert millions_of_parameters(ModelSettings("gguf", path=tmp_path / "missing.gguf")) == float("inf")


def test_models_of_unknown_size_come_last_as_written() -> None:
    models = {name: ModelSettings("openai", name) for name in ("first", "large-8b", "second", "small-1b")}
    assert smallest_first(tuple(models), LanguageModels(models)) == ("small-1b", "large-8b", "first", "second")
