"""Attributes at the end of a Markdown heading, such as `{#anchor .class}`, and the anchor among them."""

from __future__ import annotations

from octavo.lazy_regex import regex

_ATTRIBUTE = r"""(?:[#.][\w:.-]++|[\w-]++=(?:"[^"{}]*+"|[^\s"{}]++))"""
_ATTRIBUTES = regex(
    rf"(?<!\\)[ \t]*+\{{(?:/\*|:)?[ \t]*+(?=[#.]){_ATTRIBUTE}(?:[ \t]++{_ATTRIBUTE})*+[ \t]*+(?:\*/)?\}}\Z"
)
_GIVEN = regex(r"[ \t{:*]#([\w:.-]+)")


def attributes(heading: str) -> str:
    """What a heading's text has at its end for those who publish it: `{#first}`, `{: #first .wide }`, `{/* #first */}`.

    >>> attributes("Read me! {#first}"), attributes("GET /users/{id}"), attributes("{#first}")
    (' {#first}', '', '')
    """
    found = _ATTRIBUTES.search(heading) if heading.endswith("}") else None
    return found[0] if found and found.start() else ""


def given_anchor(attributes: str) -> str:
    """The anchor among a heading's attributes, or nothing."""
    found = _GIVEN.search(attributes)
    return found[1] if found else ""
