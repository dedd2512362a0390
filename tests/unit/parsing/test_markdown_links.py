"""Links and tags: what counts as one, what it points at, and where nothing is looked for."""

from __future__ import annotations

import pytest

from octavo.model.document import Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.parser import MarkdownParser


def parse(text: str) -> Document:
    return MarkdownParser().parse(Source(DocumentId("doc"), "a.md", text, 0.0))


def links(text: str) -> list[tuple[str, str, str | None, str | None, str]]:
    return [(x.kind.value, x.target, x.anchor, x.shown, x.span.of(text)) for x in parse(text).links]


@pytest.mark.parametrize(
    ("text", "kind", "target", "anchor", "shown"),
    [
        ("[[Note]]", "wikilink", "Note", None, None),
        ("[[Note|shown]]", "wikilink", "Note", None, "shown"),
        ("[[ Note #Head| shown ]]", "wikilink", "Note", "Head", "shown"),
        ("[[Note#A#B]]", "wikilink", "Note", "A#B", None),
        ("[[#Heading]]", "wikilink", "", "Heading", None),
        ("[[Note^id]]", "wikilink", "Note", "^id", None),
        ("[[Note#^id]]", "wikilink", "Note", "^id", None),
        ("![[img.png|100]]", "embed", "img.png", None, "100"),
        ("[a](b.md)", "markdown", "b.md", None, "a"),
        ("![a](b.png)", "markdown", "b.png", None, "a"),
        ("[a]()", "markdown", "", None, "a"),
        ("[a](#x)", "markdown", "", "x", "a"),
        ("[a](b.md#x 'title')", "markdown", "b.md", "x", "a"),
        ("[a](  b.md\n  (title) )", "markdown", "b.md", None, "a"),
        ("[a](<b c.md>)", "markdown", "b c.md", None, "a"),
        ("[a](b%20c%C3%A9.md#d%20e)", "markdown", "b cé.md", "d e", "a"),
        ("[a](b&amp;c.md)", "markdown", "b&c.md", None, "a"),
        ("[a](b\\)c.md)", "markdown", "b)c.md", None, "a"),
        ("[a [b] c](d.md)", "markdown", "d.md", None, "a [b] c"),
        ("[a `]` c](d.md)", "markdown", "d.md", None, "a ] c"),
        ("[**a** _b_](d.md)", "markdown", "d.md", None, "a b"),
        ("[a](https://x.y/p%20q?r#s)", "markdown", "https://x.y/p%20q?r#s", None, "a"),
        ("<https://x.y/#z>", "markdown", "https://x.y/#z", None, None),
        ("<a.b@c.d>", "markdown", "mailto:a.b@c.d", None, None),
        ("https://x.y/a_(b)?c=d#e", "markdown", "https://x.y/a_(b)?c=d#e", None, None),
    ],
)
def test_a_link_points_where_it_says(text: str, kind: str, target: str, anchor: str | None, shown: str | None) -> None:
    assert links(text) == [(kind, target, anchor, shown, text)]
    padded = f"Före {text} etter\n"
    assert links(padded) == [(kind, target, anchor, shown, text)]
    assert links(f"> - {text}\n") == [(kind, target, anchor, shown, text)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "`[[a]]`",
            "`` ` [[a]] ``",
            "```\n[[a]]\n```",
            "    [[a]]",
            "- ```\n  [[a]]\n  ```",
            ">     [[a]]",
            "<div>\n[[a]]\n</div>",
        ),
        *(
            "<!-- [[a]] -->",
            "b <!-- [[a]] --> c",
            "%% [[a]] %%",
            "%%\n\n[[a]]\n\n%%",
            '<a href="[[a]]">b',
            "\\[a](b)",
            "[a] (b)",
        ),
        *(
            "[[]]",
            "[[ ]]",
            "[[a\nb]]",
            "[a](b c)",
            "[a](b",
            "[a\n\nb](c)",
            "[a][b]",
            "[a]",
            "[ ] task",
            "[^1]",
            "`a\nb [[c]]`",
        ),
        *(
            "[a](<b\nc>)",
            "---\nup: '[[a]]'\n---\n",
            "[r]: https://x.y",
            "http://",
            "http://!",
            "xhttp://a.b",
            "[a](\n\nb)",
        ),
    ],
)
def test_there_is_no_link_here(text: str) -> None:
    assert links(text + "\n") == []


def test_a_backtick_without_a_partner_in_its_paragraph_hides_nothing() -> None:
    assert [link[1] for link in links("a ` b [[c]]\n\nd ` e\n\n- ` [[f]]\n- ` g\n")] == ["c", "f"]


def test_an_image_in_a_link_is_a_link_of_its_own() -> None:
    assert [link[1] for link in links("[![a](b.png)](c.md)")] == ["c.md", "b.png"]


def test_a_link_in_a_link_is_the_inner_one() -> None:
    assert [link[1] for link in links("[a [b](c) d](e)")] == ["c"]
    assert [link[1] for link in links("[a [b `x`](c) d](e)")] == ["c"]
    assert [link[1] for link in links("![a [b](c) d](e)")] == ["e", "c"]


@pytest.mark.parametrize("use", ["[shown][Two  Words]", "[two words][]", "[TWO\nwords]", "![shown][two words]"])
def test_a_reference_points_where_its_definition_says(use: str) -> None:
    text = f"{use} and more\n\n> [two words]: <a b.md#c> 'title'\n"
    assert [(link[1], link[2], link[4]) for link in links(text)] == [("a b.md", "c", use)]


def test_the_first_of_two_definitions_counts() -> None:
    assert [link[1] for link in links("[a]\n\n[a]: first\n[A]: second\n")] == ["first"]


def test_punctuation_after_a_bare_url_is_not_part_of_it() -> None:
    assert [link[4] for link in links("(https://a.b/c). https://d.e, *https://f.g*")] == [
        "https://a.b/c",
        "https://d.e",
        "https://f.g",
    ]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a #b/c #d-e_f", ("a", "b/c", "d-e_f")),
        ("#a, #b. #c! #d: #e)", ("a", "b", "c", "d", "e")),
        ("#été #標籤 #हिन्दी #🎉", ("été", "標籤", "हिन्दी", "🎉")),
        ("#1 #2024 #1/2 #y2024 #1a", ("y2024", "1a")),
        ("#a/ #/b", ("a", "b")),
        ("# heading #a\n## #b\n", ("a", "b")),
        ("#a\n- #b\n> #c\n\n| #d |\n|---|\n", ("a", "b", "c", "d")),
        ("#Same #same", ("Same",)),
        ("a#b C# ##c \\#d &#35; #", ()),
        ("https://x.y/#a [#b](c) [x](#d) [[#e]] <a href='#f' #g>", ()),
        ("[two\nlines #a](b)", ()),
        ("`#a` ``#b`` \n\n    #c\n\n```\n#d\n```\n", ()),
        ("%% #a %% #b %%\n#c\n%%\n #d %%", ("b", "d")),
        ("<div>\n#a\n</div>\n", ()),
        ("#" + "x" * 500, ()),
    ],
)
def test_a_tag_is_a_hash_and_a_word_in_prose(text: str, tags: tuple[str, ...]) -> None:
    assert parse(text + "\n").tags == tags
