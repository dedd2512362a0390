"""What travels between a client and its server arrives as it left."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto import errors
from recto.config.load import load, validated
from recto.config.schema import Config
from recto.interfaces.daemon.results import packed, unpacked
from recto.interfaces.daemon.wire import Hello, error_from, error_json, hello, settings_of
from recto.model.document import Kind
from recto.model.ids import ChunkId, DocumentId
from recto.model.result import Citation, Freshness, Hit, Result, ScoreStep, StageTrace
from recto.model.text import Lines, Span

words = st.text(max_size=20)
numbers = st.floats(allow_nan=False)
spans = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)).map(lambda pair: Span(min(pair), max(pair)))
hits = st.builds(
    Hit,
    rank=st.integers(1, 1000),
    score=numbers,
    collection=words,
    kind=st.sampled_from(Kind),
    title=words,
    citation=st.builds(
        Citation,
        uri=words,
        heading_path=st.lists(words, max_size=3).map(tuple),
        span=spans,
        lines=st.builds(Lines, st.integers(1, 9), st.integers(9, 99)),
    ),
    excerpt=words,
    excerpt_truncated=st.booleans(),
    chunk_id=words.map(ChunkId),
    document_id=words.map(DocumentId),
    modified_at=numbers,
    steps=st.lists(st.builds(ScoreStep, words, numbers, st.integers(), words), max_size=2).map(tuple),
    stale=st.sampled_from([None, "changed", "gone"]),
)
results = st.builds(
    Result,
    query=words,
    profile=words,
    hits=st.lists(hits, max_size=3).map(tuple),
    trace=st.lists(
        st.builds(
            StageTrace,
            stage=words,
            shape=words,
            received=st.integers(),
            returned=st.integers(),
            took_ms=numbers,
            skipped=st.none() | words,
            failed=st.none() | words,
            detail=st.dictionaries(words, st.integers() | words | numbers, max_size=3),
        ),
        max_size=2,
    ).map(tuple),
    freshness=st.builds(Freshness, st.integers(), st.integers(), st.integers(), numbers, st.integers(), st.none()),
    took_ms=numbers,
    cursor=st.none() | words,
)


@given(results)
def test_a_result_arrives_equal(result: Result) -> None:
    assert unpacked(json.loads(json.dumps(packed(result)))) == result


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.RectoError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_arrives_as_the_same_kind_of_error(kind: type[errors.RectoError]) -> None:
    error = kind("the message", hint="the hint", details={"job": {"number": 1}})
    arrived = error_from(json.loads(json.dumps(error_json(error))))
    assert type(arrived) is kind
    assert (arrived.message, arrived.hint, arrived.details) == (error.message, error.hint, error.details)


@pytest.mark.parametrize("kind", ["Exception", "annotations", "nonsense", "__doc__", ""])
def test_what_is_no_error_of_ours_arrives_as_a_plain_one(kind: str) -> None:
    assert type(error_from({"kind": kind, "message": "m"})) is errors.RectoError


def test_a_configuration_arrives_equal() -> None:
    flags = {"library": "some/library.db", "ingest.ignore": ("*.tmp",), "watch.debounce_ms": 300, "serve.port": 0}
    config = load(flags, environ={}).config
    greeting = hello(Hello("1", "mcp", settings_of(config), "full", ("a", "b")).line())
    assert validated(Config, greeting.settings) == config
    assert (greeting.version, greeting.want, greeting.tools, greeting.profiles) == ("1", "mcp", "full", ("a", "b"))


@pytest.mark.parametrize("line", [b"", b"\n", b"[]\n", b"{}\n", b'{"settings": 1}\n', b"\xff\n", b"GET / HTTP/1.1\r\n"])
def test_what_is_no_greeting_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        hello(line)
