"""Our `dataclass` against the standard library's: the same classes, made with less work."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any

import pytest

from octavo.fast_dataclass import Value, dataclass
from octavo.fast_dataclass import replace as quick_replace

Decorator = Callable[..., Any]


def declared(decorator: Decorator, **options: bool) -> Any:
    """One class, declared with either decorator: defaults, factories, and fields kept out of this and that."""

    @decorator(**options)
    class Note:
        title: str
        tags: tuple[str, ...] = ()
        seen: list[int] = field(default_factory=list)
        secret: str = field(default="x", repr=False)
        origin: str = field(default="", compare=False)
        turn: int = field(default=7, kw_only=True)
        words: int = field(init=False, default=0)

        def shout(self) -> str:
            return self.title.upper()

    return Note


KINDS = [{}, {"slots": True}, {"frozen": True}, {"frozen": True, "slots": True}, {"slots": True, "kw_only": True}]
each_kind = pytest.mark.parametrize("options", KINDS, ids=lambda options: "-".join(options) or "plain")


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True)
class Place(Point):
    name: str = ""


class Spot(Value):
    x: int
    y: int = 0


class NamedSpot(Spot, kw_only=True):
    name: str


@each_kind
def test_a_class_is_that_of_the_standard_library(options: dict[str, bool]) -> None:
    ours, theirs = declared(dataclass, **options), declared(dataclasses.dataclass, **options)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert [(made.name, made.type, made.default) for made in fields(ours)] == [
        (made.name, made.type, made.default) for made in fields(theirs)
    ]
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)


@each_kind
def test_a_value_is_that_of_the_standard_library(options: dict[str, bool]) -> None:
    for arguments in ({"title": "a"}, {"title": "b", "tags": ("t",), "seen": [1], "secret": "s", "turn": 1}):
        ours, theirs = (
            declared(dataclass, **options)(**arguments),
            declared(dataclasses.dataclass, **options)(**arguments),
        )
        assert repr(ours) == repr(theirs)
        assert asdict(ours) == asdict(theirs)
        assert ours == replace(ours) == copy.copy(ours)
        assert ours == replace(ours, origin="elsewhere")
        assert ours != replace(ours, title="other")
        assert ours != theirs
        assert ours.shout() == theirs.shout()


def test_every_value_gets_a_default_of_its_own_from_a_factory() -> None:
    note = declared(dataclass)
    first, second = note("a"), note("b")
    first.seen.append(1)
    assert second.seen == []


@pytest.mark.parametrize("arguments", [(), ("a", (), [], "", "", 1), ("a", "b", "c", "d", "e", "f", "g")])
def test_wrong_arguments_are_refused_in_the_words_of_the_standard_library(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError) as expected:
        declared(dataclasses.dataclass)(*arguments)
    with pytest.raises(TypeError) as refused:
        declared(dataclass)(*arguments)
    assert str(refused.value) == str(expected.value)


def test_a_frozen_value_cannot_be_changed_and_can_be_hashed() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del Point(1).x
    assert {Point(1), Point(1), Point(2)} == {Point(1), Point(2)}


def test_a_value_is_pickled_and_copied() -> None:
    for value in (Point(1, 2), Place(1, 2, "pump")):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value


def test_a_class_inherits_the_fields_of_another_and_is_not_equal_to_it() -> None:
    assert repr(Place(1, name="pump")) == "Place(x=1, y=0, name='pump')"
    assert Point(1, 0) != Place(1, 0)
    with pytest.raises(FrozenInstanceError):
        Place(1).x = 2  # type: ignore[misc]


def test_either_kind_inherits_from_the_other() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Below(Point):
        z: int = 3

    @dataclass(frozen=True, slots=True)
    class Lowest(Below):
        w: int = 4

    assert Lowest(1) == Lowest(1, 0, 3, 4)
    assert hash(Lowest(1)) == hash(Lowest(1))


def test_a_class_below_value_is_a_frozen_dataclass_with_slots() -> None:
    assert str(inspect.signature(Spot)) == str(inspect.signature(Point))
    assert str(inspect.signature(NamedSpot)) == "(x: 'int', y: 'int' = 0, *, name: 'str') -> None"
    assert (Spot.__match_args__, NamedSpot.__match_args__) == (("x", "y"), ("x", "y"))
    assert not hasattr(NamedSpot(1, name="pump"), "__dict__")
    assert NamedSpot(1, name="pump") == quick_replace(NamedSpot(2, name="pump"), x=1)
    assert {Spot(1), Spot(1, 0)} == {Spot(1)} != {Point(1)}
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'y'"):
        NamedSpot(1, name="pump").y = 2  # type: ignore[misc]
    for value in (Spot(1, 2), NamedSpot(1, name="pump")):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value


@pytest.mark.parametrize("frozen", [True, False])
def test_a_class_that_can_be_changed_and_one_that_cannot_do_not_inherit_from_each_other(frozen: bool) -> None:
    @dataclass(frozen=frozen)
    class Above:
        x: int

    with pytest.raises(TypeError, match="frozen"):

        @dataclass(frozen=not frozen)
        class Below(Above):
            y: int


def test_methods_that_a_class_writes_itself_stay() -> None:
    @dataclass(frozen=True, slots=True)
    class Named:
        name: str

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and other.name.lower() == self.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

    assert repr(Named("a")) == "<a>"
    assert {Named("a"), Named("A")} == {Named("a")}
    with pytest.raises(ValueError, match="no name"):
        Named("")


def test_a_value_that_contains_itself_is_shown() -> None:
    @dataclass
    class Ring:
        following: Any = None

    ring = Ring()
    ring.following = ring
    assert repr(ring).endswith("Ring(following=...)")


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"frozen": True, "slots": True}])
def test_a_field_is_replaced_as_by_the_standard_library(options: dict[str, bool]) -> None:
    note = declared(dataclass, **options)("a", ("x",), [1], turn=3)
    changed = quick_replace(note, title="b", turn=9)
    assert asdict(changed) == asdict(replace(note, title="b", turn=9))
    assert asdict(note)["title"] == "a"
    with pytest.raises(TypeError):
        quick_replace(note, nonsense=1)


def test_what_has_one_field_or_none_is_replaced_too() -> None:
    @dataclass(frozen=True)
    class Empty:
        pass

    @dataclass(frozen=True)
    class Only:
        value: int

    assert quick_replace(Empty()) == Empty()
    assert quick_replace(Only(1), value=2) == Only(2)


@each_kind
def test_a_value_is_the_same_before_and_after_its_class_is_compiled(options: dict[str, bool]) -> None:
    ours, theirs = declared(dataclass, **options), declared(dataclasses.dataclass, **options)
    given = {"title": "a", "tags": ("b",), "turn": 3}
    made = [ours(**given) for _ in range(100)]
    assert inspect.isfunction(vars(ours)["__init__"])
    assert {*map(repr, made)} == {repr(theirs(**given))}
    assert all(value == made[0] and value.seen is not made[0].seen for value in made[1:])


@each_kind
@pytest.mark.parametrize("wrong", [{}, {"title": "a", "colour": 1}, {"title": "a", "words": 1}])
def test_wrong_arguments_are_refused_alike_before_and_after(options: dict[str, bool], wrong: dict[str, Any]) -> None:
    fresh, compiled = declared(dataclass, **options), declared(dataclass, **options)
    inspect.signature(compiled)
    messages = []
    for cls in (fresh, compiled):
        with pytest.raises(TypeError) as refused:
            cls(**wrong)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
