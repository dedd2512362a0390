"""Answers about embedding profiles as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from octavo.operations.profiles.results import ProfileAnswer, ProfilesAnswer, ProfileShown
from octavo.operations.styled_text_lines import Line, Part, columns

_STYLES = {"active": "good", "filling": "warn"}


def profiles_lines(answer: ProfilesAnswer) -> Iterator[Line]:
    yield from _table(answer.profiles)


def profile_lines(answer: ProfileAnswer) -> Iterator[Line]:
    yield from _table((answer.profile,))
    if answer.job:
        yield (Part(f"Job {answer.job} fills it; `octavo worker --once` does it now.", "dim"),)


def _table(profiles: Iterable[ProfileShown]) -> Iterator[Line]:
    yield from columns(
        [
            (
                Part(profile.name, "title"),
                Part(profile.state, _STYLES.get(profile.state, "dim")),
                Part(f"{profile.provider} {profile.model}".strip()),
                Part(f"{profile.dimensions} dimensions", "dim"),
                Part(f"{profile.chunks:,} of {profile.total:,} chunks", "dim"),
            )
            for profile in profiles
        ]
    )
