"""Completes collections, uris, profiles, settings and their values; offers nothing when it cannot know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

import click

from octavo.config.schema import Config
from octavo.errors import OctavoError
from octavo.interfaces.cli.global_options import Choices, Session, opened

_MOST = 200


def collections(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return _offered(
        context, incomplete, lambda session: (collection.name for collection in session.engine.collections())
    )


def uris(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    def known(session: Session) -> Iterable[str]:
        engine = session.engine
        for collection in engine.collections():
            entries = engine.store.ledger.entries(engine.project.id, collection.id)
            yield from (uri for uri, entry in entries.items() if entry.document_id is not None)

    return _offered(context, incomplete, known)


def profiles(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from octavo.config.layered_config_loading import profile_folders
    from octavo.retrieval.profile_toml_files import read_profiles
    from octavo.retrieval.profiles_by_name import PROFILES

    names = list(PROFILES)
    with suppress(OctavoError):
        names += [name for folder in profile_folders() for name in read_profiles(folder)]
    return [name for name in names if name.startswith(incomplete)]


def settings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from octavo.config.layered_config_loading import settings

    return [name for name, _ in settings(Config()) if name.startswith(incomplete)]


def setting_values(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from octavo.config.setting_descriptions import described

    setting = described().get(context.params.get("name") or "")
    return [choice for choice in (setting.choices if setting else ()) if choice.startswith(incomplete)]


def _offered(context: click.Context, incomplete: str, names: Callable[[Session], Iterable[str]]) -> list[str]:
    try:
        with opened(context.ensure_object(Choices)) as session:
            # A newline ends an offer in the shells' own protocol.
            fitting = (name for name in names(session) if name.startswith(incomplete) and name.isprintable())
            return sorted(fitting)[:_MOST]
    except Exception:
        # Anything printed here would land in the middle of what the person is typing.
        return []
