"""Cross-references as Sphinx and MyST write them: labels that name a place, and roles that point at one.

(my-label)=              a label in Markdown; `.. _my-label:` in reStructuredText
{ref}`my-label`          a reference to it; :ref:`text <my-label>` in reStructuredText
{doc}`../other/page`     a reference to a page; :doc:`/other/page` from the top
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from octavo.lazy_regex import regex

_LABEL = regex(r"^[ \t]*(?:\.\. _(`[^`\n]{1,200}`|[^:\n`]{1,200}):|\(([^()\s]{1,200})\)=)[ \t]*$", re.MULTILINE)
_ROLE = regex(r"(?::(ref|doc|numref):|\{(ref|doc|numref)\})`([^`]{1,400})`")
_SHOWN = regex(r".*<([^<>]+)>\s*", re.DOTALL)
_ELSEWHERE = regex(r"[\w.-]+:")  # a page of another project: werkzeug:test
_MOST = 1_000


class SphinxRole(NamedTuple):
    """A role in a text: whether it names a page or a label, which one, and where it stands."""

    page: bool
    target: str
    start: int
    end: int


def labels(text: str) -> Iterator[str]:
    """The labels that a text defines, in lower case."""
    if ")=\n" in text or ".. _" in text:
        for match in islice(_LABEL.finditer(text), _MOST):
            yield (match[1] or match[2]).strip("` ").lower()


def roles(text: str) -> Iterator[SphinxRole]:
    if "}`" not in text and ":`" not in text:
        return
    for match in islice(_ROLE.finditer(text), _MOST):
        shown = _SHOWN.fullmatch(match[3])
        target = " ".join((shown[1] if shown else match[3]).split())
        page = (match[1] or match[2]) == "doc"
        if target and "://" not in target and not (page and _ELSEWHERE.match(target)):
            yield SphinxRole(page, target, match.start(), match.end())
