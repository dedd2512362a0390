"""Front matter: what its fields become, and that nothing in it can do harm."""

from __future__ import annotations

import pytest

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.front_matter_parsing import LIMIT, front_matter
from octavo.parsing.markdown.parser import MarkdownParser


def parse(text: str, uri: str = "folder/My note.md", tags: tuple[str, ...] = ()) -> Document:
    return MarkdownParser().parse(Source(DocumentId("doc"), uri, text, 0.0, tags=tags))


def data(yaml: str) -> dict[str, object]:
    return front_matter(f"---\n{yaml}\n---\n").data


def test_front_matter_is_the_first_block_and_the_text_goes_on_after_it() -> None:
    text = "---\ntitle: T\n---\n# H\n"
    document = parse(text)
    assert [(block.kind, block.start, block.end) for block in document.blocks] == [
        (BlockKind.FRONT_MATTER, 0, 17),
        (BlockKind.HEADING, 17, 21),
    ]
    assert document.title == "T"
    assert document.text == text


@pytest.mark.parametrize("closing", ["---", "...", "---  "])
def test_front_matter_ends_at_a_line_of_dashes_or_dots(closing: str) -> None:
    assert front_matter(f"---\na: b\n{closing}\ntext\n").data == {"a": "b"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n---\na: b\n---\n",
        "---\na: b\n",
        " ---\na: b\n---\n",
        "----\na: b\n---\n",
        "---\n\n# Title\n\nprose\n\n---\n",
    ],
)
def test_what_does_not_begin_and_end_like_front_matter_is_text(text: str) -> None:
    assert front_matter(text).end == 0


def test_empty_front_matter_has_no_fields() -> None:
    assert front_matter("---\n---\ntext\n") == front_matter("---\n---\n")
    assert front_matter("---\n---\n").end == 8


def test_a_front_matter_that_is_no_list_of_fields_stays_text_with_a_warning() -> None:
    front = front_matter("---\n- a\n- b\n---\n")
    assert (front.end, front.data, len(front.warnings)) == (0, {}, 1)


def test_values_are_what_json_can_carry() -> None:
    numbers = "i: 3\nf: 1.5\nb: true\nn: null\n1: one\nl: [1, {x: 2020-01-01}]\n"
    text = "d: 2024-01-02\nt: 12:30:45\nc: 007\nv: 1.10\ny: yes"
    assert data(numbers + text) == {
        "i": 3,
        "f": 1.5,
        "b": True,
        "n": None,
        "d": "2024-01-02",
        "t": "12:30:45",
        "c": "007",
        "v": "1.10",
        "l": [1, {"x": "2020-01-01"}],
        "y": "yes",
        "1": "one",
    }


@pytest.mark.parametrize(
    "yaml",
    [
        "a: [",
        'a: "b',
        "a: b: c",
        "a:\n\t- b",
        "a: !!python/object/apply:os.system [ls]",
        "a: &x [1]\nb: *x",
        "a: &a [*a]",
        "a: " + "[" * 100 + "]" * 100,
        "a: " + "- " * 100 + "b",
        "a: [" + "1," * 20_000 + "]",
        "a: \x01",
        "a: \ud800",
        "? [a, {b: c}]\n: d",
        "a: !!int x",
        "a: !!timestamp 2024-99-99",
    ],
)
def test_front_matter_that_cannot_be_read_is_a_warning_and_stays_a_block(yaml: str) -> None:
    document = parse(f"---\n{yaml}\n---\n# Title\n")
    assert len(document.warnings) == 1
    assert "\n" not in document.warnings[0]
    assert document.blocks[0].kind is (BlockKind.FRONT_MATTER if yaml.startswith("a") else document.blocks[0].kind)
    assert document.sections[-1].title == "Title"
    assert document.metadata == {}


def test_front_matter_beyond_the_limit_is_not_read() -> None:
    front = front_matter("---\na: " + "b" * LIMIT + "\n---\n")
    assert (front.data, len(front.warnings)) == ({}, 1)
    assert front.end


def test_the_bomb_of_nine_levels_is_refused() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert front_matter("---\n" + "\n".join(lines) + "\n---\n").warnings == (
        "front matter could not be read: aliases are not followed",
    )


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: [a, b/c]", ("a", "b/c")),
        ("tags: a, b c", ("a", "b", "c")),
        ("tags: '#a #b'", ("a", "b")),
        ("tag: a", ("a",)),
        ("tags:\n  - a\n  - '#b'", ("a", "b")),
        ("tags: [A, a, 2024]", ("A", "2024")),
        ("tags:", ()),
        ("tags: {a: b}", ()),
    ],
)
def test_tags_come_as_a_list_or_as_words_with_or_without_their_hash(yaml: str, tags: tuple[str, ...]) -> None:
    assert parse(f"---\n{yaml}\n---\n").tags == tags


def test_the_tags_of_the_collection_come_first() -> None:
    assert parse("---\ntags: [b, c]\n---\n#d #a\n", tags=("a", "b")).tags == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("yaml", "aliases"), [("aliases: [A b, C]", ("A b", "C")), ("alias: A b, C", ("A b", "C")), ("aliases:", ())]
)
def test_aliases_come_as_a_list_or_with_commas(yaml: str, aliases: tuple[str, ...]) -> None:
    assert parse(f"---\n{yaml}\n---\n").aliases == aliases


def test_what_has_its_own_place_leaves_the_metadata() -> None:
    document = parse("---\ntitle: T\ndescription: D\nsummary: S\nkeywords: [a, b]\nowner: me\n---\n")
    assert (document.title, document.description, document.keywords) == ("T", "D", ("a", "b"))
    assert document.metadata == {"summary": "S", "owner": "me"}
    assert parse("---\nsummary: S\n---\n").description == "S"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Given\n---\n# Heading\n", "Given"),
        ("---\ntitle: 1984\n---\n", "1984"),
        ("---\ntitle: [a]\n---\n# Heading\n", "Heading"),
        ("## Second\n# First\n", "First"),
        ("### Only\n", "My note"),
        ("#\n## Named\n", "My note"),
        ("no heading\n", "My note"),
    ],
)
def test_the_title_is_the_given_one_or_the_first_top_heading_or_the_name_of_the_file(text: str, title: str) -> None:
    assert parse(text).title == title


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("date: {{date}}\n", {"date": "{{date}}"}),
        ("date: {{date:YYYY-MM-DD}}\ntags: [daily]\n", {"date": "{{date:YYYY-MM-DD}}", "tags": ["daily"]}),
        ("title: {{title}} of {{date}}\nstatus: open\n", {"title": "{{title}} of {{date}}", "status": "open"}),
        ("made: <% tp.date.now() %>\n", {"made": "<% tp.date.now() %>"}),
        ("links:\n  - {{link}}\n  - plain\n", {"links": ["{{link}}", "plain"]}),
        ('quoted: "{{date}}"\n', {"quoted": "{{date}}"}),
        ("{{fields}}\na: {{b\n", {}),
    ],
)
def test_the_placeholders_of_a_template_are_text_and_cause_no_warning(raw: str, data: dict[str, object]) -> None:
    found = front_matter(f"---\n{raw}---\nText.\n")
    assert (found.data, found.warnings) == (data, ())
