"""One table put into a TOML text, or taken out of it; comments, order and everything else stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError


def parse(text: str) -> Any:
    return tomllib.loads(text)


def insert(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    """A new `[key.name]` goes to the end of the text; one that is there gets the values of `value`."""
    if name in parse(text).get(key, {}):
        items = {field: _item(given) for field, given in value.items()}
        return _changed(text, lambda whole: whole[key][name].update(items))
    gap = ("" if text.endswith("\n") else "\n") + "\n" if text else ""
    after = f"{text}{gap}{snippet(key, name, value)}"
    parse(after)
    return after


def remove(text: str, key: str, name: str) -> str:
    return _changed(text, lambda whole: whole[key].remove(name))


def snippet(key: str, name: str, value: Mapping[str, Any]) -> str:
    lines = [f"{field} = {_item(given).as_string()}" for field, given in value.items()]
    return "\n".join([f"[{key}.{name}]", *lines, ""])


def _item(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return tomlkit.item(value)
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _changed(text: str, change: Any) -> str:
    try:
        whole = tomlkit.parse(text)
        change(whole)
    except TOMLKitError as error:
        raise ValueError(str(error)) from error
    return tomlkit.dumps(whole)
