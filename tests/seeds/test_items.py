"""The tables of what other programs promised: every row has a test that is there, or a reason."""

from __future__ import annotations

from make_seeds_reference import TARGET, page, problems


def test_every_item_has_a_test_or_a_reason() -> None:
    assert list(problems()) == []


def test_the_page_is_what_the_tables_say() -> None:
    assert TARGET.read_text("utf-8") == page()
