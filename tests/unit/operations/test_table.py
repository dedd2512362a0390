"""The table of operations: complete, true, and small enough to be read by those who pay by the word."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from error_cases import ERROR_CASES

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, MissingExtra, NotFound, OctavoError
from octavo.operations.argument_parsing import aliases, request
from octavo.operations.json_schemas import dump, input_schema, output_schema
from octavo.operations.operation import DEFAULT, Operation
from octavo.operations.operation_lookup import EVERY as TABLE
from octavo.operations.operation_lookup import OPERATIONS, chosen
from octavo.operations.request_fields import RequestField, request_fields

EVERY = pytest.mark.parametrize("operation", TABLE.values(), ids=list(TABLE))


@EVERY
def test_an_operation_is_documented_has_an_example_and_refuses_what_it_does_not_know(operation: Operation) -> None:
    assert TABLE[operation.name] is operation
    assert not operation.remote or operation.example is not None
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", operation.name)
    assert operation.summary.endswith(".")
    assert operation.description.endswith(".")
    with pytest.raises(InvalidArgument):
        request(operation.name, operation.takes, {"no_such_argument": 1})
    for name, schema in input_schema(operation.takes)["properties"].items():
        assert schema.get("description"), f"{operation.name}.{name} has no description"
    assert set(operation.unlisted) <= set(operation.takes.__dataclass_fields__)


@EVERY
def test_a_function_takes_and_gives_what_follows_from_its_operations_name(operation: Operation) -> None:
    hints = get_type_hints(operation.function)
    assert (hints["request"], hints["return"]) == (operation.takes, operation.gives)
    assert operation.watched == ("progress" in hints)


@EVERY
def test_a_command_is_called_as_its_operation_is(operation: Operation) -> None:
    if operation.command:
        words = operation.command.replace(" ", "_").replace("-", "_")
        assert operation.name in (words, f"collections_{words}")


@EVERY
def test_requests_and_answers_are_frozen_values(operation: Operation) -> None:
    for model in (operation.takes, operation.gives):
        assert dataclasses.is_dataclass(model)
        assert model.__dataclass_params__.frozen  # type: ignore[attr-defined]


@EVERY
def test_the_example_works_and_its_answer_is_what_the_schema_promises(
    operation: Operation, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import jsonschema

    if operation.example is None:
        pytest.skip("it has no example that a test can run")
    monkeypatch.chdir(tmp_path)
    made = request(operation.name, operation.takes, operation.example)
    try:
        answer = operation.run(engine, made)
    except MissingExtra as error:
        pytest.skip(error.message)
    plain = dump(operation.gives, answer)
    jsonschema.validate(plain, output_schema(operation.gives))
    assert operation.written(answer).strip()


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [(TABLE[name], arguments, code) for name, cases in ERROR_CASES.items() for arguments, code in cases],
)
def test_every_error_case_gets_its_code(
    operation: Operation, arguments: Mapping[str, Any], code: str, engine: Engine
) -> None:
    with pytest.raises(OctavoError) as raised:
        operation.run(engine, request(operation.name, operation.takes, arguments))
    assert raised.value.code == code


def test_an_unknown_argument_is_refused_by_the_nearest_name() -> None:
    search = OPERATIONS["search"].takes
    with pytest.raises(InvalidArgument) as refused:
        request("search", search, {"query": "a", "colection": "notes"})
    assert refused.value.message == "search has no argument 'colection'"
    assert refused.value.hint == "did you mean collections?"


@pytest.mark.parametrize("alias", ["k", "top_k", "top_n", "max_results"])
def test_what_other_tools_call_query_and_limit_is_understood(alias: str) -> None:
    made = request("search", OPERATIONS["search"].takes, {"q": "dome", alias: 3})
    assert (made.query, made.limit) == ("dome", 3)
    with pytest.raises(InvalidArgument, match="limit twice"):
        request("search", OPERATIONS["search"].takes, {"q": "dome", alias: 3, "limit": 4})


@pytest.mark.parametrize(
    ("operation", "given", "name"),
    [
        ("get", "uri", "reference"),
        ("get", "path", "reference"),
        ("get", "file_path", "reference"),
        ("get_many", "paths", "references"),
        ("search", "path", "path_prefix"),
        ("forget", "id", "item"),
        ("remember", "content", "text"),
    ],
)
def test_what_other_tools_call_a_file_and_a_memory_is_understood(operation: str, given: str, name: str) -> None:
    takes = OPERATIONS[operation].takes
    rest = {"query": "dome"} if operation == "search" else {}
    made = request(operation, takes, {given: "a", **rest}, forgiving=True)
    assert getattr(made, name) in ("a", ("a",))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ({}, "reference takes string: uri or name, uri:10-20 (lines), uri#anchor"),
        ({"reference": "a.md", "start_line": 3}, "it takes: reference (uri or name, uri:10-20 (lines), uri#anchor"),
    ],
)
def test_an_error_of_arguments_says_how_the_needed_one_is_written(arguments: dict[str, Any], hint: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        request("get", OPERATIONS["get"].takes, arguments)
    assert refused.value.hint is not None and refused.value.hint.startswith(hint)


@pytest.mark.parametrize("called", ["limit", "k", "top_k", "top_n", "max_results"])
@pytest.mark.parametrize(
    ("operation", "argument"),
    [("search_code", "max_results"), ("search_docs", "limit"), ("log", "top_n")],
)
def test_how_many_is_understood_by_every_search_whatever_it_is_called(
    operation: str, argument: str, called: str
) -> None:
    made = request(operation, OPERATIONS[operation].takes, {"query": "dome", called: 3})
    assert getattr(made, argument) == 3


CHOSEN = [
    (operation, field)
    for operation in TABLE.values()
    for field in request_fields(operation.takes)
    if field.first("choices") and not field.first("complete")
]


@pytest.mark.parametrize(("operation", "field"), CHOSEN, ids=[f"{row.name}.{field.name}" for row, field in CHOSEN])
def test_what_is_none_of_the_choices_is_refused_with_the_choices(operation: Operation, field: RequestField) -> None:
    wrong = ["nonsense"] if field.several else "nonsense"
    given = {**(operation.example or {}), field.name: wrong}
    with pytest.raises(InvalidArgument) as refused:
        request(operation.name, operation.takes, given)
    assert refused.value.message == f"{field.name} of {operation.name}: there is no nonsense"
    assert refused.value.hint == f"choose one of: {', '.join(field.first('choices'))}"


def test_an_alias_never_hides_an_argument() -> None:
    for operation in OPERATIONS.values():
        assert not set(aliases(operation.takes)) & set(operation.takes.__dataclass_fields__)


WRONG: list[dict[str, Any]] = [
    {},
    {"query": 5},
    {"query": None},
    {"query": ["dome"]},
    {"query": "dome", "limit": "5"},
    {"query": "dome", "limit": 0},
    {"query": "dome", "limit": 1.5},
    {"query": "dome", "limit": True},
    {"query": "dome", "limit": 10**30},
    {"query": "dome", "collections": "notes"},
    {"query": "dome", "collections": [["notes"]]},
    {"query": "dome", "collections": {}},
    {"query": "dome", "explain": "yes"},
    {"query": "\ud800"},
    {"query": "x" * 1_000_000},
    {"query": "dome", "max_tokens": float("nan")},
]


@pytest.mark.parametrize("given", WRONG, ids=lambda value: repr(value)[:40])
def test_wrong_types_and_sizes_are_refused_by_name(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        request("search", OPERATIONS["search"].takes, given)


def test_a_language_model_is_forgiven_nulls_numbers_in_quotes_and_lists_of_one() -> None:
    given = {"query": "dome", "limit": "5", "collections": "notes", "cursor": None, "kinds": ["doc"]}
    made = request("search", OPERATIONS["search"].takes, given, forgiving=True)
    assert (made.limit, made.collections, made.cursor, made.kinds) == (5, ("notes",), None, ("doc",))
    with pytest.raises(InvalidArgument):
        request("search", OPERATIONS["search"].takes, {"query": "dome", "limit": "many"}, forgiving=True)


def test_sets_of_tools_are_named_or_listed() -> None:
    assert len(chosen(DEFAULT)) <= 7
    assert {one.name for one in chosen(DEFAULT)} >= {"search", "get", "status", "reindex"}
    assert [one.name for one in chosen("get, search,get")] == ["search", "get"]
    assert chosen("full") == tuple(OPERATIONS.values())
    both = [one.name for one in chosen("code,memory,status")]
    assert {"search_code", "memory_commit", "status"} <= set(both)
    assert len(both) == len(set(both))
    assert [one.name for one in chosen("search_git_history")] == ["log"]
    with pytest.raises(InvalidArgument, match="nonsense"):
        chosen("search,nonsense")


def test_only_what_changes_the_library_says_that_it_does() -> None:
    assert {name for name, one in OPERATIONS.items() if not one.annotations.read_only} == {
        "doc_auto_fix",
        "doc_create",
        "doc_insert_section",
        "doc_replace_section",
        "doc_append_to_section",
        "doc_move_section",
        "doc_restore",
        "doc_set_property",
        "reindex",
        "snapshots_build",
        "watch",
        "remember",
        "forget",
        "memory_restore",
        "memory_pin",
        "memory_unpin",
        "memory_link",
        "memory_unlink",
        "memory_commit",
        "memory_archive",
        "canonical_upsert",
        "sessions_start",
        "sessions_end",
        "projects_resolve",
        "profiles_set",
        "models_activate",
        "profiles_activate",
        "profiles_reindex",
        "memory_reingest",
        "graph_build",
        "doc_rename",
        "lint",
        "memory_from_note",
        "memory_to_note",
        "notes_append",
        "notes_new",
        "notes_today",
    }
    assert not any(one.annotations.open_world for one in OPERATIONS.values())
    destructive = {name for name, one in OPERATIONS.items() if one.annotations.destructive}
    notes = {name for name in OPERATIONS if name.startswith("doc_")} - {"doc_validate"}
    assert destructive == notes | {"lint", "memory_to_note", "notes_append", "notes_new", "notes_today"}


PATHS = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    "a/../../b",
    "C:\\Windows",
    "a\0b",
    "\\\\server\\share",
    "~",
    "%2e%2e/",
]


@pytest.mark.parametrize("path", PATHS, ids=repr)
def test_no_path_argument_leads_out_of_the_library(path: str, engine: Engine) -> None:
    for name, argument, others in (
        ("get", "reference", {}),
        ("outline", "reference", {}),
        ("search", "path_prefix", {"query": "dome"}),
        ("search", "uris", {"query": "dome"}),
        ("find_similar", "exclude_file", {"snippet": "dome"}),
        ("reindex", "prefix", {"scope": "prefix", "wait": True}),
        ("projects_resolve", "path", {}),
    ):
        operation = OPERATIONS[name]
        given = {**others, argument: [path] if argument == "uris" else path}
        try:
            answer = operation.run(engine, request(name, operation.takes, given))
        except (NotFound, InvalidArgument):
            continue
        told = json.dumps(dump(operation.gives, answer))
        assert "root:" not in told
        if name == "search":
            assert not answer.hits


def test_a_time_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(InvalidArgument) as caught:
        request("search", OPERATIONS["search"].takes, {"query": "x", "modified_after": "0001-01-01"})
    assert caught.value.message == "modified_after of search: '0001-01-01' is not a time since the year 1000"
    assert (
        caught.value.hint
        == "write 2024-05-01, 2024-05, a full ISO time, 36h, 7d, 2w, 3m, 1y, yesterday, 2 weeks ago or last month"
    )
    assert "[" not in str(caught.value.details)


def test_text_that_does_not_fit_a_pattern_is_refused_without_showing_it() -> None:
    with pytest.raises(InvalidArgument) as caught:
        request("projects_resolve", OPERATIONS["projects_resolve"].takes, {"path": "relative/path"})
    assert caught.value.message == "path of projects_resolve: 'relative/path' is not written as it has to be"
