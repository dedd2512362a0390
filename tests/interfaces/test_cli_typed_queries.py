"""What people type at the command line: filters alone, operators, standard input, punctuation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_calls import Octavo
from click.testing import CliRunner

from octavo.interfaces.cli.main import cli

Found = Callable[..., set[str]]

NOTES = {
    "web/session.md": "# Session\n\nA session ends after an hour.\n",
    "web/token.md": "# Token\n\nA session has a token that is renewed.\n",
    "garden/apple.md": "# Äpfel\n\nPrune the apple tree in late winter.\n",
}


@pytest.fixture
def found(octavo: Octavo, tmp_path: Path) -> Found:
    for uri, text in NOTES.items():
        path = tmp_path / "notes" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for arguments in (["init"], ["add", tmp_path / "notes", "--name", "notes"], ["index"]):
        assert octavo(*arguments).exit_code == 0

    def ask(*arguments: str) -> set[str]:
        result = octavo("search", "--json", *arguments)
        assert result.exit_code in (0, 1), result.output
        return {hit["uri"] for hit in json.loads(result.stdout)["hits"]}

    return ask


def test_filters_alone_list_what_passes_them(found: Found) -> None:
    assert found("path:web") == {"web/session.md", "web/token.md"}
    assert found("--", "-token") == {"web/session.md", "garden/apple.md"}
    assert found("--", "-tok*") == {"web/session.md", "garden/apple.md"}
    assert found("title:apfel") == {"garden/apple.md"}


def test_a_word_that_is_only_excluded_is_said_to_be(found: Found, octavo: Octavo) -> None:
    assert found("path:web")
    assert (
        """passages without 'token'; one with it as written is found by '"-token"'"""
        in octavo("search", "-token").stderr
    )
    assert "without" not in octavo("search", "session", "-token").stderr


def test_a_query_may_begin_with_what_it_excludes(found: Found) -> None:
    assert found("-token") == found("-tok*") == {"web/session.md", "garden/apple.md"}
    assert "web/token.md" not in found('-"a token" session')


def test_options_alone_list_what_passes_them(found: Found, octavo: Octavo) -> None:
    assert found("--path", "web") == {"web/session.md", "web/token.md"}
    assert found("-c", "notes", "--heading", "apfel") == {"garden/apple.md"}
    assert "the query is empty" in octavo("search").stderr


def test_a_folder_that_was_added_and_not_read_wants_indexing_alone(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    assert "octavo add" in octavo("search", "anything").stderr
    octavo("add", tmp_path, "--name", "notes")
    assert "hint: run `octavo index`" in octavo("search", "anything").stderr


def test_a_path_means_the_same_as_a_filter_and_as_an_option(found: Found) -> None:
    for place in ("web/", "./web/", "/web", "notes/web/", "web/*"):
        assert found(f"path:{place}") == found("session", "--path", place) == {"web/session.md", "web/token.md"}


def test_operators_mean_what_they_say(found: Found) -> None:
    assert found("session NOT token") == {"web/session.md"}
    assert found("session AND token") == {"web/token.md"}
    assert found("token OR apple") == {"web/token.md", "garden/apple.md"}
    assert found("(session OR apple) AND NOT token") == {"web/session.md", "garden/apple.md"}


def test_an_unknown_collection_in_a_query_is_an_error(found: Found, octavo: Octavo) -> None:
    typed, option = octavo("search", "session in:nowhere"), octavo("search", "session", "-c", "nowhere")
    assert typed.exit_code == option.exit_code != 0
    assert "there is no collection nowhere" in typed.stderr


def test_punctuation_alone_finds_nothing(found: Found, octavo: Octavo) -> None:
    assert found("???") == set()
    assert octavo("search", "...").exit_code == 1


def test_a_dash_reads_the_query_from_standard_input(found: Found) -> None:
    assert found("session NOT token") == {"web/session.md"}
    result = CliRunner().invoke(cli, ["search", "--json", "-"], input="session NOT token\n")
    assert [hit["uri"] for hit in json.loads(result.stdout)["hits"]] == ["web/session.md"]


def test_a_pipe_that_gets_nothing_is_told_why(found: Found, octavo: Octavo) -> None:
    compared = octavo("diff", "session.md")
    assert (compared.stdout, compared.exit_code) == ("", 0) and "They say the same." in compared.stderr


@pytest.mark.parametrize("query", ["-notes", "-project", "--zzyzx"])
def test_a_query_that_an_option_parser_takes_for_an_option_is_told_where_to_put(octavo: Octavo, query: str) -> None:
    refused = octavo("search", query)
    assert refused.exit_code == 2
    assert f"goes after `--`: octavo search -- {query}" in refused.stderr


def test_an_option_of_another_program_is_a_query_where_it_is_more_than_a_word(found: Found, octavo: Octavo) -> None:
    assert found("--token session") == found("token session") != set()
    assert "these are the passages without" not in octavo("search", "--", "--token").stderr
    mistyped = octavo("search", "session", "--limt", "3")
    assert mistyped.exit_code == 2 and "--limit" in mistyped.stderr and "goes after" not in mistyped.stderr
