"""Each provider in its own wire format, rerank services, and prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from language_model_services import ModelService, model_served

from octavo.errors import ConfigurationError, ProviderFailed
from octavo.llm.model_providers import model_named, rerank_service
from octavo.llm.prompt_files import prompt_named
from octavo.llm.rerankers import order_in, score_in
from octavo.model.language_model_calls import CompletionRequest, Prompt
from octavo.ports import LanguageModel

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
QUESTION = Prompt.of("What is an octavo?", "Be brief.")
PROVIDERS = ("openai", "ollama", "anthropic")


@pytest.fixture
def service() -> Iterator[ModelService]:
    with model_served("A book of eight leaves.") as running:
        yield running


def made(service: ModelService, provider: str) -> LanguageModel:
    return model_named("local", service.configured(provider, key_variable="KEY"), {"KEY": "sesame"}.get)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_completes_streams_and_counts(service: ModelService, provider: str) -> None:
    model = made(service, provider)
    completion = model.complete(CompletionRequest(QUESTION, stop=("END",)))
    assert completion.text == "A book of eight leaves."
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 7)
    assert "".join(model.stream(CompletionRequest(QUESTION))) == completion.text
    service.replies = ['{"score": 3}']
    assert model.structured(CompletionRequest(QUESTION, schema=SCHEMA)).value == {"score": 3}
    assert model.name == f"{provider}:scripted"


def test_each_provider_is_asked_in_its_own_words(service: ModelService) -> None:
    for provider in PROVIDERS:
        made(service, provider).complete(CompletionRequest(QUESTION, max_tokens=9, temperature=0.5, stop=("END",)))
    (_, openai, bearer), (_, ollama, _), (_, anthropic, headers) = service.seen
    assert bearer["Authorization"] == "Bearer sesame"
    assert openai["stop"] == ["END"]
    assert ollama["options"] == {"num_predict": 9, "temperature": 0.5, "num_ctx": 4_096, "stop": ["END"]}
    assert (anthropic["system"], anthropic["stop_sequences"]) == ("Be brief.", ["END"])
    assert [message["role"] for message in anthropic["messages"]] == ["user"]
    assert {name.lower(): value for name, value in headers.items()}["x-api-key"] == "sesame"
    assert "Authorization" not in headers


def test_a_schema_goes_where_each_provider_wants_it(service: ModelService) -> None:
    service.replies = ['{"score": 3}']
    for provider in PROVIDERS:
        made(service, provider).structured(CompletionRequest(QUESTION, schema=SCHEMA))
    openai, ollama, anthropic = service.bodies
    assert openai["response_format"]["json_schema"]["schema"] == SCHEMA
    assert ollama["format"] == SCHEMA
    assert anthropic["tools"][0]["input_schema"] == SCHEMA and anthropic["tool_choice"]["name"] == "answer"


@pytest.mark.parametrize("provider", ["cohere", "jina", "llamacpp"])
def test_a_rerank_service_scores_in_the_order_of_the_passages(service: ModelService, provider: str) -> None:
    reranker = rerank_service("local", service.configured(provider), lambda variable: None)
    assert reranker.score("boiler room", ["a garden", "the boiler", "the boiler room"]) == [0.0, 0.5, 1.0]
    assert service.bodies[0]["documents"] == ["a garden", "the boiler", "the boiler room"]
    assert reranker.score("boiler", []) == ()


def test_a_rerank_service_that_leaves_a_passage_out_has_failed(service: ModelService) -> None:
    service.trouble = [(200, '{"results": [{"index": 0, "relevance_score": 1}]}')]
    with pytest.raises(ProviderFailed, match="did not score every passage"):
        rerank_service("local", service.configured("jina"), lambda variable: None).score("a", ["b", "c"])


def test_a_rerank_service_is_no_language_model(service: ModelService) -> None:
    with pytest.raises(ConfigurationError, match="writes no text"):
        model_named("local", service.configured("cohere"), lambda variable: None)


@pytest.mark.parametrize(
    ("said", "score"),
    [("7", 7), ("Score: 10", 10), ("8/10", 8), ("7.5 out of 10", 7.5), ("**4**", 4), ("none", None), ("100%", None)],
)
def test_a_score_is_found_in_what_a_model_says(said: str, score: float | None) -> None:
    assert score_in(said) == score


@pytest.mark.parametrize("said", ["[3, 1, 2]", "[3] > [1] > [2]", "3, 1, 2 and 9", "Here: [3, 3, 1, 2]."])
def test_an_order_is_found_in_what_a_model_says(said: str) -> None:
    assert order_in(said, 3) == (2, 0, 1)


def test_a_prompt_of_ones_own_goes_first_and_has_another_version(tmp_path: Path) -> None:
    (tmp_path / "judge_passage.md").write_text("---\nversion: mine\n---\n# user\n{query} {passage}\n", "utf-8")
    own, shipped = prompt_named("judge_passage", [tmp_path]), prompt_named("judge_passage")
    assert own.version.startswith("mine-") and shipped.version.startswith("1-")
    filled = own.filled(query="{passage}", passage="text")
    assert filled.text == "{passage} text", "what is filled in is not filled again"


@pytest.mark.parametrize("name", ["../secrets", "", "no such"])
def test_a_prompt_is_found_by_its_name_alone(name: str) -> None:
    with pytest.raises(ConfigurationError):
        prompt_named(name)
