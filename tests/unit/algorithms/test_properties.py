"""Conditions on properties: what is typed, and which documents meet it."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.algorithms.markdown.front_matter_conditions import meets, read_condition

NOTE: dict[str, Any] = {
    "status": "Draft",
    "rating": 4,
    "score": 4.5,
    "date": "2025-03-14",
    "at": "2025-03-14T10:30",
    "done": False,
    "seen": True,
    "empty": "",
    "nothing": None,
    "people": ["Kim", "École"],
    "project": "[[Dome rebuild|the dome]]",
    "code": "007",
    "version": "1.10.2",
    "author": {"name": "Kim", "mail": ["a@b"]},
}

HOLD = (
    *("status=draft", "status = DRAFT", "STATUS=draft", 'status="draft"', "status==draft", "status!=final"),
    *("rating>=4", "rating=4", "rating=4.0", "rating<=4", "rating>3.9", "score>4", "rating!=5"),
    *(
        "date=2025-03-14",
        "date=2025-03",
        "date=2025",
        "date>=2025-03-14",
        "date<2025-04",
        "date<=2025-03",
        "date>2025-02",
    ),
    *("at>=2025-03-14", "at<2025-03-15", "date>2025-02", "at>2025-03-14T09:00", "date!=2024"),
    *("people=kim", "people=ecole", "people!=Bo", "people", "seen", "seen=true", "done=false", "!done", "!empty"),
    *("!nothing", "!absent", "absent!=x", "absent=", "empty=", "project=Dome rebuild", "code=007", "version=1.10.2"),
    *("author.name=kim", "author.mail=a@b"),
)
FAIL = (
    *("status=final", "status!=draft", "status>=4", "rating>4", "rating<4", "rating=5", "rating=four"),
    *("date=2025-04", "date>2025-03", "date<2025-03", "at>2025-03-14", "people!=kim", "people=Bo", "!people", "!seen"),
    *("done", "empty", "nothing", "absent", "absent=x", "absent>1", "status=", "code=7", "author=Kim", "author.age>3"),
)


@pytest.mark.parametrize("typed", HOLD)
def test_a_condition_holds(typed: str) -> None:
    condition = read_condition(typed)
    assert condition is not None
    assert meets(condition, NOTE)


@pytest.mark.parametrize("typed", FAIL)
def test_a_condition_fails(typed: str) -> None:
    condition = read_condition(typed)
    assert condition is not None
    assert not meets(condition, NOTE)


@pytest.mark.parametrize("typed", ["", "  ", "=", "=x", "!", "!=x", ">=4", "! "])
def test_what_names_no_property_is_no_condition(typed: str) -> None:
    assert read_condition(typed) is None
