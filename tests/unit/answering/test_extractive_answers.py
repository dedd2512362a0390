"""Which sentences answer without a model: what they are chosen from, by words alone."""

from __future__ import annotations

import pytest

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.answering.citable_passages import NumberedPassage
from octavo.answering.expected_answer_kinds import expected_kind
from octavo.answering.extractive_answer import statements
from octavo.answering.sentence_splitting import sentences
from octavo.fast_dataclass import replace
from octavo.model.document import Kind, Section
from octavo.model.ids import ChunkId, DocumentId, SectionId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.search_result import Citation, Hit


def passage(text: str, title: str = "Refunds") -> NumberedPassage:
    citation = Citation("a.md", (), Span(0, len(text)), Lines(1, text.count("\n") + 1))
    hit = Hit(
        rank=1,
        score=0.9,
        collection="notes",
        kind=Kind.NOTE,
        title=title,
        citation=citation,
        excerpt=text,
        excerpt_truncated=False,
        chunk_id=ChunkId("chk_1"),
        document_id=DocumentId("doc_1"),
        modified_at=0.0,
    )
    return NumberedPassage(1, hit)


def answer(question: str, text: str) -> list[str]:
    chosen = statements(question, [passage(text)], None, shared_analyzer().query_tokens, 5)
    return [statement.text for statement in chosen]


def test_a_question_in_the_text_is_no_answer_and_what_follows_it_is() -> None:
    text = (
        "**Can I get a refund?**\n\nNo. Licenses are final.\n\nCan refunds be shared?\n\nThe weather is fine today.\n"
    )
    assert answer("Can I get a refund?", text)[0] == "No. Licenses are final."
    assert not any(sentence.endswith("?") for sentence in answer("Can I get a refund?", text))


@pytest.mark.parametrize(
    "line",
    [
        "[[Refund policy]] · [[Refund form]] · [Refunds](https://example.org/refund)",
        "<!-- TODO: say how a refund is paid -->",
        '<iframe src="https://example.org/refund"></iframe>',
        "%% refund: ask the lawyers %%",
        "**How to get a refund**",
        '{{HTTPStatus("refund")}}, {{RefundStatus("refund", "the refund")}}',
        '<th scope="row">Refund paid</th> <td>How the refund is paid</td>',
        "| Refund | How the refund is paid |\n|---|---|",
        "When a refund is paid and why it is paid: [[Refund policy]].",
    ],
)
def test_navigation_comments_frames_and_headings_in_bold_are_no_answers(line: str) -> None:
    text = f"{line}\n\nA refund is paid within seven days of the purchase.\n"
    assert answer("When is a refund paid?", text) == ["A refund is paid within seven days of the purchase."]


def test_front_matter_and_comments_leave_the_places_of_sentences_as_they_are() -> None:
    text = "---\naliases: refund\n---\n<!-- one\ntwo -->\nIt is paid at once. %% why? %% It is final.\n"
    first = sentences(text)[0]
    assert (first.text, text[first.span.start : first.span.end]) == ("It is paid at once.", "It is paid at once.")


def test_a_definition_goes_before_other_sentences_with_the_same_words() -> None:
    text = "Each vault has a limit. If you share a vault, it counts once. A vault is a folder with notes.\n"
    assert answer("What is a vault?", text)[0] == "A vault is a folder with notes."


def test_what_points_elsewhere_or_announces_steps_does_not_come_first() -> None:
    text = "To separate slides:\n\nSee the slides page. Enter three dashes on a line to separate slides.\n"
    assert answer("How do I separate slides?", text)[0] == "Enter three dashes on a line to separate slides."


def test_of_a_commit_only_its_message_is_quoted() -> None:
    text = (
        "commit 1a2b3c\nAuthor: Ann Lee <ann@example.org>\nDate: 2024-05-01T10:00:00Z\n\nClose the dome in rain\n\n"
        "The sensor was never looked at.\nSigned-off-by: Ann Lee <ann@example.org>\n\nChanged files:\ndome/rain.py\n"
    )
    given = passage(text)
    commit = replace(given, hit=replace(given.hit, kind=Kind.COMMIT))
    assert [sentence.text for sentence in commit.statements()] == [
        "Close the dome in rain",
        "The sensor was never looked at.",
    ]
    assert all(sentence.span.of(text).split() == sentence.text.split() for sentence in commit.statements())


HANDBOOK = """Restoring is safe at any time. To restore a file:

1. Open **Settings**.
2. Choose where the file goes:
    - beside the old file
    - in its place
3. Press Restore.
   It takes a minute.

> [!note]
>
> A file that was restored keeps its date.

## Empty the store

1. Open **Settings**.
2. Press Empty.
"""


def cited(question: str, text: str) -> list[tuple[str, str]]:
    """Each statement and what its citation quotes, which is the same but for line ends."""
    chosen = statements(question, [passage(text)], None, shared_analyzer().query_tokens, 5)
    return [(statement.text, statement.cited.span.of(text)) for statement in chosen]


def test_steps_are_quoted_whole_and_in_order_behind_the_line_that_announces_them() -> None:
    chosen = cited("How do I restore a file?", HANDBOOK)
    assert [text for text, _ in chosen][:6] == [
        "To restore a file:",
        "1. Open **Settings**.",
        "2. Choose where the file goes:",
        "- beside the old file",
        "- in its place",
        "3. Press Restore. It takes a minute.",
    ]
    assert all(" ".join(quote.split()) == text for text, quote in chosen)


def test_steps_that_a_heading_announces_stand_below_it() -> None:
    span = Span(HANDBOOK.index("## Empty"), len(HANDBOOK))
    heading = Section(SectionId("sec_1"), ("Empty the store",), 2, "empty-the-store", span)
    given = replace(passage(HANDBOOK), sections=(heading,))
    chosen = statements("How do I empty the store?", [given], None, shared_analyzer().query_tokens, 5)
    assert [(statement.above, statement.text) for statement in chosen][:2] == [
        ("Empty the store", "1. Open **Settings**."),
        ("", "2. Press Empty."),
    ]


def test_who_does_not_ask_for_steps_gets_none_of_them_first() -> None:
    assert answer("Is restoring a file safe?", HANDBOOK)[0] == "Restoring is safe at any time."


def test_code_that_a_line_announces_is_quoted_behind_it() -> None:
    text = "Pages are wide.\n\nTo embed a page, write:\n\n```html\n<iframe\n  src='a'>\n```\n"
    chosen = cited("How do I embed a page?", text)
    assert chosen[:2] == [
        ("To embed a page, write:", "To embed a page, write:"),
        ("`` <iframe src='a'> ``", "```html\n<iframe\n  src='a'>\n```"),
    ]


def test_an_empty_line_of_a_quotation_ends_a_paragraph_and_a_callout_begins_one() -> None:
    text = "> - [[Proxy]]\n>\n> We keep no keys.\n> > [!todo] Ask for one.\n"
    assert [sentence.text for sentence in sentences(text)] == ["[[Proxy]]", "We keep no keys.", "Ask for one."]


@pytest.mark.parametrize(
    "line", ["Callouts are also supported elsewhere.", "Here's a callout in use.", "This page says what a callout is."]
)
def test_what_names_the_term_without_saying_what_it_is_does_not_come_before_what_does(line: str) -> None:
    text = f"{line}\n\nUse callouts to set a remark apart.\n"
    assert answer("What is a callout?", text)[0] == "Use callouts to set a remark apart."


def test_a_commit_that_answers_carries_its_day() -> None:
    text = "commit 1a2b3c\nAuthor: Ann Lee <a@b.org>\nDate: 2024-05-01T10:00:00Z\n\nDrop support for the old dome\n"
    given = passage(text)
    commit = replace(given, hit=replace(given.hit, kind=Kind.COMMIT))
    query = "When was support for the old dome dropped?"
    (chosen,) = statements(query, [commit], None, shared_analyzer().query_tokens, 5)
    assert (chosen.above, chosen.text) == ("2024-05-01", "Drop support for the old dome")


@pytest.mark.parametrize(
    ("question", "holds", "lacks"),
    [
        ("How much did the router cost?", "It was 199 €.", "It is a FritzBox 7590."),
        ("Wie viel kostet der Router?", "Er hat 199 Euro gekostet.", "Er hat vier Buchsen."),
        ("How old is Lena?", "Lena is seven years old.", "Lena starts at 08:05."),
        ("Wie alt ist Lena?", "Sie ist sieben Jahre alt.", "Sie beginnt um 08:05."),
        ("When was TLS 1.1 dropped?", "In May 2025.", "TLS 1.1 is gone."),
        ("When does the dome close?", "It closes when it rains.", "It closes slowly."),
        ("How fast is the wifi?", "It has 50 Mbit/s.", "It is switched off at 22:30."),
        ("Combien d'œufs ?", "Il faut trois œufs.", "Il faut des œufs."),
        ("What is the phone number of the vet?", "030 555 8181", "Hauptstraße 3"),
    ],
)
def test_a_text_holds_the_kind_of_answer_that_a_question_names_or_does_not(
    question: str, holds: str, lacks: str
) -> None:
    kind = expected_kind(question)
    assert kind is not None
    assert (bool(kind.given.search(holds)), bool(kind.given.search(lacks))) == (True, False)


def test_sentences_of_german_dates_and_streets_are_not_split() -> None:
    text = "Der Vertrag wurde am 1. März 2021 geschlossen. Es gilt in der Torstr. 12 in Berlin."
    assert [sentence.text for sentence in sentences(text)] == [
        "Der Vertrag wurde am 1. März 2021 geschlossen.",
        "Es gilt in der Torstr. 12 in Berlin.",
    ]
