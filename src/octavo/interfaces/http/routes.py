"""The routes and what OpenAPI says of each: one for each operation, other servers' names for search, supervisors'."""

from __future__ import annotations

import base64
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_and_job_gauges import job_gauges, library_gauges
from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.problem_responses import MEDIA_TYPE, problem_of, protocol_problem
from octavo.interfaces.http.server_sent_events import event, event_stream, sentence_stream, while_wanted
from octavo.model.query import Query
from octavo.model.search_result import Result
from octavo.observability.metrics import Metrics
from octavo.operations.argument_parsing import aliases
from octavo.operations.argument_parsing import request as parsed
from octavo.operations.json_schemas import dump, input_schema, output_schema
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit, SearchAnswer, found_hit, without_hits
from octavo.operations.search.search_execution import find_everywhere
from octavo.operations.token_counts_and_page_cursor import tokens

_PROBLEMS: Mapping[int, str] = {
    400: "The request cannot be asked.",
    401: "A token is needed.",
    403: "The page may not ask this server.",
    404: "What the request names is not here.",
    409: "Nothing is indexed yet, something else is being written, or the request contradicts what is recorded.",
    413: "The request is too large.",
    415: "The body is not JSON.",
    421: "The server is not called so.",
    500: "A defect, or a damaged library.",
    502: "A model failed.",
    503: "Too many requests at once; trying again will work.",
    504: "It took too long.",
}


def described(operation: Operation, name: str | None = None) -> dict[str, Any]:
    answer = {"application/json": {"schema": output_schema(operation.gives)}}
    return _route(operation, name or operation.name, operation.summary, answer)


def described_stream(operation: Operation, name: str, summary: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"text/event-stream": {}}
    return _route(operation, name, summary, answer) | {"response_class": StreamingResponse}


def described_get(name: str, summary: str, answer: Operation | Mapping[str, Any] | None) -> dict[str, Any]:
    """A route without arguments; what it gives is an operation's answer, a schema, or plain text."""
    if answer is None:
        content: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
    else:
        schema = output_schema(answer.gives) if isinstance(answer, Operation) else answer
        content = {"application/json": {"schema": schema}}
    return {
        "methods": ["GET"],
        "response_class": PlainTextResponse if answer is None else JSONResponse,
        "operation_id": f"get_{name}",
        "summary": summary,
        "response_model": None,
        "responses": _responses(content),
    }


def _route(operation: Operation, name: str, summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    schema = input_schema(operation.takes)
    body = {
        "required": bool(schema.get("required") or schema.get("anyOf")),
        "content": {"application/json": {"schema": _with_aliases(operation, schema), "example": operation.example}},
    }
    return {
        "methods": ["POST"],
        "operation_id": name,
        "summary": summary,
        "description": operation.description,
        "response_model": None,
        "responses": _responses(answer),
        "openapi_extra": {"requestBody": body},
    }


def _with_aliases(operation: Operation, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An alias stands beside its argument; which of them is there does not matter, so neither is required."""
    also = aliases(operation.takes)
    properties = dict(schema["properties"])
    properties |= {alias: {**properties[name], "description": f"The same as {name}."} for alias, name in also.items()}
    alternatives = []
    for name in schema.get("required", ()):
        spellings = [name, *(alias for alias, other in also.items() if other == name)]
        alternatives.append([{"required": [spelling]} for spelling in spellings])
    plain = [choices[0]["required"][0] for choices in alternatives if len(choices) == 1]
    exactly_one = [{"oneOf": choices} for choices in alternatives if len(choices) > 1]
    once = [_at_most_one(name, also) for name in sorted(set(also.values())) if name not in schema.get("required", ())]
    conditions = [*exactly_one, *once]
    return {
        **{key: value for key, value in schema.items() if key != "required"},
        "properties": properties,
        **({"required": plain} if plain else {}),
        **({"allOf": conditions} if conditions else {}),
    }


def _at_most_one(name: str, also: Mapping[str, str]) -> dict[str, Any]:
    spellings = [name, *(alias for alias, other in also.items() if other == name)]
    pairs = [[spelling, other] for place, spelling in enumerate(spellings) for other in spellings[place + 1 :]]
    return {"not": {"anyOf": [{"required": pair} for pair in pairs]}}


def _responses(answer: dict[str, Any]) -> dict[int | str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    problems: dict[int | str, Any] = {
        status: {"description": text, "content": content} for status, text in _PROBLEMS.items()
    }
    return {200: {"description": "The answer.", "content": answer}, **problems}


Endpoint = Callable[[Request], Awaitable[Response]]


_HINT = "texts, not numbers of tokens, which are another model's; LangChain's client: check_embedding_ctx_length=False"


class UnsupportedMedia(Exception):
    """The body is said to be something other than JSON."""


def add_routes(app: FastAPI, calls: Calls, metrics: Metrics, *, secured: bool) -> None:
    """Without a token (`secured`), what writes files is refused."""
    for operation in OPERATIONS.values():
        app.add_api_route(f"/v1/{operation.name}", _endpoint(calls, operation, secured=secured), **described(operation))
        for alias in operation.aliases:
            settings = described(operation, name=alias) | {"include_in_schema": False}
            app.add_api_route(f"/v1/{alias}", _endpoint(calls, operation, secured=secured), **settings)
    search = OPERATIONS["search"]
    app.add_api_route(
        "/query_documents", _endpoint(calls, search, secured=secured), **described(search, name="query_documents")
    )
    hits = "The hits one at a time as server-sent events, then the trace."
    app.add_api_route(
        "/query_documents_stream", _stream(calls, search), **described_stream(search, "query_documents_stream", hits)
    )
    ask, sentences = OPERATIONS["ask"], "The checked sentences as server-sent events, then the whole answer."
    app.add_api_route(
        "/v1/ask_stream", sentence_stream(calls, ask, body_arguments), **described_stream(ask, "ask_stream", sentences)
    )

    # In OpenAI's shape, which is described elsewhere.
    app.add_api_route("/v1/embeddings", _embeddings(calls), methods=["POST"], include_in_schema=False)

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    warm = False

    async def ready(request: Request) -> Response:
        nonlocal warm
        # Everybody may ask this, often: a search each time would be paid for where a service embeds the query.
        await calls.work(_answers if warm else _warm)
        warm = True
        return JSONResponse({"status": "ready"})

    async def status(request: Request) -> Response:
        problems = {"problems": True} if request.query_params.get("problems") in ("true", "1") else {}
        return JSONResponse((await calls.call(OPERATIONS["status"], problems)).data)

    async def counted(request: Request) -> Response:
        gauges = await calls.work(lambda engine: (*library_gauges(engine), *job_gauges(engine)))
        text = metrics.exposition((*gauges, *calls.gauges()))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    schema = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    app.add_api_route("/health", health, **described_get("health", "Say that the server runs.", schema))
    app.add_api_route("/readyz", ready, **described_get("readyz", "Say that the library and the model answer.", schema))
    app.add_api_route("/status", status, **described_get("status", OPERATIONS["status"].summary, OPERATIONS["status"]))
    app.add_api_route("/metrics", counted, **described_get("metrics", "Counts and latencies, for Prometheus.", None))


def _endpoint(calls: Calls, operation: Operation, *, secured: bool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        if operation.writes_files and not secured:
            hint = "start it without --no-token"
            return protocol_problem(403, f"{operation.name} needs a server with a token", hint)
        arguments = await body_arguments(request)

        async def answered() -> Response:
            data = (await calls.call(operation, arguments, offered=OPERATIONS)).data
            return JSONResponse(data, 503 if operation.name == "doctor" and _out_of_order(data) else 200)

        # What only reads may wait for a language model, and nobody needs it later; what writes is finished.
        return await (while_wanted(request, answered()) if operation.annotations.read_only else answered())

    return endpoint


def _out_of_order(health: Mapping[str, Any]) -> bool:
    """Whether the library itself does not answer as it should; a folder that is missing leaves it in order."""
    return any(check["name"] == "library" and not check["ok"] for check in health["checks"])


def _stream(calls: Calls, operation: Operation) -> Endpoint:
    """The search is done before the first event, so that what goes wrong is a problem and not a broken stream."""

    async def endpoint(request: Request) -> Response:
        search_request: SearchRequest = parsed(operation.name, operation.takes, await body_arguments(request))

        async def answered() -> Response:
            result = await calls.work(lambda engine: find_everywhere(engine, search_request))
            return event_stream(_hit_events(result, search_request))

        return await while_wanted(request, answered())

    return endpoint


def _embeddings(calls: Calls) -> Endpoint:
    async def vectors(given: Mapping[str, Any]) -> Response:
        return JSONResponse(embedding_list(given, (await calls.call(OPERATIONS["embed"], embed_arguments(given))).data))

    async def endpoint(request: Request) -> Response:
        try:
            given = await body_arguments(request)
            return await while_wanted(request, vectors(given))
        except OctavoError as error:
            return problem_of(error, as_openai=True)

    return endpoint


async def _hit_events(result: Result, request: SearchRequest) -> AsyncIterator[str]:
    for hit in result.hits:
        yield event("hit", dump(FoundHit, found_hit(hit, result, explain=request.explain)))
    rest = dump(SearchAnswer, replace(without_hits(result, explain=True), query=None))
    yield event("trace", rest | {"hits": len(result.hits)})


async def body_arguments(request: Request) -> dict[str, Any]:
    body = await request.body()
    if not body:
        return {}
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise UnsupportedMedia
    try:
        given = from_json(body, allow_inf_nan=False)
    except ValueError as error:  # also for what is nested too deeply
        raise InvalidArgument(f"the body is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise InvalidArgument("the body is not an object", hint='{"query": "…"}')
    return given


def unsupported_media() -> Response:
    return protocol_problem(415, "the body must be application/json", "set the header Content-Type: application/json")


def _warm(engine: Engine) -> None:
    """One search through everything a search needs: the model and the vectors are loaded by it."""
    engine.search(Query("straight to the right page", limit=1))


def _answers(engine: Engine) -> None:
    engine.store.counts(engine.project.id)


def embed_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the operation is asked. Which model is named does not matter: there is one, and the answer names it."""
    texts = given.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InvalidArgument("`input` is neither a text nor a list of texts", hint=_HINT)
    if given.get("encoding_format", "float") not in ("float", "base64"):
        raise InvalidArgument("`encoding_format` is neither float nor base64")
    return {"texts": texts}


def embedding_list(given: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    dimensions = given.get("dimensions")
    if dimensions not in (None, answer["dimensions"]):
        raise InvalidArgument(f"the vectors of {answer['model']} have {answer['dimensions']} dimensions")
    used = sum(tokens(vector["text"]) for vector in answer["vectors"])
    encoded = given.get("encoding_format") == "base64"
    return {
        "object": "list",
        "model": answer["model"],
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _base64(vector["embedding"]) if encoded else vector["embedding"],
            }
            for index, vector in enumerate(answer["vectors"])
        ],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def _base64(vector: list[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()
