"""What stands behind the name of a password or key is redacted; talk of passwords and code about them is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.sources import secret_assignments
from octavo.sources.guessed_secrets_in_memories import find_secrets
from octavo.sources.secret_assignments import COMPILED_FROM, find_assigned
from octavo.sources.secret_redaction import MARK, redacted

GOLDEN = Path(__file__).parents[2] / "golden" / "assigned_secrets"
SECRETS = [tuple(line.split("\t", 1)) for line in (GOLDEN / "secrets.tsv").read_text("utf-8").splitlines()]
HARMLESS = (GOLDEN / "harmless.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(("secret", "line"), SECRETS)
def test_a_secret_behind_its_name_becomes_as_many_marks_and_its_line_stays(secret: str, line: str) -> None:
    text = f"Before.\n{line}\nAfter it.\n"
    assert redacted(text)[0] == text.replace(secret, MARK * len(secret))
    assert find_secrets(line), "and nobody remembers it"


@pytest.mark.parametrize("line", HARMLESS)
def test_a_line_about_secrets_has_none(line: str) -> None:
    text = f"Before.\n{line}\nAfter it.\n"
    assert redacted(text) == (text, ())
    assert find_secrets(line) == ()


@pytest.mark.skipif(secret_assignments.compiled_hints() is None, reason="there is no compiled library")
@given(st.permutations([*(line for _, line in SECRETS), *HARMLESS]))
def test_a_long_text_is_searched_as_short_ones_are(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    assert len(text) > COMPILED_FROM
    by_line = [match.span.of(line + "\n") for line in lines for match in find_assigned(line + "\n")]
    assert sorted(match.span.of(text) for match in find_assigned(text)) == sorted(by_line)


@pytest.mark.parametrize(
    "unit", ["password=", "password: a1", "Authorization: Basic ", "a://", "://:", "a://b:c1", "key=", "api_key"]
)
def test_the_time_grows_with_the_length_of_hostile_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()
        list(find_assigned(text))
        return time.thread_time() - started

    small = min(seconds(50_000) for _ in range(3))
    # Sixteen times the text: linear is 16 times the time, quadratic 256 times.
    assert min(seconds(800_000) for _ in range(3)) < 0.05 + 120 * small
