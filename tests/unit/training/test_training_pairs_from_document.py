"""What a document teaches."""

from __future__ import annotations

import pytest

from octavo.model.document import Kind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.registry import parser_for
from octavo_train.training_pairs_from_document import Material, PairKind, TrainingPair, TrainingSection, pairs_of
from octavo_train.training_pairs_from_library import material_of

LONG = "The rain sensor is read every minute, and its value is written to the log beside the door of the warm room."


def pairs(uri: str, text: str) -> list[TrainingPair]:
    parser = parser_for(uri)
    assert parser is not None
    return list(pairs_of(material_of(parser.parse(Source(DocumentId(uri), uri, text, 0.0)), uri)))


def of(found: list[TrainingPair], kind: PairKind) -> list[TrainingPair]:
    return [one for one in found if one.kind is kind]


def test_a_heading_asks_for_its_section() -> None:
    (pair,) = of(pairs("dome.md", f"# The dome\n\n## Closing in the rain\n\n{LONG}\n"), PairKind.HEADING)
    assert "losing in the rain" in pair.query
    assert LONG in pair.positive


def test_a_heading_that_is_a_question_is_asked_in_its_own_words() -> None:
    (pair,) = of(pairs("dome.md", f"# The dome\n\n## Why is the dome shut?\n\n{LONG}\n"), PairKind.QUESTION)
    assert pair.query.endswith("Why is the dome shut?")


def test_a_heading_that_names_nothing_teaches_nothing() -> None:
    assert not of(pairs("dome.md", f"# The dome\n\n## Overview\n\n{LONG}\n"), PairKind.HEADING)


def test_a_first_sentence_asks_for_what_follows_it() -> None:
    text = f"# Rain\n\nThe dome is closed by hand when it rains. {LONG}\n"
    (pair,) = of(pairs("rain.md", text), PairKind.SENTENCE)
    assert pair.query == "The dome is closed by hand when it rains."
    assert pair.query not in pair.positive
    assert LONG in pair.positive


PYTHON = '''def close(dome, slowly=False):
    """Close the shutter of the dome.

    Takes a minute.
    """
    dome.motor.start(direction="down")
    while not dome.shutter.closed:
        dome.wait(0.1)
    return dome
'''
GO = """package dome

// Close closes the shutter of the dome and waits
// until it is shut.
func Close(d *Dome) error {
	d.Motor.Start(Down)
	for !d.Shutter.Closed() {
		d.Wait(100)
	}
	return nil
}
"""


@pytest.mark.parametrize(
    ("uri", "text", "said"),
    [
        ("dome.py", PYTHON, "Close the shutter of the dome."),
        ("dome.go", GO, "Close closes the shutter of the dome and waits until it is shut."),
    ],
)
def test_a_comment_asks_for_the_code_without_it(uri: str, text: str, said: str) -> None:
    (pair,) = of(pairs(uri, text), PairKind.CODE)
    assert pair.query == said
    assert "shutter of the dome" not in pair.positive
    assert "otor" in pair.positive


def test_a_commits_subject_asks_for_its_message_and_its_files() -> None:
    body = f"{LONG}\n\nSigned-off-by: Ann <ann@example.org>\n\nChanged files:\ndome/shutter.py\n"
    material = Material("c", Kind.COMMIT, "Close the dome when it rains", (TrainingSection((), body),))
    pair = next(iter(pairs_of(material)))
    assert pair.query == "Close the dome when it rains"
    assert "dome/shutter.py" in pair.positive
    assert "Signed-off-by" not in pair.positive


@pytest.mark.parametrize("subject", ["Merge branch 'main'", "Bump version to 2.0", "v1.2.3"])
def test_a_commit_that_tells_nothing_teaches_nothing(subject: str) -> None:
    material = Material("c", Kind.COMMIT, subject, (TrainingSection((), f"{LONG}\n\nChanged files:\na.py\n"),))
    assert not list(pairs_of(material))


def test_a_links_text_asks_for_the_page_it_leads_to() -> None:
    links = (("what to do in the rain", f"Rain\n{LONG}"),)
    material = Material("a", Kind.NOTE, "A", (TrainingSection((), "Short."),), links)
    assert [(one.query, one.kind) for one in pairs_of(material)] == [("what to do in the rain", PairKind.LINK)]


def test_the_same_document_gives_the_same_pairs() -> None:
    text = f"# The dome\n\n## Closing in the rain\n\n{LONG}\n\n## Opening at night\n\n{LONG}\n"
    assert pairs("dome.md", text) == pairs("dome.md", text)
