"""What the filters let through: the same for a listing and for a search."""

from __future__ import annotations

from dataclasses import replace

import pytest
import samples

from octavo.algorithms.markdown.front_matter_conditions import read_condition
from octavo.model.document import Kind
from octavo.model.projects_and_collections import Collection
from octavo.model.query import ANY_LANGUAGE, Filters
from octavo.sql_repositories.store import Store


def shelf(store: Store) -> dict[str, str]:
    """Five documents in two collections, one chunk each; gives the project's chunks as key → uri."""
    notes, docs = samples.ensure(store, "notes"), samples.ensure(store, "docs")
    with store.transaction():
        for within, sample in (
            (
                notes,
                samples.prepared(
                    notes,
                    "work/plan.md",
                    "# Plan\nword",
                    tags=("Work/Deep", "b"),
                    modified_at=100.0,
                    metadata={"status": "Draft", "rating": 4, "due": "2025-03-14", "people": ["Kim", "École"]},
                ),
            ),
            (
                notes,
                samples.prepared(
                    notes,
                    "work2/École.md",
                    "# École\nword",
                    tags=("work",),
                    modified_at=200.0,
                    metadata={"status": "final", "rating": 2, "due": "2024-12-01"},
                ),
            ),
            (
                notes,
                samples.prepared(notes, "Work/x.md", '# Say "hi" [x]\nword', tags=("workshop",), modified_at=300.0),
            ),
            (docs, samples.prepared(docs, "work/plan.md", "# Plan B\nword", kind=Kind.DOC, modified_at=400.0)),
            (
                docs,
                samples.prepared(
                    docs,
                    "日本/%_.py",
                    "word",
                    title="STRASSE_100%",
                    kind=Kind.CODE,
                    language="python",
                    modified_at=500.0,
                ),
            ),
        ):
            samples.put(store, within, sample)
    found = store.documents.candidates(notes.project_id, store.documents.admitted(notes.project_id, Filters()))
    return {f"{one.collection}:{one.uri}": str(key) for key, one in found.items()}


def where(*typed: str) -> Filters:
    return Filters(where=tuple(condition for text in typed if (condition := read_condition(text))))


PLAN, ECOLE, HI = "notes:work/plan.md", "notes:work2/École.md", "notes:Work/x.md"
PLAN_B, CODE = "docs:work/plan.md", "docs:日本/%_.py"
ALL = [PLAN, ECOLE, HI, PLAN_B, CODE]

CASES = [
    (Filters(), ALL),
    (Filters(collections=("notes",)), [PLAN, ECOLE, HI]),
    (Filters(collections=("notes", "docs")), ALL),
    (Filters(collections=("Notes",)), []),
    (Filters(path_prefix="work"), [PLAN, ECOLE, PLAN_B]),
    (Filters(path_prefix="work/"), [PLAN, PLAN_B]),
    (Filters(path_prefix="日本/%"), [CODE]),
    (Filters(path_prefix="w%"), []),
    (Filters(path_prefix="\0"), []),
    (Filters(path_prefix=""), ALL),
    (Filters(uris=("work/plan.md",)), [PLAN, PLAN_B]),
    (Filters(uris=("work/plan.md", "日本/%_.py", "absent.md")), [PLAN, PLAN_B, CODE]),
    (Filters(uris=("work",)), []),
    (Filters(not_uris=("work/plan.md", "absent.md")), [ECOLE, HI, CODE]),
    (Filters(uris=("work/plan.md",), not_uris=("work/plan.md",)), []),
    (Filters(heading_contains="plan"), [PLAN, PLAN_B]),
    (Filters(heading_contains="ÉCOLE"), [ECOLE]),
    (Filters(heading_contains="éco"), [ECOLE]),
    (Filters(heading_contains='say "HI"'), [HI]),
    (Filters(heading_contains='["'), []),
    (Filters(heading_contains="[x]"), [HI]),
    (Filters(heading_contains=""), ALL),
    (Filters(title_contains="PLAN"), [PLAN, PLAN_B]),
    (Filters(title_contains="école"), [ECOLE]),
    (Filters(title_contains="strasse_"), [CODE]),
    (Filters(title_contains="_1"), [CODE]),
    (Filters(title_contains="%"), [CODE]),
    (Filters(tags_all=("work",)), [PLAN, ECOLE]),
    (Filters(tags_all=("WORK/deep",)), [PLAN]),
    (Filters(tags_all=("work", "b")), [PLAN]),
    (Filters(tags_all=("wor",)), []),
    (Filters(tags_any=("b", "workshop")), [PLAN, HI]),
    (Filters(tags_any=("absent",)), []),
    (Filters(tags_all=("work",), tags_any=("b", "absent")), [PLAN]),
    (Filters(kinds=(Kind.DOC,)), [PLAN_B]),
    (Filters(kinds=(Kind.DOC, Kind.CODE)), [PLAN_B, CODE]),
    (Filters(languages=("python", "rust")), [CODE]),
    (Filters(languages=("Python",)), []),
    (Filters(languages=(ANY_LANGUAGE,)), [CODE]),
    (where("status=draft"), [PLAN]),
    (where("status!=draft"), [ECOLE, HI, PLAN_B, CODE]),
    (where("rating>=2"), [PLAN, ECOLE]),
    (where("rating>=2", "rating<4"), [ECOLE]),
    (where("due>=2025"), [PLAN]),
    (where("due<2025-03-14"), [ECOLE]),
    (where("people=école"), [PLAN]),
    (where("status"), [PLAN, ECOLE]),
    (where("!status"), [HI, PLAN_B, CODE]),
    (where("tags=work"), [ECOLE]),
    (where("title=plan b"), [PLAN_B]),
    (where("absent>1"), []),
    (replace(where("status"), path_prefix="work/"), [PLAN]),
    (Filters(content_types=("prose",)), ALL),
    (Filters(content_types=("code", "comment")), []),
    (Filters(modified_after=200.0), [ECOLE, HI, PLAN_B, CODE]),
    (Filters(modified_before=200.0), [PLAN]),
    (Filters(modified_after=200.0, modified_before=400.0), [ECOLE, HI]),
    (Filters(modified_after=600.0), []),
    (Filters(collections=("docs",), path_prefix="work", kinds=(Kind.DOC,), heading_contains="b"), [PLAN_B]),
    (Filters(collections=("docs",), tags_all=("work",)), []),
]


@pytest.mark.parametrize(("filters", "expected"), CASES, ids=lambda value: str(value)[:60])
def test_filters_admit_what_they_say_in_a_listing_and_in_a_search(
    store: Store, filters: Filters, expected: list[str]
) -> None:
    keys = shelf(store)
    project = samples.collection().project_id
    wanted = sorted(int(keys[name]) for name in expected)
    assert list(store.documents.admitted(project, filters)) == wanted
    if not (filters.heading_contains or filters.languages or filters.content_types):
        listed = [f"{each.collection}:{each.uri}" for each in store.documents.listed(project, filters)]
        assert listed == sorted(expected, key=lambda name: name.split(":", 1))
    assert sorted(one.key for one in store.lexical.search(project, samples.terms("word"), filters, 10)) == wanted


def test_filters_that_contradict_each_other_admit_nothing(store: Store) -> None:
    shelf(store)
    project = samples.collection().project_id
    for one, other in (
        (Filters(kinds=(Kind.DOC,)), Filters(kinds=(Kind.CODE,))),
        (Filters(collections=("docs",)), Filters(collections=("notes",))),
        (Filters(path_prefix="work"), Filters(path_prefix="日本")),
        (Filters(uris=("work/plan.md",)), Filters(uris=("日本/%_.py",))),
    ):
        both = one.narrowed_by(other)
        assert list(store.documents.admitted(project, both)) == []
        assert store.lexical.search(project, samples.terms("word"), both, 10) == ()


def test_a_heading_is_found_anywhere_on_the_way_down_to_the_chunk(store: Store) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        keys = samples.put(
            store, notes, samples.prepared(notes, "a.md", "top", "# One", "## Two", "### Three", "# Four")
        )
    admitted = store.documents.admitted
    assert list(admitted(notes.project_id, Filters(heading_contains="one"))) == list(keys[1:4])
    assert list(admitted(notes.project_id, Filters(heading_contains="two"))) == list(keys[2:4])
    assert list(admitted(notes.project_id, Filters(heading_contains="Two → Three"))) == [keys[3]]
    assert list(admitted(notes.project_id, Filters(heading_contains="Three → Two"))) == []


def test_a_filter_narrows_before_the_limit_counts(store: Store) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        for number in range(20):
            samples.put(store, notes, samples.prepared(notes, f"often/{number}.md", "word word word"))
        (rare,) = samples.put(store, notes, samples.prepared(notes, "rare.md", "word " + "filler " * 50))
    found = store.lexical.search(notes.project_id, samples.terms("word"), Filters(uris=("rare.md",)), 1)
    assert [one.key for one in found] == [rare]


def test_a_chunk_of_prose_is_in_each_language_of_its_code(store: Store) -> None:
    notes = samples.ensure(store, "notes")
    sample = samples.prepared(notes, "how.md", "word", "word again")
    plain, coded = sample.chunks
    coded = coded._replace(chunk=coded.chunk._replace(signature="shell c sql"))
    with store.transaction():
        samples.put(store, notes, replace(sample, chunks=(plain, coded)))
    for languages in (("shell", "rust"), ("c",), ("sql",), (ANY_LANGUAGE,)):
        (key,) = store.documents.admitted(notes.project_id, Filters(languages=languages))
        assert store.documents.candidates(notes.project_id, [key])[key].chunk_id == coded.chunk.id
    assert store.documents.admitted(notes.project_id, Filters(languages=("python", "s"))) == []


def test_titles_and_headings_are_compared_without_accents(store: Store, notes: Collection) -> None:
    with store.transaction():
        (key,) = samples.put(store, notes, samples.prepared(notes, "a.md", "x", title="Über das Café"))
    for wanted in ("café", "CAFE", "über das", "uber"):
        assert list(store.documents.admitted(notes.project_id, Filters(title_contains=wanted))) == [key]
