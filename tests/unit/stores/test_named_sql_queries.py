"""The SQL files: every query has one name, is used, and is understood by the database."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import apsw
import pytest
from executed_queries import known_queries
from queries_elsewhere import ELSEWHERE

from octavo.sql_repositories.named_sql_queries import load_migrations, load_queries, parse_queries

SQLITE = "octavo.stores.sqlite"
_CALLS = {"rows", "run", "run_many", "first", "value"}


def test_queries_are_read_by_name_in_order_without_their_semicolon() -> None:
    text = "-- a file comment\n-- name: one\nselect 1;\n\n-- name: two\n-- why\nselect\n  2\n"
    assert parse_queries(text) == {"one": "select 1", "two": "-- why\nselect\n  2"}
    assert list(parse_queries(text)) == ["one", "two"]
    assert parse_queries("") == {}


def test_two_queries_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two queries are named one"):
        parse_queries("-- name: one\nselect 1;\n-- name: one\nselect 2;\n")


def test_two_migrations_of_one_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "numbered_twice"
    (package / "migrations").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in ("0001_here.sql", "0001_there.sql"):
        (package / "migrations" / name).write_text("select 1;\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="two migrations have the number 1"):
        load_migrations("numbered_twice")


def test_fragments_are_pasted_where_they_are_included_and_are_no_queries_themselves() -> None:
    queries = load_queries(SQLITE)
    assert not [name for name in queries if name.startswith("fragment_")]
    assert not [name for name, body in queries.items() if "-- include:" in body]
    assert queries["chunks_admitted"].count(":path_prefix is null") == 1


@pytest.mark.parametrize("name", load_queries(SQLITE))
def test_every_query_is_one_lower_case_statement_with_named_parameters_that_sqlite_understands(name: str) -> None:
    query = load_queries(SQLITE)[name]
    bare = re.sub(r"--[^\n]*|'[^']*'", "", query)
    assert bare == bare.lower()
    assert ";" not in re.sub(r"\bbegin\b.*\bend\b", "", bare, flags=re.DOTALL)  # a trigger has statements inside
    assert not re.search(r"\?|@|\$|%s|{", bare)
    connection = apsw.Connection(":memory:")
    for _, script in load_migrations(SQLITE):
        connection.execute(script)
    # What one of them reads is made when it is asked.
    connection.execute(load_queries(SQLITE)["lexical_instances_open"])
    parameters = dict.fromkeys(re.findall(r":([a-z_]+)", bare))
    connection.execute(f"explain {query}", parameters).fetchall()


def test_every_name_the_code_calls_is_a_query_and_every_query_is_called() -> None:
    queries = set(load_queries(SQLITE))
    called, mentioned, patterns = set[str](), set[str](), set[str]()
    for path in _sources():
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                mentioned.add(node.value)
            if isinstance(node, ast.Call):
                called |= {value for value in _names(node) if isinstance(value, str)}
                patterns |= {value.pattern for value in _names(node) if isinstance(value, re.Pattern)}
    matched = {name for name in queries if any(re.fullmatch(pattern, name) for pattern in patterns)}
    assert called - queries == set()
    assert queries - mentioned - matched == set()
    assert all(any(re.fullmatch(pattern, name) for name in queries) for pattern in patterns)


def test_the_oldest_library_that_still_opens_is_the_one_that_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "install.md").read_text("utf-8")
    file, server = (load_migrations(package)[0][0] for package in (SQLITE, "octavo_postgres"))
    assert f"schema {file} in a file, {server} on PostgreSQL" in page


def _sources() -> Iterator[Path]:
    for package in ("octavo.sql_repositories", SQLITE):
        for resource in files(package).iterdir():
            if resource.name.endswith(".py"):
                yield Path(str(resource))


def _names(call: ast.Call) -> Iterator[str | re.Pattern[str]]:
    """Query names among a call's first arguments: literal, or as the pattern an f-string stands for."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function not in _CALLS:
        return
    for argument in call.args[:2]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value
        elif isinstance(argument, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else ".+" for part in argument.values)
            yield re.compile("".join(map(str, parts)))


def test_every_query_left_to_other_suites_than_conformance_exists_and_has_one_reason() -> None:
    listed = [name for names in ELSEWHERE.values() for name in names.split()]
    assert len(listed) == len(set(listed))
    pytest.importorskip("psycopg")
    assert set(listed) <= known_queries("sqlite") | known_queries("postgres")
