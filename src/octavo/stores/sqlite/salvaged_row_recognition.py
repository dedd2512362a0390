"""Recognises the table of a salvaged row by the number and the types of its values."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TypeAlias

from octavo.fast_dataclass import dataclass
from octavo.model.projects_and_collections import CollectionSettings
from octavo.stores.sqlite.raw_page_reader import RawRow, Value

Row: TypeAlias = tuple[Value, ...]

TYPES: Mapping[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str,), "BLOB": (bytes,)}
ANY = (object,)
_LATEST = 1e11  # seconds: no time in a library is as late as this
_UNWRITTEN = ("Cc", "Cn", "Co")  # control characters, and those that no script has
_JSON = ("links", "metadata", "settings", "tags")  # columns whose texts are lists or objects
_WHITE = "\n\r\t"


@dataclass(frozen=True, slots=True)
class RowShape:
    """What a row of a table looks like, in the table and in the index that stores it a second time."""

    table: str
    columns: tuple[str, ...]
    types: tuple[tuple[type, ...], ...]
    required: tuple[bool, ...]
    defaults: tuple[Value, ...]
    key: tuple[int, ...]  # where the primary key is
    has_numbers: bool  # rows have numbers, which an index entry ends with
    number_is_key: bool
    is_stored_twice: bool  # an index has all of its columns

    def may_have(self, values: int, *, numbered: bool) -> bool:
        """Whether so many values may be a row of it, whatever they are."""
        if not self.number_is_key:
            return self.has_numbers == numbered and values == len(self.columns)
        return values <= len(self.columns) if numbered else values == len(self.columns) + 1

    def row_of(self, raw: RawRow) -> Row | None:
        """The row in the order of the columns, or None if it is none of this table."""
        values = raw.values
        if self.number_is_key:
            values = self._numbered(raw)
        elif self.has_numbers != (raw.number is not None):
            return None
        if len(values) != len(self.columns):
            return None
        for value, types, required in zip(values, self.types, self.required, strict=True):
            if required if value is None else not isinstance(value, types):
                return None
        named = zip(self.columns, values, strict=True)
        return values if all(str(value)[:1] in "{[" for column, value in named if column in _JSON) else None

    def _numbered(self, raw: RawRow) -> Row:
        values = raw.values
        if raw.number is None:
            return values[:-1] if self.is_stored_twice and values and values[0] == values[-1] else ()
        if not values or values[0] is not None:
            return ()  # the key is stored as the row's number, and not among its values
        # Rows from before a column was added do not have it.
        return (raw.number, *values[1:], *self.defaults[len(values) :])

    @property
    def strictness(self) -> int:
        """How many values may have one type only: a number that is whole fits a time as well."""
        return sum(len(types) == 1 and types != ANY for types in self.types)

    def key_of(self, row: Row) -> Row:
        return tuple(row[place] for place in self.key)

    def oddness(self, row: Row) -> int:
        """How many characters and times of a row nobody would have written: random bytes are full of them."""
        odd = 0
        for column, value, types in zip(self.columns, row, self.types, strict=True):
            if isinstance(value, str):
                odd += sum(unicodedata.category(sign) in _UNWRITTEN and sign not in _WHITE for sign in value)
                odd += value[:1] in ("{", "[") and not _is_json(value)
                odd += column == "settings" and self.table == "collections" and not _are_settings(value)
                odd += column == "root" and not Path(value).is_dir()  # of two names of a folder, the one that is there
            elif types == TYPES["REAL"] and isinstance(value, int | float):
                odd += not 0 <= value < _LATEST
        return odd


def _are_settings(value: str) -> bool:
    """Whether all names are those of settings of a collection: one that differs in a letter is none."""
    names = {field.name for field in fields(CollectionSettings)}
    return value[:1] == "{" and _is_json(value) and json.loads(value).keys() <= names


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
