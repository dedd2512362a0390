"""Constraints on a value, declared in its type: a bound, a length, a description, its spelling on a command line.

The vocabulary is that of pydantic's `Field`; pydantic reads it here when it validates or describes a value. Declaring
costs nothing: a search answers before pydantic would be imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

_CHECKED = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


class Field:
    """A constraint inside `Annotated`, after the type it constrains.

    On a command line a value is `--its-name`. `option` spells it otherwise (`-c/--collection`), and `None` keeps it off
    the command line. `argument` makes it a positional argument shown under that name; a text whose name ends in `...`
    takes several words. `flag` is the value that the option stands for. `complete` names what the shell offers, which
    is then not all there can be: the choices are suggestions. `local` is the value where nobody pays by the word: on a
    command line and in Python. A list may be typed as one text with the `separator` between its items. An argument that
    `reads` "stdin" is read from there when it is left out or a dash; one that reads a "file" is the path of the text,
    and stdin when it is left out or a dash.
    """

    __slots__ = (
        "_choices",
        "argument",
        "checks",
        "complete",
        "description",
        "flag",
        "local",
        "metavar",
        "option",
        "reads",
        "separator",
    )

    def __init__(
        self,
        description: str = "",
        *,
        choices: Sequence[str] | Callable[[], Sequence[str]] = (),
        option: str | None = "",
        argument: str = "",
        metavar: str = "",
        flag: str = "",
        complete: str = "",
        local: int | None = None,
        reads: str = "",
        separator: str = "",
        **checks: float | str,
    ) -> None:
        if unknown := set(checks) - set(_CHECKED):
            raise TypeError(f"no such limit: {', '.join(sorted(unknown))}")
        self.description = description
        self._choices = choices
        self.option = option
        self.argument = argument
        self.metavar = metavar
        self.flag = flag
        self.complete = complete
        self.local = local
        self.reads = reads
        self.separator = separator
        self.checks: Mapping[str, float | str] = checks

    @property
    def choices(self) -> tuple[str, ...]:
        """What there is to choose from; of what would be costly to know, only a function that knows it is given."""
        return tuple(self._choices() if callable(self._choices) else self._choices)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # Which checks a schema accepts depends on its type, so they are merged into its plain mapping.
        schema = cast("dict[str, Any]", handler(source))
        checked = {**(schema["schema"] if schema["type"] == "nullable" else schema), **self.checks}
        if self.choices and not self.complete:
            checked = {"type": "literal", "expected": list(self.choices)}
        return cast("CoreSchema", {**schema, "schema": checked} if schema["type"] == "nullable" else checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        shown: dict[str, Any] = {"description": self.description} if self.description else {}
        shown |= {"enum": list(self.choices)} if self.choices else {}
        return {**handler(schema), **shown}
