"""Notebooks: a readable rendering of their cells, located exactly in that rendering."""

from __future__ import annotations

import json
from typing import Any

import pytest

from octavo.model.document import BlockKind, Document, Kind, LinkKind, Source
from octavo.model.ids import DocumentId, text_hash
from octavo.parsing.code.notebook_parser import NotebookParser
from octavo.parsing.configuration_file_parser import ConfigParser
from octavo.parsing.markdown.parser import MarkdownParser

NOTEBOOK = NotebookParser(MarkdownParser(), ConfigParser())


def cell(kind: str, source: Any, outputs: Any = ()) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "outputs": list(outputs)}


def parsed(*cells: Any, **top: Any) -> Document:
    text = json.dumps({"cells": list(cells), **top}) + "\n"
    return NOTEBOOK.parse(Source(DocumentId("doc_1"), "work/tour.ipynb", text, 0.0))


def test_cells_are_rendered_as_markdown_with_code_in_fences() -> None:
    document = parsed(
        cell("markdown", ["# Tour\n", "Text."]),
        cell("code", "import math\nmath.pi", [{"output_type": "execute_result", "data": {"text/plain": ["3.14"]}}]),
        cell("raw", "as is"),
    )

    assert document.text == (
        "# Tour\nText.\n\n```python\nimport math\nmath.pi\n```\n\n```text\n3.14\n```\n\n```text\nas is\n```\n"
    )
    assert document.content_hash == text_hash(document.text)
    assert (document.kind, document.language, document.title) == (Kind.CODE, "python", "Tour")
    assert document.metadata["rendered_from"] == "ipynb"
    assert [block.kind for block in document.blocks] == [
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.FENCE,
        BlockKind.FENCE,
        BlockKind.FENCE,
    ]


def test_imports_in_code_cells_are_links_and_those_in_prose_are_not() -> None:
    document = parsed(cell("markdown", "import nothing"), cell("code", "import numpy as np\nfrom a.b import c"))

    links = [link for link in document.links if link.kind is LinkKind.IMPORT]
    assert [(link.target, link.span.of(document.text)) for link in links] == [("numpy", "numpy"), ("a.b", "a.b")]


def test_a_fence_left_open_in_one_cell_does_not_swallow_the_next() -> None:
    document = parsed(cell("markdown", "```\nopen"), cell("code", "x = '```'"), cell("markdown", "# After"))

    assert document.sections[1].title == "After"
    assert "````python\nx = '```'\n````" in document.text


def test_pictures_and_long_outputs_are_left_out_and_errors_are_short() -> None:
    document = parsed(
        cell(
            "code",
            "plot()",
            [
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}},
                {"output_type": "stream", "text": "row\n" * 500},
                {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["x" * 999]},
            ],
        )
    )

    assert document.text == "```python\nplot()\n```\n\n```text\nValueError: no\n```\n"


def test_the_kernel_names_the_language_and_old_notebooks_open() -> None:
    r = parsed(cell("code", "x <- 1"), metadata={"kernelspec": {"language": "R"}})
    old = NOTEBOOK.parse(
        Source(
            DocumentId("doc_1"),
            "old.ipynb",
            '{"worksheets": [{}, {"cells": [{"cell_type": "heading", "level": 2, "source": "Old"},'
            ' {"cell_type": "code", "input": ["x = 1", "y = 2"]}]}]}',
            0.0,
        )
    )

    assert (r.language, r.text) == ("r", "```r\nx <- 1\n```\n")
    assert old.text == "## Old\n\n```python\nx = 1\ny = 2\n```\n"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"cells": 1}', '{"cells": [1]}', '{"cells": null}', "not json", "[" * 100_000],
)
def test_what_is_no_notebook_is_read_as_other_json_and_said_so(text: str) -> None:
    document = NOTEBOOK.parse(Source(DocumentId("doc_1"), "a.ipynb", text, 0.0))

    assert document.text == text
    assert document.warnings == ("not a notebook, by its content: read as JSON",)
    assert document.kind is Kind.CONFIG


def test_an_empty_notebook_is_an_empty_document() -> None:
    assert parsed().text == ""
    assert parsed(cell("code", ""), cell("markdown", [])).text == ""
