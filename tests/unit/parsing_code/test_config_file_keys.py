"""Configuration files: their keys, where they begin and end, and what is only text that looks like one."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from octavo.model.document import Document, Kind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.configuration_file_parser import ConfigParser


def parsed(uri: str, text: str) -> Document:
    return ConfigParser().parse(Source(DocumentId("doc_1"), uri, dedent(text).lstrip("\n"), 0.0))


def keys(document: Document) -> dict[str, str]:
    return {section.anchor: section.span.of(document.text) for section in document.sections[1:]}


def test_top_level_keys_of_json_are_sections_up_to_the_next_line() -> None:
    document = parsed(
        "package.json", '{\n  "name": "x",\n  "deps": {\n    "a": "1"\n  },\n  "list": [\n    1\n  ]\n}\n'
    )

    assert (document.kind, document.language, document.title) == (Kind.CONFIG, "json", "package.json")
    assert document.keywords == ("name", "deps", "list")
    assert keys(document) == {
        "name": '  "name": "x",\n',
        "deps": '  "deps": {\n    "a": "1"\n  },\n',
        "list": '  "list": [\n    1\n  ]\n',
    }


def test_json_with_comments_and_brackets_in_strings_is_not_misled() -> None:
    document = parsed(
        "a.jsonc",
        """
        {
          // "no": 1
          "a": "} ] // \\" no", /* "nor": { */
          "b": 1
        }
        """,
    )

    assert list(keys(document)) == ["a", "b"]


def test_keys_inside_a_long_value_are_sections_if_they_are_large_themselves() -> None:
    jobs = {f"job{number}": {"steps": ["a", "b"], "on": "push"} for number in range(8)}
    document = parsed("a.json", json.dumps({"jobs": jobs, "name": "ci"}, indent=2) + "\n")

    assert [section.path for section in document.sections[1:4]] == [
        ("a", "jobs"),
        ("a", "jobs", "job0"),
        ("a", "jobs", "job1"),
    ]
    assert "name" in keys(document)
    assert not any("steps" in section.path for section in document.sections)


def test_yaml_keys_go_by_indentation_with_lists_and_comments() -> None:
    document = parsed(
        "a.yaml",
        """
        name: x
        # About the steps.
        steps:
        - run: one
          with: {a: 1}
        - run: two
        "quoted key": |
          not: a key
          neither: this
        last: 1
        """,
    )

    assert keys(document) == {
        "name": "name: x\n",
        "steps": "# About the steps.\nsteps:\n- run: one\n  with: {a: 1}\n- run: two\n",
        "quoted-key": '"quoted key": |\n  not: a key\n  neither: this\n',
        "last": "last: 1\n",
    }


def test_tables_of_toml_and_sections_of_ini_reach_to_the_next() -> None:
    toml = parsed("a.toml", 'x = 1\n\n[a.b]\ny = """\n[no]\n"""\n\n# About c.\n[[c]]\nz = [\n  1,\n]\n')
    ini = parsed("a.ini", "; Head.\n[one]\na = 1\n[two words]\nb = 2\n")

    assert keys(toml) == {"a.b": '[a.b]\ny = """\n[no]\n"""\n\n', "c": "# About c.\n[[c]]\nz = [\n  1,\n]\n"}
    assert keys(ini) == {"one": "; Head.\n[one]\na = 1\n", "two-words": "[two words]\nb = 2\n"}


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("a.json", '{"a": {"b": [}}, "c\n"d": 1\n'),
        ("a.json", "not json at all\n"),
        ("a.yaml", "\tx: 1\n  y\n: z\n"),
        ("a.toml", "[open\nx = = 1\n]]\n"),
        ("a.xml", "<a>\n<b></a>\n"),
    ],
)
def test_a_broken_file_is_kept_whole(uri: str, text: str) -> None:
    document = parsed(uri, text)

    assert "".join(text[block.start : block.end] for block in document.blocks) == text
