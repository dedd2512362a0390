"""What travels between a client and its server arrives as it left."""

from __future__ import annotations

import json

import pytest

from octavo import errors
from octavo.config.layered_config_loading import load, validated
from octavo.config.schema import Config
from octavo.interfaces.daemon.greeting_messages import Hello, error_from, error_json, hello, settings_of

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.OctavoError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_arrives_as_the_same_kind_of_error(kind: type[errors.OctavoError]) -> None:
    error = kind("the message", hint="the hint", details={"job": {"number": 1}})
    arrived = error_from(json.loads(json.dumps(error_json(error))))
    assert type(arrived) is kind
    assert (arrived.message, arrived.hint, arrived.details) == (error.message, error.hint, error.details)


@pytest.mark.parametrize("kind", ["Exception", "annotations", "nonsense", "__doc__", ""])
def test_what_is_no_error_of_ours_arrives_as_a_plain_one(kind: str) -> None:
    assert type(error_from({"kind": kind, "message": "m"})) is errors.OctavoError


def test_a_configuration_arrives_equal() -> None:
    flags = {"library": "some/library.db", "ingest.ignore": ("*.tmp",), "watch.debounce_ms": 300, "serve.port": 0}
    config = load(flags, environ={}).config
    greeting = hello(Hello("1", "mcp", settings_of(config), "full", ("a", "b")).line())
    assert validated(Config, greeting.settings) == config
    assert (greeting.version, greeting.want, greeting.tools, greeting.profiles) == ("1", "mcp", "full", ("a", "b"))


@pytest.mark.parametrize("line", [b"", b"\n", b"[]\n", b"{}\n", b'{"settings": 1}\n', b"\xff\n", b"GET / HTTP/1.1\r\n"])
def test_what_is_no_greeting_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        hello(line)
