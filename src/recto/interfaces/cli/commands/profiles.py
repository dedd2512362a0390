"""`recto profiles`: which embedders a project knows, which one answers, and how another takes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli.layout import Line, Part, columns
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.profiles_admin import ProfileAnswer, ProfileShown

_COLUMNS = ("name", "state", "provider", "model", "dimensions", "chunks", "total")
_PROVIDERS = ("bundled", "onnx", "hashing", "ollama", "openai", "voyage", "jina")


@click.group()
@shared_options
def profiles() -> None:
    """Look at embedding profiles, make one, fill it, let it answer."""


@profiles.command("list")
@shared_options
@pass_choices
def list_profiles(choices: Choices) -> None:
    """List the profiles, which one answers, and how far each is filled."""
    from recto.operations.profiles_admin import ProfilesListRequest, embedding_profiles_list

    with opened(choices) as session:
        found = embedding_profiles_list(session.engine, ProfilesListRequest())
    rows = [plain(one) for one in found.profiles]
    choices.answer(Answer({"profiles": rows}, rows, _COLUMNS, lambda width: _lines(found.profiles)))


@profiles.command("set")
@click.argument("name")
@click.option("--provider", type=click.Choice(_PROVIDERS), required=True, help="Where vectors come from.")
@click.option("--model", default="", help="The model's name, or the folder of a local one.")
@click.option("--dimensions", type=click.IntRange(1), help="Asked of the service when left out.")
@click.option("--url", default="", help="Where the service is, if not at its usual place.")
@click.option("--key-variable", default="", metavar="NAME", help="The environment variable that holds the key.")
@click.option("--key-file", default="", metavar="PATH", help="The file that holds the key.")
@click.option("--query-prefix", default="", metavar="TEXT", help="Put before every query.")
@click.option("--document-prefix", default="", metavar="TEXT", help="Put before every passage.")
@click.option("--window", type=click.IntRange(16), metavar="N", help="Tokens the model reads.")
@click.option("--batch", type=click.IntRange(1), metavar="N", help="Texts in one request.")
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help="Requests at once.")
@click.option("--timeout", "timeout_seconds", type=float, metavar="SECONDS", help="For one answer.")
@click.option("--retries", type=click.IntRange(0, 20), metavar="N", help="How often to ask again.")
@click.option("--rate", "requests_per_minute", type=float, metavar="N", help="No more requests a minute than that.")
@click.option("--contextual", is_flag=True, help="Voyage: embed a document's chunks in sight of each other.")
@click.option("--late-chunking", is_flag=True, help="Jina: embed a document's chunks in sight of each other.")
@click.option("--shorten", is_flag=True, help="Ask Ollama or OpenAI for so many dimensions.")
@click.option("--activate", is_flag=True, help="Fill it in the background, then let it answer.")
@shared_options
@pass_choices
def set_profile(choices: Choices, /, **given: Any) -> None:
    """Make or change the profile NAME.

    A key is named, never given: it is read from the environment or a file when it is needed, and kept nowhere. A
    service elsewhere is sent every text of the library.
    """
    from recto.operations.profiles_admin import ProfileUpsertRequest, embedding_profiles_upsert

    with opened(choices) as session:
        done = embedding_profiles_upsert(session.engine, ProfileUpsertRequest(**given), by_person=True)
    choices.answer(_answer(done))


@profiles.command("activate")
@click.argument("name")
@shared_options
@pass_choices
def activate(choices: Choices, name: str) -> None:
    """Let the profile NAME answer, if every chunk has its vector; `configured` is the configuration's own."""
    from recto.operations.profiles_admin import ProfileRequest, embedding_profiles_activate

    with opened(choices) as session:
        done = embedding_profiles_activate(session.engine, ProfileRequest(name))
    choices.answer(_answer(done))


@profiles.command("reindex")
@click.argument("name")
@click.option("--wait", is_flag=True, help="Do the work here and now, rather than leave it to a worker.")
@shared_options
@pass_choices
def reindex(choices: Choices, name: str, wait: bool) -> None:
    """Fill the profile NAME in the background, then let it answer; until then the one that answers goes on."""
    from recto.operations.jobs import work
    from recto.operations.profiles_admin import (
        ProfileRequest,
        ProfilesListRequest,
        admin_reindex_profile,
        embedding_profiles_list,
    )

    with opened(choices) as session:
        done = admin_reindex_profile(session.engine, ProfileRequest(name))
        if wait:
            work(session.engine, session.config.jobs)
            found = embedding_profiles_list(session.engine, ProfilesListRequest()).profiles
            done = type(done)(next(one for one in found if one.name == name))
    choices.answer(_answer(done))


def _answer(done: ProfileAnswer) -> Answer:
    row = plain(done.profile) | ({"job": done.job} if done.job else {})
    return Answer(row, [row], _COLUMNS, lambda width: _done_lines(done), brief=True)


def _done_lines(done: ProfileAnswer) -> Iterator[Line]:
    yield from _lines((done.profile,))
    if done.job:
        yield (Part(f"Job {done.job} fills it; `recto worker --once` does it now.", "dim"),)


def _lines(found: tuple[ProfileShown, ...]) -> Iterator[Line]:
    yield from columns(
        [
            (
                Part(one.name, "title"),
                Part(one.state, "good" if one.state == "active" else "warn" if one.state == "filling" else "dim"),
                Part(f"{one.provider} {one.model}".strip()),
                Part(f"{one.dimensions} dimensions", "dim"),
                Part(f"{one.chunks:,} of {one.total:,} chunks", "dim"),
            )
            for one in found
        ]
    )
