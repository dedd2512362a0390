"""Summaries without a model are sentences of the prose."""

from __future__ import annotations

from octavo.answering.extractive_summary import extracted


def test_front_matter_is_no_sentence_of_a_summary() -> None:
    text = "---\ntitle: Rain. Much of it.\ntags: [a, b]\n---\n# Rain\n\nRain falls on the roof. Snow is dry.\n"
    assert extracted(text, str.split, 5) == "Rain falls on the roof. Snow is dry."
    assert extracted("---\ntitle: Rain\n---\n", str.split, 5) == ""
