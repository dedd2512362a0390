"""Reads the documents of a library as training material: pairs to learn from, and some held out as a test."""

from __future__ import annotations

import json
import posixpath
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from octavo.errors import InvalidArgument, NotIndexed
from octavo.fast_dataclass import Value
from octavo.model.document import Document, Kind, Link, LinkKind, Section, Source
from octavo.model.ids import ProjectId
from octavo.model.projects_and_collections import Collection
from octavo.observability.progress import Progress
from octavo.parsing.registry import PLAINTEXT, parser_for
from octavo.sql_repositories.store import Store
from octavo_train.training_pairs_from_document import (
    Material,
    PairKind,
    TrainingPair,
    TrainingSection,
    pairs_of,
    passages_of,
)

_HELD_OUT = 10  # one document in so many is held back
_LEAST_HELD_OUT = 5  # pairs held back, below which a score says nothing
_MOST = 200_000
_ABOVE = 2_000  # characters before a symbol in which its comment may stand


class Harvest(Value):
    """Pairs to learn from, pairs held back to be measured by, and passages to stay close on."""

    learn: tuple[TrainingPair, ...]
    held_out: tuple[TrainingPair, ...]
    passages: tuple[str, ...]


def harvest(
    store: Store,
    project: ProjectId,
    collections: Sequence[Collection],
    progress: Progress,
    *,
    extra: Sequence[TrainingPair] = (),
    least: int,
    passages: int = 20_000,
) -> Harvest:
    """Every current document of the collections is read again; nothing is written.

    Documents, not pairs, are held back: a heading of a document that was learned from would be no test.
    """
    pairs: dict[tuple[str, str], TrainingPair] = {}
    said: list[str] = []
    for collection in collections:
        entries = store.ledger.entries(project, collection.id)
        progress.start(f"harvesting {collection.name}", len(entries), "documents")
        try:
            for document, links in _documents(store, project, collection):
                material = material_of(document, f"{collection.name}/{document.uri}", links)
                for pair in pairs_of(material):
                    pairs.setdefault((pair.query, pair.positive), pair)
                if len(said) < passages:
                    said.extend(passages_of(material))
                progress.advance(1, document.uri)
        finally:
            progress.finish()
    for pair in extra:
        pairs.setdefault((pair.query, pair.positive), pair)
    chosen = sorted(pairs.values(), key=lambda pair: (_number(f"{pair.query}\0{pair.positive}"), pair.group))[:_MOST]
    held_out = tuple(pair for pair in chosen if _number(pair.group) % _HELD_OUT == 0)
    learn = tuple(pair for pair in chosen if _number(pair.group) % _HELD_OUT)
    if len(learn) < least or len(held_out) < _LEAST_HELD_OUT:
        raise NotIndexed(
            f"the library gives {len(learn)} pairs to learn from and {len(held_out)} to measure by; "
            f"{least} and {_LEAST_HELD_OUT} are needed",
            hint="index more notes, documentation or code with headings, docstrings or commits, or give --pairs FILE",
            details={"learn": len(learn), "held": len(held_out)},
        )
    return Harvest(learn, held_out, tuple(said[:passages]))


def read_pairs(path: Path) -> tuple[TrainingPair, ...]:
    """Pairs a person brings, such as queries with the passage that was opened: a line each, `query` and `positive`."""
    pairs = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            query, positive = str(row["query"]).strip(), str(row["positive"]).strip()
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidArgument(
                f"{path}:{number} is not a pair: {error}", hint='a line is {"query": "...", "positive": "..."}'
            ) from error
        if query and positive:
            pairs.append(TrainingPair(query, positive, PairKind.OPENED, f"{path.name}:{number}"))
    return tuple(pairs)


def _documents(
    store: Store, project: ProjectId, collection: Collection
) -> Iterator[tuple[Document, tuple[tuple[str, str], ...]]]:
    entries = sorted(store.ledger.entries(project, collection.id).items())
    titles: dict[str, str] = {}
    for uri, entry in entries:
        stored = store.documents.get(project, entry.document_id) if entry.document_id else None
        if stored is not None and stored.kind in (Kind.NOTE, Kind.DOC):
            titles[uri] = stored.title
    stems = {posixpath.splitext(posixpath.basename(uri))[0].casefold(): uri for uri in reversed(titles)}
    for uri, entry in entries:
        stored = store.documents.get(project, entry.document_id) if entry.document_id else None
        if stored is None:
            continue
        text = store.documents.texts(project, [stored.text_hash])[stored.text_hash]
        source = Source(stored.id, uri, text, stored.modified_at, kind=stored.kind, title=stored.title)
        document = (parser_for(uri) or PLAINTEXT).parse(source)
        yield document, tuple(_resolved(store, project, collection, document, titles, stems))


def _resolved(
    store: Store,
    project: ProjectId,
    collection: Collection,
    document: Document,
    titles: Mapping[str, str],
    stems: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """What links show, with the beginning of the document they lead to, where it is in the same collection."""
    for link in document.links:
        uri = _target(document.uri, link, titles, stems)
        if uri is None or uri == document.uri or not link.shown or link.shown.casefold() == titles[uri].casefold():
            continue
        for found in store.documents.find(project, uri, collection.id)[:1]:
            text = store.documents.texts(project, [found.text_hash])[found.text_hash]
            yield link.shown, lead(found.title, text)


def _target(uri: str, link: Link, titles: Mapping[str, str], stems: Mapping[str, str]) -> str | None:
    if link.kind is LinkKind.MARKDOWN:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(uri), link.target.partition("#")[0]))
        return path if path in titles else None
    if link.kind is LinkKind.WIKILINK:
        return stems.get(posixpath.basename(link.target).casefold())
    return None


def _number(text: str) -> int:
    # crc32, not hash(): hash() is salted per process.
    return zlib.crc32(text.encode("utf-8", "replace"))


def material_of(document: Document, group: str, links: Sequence[tuple[str, str]] = ()) -> Material:
    return material(group, document.kind, document.title, document.text, document.sections, links)


def material(
    group: str,
    kind: Kind,
    title: str,
    text: str,
    sections: Sequence[Section],
    links: Sequence[tuple[str, str]] = (),
) -> Material:
    parts = _symbols(text, sections) if kind is Kind.CODE else _own(text, sections)
    return Material(group, kind, title, parts, tuple(links))


def _own(text: str, sections: Sequence[Section]) -> tuple[TrainingSection, ...]:
    """Each section up to where the next begins, without its heading line."""
    if not sections:
        return (TrainingSection((), text),)
    starts = [section.span.start for section in sections] + [len(text)]
    parts = []
    for section, following in zip(sections, starts[1:], strict=True):
        own = text[section.span.start : max(section.span.start, following)]
        if section.level and section.path:
            heading, _, below = own.partition("\n")
            own = below if section.title.split(" ")[0] in heading else own
        parts.append(TrainingSection(section.path, own))
    return tuple(parts)


def _symbols(text: str, sections: Sequence[Section]) -> tuple[TrainingSection, ...]:
    return tuple(
        TrainingSection(
            section.path, section.span.of(text), text[max(0, section.span.start - _ABOVE) : section.span.start]
        )
        for section in sections
        if section.path
    )


def lead(title: str, text: str, most: int = 1_200) -> str:
    """What a link to a document stands for: its title and how it begins."""
    return f"{title}\n{text.strip()}"[:most]
