"""Without a model, what a heading names and an item gives is answered, and what is near but not there is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo

NOTES = {
    "router.md": "# Router\n\nThe router is a FritzBox 7590. The wifi name is Papaya. The guest network is switched off"
    " at 23:00.\n",
    "recipes.md": "# Recipes\n\n## Pancakes\n- 250 g flour\n- 3 eggs\n\nLet the batter rest for 20 minutes."
    "\n\n## Bread\n\nPreheat the Dutch oven at 250 °C.\n",
    "school.md": "# School\n\nLena starts at 08:05. Parents' evening is on 3 February.\n",
    "car.md": "# Car\n\nThe VW Golf has its next inspection in March 2027.\n",
    "outage.md": "# Postgres outage\n\nThe primary ran out of disk.\n\n## What we changed\n\n- an alert on the slots\n"
    "- Owner: Priya\n",
    "settings.md": "# Settings of the gateway\n\n## Network\n\n* `--port <int>` - Bind to this port. With 0, a free one"
    " is picked. **Default:** *8000*.\n* `--dir <path>` - Folder of the pages. **Default:** *Current directory*.\n",
    "changes.md": "# Changes of the gateway\n\n## 2.4.0 (May 6, 2025)\n\n### Removed\n\n* Drop support for TLS 1.1\n",
    "install.md": '# Install\n\n## On Linux\n\nTo install the tools, run:\n\n=== "curl"\n\n    ```sh\n'
    "    curl -sSf https://acme.example/install.sh | sh\n    ```\n",
    "calendar.ics": "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nDTSTART:20261203T140000Z\nSUMMARY:Dentist\n"
    "END:VEVENT\nEND:VCALENDAR\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[octavo.Library]:
    folder: Path = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with octavo.open(folder.parent / "kinds.db", create=True) as library:
        library.add(folder, name="notes")
        library.index()
        yield library


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("how many eggs for pancakes?", "3 eggs"),
        ("what do I need for pancakes?", "250 g flour"),
        ("how hot should the oven be for bread?", "250 °C"),
        ("when does school start?", "08:05"),
        ("who owns the fix after the Postgres outage?", "Owner: Priya"),
        ("when is the dentist appointment?", "2026-12-03"),
        ("what is the default port of the gateway?", "**Default:** *8000*"),
        ("when was TLS 1.1 support dropped?", "May 6, 2025"),
        ("how do I install the tools on Linux?", "curl -sSf"),
    ],
)
def test_an_item_below_the_heading_that_names_its_subject_answers(
    library: octavo.Library, question: str, fact: str
) -> None:
    sentences = library.ask(question).sentences
    assert any(fact in f"{sentence.above} {sentence.text}" for sentence in sentences)
    assert all(
        " ".join(cited.quote.split()) == sentence.text
        for sentence in sentences
        for cited in sentence.citations
        if not sentence.text.startswith("``")
    )


@pytest.mark.parametrize(
    "question",
    [
        "what is the wifi password?",
        "how much did the router cost?",
        "how fast is the wifi?",
        "how old is Lena?",
        "when was the Golf bought?",
        "who invented Postgres?",
        "how many apples for pancakes?",
        "what is the phone number of the school?",
    ],
)
def test_a_sentence_about_the_subject_without_the_kind_of_answer_that_is_asked_for_is_not_quoted(
    library: octavo.Library, question: str
) -> None:
    assert library.ask(question).sentences == ()
