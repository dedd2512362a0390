"""JATS: an article of a journal as XML, with its sections, tables, captions, DOI and date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import attribute, below, child, local, parsed
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile

CONVERTER = "jats-2"
_DOCTYPE = regex(rb"<!DOCTYPE[^>\[]*>")
_WITHIN = frozenset({"fig", "table-wrap", "boxed-text", "disp-quote", "caption", "alternatives", "fig-group"})
_LEFT_OUT = frozenset({"xref", "label", "inline-formula", "tex-math", "ref-list", "object-id", "permissions"})


def read_jats(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    root = parsed(_DOCTYPE.sub(b"", data), "it")
    builder = TextBuilder()
    facts = _facts(root)
    title = facts.pop("title", "")
    with suppress(TooLong):
        builder.heading(1, title)
        for abstract in below(root, "abstract"):
            own = child(abstract, "title")
            builder.heading(2, "Abstract" if own is None else _text(own))
            _blocks(builder, [node for node in abstract if node is not own], 3)
        body = next(below(root, "body"), None)
        if body is not None:
            _blocks(builder, body, 2)
        references = list(below(root, "ref"))
        if references:
            builder.heading(2, "References")
        for reference in references:
            builder.item(one_line(" ".join(reference.itertext())))
    return builder.converted(CONVERTER, title, facts)


def _blocks(builder: TextBuilder, parent: Element | Sequence[Element], level: int) -> None:
    captioned = isinstance(parent, Element) and local(parent) == "caption"
    for node in parent:
        name = local(node)
        if name == "sec":
            _blocks(builder, node, level + 1)
        elif name == "title" and captioned:
            builder.paragraph(_text(node))
        elif name == "title":
            builder.heading(max(2, level - 1), _text(node))
        elif name == "p":
            builder.paragraph(_text(node))
        elif name == "list":
            for item in below(node, "list-item"):
                builder.item(_text(item))
        elif name in _WITHIN:
            _blocks(builder, node, level)
        elif name == "table":
            builder.table([[_text(cell) for cell in row] for row in below(node, "tr")])
        elif name in ("code", "preformat"):
            builder.code("".join(node.itertext()))


def _facts(root: Element) -> dict[str, str]:
    meta = next(below(root, "article-meta"), None)
    facts: dict[str, str] = {}
    if meta is None:
        return facts
    title = next(below(meta, "article-title"), None)
    facts["title"] = _text(title) if title is not None else ""
    for node in below(meta, "article-id"):
        if attribute(node, "pub-id-type") == "doi":
            facts["doi"] = one_line(node.text or "")
    authors = [_author(node) for node in below(meta, "contrib") if attribute(node, "contrib-type") == "author"]
    facts["author"] = ", ".join(filter(None, authors))[:500]
    facts["keywords"] = ", ".join(_text(node) for node in below(meta, "kwd"))[:500]
    date = next(below(meta, "pub-date"), None)
    if date is not None:
        parts = [child(date, part) for part in ("year", "month", "day")]
        facts["date"] = "-".join((part.text or "").zfill(2) for part in parts if part is not None)
    return {name: value for name, value in facts.items() if value}


def _author(node: Element) -> str:
    parts = (next(below(node, part), None) for part in ("given-names", "surname"))
    return " ".join(one_line(part.text or "") for part in parts if part is not None)


def _text(node: Element) -> str:
    def texts(current: Element) -> Iterator[str]:
        yield current.text or ""
        for part in current:
            if local(part) not in _LEFT_OUT or local(part) == "xref":
                yield from texts(part)
            yield part.tail or ""

    return one_line("".join(texts(node)))
