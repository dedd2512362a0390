"""Headings, code and links of reStructuredText, AsciiDoc, Org and LaTeX, where they stand in the text."""

from __future__ import annotations

import pytest

from octavo.model.document import BlockKind, Document, Source
from octavo.model.ids import DocumentId
from octavo.parsing.registry import parser_for

RST = """\
======
Hives
======

Intro.

Feeding
-------

Syrup::

.. code-block:: python

   no heading
   ----------

Autumn
~~~~~~

Two to one.

Swarming
--------

In May.
"""
ADOC = """\
= Hives

Intro.

== Feeding

[source,python]
----
== no heading
----

=== Autumn

xref:other.adoc[Other]
"""
ORG = """\
#+title: Hives
* TODO Feeding :food:
#+begin_src python
* no heading
#+end_src
** [[file:autumn.org][Autumn]]
Two to one.
* Swarming
"""
TEX = r"""
\title{Hives}
% \section{Never}
\section{Feeding \label{s:f}}
Syrup.
\subsection*{In \emph{autumn}}
\begin{verbatim}
\section{no heading}
\end{verbatim}
\section{Swarming}
"""


def parsed(name: str, text: str) -> Document:
    parser = parser_for(name)
    assert parser is not None
    return parser.parse(Source(DocumentId("doc_1"), name, text, 0.0))


@pytest.mark.parametrize(
    ("name", "text", "title", "paths"),
    [
        (
            "a.rst",
            RST,
            "Hives",
            [("Hives",), ("Hives", "Feeding"), ("Hives", "Feeding", "Autumn"), ("Hives", "Swarming")],
        ),
        ("a.adoc", ADOC, "Hives", [("Hives",), ("Hives", "Feeding"), ("Hives", "Feeding", "Autumn")]),
        ("a.org", ORG, "Hives", [("Feeding",), ("Feeding", "Autumn"), ("Swarming",)]),
        ("a.tex", TEX, "Hives", [("Feeding",), ("Feeding", "In autumn"), ("Swarming",)]),
    ],
)
def test_headings_are_sections_and_code_is_not(name: str, text: str, title: str, paths: list[tuple[str, ...]]) -> None:
    document = parsed(name, text)
    assert (document.title, [section.path for section in document.sections[1:]]) == (title, paths)
    code = [text[block.start : block.end] for block in document.blocks if block.kind is BlockKind.FENCE]
    assert len(code) == 1 and "no heading" in code[0]


@pytest.mark.parametrize(("name", "text"), [("a.rst", RST), ("a.adoc", ADOC), ("a.org", ORG), ("a.tex", TEX)])
def test_the_text_stays_as_it_is_and_blocks_cover_it(name: str, text: str) -> None:
    document = parsed(name, text)
    covered = " ".join(text[block.start : block.end] for block in document.blocks)
    assert document.text == text
    assert covered.split() == text.split()


@pytest.mark.parametrize(("name", "text", "target"), [("a.adoc", ADOC, "other.adoc"), ("a.org", ORG, "autumn.org")])
def test_links_lead_to_other_files(name: str, text: str, target: str) -> None:
    assert [link.target for link in parsed(name, text).links] == [target]


def test_labels_belong_to_the_heading_they_name() -> None:
    text = (
        ":orphan:\n\n.. _hives:\n\nHives\n=====\n\nIntro.\n\n.. _feeding:\n.. _syrup:\n\nFeeding\n-------\n\nSyrup.\n"
    )
    document = parsed("a.rst", text)
    first, hives, feeding = (section.span.of(text) for section in document.sections)
    assert (first, document.title) == ("", "Hives")
    assert hives.startswith(":orphan:")
    assert feeding.startswith(".. _feeding:")
    assert "".join(text[block.start : block.end] for block in document.blocks).split() == text.split()


def test_a_target_with_an_address_is_no_label() -> None:
    text = ".. _site: https://example.org\n\nHives\n=====\n"
    assert parsed("a.rst", text).sections[1].span.of(text).startswith("Hives")


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"Homotopy \texorpdfstring{$n$}{n}-types", "Homotopy n-types"),
        (r"$\Pi$-types and {\bf others}", "Π-types and others"),
        (r"G\"odel, Poincar\'{e} \& na\"\i ve", "Gödel, Poincaré & naïve"),
        (r"Cost\label{sec:cost} in~\$ and \%", "Cost in $ and %"),
    ],
)
def test_a_title_of_latex_reads_as_it_is_printed(written: str, printed: str) -> None:
    document = parsed("a.tex", f"\\section{{{written}}}\nText.\n")
    assert [section.path for section in document.sections if section.level] == [(printed,)]


def test_letters_of_latex_are_printed_in_titles() -> None:
    text = "\\section{The $\\lambda$-calculus}\n\nA.\n\n\\section{Stra\\ss en}\n\nB.\n"
    assert [section.path for section in parsed("a.tex", text).sections if section.path] == [
        ("The λ-calculus",),
        ("Straßen",),
    ]


REFERENCE = """\
Reference
=========

.. py:data:: TILT

   How far the dome tilts.

   .. code-block:: rst

      .. py:data:: NOTHING

         It is shown.

.. py:class:: Dome(height, *, width=2)
   :module: dome

   A dome.

   .. py:method:: turn(angle)

      Turns it.

Domes are bought.

.. option:: --tilt <angle>, -t

   Tilts it.

.. autofunction:: close
"""


def test_what_sphinx_describes_is_a_section_that_ends_with_its_indentation() -> None:
    document = parsed("a.rst", REFERENCE)
    described = {"/".join(section.path[1:]): section.span.of(REFERENCE) for section in document.sections[2:]}
    assert [*described] == ["TILT", "Dome", "Dome/turn", "--tilt <angle>, -t"]
    assert described["Dome"].endswith("Turns it.\n") and described["Dome/turn"].count("\n") == 3
    assert "".join(REFERENCE[block.start : block.end] for block in document.blocks).split() == REFERENCE.split()


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"``Dome``\s and ``Door``", "Domes and Door"),
        (":class:`~dome.Dome` and `the site <https://e.org>`__", "Dome and the site"),
        ("*Two* **domes**, 2 * 3", "Two domes, 2 * 3"),
        ("__init__ of a_b_", "__init__ of a_b_"),
    ],
)
def test_a_title_of_restructured_text_reads_as_it_is_printed(written: str, printed: str) -> None:
    assert parsed("a.rst", f"{written}\n{'=' * 60}\n").title == printed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CHANGES.rst", "Version 2\n---------\n\nNew.\n\nVersion 1\n---------\n\nOld.\n"),
        ("CHANGES.org", "* Version 2\nNew.\n* Version 1\nOld.\n"),
    ],
)
def test_the_first_of_several_headings_beside_each_other_is_no_title(name: str, text: str) -> None:
    assert parsed(name, text).title == "CHANGES"
