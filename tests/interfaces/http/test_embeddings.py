"""Vectors over HTTP in OpenAI's shape, and for pipes."""

from __future__ import annotations

import base64
import json
from array import array

import httpx2
import pytest
from cli_calls import Octavo, Shell, Vault
from http_calls import in_process

from octavo.engine.wiring import open_library

TEXTS = ["the moons of Jupiter", "sourdough bread"]


def test_vectors_are_those_of_the_library_as_numbers_or_as_base64(vault: Vault) -> None:
    with open_library(vault.library) as engine:
        model, expected = engine.embedder.profile.model, engine.embedder.embed(TEXTS)

    async def talk(client: httpx2.AsyncClient) -> None:
        answer = (await client.post("/v1/embeddings", json={"model": "any", "input": TEXTS})).json()
        assert (answer["object"], answer["model"]) == ("list", model)
        assert [(each["object"], each["index"]) for each in answer["data"]] == [("embedding", 0), ("embedding", 1)]
        for each, row in zip(answer["data"], expected, strict=True):
            assert each["embedding"] == pytest.approx(row.tolist(), abs=1e-6)
        assert answer["usage"]["prompt_tokens"] == answer["usage"]["total_tokens"] > 0
        one = {"model": "any", "input": TEXTS[0], "encoding_format": "base64"}
        (encoded,) = (await client.post("/v1/embeddings", json=one)).json()["data"]
        numbers = array("f", base64.b64decode(encoded["embedding"]))
        assert numbers.tolist() == pytest.approx(expected[0].tolist(), abs=1e-6)

    in_process(vault.library, talk)


@pytest.mark.parametrize("given", [{}, {"input": [[1, 2]]}, {"input": "x", "encoding_format": "int8"}])
def test_what_is_no_text_is_refused(vault: Vault, given: dict[str, object]) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        answer = await client.post("/v1/embeddings", json=given)
        told = answer.json()["error"]
        assert answer.status_code == 400 and told["message"].startswith(answer.json()["detail"])
        assert (told["type"], told["code"]) == ("invalid_request_error", "INVALID_ARGUMENT")

    in_process(vault.library, talk)


def test_the_client_of_openai_gets_its_vectors(vault: Vault) -> None:
    openai = pytest.importorskip("openai")
    httpx = pytest.importorskip("httpx")

    async def talk(client: httpx2.AsyncClient) -> None:
        async def forwarded(request: httpx.Request) -> httpx.Response:
            answer = await client.request(
                request.method, str(request.url), content=request.content, headers={"content-type": "application/json"}
            )
            return httpx.Response(
                answer.status_code, content=answer.content, headers={"content-type": "application/json"}
            )

        transport = httpx.AsyncClient(transport=httpx.MockTransport(forwarded))
        asked = openai.AsyncOpenAI(base_url="http://localhost:7411/v1", api_key="none", http_client=transport)
        answer = await asked.embeddings.create(model="octavo", input=TEXTS)
        assert [each.index for each in answer.data] == [0, 1]
        assert len(answer.data[0].embedding) > 8 and all(isinstance(value, float) for value in answer.data[0].embedding)

    in_process(vault.library, talk)


def test_lines_of_a_pipe_become_lines_with_vectors_and_keep_what_they_had(vault: Vault, shell: Shell) -> None:
    lines = "plain line\n\n" + json.dumps({"text": "a record", "id": 7}) + "\n{not json\n"
    made = shell("--library", str(vault.library), "embed", input=lines)
    rows = [json.loads(line) for line in made.stdout.splitlines()]
    assert [(row["text"], row.get("id")) for row in rows] == [
        ("plain line", None),
        ("a record", 7),
        ("{not json", None),
    ]
    assert len({len(row["embedding"]) for row in rows}) == 1


def test_texts_on_the_command_line_are_answered_in_their_order(vault: Vault, octavo: Octavo) -> None:
    rows = [json.loads(line) for line in octavo("--library", str(vault.library), "embed", *TEXTS).stdout.splitlines()]
    assert [row["text"] for row in rows] == TEXTS
