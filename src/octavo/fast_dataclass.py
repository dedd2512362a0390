"""Values, `class Hit(Value)`, and a `dataclass` decorator like the standard library's, in a third of the time.

`dataclasses.dataclass` writes six methods of a frozen class as text and compiles each, at every start. Here `__init__`
alone is compiled, once a few values were made; the others are closures over the names of the fields. What comes out is
a dataclass: `fields`, `replace`, `asdict`, `match` and `pickle` know it, and it may inherit from one of the standard
library or be inherited.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError
from functools import cache, partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

__all__ = ["Value", "dataclass", "replace"]

_T = TypeVar("_T")

if TYPE_CHECKING:
    from dataclasses import dataclass

    @dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
    class Value:
        """A frozen dataclass with slots: what `@dataclass(frozen=True, slots=True)` makes of a class."""

        __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

        def __init_subclass__(cls, *, kw_only: bool = False) -> None: ...

else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, kw_only=False):
        """The decorator, with the options in use here. An `InitVar` and the `hash` of a field are not supported."""

        def made(cls):
            return _made(cls, frozen=frozen, slots=slots, kw_only=kw_only)

        return made if cls is None else made(cls)

    class _ValueType(type):
        """Makes a dataclass of each class below `Value`. The class with slots, which is made of it, comes by again."""

        def __new__(mcs, name, bases, members, *, kw_only=False):
            cls = super().__new__(mcs, name, bases, members)
            return cls if "__slots__" in members else _made(cls, frozen=True, slots=True, kw_only=kw_only)

        def __init__(cls, name, bases, members, *, kw_only=False):
            super().__init__(name, bases, members)

    class Value(metaclass=_ValueType):
        """A frozen dataclass with slots: what `@dataclass(frozen=True, slots=True)` makes of a class."""

        __slots__ = ()


class _MadeAnew:
    """Stands in a signature for a default that every value gets its own of."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE_ANEW = _MadeAnew()
_COMPILED_FROM = 32  # values of a class


def replace(value: _T, /, **changes: Any) -> _T:
    """As in the standard library, in a fifth of the time: a search replaces a field of something ten times."""
    cls: Any = type(value)
    names, read = _read(cls)
    made: _T = cls(**{**dict(zip(names, read(value), strict=True)), **changes})
    return made


@cache
def _read(cls: Any) -> tuple[tuple[str, ...], Callable[[object], Sequence[object]]]:
    """The names of a class's fields that are given to it, and what reads them all from a value."""
    names = tuple(field.name for field in dataclasses.fields(cls) if field.init)
    if len(names) > 1:
        return names, attrgetter(*names)
    return names, lambda value: [getattr(value, name) for name in names]


def _made(cls: Any, *, frozen: bool, slots: bool, kw_only: bool) -> type:
    cls.__doc__ = cls.__doc__ or cls.__name__  # without one, the standard library would write out the signature
    written = {name for name, value in vars(cls).items() if value is not None}  # `__eq__` alone makes `__hash__` None
    # Whether it may inherit, as a frozen class only from frozen ones, is for the standard library to say.
    inherits = any(map(dataclasses.is_dataclass, cls.__bases__))
    annotated = vars(cls).get("__annotations__", {})
    if annotated:
        cls.__annotations__ = {name: _type_of_field(written) for name, written in annotated.items()}
    cls = dataclasses.dataclass(
        init=False, repr=False, eq=False, frozen=frozen and inherits, slots=slots, kw_only=kw_only
    )(cls)
    if annotated:
        cls.__annotations__ = annotated
    cls.__dataclass_params__.frozen = frozen
    fields = dataclasses.fields(cls)
    for field in fields:
        field.type = annotated.get(field.name, field.type)
    compared = _values([field.name for field in fields if field.compare])
    methods: dict[str, object] = {
        "__init__": _InitOnDemand(cls, fields, frozen),
        "__repr__": _repr([field.name for field in fields if field.repr]),
        "__eq__": _eq(compared),
        "__hash__": _hash(compared) if frozen else None,
    }
    if frozen:
        methods |= _frozen(cls, [field.name for field in fields], slots=slots)
    for name, method in methods.items():
        if name not in written:
            setattr(cls, name, method)
    return cls  # type: ignore[no-any-return]


def _type_of_field(written: object) -> object:
    """What the standard library is shown instead of an annotation: of a text it asks three times, by a regular
    expression, whether it is one of these, which is a third of what it does."""
    if isinstance(written, str) and not any(name in written for name in ("ClassVar", "InitVar", "KW_ONLY")):
        return object
    return written


class _InitOnDemand:
    """Stands for `__init__`, and compiles it for a later value or for whoever asks for the signature: most processes
    make a handful of values of most classes, and compiling takes as long as filling fifty this way."""

    def __init__(self, cls: Any, fields: Sequence[dataclasses.Field[Any]], frozen: bool) -> None:
        self._cls, self._fields, self._frozen = cls, fields, frozen
        self._values = 0

    def __get__(self, value: object, owner: type | None = None) -> Any:
        self._values += 1
        if value is not None and self._values < _COMPILED_FROM:
            return partial(self._fill, value)
        init = self._compiled()
        return init if value is None else partial(init, value)

    def _compiled(self) -> Callable[..., None]:
        self._cls.__init__ = init = _init(self._cls, self._fields, self._frozen)
        return init

    def _fill(self, value: object, /, *given: object, **named: object) -> None:
        """As the compiled one does, to which arguments are left that have to be refused."""
        positional = [field.name for field in self._fields if field.init and not field.kw_only]
        values = dict(zip(positional, given, strict=False))
        accepted = {field.name for field in self._fields if field.init}
        if len(given) > len(positional) or not named.keys() <= accepted - values.keys():
            return self._compiled()(value, *given, **named)
        values |= named
        assign = object.__setattr__ if self._frozen else setattr
        for field in self._fields:
            if field.name in values:
                assign(value, field.name, values[field.name])
            elif field.default is not MISSING:
                assign(value, field.name, field.default)
            elif field.default_factory is not MISSING:
                assign(value, field.name, field.default_factory())
            elif field.init:
                return self._compiled()(value, *given, **named)
        if hasattr(self._cls, "__post_init__"):
            self._cls.__post_init__(value)
        return None


def _init(cls: Any, fields: Sequence[dataclasses.Field[Any]], frozen: bool) -> Callable[..., None]:
    """The one method that is compiled: values are made by the thousand, and no closure is as fast."""
    known: dict[str, object] = {"_set": object.__setattr__, "_anew": _MADE_ANEW}
    positional, by_name, lines = ["self"], ["*"], []
    for field in fields:
        name = value = field.name
        default = ""
        if field.default is not MISSING:
            known[f"_{name}"] = field.default
            default = f"_{name}"
        elif field.default_factory is not MISSING:
            known[f"_{name}"] = field.default_factory
            default, value = "_anew", f"_{name}() if {name} is _anew else {name}"
        if field.init:
            (by_name if field.kw_only else positional).append(f"{name}={default}" if default else name)
        elif default:
            value = f"_{name}()" if default == "_anew" else default
        else:
            continue  # `__post_init__` gives it a value
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(positional + (by_name if len(by_name) > 1 else []))
    body = "\n  ".join(lines or ["pass"])
    text = f"def _make({', '.join(known)}):\n def __init__({parameters}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}
    exec(text, vars(sys.modules[cls.__module__]), scope)
    init = scope["_make"](**known)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return init  # type: ignore[no-any-return]


def _values(names: Sequence[str]) -> Callable[[object], object]:
    """What reads these fields of a value, to compare or to hash."""
    return attrgetter(*names) if names else lambda _: ()


def _repr(names: Sequence[str]) -> Callable[[object], str]:
    def representation(self: object) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return recursive_repr("...")(representation)


def _eq(values: Callable[[object], object]) -> Callable[[object, object], bool]:
    def is_equal(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return is_equal


def _hash(values: Callable[[object], object]) -> Callable[[object], int]:
    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _frozen(cls: Any, names: Sequence[str], *, slots: bool) -> Mapping[str, object]:
    """Refusals to change a value, and what `pickle` needs to fill the slots of one nevertheless."""

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    def state(self: object) -> list[object]:
        return [getattr(self, name) for name in names]

    def restore(self: object, values: Sequence[object]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    refusing: dict[str, object] = {"__setattr__": assign, "__delattr__": delete}
    return refusing | ({"__getstate__": state, "__setstate__": restore} if slots else {})
