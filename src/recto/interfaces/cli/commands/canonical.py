"""`recto canonical`: documents under keys, read by section, packed within a budget of tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.canonical import CanonicalListed, CanonicalSection

_LISTED = ("key", "version", "doc_class", "title", "updated_at")
_SECTION = ("anchor", "level", "start_line", "end_line", "tokens", "title")


@click.group()
@shared_options
def canonical() -> None:
    """Keep specifications and plans under keys, read them by section, pack them for a reader."""


@canonical.command("put")
@click.argument("key")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True))
@click.option("--class", "doc_class", default="", help="Its class: app_spec, feature_spec, implementation_plan…")
@click.option("--title", default="", help="A title; else its first heading serves.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--pin", is_flag=True, help="Keep it in front.")
@click.option("--expect", "expected_version", type=click.IntRange(1), metavar="N", help="Only if it is at version N.")
@click.option("--author", default="", metavar="NAME", help="Who asks for it.")
@click.option("--reason", default="", metavar="TEXT", help="Why, in a sentence.")
@click.option("--key", "idempotency_key", metavar="KEY", help="Idempotency key: asking again under it changes nothing.")
@click.option("--force", is_flag=True, help="Keep it although it seems to hold a secret.")
@shared_options
@pass_choices
def put(choices: Choices, /, key: str, file: Path | None, **given: Any) -> None:
    """Make or replace the document KEY from FILE, or from stdin."""
    from recto.operations.canonical import CanonicalUpsertRequest, canonical_upsert
    from recto.operations.jobs import work_shortly

    text = sys.stdin.read() if file is None or str(file) == "-" else file.read_text("utf-8")
    with opened(choices, create=True) as session:
        done = canonical_upsert(session.engine, CanonicalUpsertRequest(key=key, text=text, **given))
        row = plain(done)
        said = (Part(f"{key} ", "title"), Part(f"{done.action}, version {done.version}"))
        choices.answer(Answer(row, [row], ("item", "version", "action", "title"), lambda width: [said], brief=True))
        work_shortly(session.engine, session.config.jobs)


@canonical.command("list")
@click.option("--class", "doc_classes", multiple=True, help="Only of this class; may be repeated.")
@shared_options
@pass_choices
def list_documents(choices: Choices, doc_classes: tuple[str, ...]) -> None:
    """List the documents."""
    from recto.operations.canonical import CanonicalListRequest, canonical_list

    with opened(choices) as session:
        found = canonical_list(session.engine, CanonicalListRequest(doc_classes)).documents
    rows = [plain(one) for one in found]
    choices.answer(Answer({"documents": rows}, rows, _LISTED, lambda width: _listed(found)))


@canonical.command("get")
@click.argument("key")
@click.argument("anchor", required=False)
@click.option("--version", type=click.IntRange(1), metavar="N", help="As it was at version N.")
@shared_options
@pass_choices
def get(choices: Choices, key: str, anchor: str | None, version: int | None) -> None:
    """Print the document KEY, or the section ANCHOR of it, exactly as it stands."""
    from recto.operations.canonical import (
        CanonicalGetRequest,
        CanonicalSectionRequest,
        canonical_get,
        canonical_get_section,
    )

    with opened(choices) as session:
        if anchor:
            part = canonical_get_section(session.engine, CanonicalSectionRequest(key, anchor, version))
            row, text = plain(part), part.text
        else:
            whole = canonical_get(session.engine, CanonicalGetRequest(key, version))
            row, text = plain(whole), whole.text
    shown = text if text.endswith("\n") else f"{text}\n"
    lines = [(Part(line),) for line in text.removesuffix("\n").split("\n")]
    choices.answer(Answer(row, [row], ("key", "version", "text"), lambda width: lines, exact=shown))


@canonical.command("outline")
@click.argument("key")
@shared_options
@pass_choices
def outline(choices: Choices, key: str) -> None:
    """List the sections of the document KEY, with their anchors."""
    from recto.operations.canonical import CanonicalGetRequest, canonical_outline

    with opened(choices) as session:
        found = canonical_outline(session.engine, CanonicalGetRequest(key))
    rows = [plain(one) for one in found.sections]
    choices.answer(Answer(plain(found), rows, _SECTION, lambda width: _sections(found.sections)))


@canonical.command("pack")
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("--tokens", "max_tokens", type=click.IntRange(50, 100_000), default=4_000, help="It is never longer.")
@click.option("--only", "keys", multiple=True, metavar="KEY", help="Only this document; may be repeated.")
@click.option("--class", "doc_classes", multiple=True, help="Only of this class; may be repeated.")
@shared_options
@pass_choices
def pack(
    choices: Choices, words: tuple[str, ...], max_tokens: int, keys: tuple[str, ...], doc_classes: tuple[str, ...]
) -> Exit:
    """Pack what the documents say about QUERY, with citations, within a budget of tokens."""
    from recto.operations.canonical import CanonicalPackRequest, canonical_context_pack, pack_text

    request = CanonicalPackRequest(" ".join(words), max_tokens, keys, doc_classes)
    with opened(choices) as session:
        found = canonical_context_pack(session.engine, request)
    rows = [plain(one) for one in found.passages]
    text = pack_text(found) + "\n"
    lines = [(Part(line),) for line in text.removesuffix("\n").split("\n")]
    columns_ = ("citation", "version", "text")
    choices.answer(Answer(plain(found), rows, columns_, lambda width: lines, exact=text, markdown=lambda: text))
    return Exit.OK if found.passages else Exit.NO_MATCH


def _listed(found: tuple[CanonicalListed, ...]) -> Iterator[Line]:
    if not found:
        yield (Part("There is no canonical document."),)
        return
    yield from columns(
        [
            (Part(one.key, "title"), Part(f"v{one.version}"), Part(one.doc_class, "dim"), Part(one.title))
            for one in found
        ]
    )


def _sections(found: tuple[CanonicalSection, ...]) -> Iterator[Line]:
    if not found:
        yield (Part("It has no headings."),)
        return
    yield from columns(
        [
            (
                Part("  " * (one.level - 1) + one.title, "heading"),
                Part(f"#{one.anchor}", "place"),
                Part(f"lines {one.start_line}-{one.end_line}, {one.tokens} tokens", "dim"),
            )
            for one in found
        ]
    )
