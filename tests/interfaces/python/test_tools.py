"""Operations as tools of a language model: definitions that clients take, and a dispatcher that never surprises."""

from __future__ import annotations

import json

import pytest
from python_calls import VAULT

import octavo
from octavo.operations.operation import FULL
from octavo.operations.operation_lookup import chosen


def test_a_set_of_tools_and_tools_by_name_can_be_chosen(library: octavo.Library) -> None:
    assert library.tools().names == tuple(operation.name for operation in chosen("default"))
    assert library.tools("code").names == tuple(operation.name for operation in chosen("code"))
    assert library.tools(FULL).names == tuple(operation.name for operation in chosen(FULL))
    assert library.tools(["search", "get"]).names == library.tools("search,get").names == ("search", "get")
    assert repr(library.tools("search,get")) == "<octavo.Tools: search, get>"


def test_a_tool_or_set_that_is_not_there_is_refused_with_those_that_are(library: octavo.Library) -> None:
    with pytest.raises(octavo.InvalidArgument, match="there is no tool or set of tools called serach") as caught:
        library.tools("serach")
    assert caught.value.hint is not None and "default" in caught.value.hint


def test_definitions_are_plain_json_under_the_key_a_client_expects(library: octavo.Library) -> None:
    tools = library.tools("search,get")
    assert json.loads(json.dumps(tools.definitions())) == tools.definitions()
    first = tools.definitions("input_schema")[0]
    assert list(first) == ["name", "description", "input_schema"]
    assert first["name"] == "search"
    assert first["input_schema"]["type"] == "object"
    assert first["input_schema"]["required"] == ["query"]
    assert [tool["name"] for tool in tools] == list(tools.names)


@pytest.mark.parametrize("arguments", [{"query": "dome", "limit": 2}, '{"query": "dome", "limit": 2}'])
def test_a_call_answers_with_text_and_data(library: octavo.Library, arguments: dict[str, object] | str) -> None:
    answer = library.tools().call("search", arguments)
    assert not answer.is_error
    assert len(answer.data["hits"]) == 2
    assert all(hit["uri"] in answer.text for hit in answer.data["hits"])
    assert json.loads(json.dumps(answer.data)) == answer.data


def test_arguments_are_taken_as_models_write_them(library: octavo.Library) -> None:
    tools = library.tools(FULL)
    strict = tools.call("search", {"query": "dome", "limit": 2, "kinds": ["note"]})
    loose = tools.call("search", {"q": "dome", "k": "2", "kinds": "note", "language": None})
    assert [hit["chunk_id"] for hit in loose.data["hits"]] == [hit["chunk_id"] for hit in strict.data["hits"]]
    assert not tools.call("status").is_error
    assert not tools.call("status", "").is_error


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("serach", {}, "NOT_FOUND", "there is no tool 'serach'"),
        ("search", {}, "INVALID_ARGUMENT", "search needs query"),
        ("search", {"query": 5}, "INVALID_ARGUMENT", "query of search: input should be a valid string"),
        ("search", {"quarry": "dome"}, "INVALID_ARGUMENT", "search has no argument 'quarry'"),
        ("search", "{", "INVALID_ARGUMENT", "the arguments are not JSON"),
        ("search", "[]", "INVALID_ARGUMENT", "the arguments are not a JSON object"),
        ("get", {"reference": "nothing.md"}, "NOT_FOUND", "nothing in the library is called nothing.md"),
    ],
)
def test_what_a_model_gets_wrong_is_an_answer_it_can_read(
    library: octavo.Library, name: str, arguments: dict[str, object] | str, code: str, message: str
) -> None:
    answer = library.tools().call(name, arguments)
    assert answer.is_error
    assert answer.text.startswith(f"{code}: {message}")
    assert (answer.data["code"], answer.data["message"][: len(message)]) == (code, message)
    assert answer.data["hint"] is None or answer.data["hint"] in answer.text


def test_a_hint_names_the_tools_that_are_offered_and_commands_for_the_rest(library: octavo.Library) -> None:
    wrong = {"reference": "nothing.md"}
    assert library.tools("get,search").call("get", wrong).data["hint"].startswith("search finds passages")
    assert library.tools("get").call("get", wrong).data["hint"].startswith("`octavo search` finds passages")


def test_a_hint_names_arguments_of_the_tool_and_no_options(library: octavo.Library) -> None:
    library.add(VAULT, name="copy")
    library.index()
    assert library.tools("get").call("get", {"reference": "Home.md"}).data["hint"] == "choose one with collection"
