"""Logs: one line each, on the stream asked for, from the level asked for."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from octavo.errors import InvalidArgument
from octavo.observability.logs import configure, logger


@pytest.fixture(autouse=True)
def untouched_logging() -> Iterator[None]:
    root = logging.getLogger("octavo")
    before = (root.handlers[:], root.level, root.propagate)
    yield
    root.handlers[:], root.level, root.propagate = before


def test_a_message_says_when_how_bad_and_who() -> None:
    stream = io.StringIO()
    configure("info", stream)
    logger("ingest").warning("%s is in doubt", "a.md")
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ warning octavo\.ingest: a\.md is in doubt\n", stream.getvalue()
    )


def test_messages_below_the_level_are_left_out() -> None:
    stream = io.StringIO()
    configure("warning", stream)
    logger("ingest").info("quiet")
    assert stream.getvalue() == ""


def test_configuring_twice_does_not_write_twice() -> None:
    first, second = io.StringIO(), io.StringIO()
    configure("info", first)
    configure("info", second)
    logger("a").info("once")
    assert first.getvalue() == ""
    assert second.getvalue().count("once") == 1


def test_a_file_name_cannot_forge_a_line_or_steer_the_terminal() -> None:
    stream = io.StringIO()
    configure("info", stream)
    logger("a").info("skipped %s", "x\n2030-01-01T00:00:00Z error octavo: forged\x1b[2J\x9b.md")
    assert stream.getvalue().count("\n") == 1
    assert "x\\n2030" in stream.getvalue()
    assert "forged\\x1b[2J\\x9b.md" in stream.getvalue()


def test_a_traceback_is_kept_whole() -> None:
    stream = io.StringIO()
    configure("info", stream)
    try:
        raise ValueError("why")
    except ValueError:
        logger("a").exception("it broke")
    assert stream.getvalue().endswith("ValueError: why\n")
    assert "Traceback" in stream.getvalue()


def test_the_default_stream_is_stderr_and_stdout_stays_empty(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info")
    logger("a").info("hello")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello" in captured.err


def test_an_unknown_level_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match="no log level loud") as caught:
        configure("loud")
    assert caught.value.hint == "choose one of: debug, info, warning, error"


def test_a_line_for_machines_is_one_object_with_the_five_keys() -> None:
    stream = io.StringIO()
    configure("info", stream, format="json")
    logger("ingest").warning("%s has %d lines", "x\n\x1b[2J.md", 3)
    try:
        raise KeyError("gone")
    except KeyError:
        logger("engine.deep").exception("it failed")
    first, second = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("ts"))
    assert first == {
        "level": "warning",
        "component": "ingest",
        "msg": "x\n\x1b[2J.md has 3 lines",
        "data": {"args": ["x\n\x1b[2J.md", 3]},
    }
    assert (second["level"], second["component"], second["data"]["exception"]) == ("error", "engine.deep", "KeyError")
    assert "in test_a_line" in second["data"]["traceback"]
    assert "\x1b" not in stream.getvalue()


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidArgument) as caught:
        configure("info", format="xml")
    assert caught.value.details["valid_options"] == ["text", "json"]
