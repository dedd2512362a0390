"""Embedders behind services: each in its own wire format, and whatever a service does wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_services import DIMENSIONS, Service, served

from octavo.config.api_keys import api_key
from octavo.embedding.embedding_services import RemoteEmbedder, completed, remote_embedder
from octavo.embedding.hashing_embedder import HashingEmbedder
from octavo.errors import ConfigurationError, InvalidArgument, ProviderFailed
from octavo.model.embedding_profile import EmbeddingProfileSettings
from octavo.services.json_client import Endpoint, Patience

TEXTS = [f"text number {number} about boilers" for number in range(7)]
PROVIDERS = ("ollama", "openai", "voyage", "jina")


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as running:
        yield running


def made(service: Service, provider: str, key: str | None = None, **settings: Any) -> RemoteEmbedder:
    given: dict[str, Any] = {"dimensions": DIMENSIONS, "batch": 3, "retries": 0, "model": "a-model"} | settings
    return remote_embedder("remote", EmbeddingProfileSettings(provider, url=service.url, **given), key)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_vectors_come_back_in_the_order_of_the_texts_and_of_length_one(service: Service, provider: str) -> None:
    embedder = made(service, provider)
    expected = HashingEmbedder(DIMENSIONS)
    np.testing.assert_allclose(embedder.embed(TEXTS), expected.embed(TEXTS), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_query("boiler"), expected.embed_query("boiler"), atol=1e-5)
    assert sorted(len(body["input"]) for body in service.bodies) == [1, 1, 3, 3]
    assert embedder.embed([]).shape == (0, DIMENSIONS)


def test_each_service_is_asked_in_its_own_words(service: Service) -> None:
    for provider in PROVIDERS:
        made(service, provider, key="secret-key").embed_query("boiler")
    asked = [(path, body) for path, body, _ in service.seen]
    assert asked == [
        ("/api/embed", {"model": "a-model", "input": ["boiler"], "truncate": True}),
        ("/embeddings", {"model": "a-model", "input": ["boiler"], "encoding_format": "float"}),
        (
            "/embeddings",
            {
                "model": "a-model",
                "input": ["boiler"],
                "input_type": "query",
                "truncation": True,
                "output_dimension": DIMENSIONS,
            },
        ),
        (
            "/embeddings",
            {
                "model": "a-model",
                "task": "retrieval.query",
                "input": ["boiler"],
                "embedding_type": "float",
                "dimensions": DIMENSIONS,
            },
        ),
    ]
    assert {headers["Authorization"] for _, _, headers in service.seen} == {"Bearer secret-key"}


def test_only_who_wants_shorter_vectors_tells_a_size(service: Service) -> None:
    for provider in ("ollama", "openai"):
        made(service, provider, options={"shorten": True}).embed_query("boiler")
    assert [body["dimensions"] for body in service.bodies] == [DIMENSIONS, DIMENSIONS]


def test_voyage_embeds_chunks_of_a_document_in_sight_of_each_other(service: Service) -> None:
    embedder = made(service, "voyage", model="voyage-context-3")
    together = embedder.embed_together(["one", "two", "three"])
    assert service.seen[-1][0] == "/contextualizedembeddings"
    assert service.bodies[-1]["inputs"] == [["one", "two", "three"]]
    alone = embedder.embed(["one", "two", "three"])
    assert service.bodies[-1]["inputs"] == [["one"], ["two"], ["three"]]
    assert together.shape == alone.shape == (3, DIMENSIONS)
    assert not np.allclose(together, alone)
    embedder.embed_query("one")
    assert (service.bodies[-1]["inputs"], service.bodies[-1]["input_type"]) == ([["one"]], "query")


def test_jina_chunks_late_only_where_asked(service: Service) -> None:
    made(service, "jina", options={"late_chunking": True}).embed_together(["one", "two"])
    assert (service.bodies[-1]["late_chunking"], service.bodies[-1]["input"]) == (True, ["one", "two"])
    made(service, "jina").embed_together(["one", "two"])
    assert "late_chunking" not in service.bodies[-1]


def test_a_long_document_is_embedded_together_in_parts_that_fit(service: Service) -> None:
    embedder = made(service, "jina", options={"late_chunking": True})
    assert embedder.embed_together(["x" * 30_000, "y" * 30_000, "z"]).shape == (3, DIMENSIONS)
    assert [len(body["input"]) for body in service.bodies] == [1, 2]


def test_prefixes_go_in_front_of_what_they_are_for(service: Service) -> None:
    embedder = made(service, "ollama", query_prefix="query: ", document_prefix="passage: ")
    embedder.embed(["a"])
    embedder.embed_query("b")
    assert [body["input"] for body in service.bodies] == [["passage: a"], ["query: b"]]


def test_a_service_is_asked_once_how_many_dimensions_it_has(service: Service) -> None:
    embedder = made(service, "ollama", dimensions=None)
    assert embedder.profile.dimensions == DIMENSIONS
    embedder.embed(["a"])
    assert len(service.seen) == 2


BUSY = (429, {"error": {"message": "slow down"}}, {"Retry-After": "7"})
BROKEN = (500, {"error": "no"}, {})


def endpoint(service: Service, retries: int = 4, rate: float | None = None) -> tuple[Endpoint, list[float]]:
    waited: list[float] = []
    return Endpoint("x", service.url, "sk-1", Patience(5.0, retries, rate), wait=waited.append), waited


def test_what_may_pass_is_asked_again_after_a_growing_wait(service: Service) -> None:
    service.trouble = [BROKEN, (503, "busy", {}), "break", (200, "not json", {}), lambda answer: answer]
    asked, waited = endpoint(service)
    assert asked.post("/api/embed", {"model": "m", "input": ["a"]})["model"] == "m"
    assert len(service.seen) == 5
    assert waited == sorted(waited)
    assert all(0.25 * 2**attempt <= wait <= 0.5 * 2**attempt for attempt, wait in enumerate(waited))


def test_a_service_that_says_how_long_to_wait_is_given_that_long(service: Service) -> None:
    service.trouble = [BUSY]
    asked, waited = endpoint(service)
    asked.post("/api/embed", {"model": "m", "input": ["a"]})
    assert waited == [7.0]


def test_requests_begin_no_faster_than_the_rate(service: Service) -> None:
    waited: list[float] = []
    asked = Endpoint("x", service.url, None, Patience(5.0, 0, 60.0), wait=waited.append, clock=lambda: 100.0)
    for _ in range(3):
        asked.post("/api/embed", {"model": "m", "input": ["a"]})
    assert waited == [1.0, 2.0]


@pytest.mark.parametrize(
    ("trouble", "said", "hint"),
    [
        (BUSY, "429: slow down", "requests_per_minute"),
        (BROKEN, "500: no", "running"),
        ((401, {"detail": "bad key sk-very-secret"}, {}), "401: bad key …", "key"),
        ((404, {"error": 'model "a-model" not found, try pulling it first'}, {}), "404", "fetch the model"),
        ((400, {"detail": [{"msg": "too long"}]}, {}), "too long", "batch"),
        ((422, "plain words", {}), "it answered 422", "dimensions"),
        ((200, "<html>", {}), "not JSON", "running"),
        ("break", "broke off", "running"),
        (lambda answer: {"unexpected": True}, "did not answer with vectors", "provider"),
        (lambda answer: {**answer, "data": answer["data"][:1]}, "1 vectors for 2 texts", None),
        (lambda answer: {**answer, "data": [{"index": 0}, {"index": 1}]}, "did not answer with vectors", "provider"),
    ],
)
def test_what_a_service_does_wrong_is_said_and_its_key_is_not(
    service: Service, trouble: Any, said: str, hint: str | None
) -> None:
    service.trouble = [trouble]
    with pytest.raises(ProviderFailed) as caught:
        made(service, "openai", key="sk-very-secret").embed(["a", "b"])
    assert said in caught.value.message
    assert hint is None or hint in (caught.value.hint or "")
    assert "sk-very-secret" not in f"{caught.value.message} {caught.value.hint} {caught.value.details}"


def changed(value: Any) -> Any:
    def change(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "embeddings": [value(vector) for vector in answer["embeddings"]]}

    return change


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (changed(lambda vector: vector[:-1]), "7 dimensions, the profile says 8"),
        (changed(lambda vector: [float("nan"), *vector[1:]]), "not made of numbers"),
        (changed(lambda vector: [float("inf"), *vector[1:]]), "not made of numbers"),
        (changed(lambda vector: [0.0] * len(vector)), "not made of numbers"),
        (changed(lambda vector: ["a", *vector[1:]]), "different lengths"),
    ],
)
def test_vectors_that_would_spoil_a_search_are_refused(service: Service, trouble: Any, said: str) -> None:
    service.trouble = [trouble]
    with pytest.raises(ProviderFailed, match=said):
        made(service, "ollama").embed(["a", "b"])


def test_a_service_that_does_not_answer_is_given_up_in_time(service: Service) -> None:
    service.trouble = ["hang"]
    with pytest.raises(ProviderFailed, match="did not answer in time"):
        made(service, "ollama", timeout_seconds=0.2).embed(["a"])


def test_a_service_that_is_not_there_is_said_to_be_so(service: Service) -> None:
    settings = EmbeddingProfileSettings("ollama", "m", DIMENSIONS, url="http://127.0.0.1:9", retries=0)
    with pytest.raises(ProviderFailed, match="cannot be reached"):
        remote_embedder("remote", settings, None).embed(["a"])


@pytest.mark.parametrize(
    "settings",
    [
        EmbeddingProfileSettings("ollama"),
        EmbeddingProfileSettings("ollama", "m", url="file:///etc/hosts"),
        EmbeddingProfileSettings("ollama", "m", options={"late_chunking": True}),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: EmbeddingProfileSettings) -> None:
    with pytest.raises(InvalidArgument):
        completed(settings)


def test_a_usual_key_is_not_sent_to_an_unusual_address() -> None:
    assert completed(EmbeddingProfileSettings("openai", "m")).key_variable == "OPENAI_API_KEY"
    assert completed(EmbeddingProfileSettings("openai", "m", url="http://127.0.0.1:1")).key_variable == ""


def test_a_key_comes_from_a_file_or_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n", "utf-8")
    environ = {"A_KEY": " from-variable "}
    assert api_key("A_KEY", "", environ) == "from-variable"
    assert api_key("A_KEY", str(file), environ) == "from-file"
    assert api_key("NO_KEY", "", environ) is None
    assert api_key("", "", environ) is None
    for content in ("", "two words"):
        file.write_text(content, "utf-8")
        with pytest.raises(ConfigurationError, match="does not hold one key"):
            api_key("", str(file), environ)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        api_key("", str(tmp_path / "nowhere"), environ)
