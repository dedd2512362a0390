"""Edits of generated Markdown: nothing outside the place changes, and the tree of headings is the expected one."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from octavo.errors import OctavoError
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.section_edits import append, insert, replace
from octavo.note_editing.section_relocation_text import move

LINES = ("text", "", "", "- item", "> quote", "```", "# no heading", "<!-- c -->", "| a |", "    code", "\ttab")


@st.composite
def documents(draw: st.DrawFn) -> NoteOutline:
    """Headings with names of their own, bodies of any lines, either line ending, a mark and front matter at times."""
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.sampled_from([[], ["---", "a: 1", "---"]]))
    for number in range(draw(st.integers(1, 5))):
        title = f"H{number}"
        level = draw(st.integers(1, 4))
        setext = level < 3 and draw(st.booleans())
        lines = [*lines, "", title, "===" if level == 1 else "---"] if setext else [*lines, f"{'#' * level} {title}"]
        body = draw(st.lists(st.sampled_from(LINES[:6] + LINES[7:]), max_size=4))
        lines = [*lines, *body, *(["```"] if body.count("```") % 2 else [])]
    text = draw(st.sampled_from(["", "\ufeff"])) + ending.join(lines) + draw(st.sampled_from(["", ending]))
    found = NoteOutline(text)
    assume(found.headings)
    return found


def tree(document: NoteOutline) -> list[tuple[int, tuple[str, ...]]]:
    return [(heading.level, document.path(number)) for number, heading in enumerate(document.headings)]


@given(documents(), st.data())
def test_an_edit_of_a_body_changes_nothing_outside_it(document: NoteOutline, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from(range(len(document.headings))))
    path, text = document.path(number), document.text
    edit = data.draw(st.sampled_from([replace, append]))
    try:
        new = edit(document, path, "new text").text
    except OctavoError:
        return
    heading = document.headings[number]
    assert new.startswith(text[: heading.end])
    assert new.endswith(text[document.body_end(number) :])
    assert tree(NoteOutline(new)) == tree(document)


@given(documents(), st.data())
def test_two_appends_are_one_append_of_both(document: NoteOutline, data: st.DataObject) -> None:
    path = document.path(data.draw(st.sampled_from(range(len(document.headings)))))
    try:
        both = append(document, path, "one\n\ntwo").text
    except OctavoError:
        return
    assert append(NoteOutline(append(document, path, "one").text), path, "two").text == both


@given(documents(), st.data())
def test_an_inserted_section_is_the_only_new_one(document: NoteOutline, data: st.DataObject) -> None:
    parent = data.draw(st.sampled_from([(), *(document.path(number) for number in range(len(document.headings)))]))
    position = data.draw(st.sampled_from(["first", "last"]))
    try:
        new = NoteOutline(insert(document, parent, "New", "text", None, position).text)
    except OctavoError:
        return
    added = [place for place in tree(new) if place[1] == (*parent, "New")]
    assert len(added) == 1
    assert [place for place in tree(new) if place not in added] == tree(document)


@given(documents(), st.data())
def test_a_moved_section_lies_below_its_parent_and_every_other_keeps_its_place(
    document: NoteOutline, data: st.DataObject
) -> None:
    number = data.draw(st.sampled_from(range(len(document.headings))))
    source = document.path(number)
    target = data.draw(st.sampled_from([(), *(document.path(other) for other in range(len(document.headings)))]))
    try:
        new = NoteOutline(move(document, source, target).text)
    except OctavoError:
        return
    own = {path for _, path in tree(document) if path[: len(source)] == source}
    others = [place for place in tree(document) if place[1] not in own]
    moved = {(*target, *path[len(source) - 1 :]) for path in own}
    assert [place for place in tree(new) if place[1] not in moved] == others
    assert {path for _, path in tree(new)} == {path for _, path in others} | moved
