"""Language models behind services: asked in their own words, and whatever a service does wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from language_model_services import BREAK, CUT, HANG, ModelService, model_served

from octavo.errors import ConfigurationError, ProviderFailed
from octavo.llm.chat_model import ChatModel
from octavo.llm.model_providers import Keys, OpenAIChatWire, model_named
from octavo.model.language_model_calls import CompletionRequest, Message, Prompt
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.observability.cancellation import Cancellation, cancelled_by
from octavo.ports import LanguageModel
from octavo.services.json_client import Endpoint

SCHEMA = {"type": "object", "properties": {"score": {"type": "number", "maximum": 10}}, "required": ["score"]}
QUESTION = Prompt.of("What is an octavo?", "Be brief.")
_NO_KEY: Keys = {}.get


@pytest.fixture
def service() -> Iterator[ModelService]:
    with model_served("A book of eight leaves.") as running:
        yield running


def made(service: ModelService, **settings: Any) -> LanguageModel:
    return model_named("local", service.configured(**settings), _NO_KEY)


def test_a_completion_has_the_text_its_tokens_and_its_cost(service: ModelService) -> None:
    model = made(service, prompt_price=1.0, completion_price=2.0)
    completion = model.complete(CompletionRequest(QUESTION, max_tokens=20, temperature=0.2, stop=("\n\n",)))
    assert completion.text == "A book of eight leaves."
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 7)
    assert completion.usage.cost == pytest.approx((11 + 2 * 7) / 1e6)
    assert service.seen[0][:2] == (
        "/chat/completions",
        {
            "model": "scripted",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is an octavo?"}],
            "max_tokens": 20,
            "temperature": 0.2,
            "stream": False,
            "stop": ["\n\n"],
        },
    )


def test_a_stream_is_the_same_text_in_pieces(service: ModelService) -> None:
    pieces = list(made(service).stream(CompletionRequest(QUESTION)))
    assert "".join(pieces) == "A book of eight leaves." and len(pieces) > 2


def test_the_thoughts_of_a_reasoning_model_are_no_part_of_its_answer(service: ModelService) -> None:
    service.replies = ["<think>Books…</think>\n\nEight leaves."]
    model = made(service)
    assert model.complete(CompletionRequest(QUESTION)).text == "Eight leaves."
    assert "".join(model.stream(CompletionRequest(QUESTION))) == "Eight leaves."


@pytest.mark.parametrize(
    "reply", ['{"score": 7}', '```json\n{"score": 7}\n```', 'Sure! Here: {"score": 7}. Anything else?']
)
def test_json_is_found_among_words(service: ModelService, reply: str) -> None:
    service.replies = [reply]
    assert made(service).structured(CompletionRequest(QUESTION, schema=SCHEMA)).value == {"score": 7}


def test_a_reply_that_does_not_fit_is_asked_for_again_with_the_reason(service: ModelService) -> None:
    service.replies = ['{"score": 70}', '{"score": 7}']
    completion = made(service).structured(CompletionRequest(QUESTION, schema=SCHEMA))
    assert completion.value == {"score": 7} and completion.usage.prompt_tokens == 22
    assert "score is above 10" in service.bodies[1]["messages"][-1]["content"]


def test_garbage_twice_is_the_models_failure(service: ModelService) -> None:
    service.replies = ["{[broken", "none at all"]
    with pytest.raises(ProviderFailed, match="there is no JSON in it"):
        made(service).structured(CompletionRequest(QUESTION, schema=SCHEMA))


def test_a_server_that_knows_no_schema_is_asked_for_json_by_words(service: ModelService) -> None:
    service.replies, service.trouble = ['{"score": 1}'], [(400, '{"error": "response_format is not supported"}')]
    assert made(service).structured(CompletionRequest(QUESTION, schema=SCHEMA)).value == {"score": 1}
    assert ["response_format" in body for body in service.bodies] == [True, False]


def test_settings_that_a_model_refuses_are_left_out_from_then_on(service: ModelService) -> None:
    refusals = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported.",
    )
    service.trouble = [(400, json.dumps({"error": {"message": said}})) for said in refusals]
    model = made(service)
    assert model.complete(CompletionRequest(QUESTION, max_tokens=20)).text == "A book of eight leaves."
    assert "".join(model.stream(CompletionRequest(QUESTION, max_tokens=20))) == "A book of eight leaves."
    for body in service.bodies[2:]:
        assert body["max_completion_tokens"] == 20 and not body.keys() & {"max_tokens", "temperature"}
    assert len(service.bodies) == 4


def test_a_refused_setting_is_offered_again_after_a_while(service: ModelService) -> None:
    clock = [0.0]
    settings = service.configured().models["local"]
    model = ChatModel("local", settings, OpenAIChatWire("m"), Endpoint("local", service.url), lambda: clock[0])
    service.trouble = [(400, '{"error": {"message": "max_tokens is not supported"}}')]
    for at, expected in ((0.0, "max_completion_tokens"), (599.0, "max_completion_tokens"), (601.0, "max_tokens")):
        clock[0] = at
        model.complete(CompletionRequest(QUESTION, max_tokens=20))
        assert service.bodies[-1][expected] == 20


def test_a_complaint_that_only_names_a_setting_changes_no_later_call(service: ModelService) -> None:
    model, too_long = made(service), '{"error": {"message": "the prompt and max_tokens exceed the window"}}'
    service.trouble = [(400, too_long)] * 2
    with pytest.raises(ProviderFailed, match="exceed the window"):
        model.complete(CompletionRequest(QUESTION, max_tokens=20))
    assert model.complete(CompletionRequest(QUESTION, max_tokens=20)).text == "A book of eight leaves."
    assert service.bodies[-1]["max_tokens"] == 20


def test_a_stream_from_a_model_that_refuses_a_setting_begins_again_without_it(service: ModelService) -> None:
    service.trouble = [(400, '{"error": {"message": "temperature is deprecated for this model"}}')]
    assert "".join(made(service).stream(CompletionRequest(QUESTION))) == "A book of eight leaves."


def test_a_request_that_is_wrong_otherwise_is_not_repeated(service: ModelService) -> None:
    service.trouble = [(400, '{"error": {"message": "the messages are empty"}}')]
    with pytest.raises(ProviderFailed, match="the messages are empty"):
        made(service).complete(CompletionRequest(QUESTION))
    assert len(service.seen) == 1


@pytest.mark.parametrize("error", [{"message": "slot lost", "code": 500}, "slot lost"])
def test_an_error_in_the_middle_of_a_stream_is_told(service: ModelService, error: object) -> None:
    service.trouble = [(200, f"data: {json.dumps({'error': error})}\n\n")]
    with pytest.raises(ProviderFailed, match="slot lost"):
        list(made(service).stream(CompletionRequest(QUESTION)))


def test_a_passing_failure_costs_one_more_attempt(service: ModelService) -> None:
    service.trouble = [(500, '{"error": "out of memory"}')]
    assert made(service).complete(CompletionRequest(QUESTION)).text == "A book of eight leaves."
    assert len(service.seen) == 2


@pytest.mark.parametrize("trouble", [(500, "{}"), BREAK, CUT])
def test_a_lasting_failure_is_named_and_then_nobody_is_asked_for_a_while(service: ModelService, trouble: Any) -> None:
    service.trouble = [trouble] * 9
    model = made(service)
    for _ in range(2):
        with pytest.raises(ProviderFailed, match="the model local"):
            model.complete(CompletionRequest(QUESTION))
    assert len(service.seen) == 2


def test_a_key_that_is_refused_is_not_tried_again(service: ModelService, monkeypatch: pytest.MonkeyPatch) -> None:
    service.trouble = [(401, '{"error": {"message": "no such key: sesame-42"}}')]
    model = model_named("local", service.configured(key_variable="SESAME"), {"SESAME": "sesame-42"}.get)
    with pytest.raises(ProviderFailed) as failure:
        model.complete(CompletionRequest(QUESTION))
    assert "sesame-42" not in failure.value.message and "key_variable" in str(failure.value.hint)
    assert len(service.seen) == 1 and service.seen[0][2]["Authorization"] == "Bearer sesame-42"


def test_a_slow_service_is_left_at_the_deadline(service: ModelService) -> None:
    service.trouble = [HANG]
    with pytest.raises(ProviderFailed, match="did not answer in time"):
        made(service).complete(CompletionRequest(QUESTION, deadline=0.2))
    assert service.gone.wait(60)


def test_a_call_ends_when_nobody_waits_for_it_any_more(service: ModelService) -> None:
    service.trouble = [HANG]
    model, cancellation, failures = made(service), Cancellation(), []

    def call() -> None:
        with cancelled_by(cancellation), pytest.raises(ProviderFailed) as failure:
            model.complete(CompletionRequest(QUESTION))
        failures.append(failure.value.message)

    thread = threading.Thread(target=call)
    thread.start()
    assert service.asked.wait(60)
    cancellation.cancel()
    thread.join(60)
    assert service.gone.wait(60) and "nobody waits" in failures[0]
    assert model.complete(CompletionRequest(QUESTION)).text, "a cancelled call says nothing about the service"


def test_a_cut_stream_is_a_failure_after_what_came(service: ModelService) -> None:
    service.trouble = [CUT]
    pieces: list[str] = []
    with pytest.raises(ProviderFailed, match="broke off"):
        pieces.extend(made(service).stream(CompletionRequest(QUESTION)))


def test_a_huge_reply_is_cut_to_what_was_asked_for(service: ModelService) -> None:
    service.replies = ["octavo " * 3_000]
    model = made(service)
    completion = model.complete(CompletionRequest(QUESTION, max_tokens=10))
    assert completion.truncated and len(completion.text) == 160
    assert len("".join(model.stream(CompletionRequest(QUESTION, max_tokens=10)))) == 160


def test_a_reply_larger_than_any_answer_is_refused(service: ModelService) -> None:
    service.replies = ["x" * 17_000_000]
    with pytest.raises(ProviderFailed, match="larger than"):
        made(service).complete(CompletionRequest(QUESTION))


@pytest.mark.parametrize("reply", ["[]", "{}", '{"choices": []}', '{"choices": [{"message": {"content": 7}}]}'])
def test_what_speaks_another_protocol_is_named(service: ModelService, reply: str) -> None:
    service.trouble = [(200, reply)]
    with pytest.raises(ProviderFailed, match="did not answer like a service of openai"):
        made(service).complete(CompletionRequest(QUESTION))


def test_more_calls_than_allowed_wait_no_longer_than_their_deadline(service: ModelService) -> None:
    service.trouble = [HANG]
    model = made(service, concurrency=1)
    thread = threading.Thread(target=model.complete, args=(CompletionRequest(QUESTION),))
    thread.start()
    assert service.asked.wait(60)
    with pytest.raises(ProviderFailed, match="busy with 1 other"):
        model.complete(CompletionRequest(QUESTION, deadline=0.05))
    service.gate.set()
    thread.join(60)


def test_a_role_nobody_has_is_none_and_a_name_nobody_has_is_an_error() -> None:
    assert LanguageModels().named_for("answer") is None
    with pytest.raises(ConfigurationError, match="there is no model other"):
        model_named("other", LanguageModels(), _NO_KEY)


def test_a_key_that_is_not_set_is_asked_for_by_its_name() -> None:
    configured = LanguageModels(models={"far": ModelSettings("openai", "large")})
    with pytest.raises(ConfigurationError, match="environment variable OPENAI_API_KEY, which is not set"):
        model_named("far", configured, _NO_KEY)


def test_a_key_is_not_sent_to_another_address_than_its_own(service: ModelService) -> None:
    model = model_named("local", service.configured(), {"OPENAI_API_KEY": "sesame"}.get)
    model.complete(CompletionRequest(Prompt((Message("user", "hello"),))))
    assert "Authorization" not in service.seen[0][2]
