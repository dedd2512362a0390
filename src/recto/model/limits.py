"""What a value may be, said beside its type: a bound, a length, a description.

The same words as pydantic's `Field`, which reads them here when something is checked or described. Saying them costs
nothing: a search starts before pydantic would have been imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

_CHECKED = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


class Field:
    """Stands in `Annotated`, behind the type it speaks of."""

    __slots__ = ("_checks", "_shown")

    def __init__(
        self, *, description: str = "", json_schema_extra: dict[str, Any] | None = None, **checks: float | str
    ) -> None:
        if unknown := set(checks) - set(_CHECKED):
            raise TypeError(f"no such limit: {', '.join(sorted(unknown))}")
        self._checks = checks
        shown = {**({"description": description} if description else {}), **(json_schema_extra or {})}
        self._shown = {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # Which checks a schema takes depends on its type, so they are added as the plain mapping it is.
        return cast("CoreSchema", {**handler(source), **self._checks})

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), **self._shown}
