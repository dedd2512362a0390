"""`octavo profiles`, `octavo models` and `octavo embed`: which there are, which one answers, and its vectors."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import group_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.embedding_profiles.requests import ProfilesReindexRequest, ProfilesSetRequest
from octavo.operations.models.requests import EmbedRequest, ModelsActivateRequest

profiles = group_of("profiles", "Look at embedding profiles, make one, fill it, search with it.")


@profiles.add
@command(ProfilesSetRequest, "profiles_set", name="set")
def set_profile(choices: Choices, request: ProfilesSetRequest) -> Exit:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set

    with opened(choices) as session:
        done = profiles_set(session.engine, request, by_person=True)
    return write_answer(choices, operation_of("profiles set"), done)


@profiles.add
@command(ProfilesReindexRequest, "profiles_reindex")
@click.option("--wait", is_flag=True, help="Do the work here and now, rather than leave it to a worker.")
def reindex(choices: Choices, request: ProfilesReindexRequest, wait: bool) -> Exit:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profile_state
    from octavo.operations.jobs.list_retry_and_run_jobs import work

    operation = operation_of("profiles reindex")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait:
            work(session.engine, session.config.jobs)
            done = profile_state(session.engine, request.name)
    return write_answer(choices, operation, done)


models = group_of(
    "models", "List the models there are, show how good they are, fetch one, search with one, remove one."
)


@models.add
@command(ModelsActivateRequest, "models_activate")
@click.option("--wait", is_flag=True, help="Embed here and now, rather than leave it to a worker.")
def activate(choices: Choices, request: ModelsActivateRequest, wait: bool) -> Exit:
    from octavo.operations.jobs.list_retry_and_run_jobs import work
    from octavo.operations.models.list_fetch_train_and_activate import model_state

    operation = operation_of("models activate")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait and done.job:
            work(session.engine, session.config.jobs)
            done = model_state(session.engine, request.name)
    return write_answer(choices, operation, done)


_AT_ONCE = 64  # lines of a pipe


@command(EmbedRequest, "embed", optional=("texts",))
def embed(choices: Choices, request: EmbedRequest) -> None:
    from octavo.operations.models.text_embedding import embed as embedded

    if not request.texts and sys.stdin.isatty():
        raise click.UsageError("Give a TEXT, or pipe lines in.")
    records = (
        ({"text": text} for text in request.texts) if request.texts else map(_record, filter(str.strip, sys.stdin))
    )
    with opened(choices) as session:
        while batch := list(islice(records, _AT_ONCE)):
            answer = embedded(session.engine, replace(request, texts=tuple(str(record["text"]) for record in batch)))
            vectors = (vector.embedding for vector in answer.vectors)
            output.plain("".join(_lines(batch, vectors)))


def _record(line: str) -> dict[str, Any]:
    """An object with a `text` keeps what else it has; any other line is the text itself."""
    line = line.rstrip("\r\n")
    if line.startswith("{"):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and isinstance(record.get("text"), str):
            return record
    return {"text": line}


def _lines(records: Sequence[dict[str, Any]], vectors: Iterator[tuple[float, ...]]) -> Iterator[str]:
    for record, vector in zip(records, vectors, strict=True):
        yield json.dumps({**record, "embedding": vector}, ensure_ascii=False) + "\n"
