"""Any text a file or a file name can hold goes in and comes out as it was."""

from __future__ import annotations

import pytest
import samples
from observation import observed

from octavo.model.ids import collection_id, project_id
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters
from octavo.sql_repositories.store import Store

ODD = [
    "with space.md",
    "emoji 😀👩‍👩‍👧.md",
    "new\nline.md",
    'quote\'s "double" `back`.md',
    "per%cent_under\\score.md",
    "null-ish \\0 $1 :name ?1.md",
    "e\u0301 and é.md",
    "日本語/ファイル.md",
    "\u202eright to left.md",
    "-- name: drop; drop table documents;.md",
    "\U0010ffff\ufeff\ufffd.md",
]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_text_is_kept_everywhere_it_can_stand(store: Store, odd: str) -> None:
    within = samples.ensure(store, odd, odd)
    sample = samples.prepared(
        within,
        odd,
        f"# {odd.splitlines()[0]}",
        f"{odd} word",
        title=odd,
        description=odd,
        keywords=(odd,),
        tags=(odd,),
        aliases=(odd, odd),
        language=odd,
        metadata={odd: [odd]},
    )
    entry = samples.ledger_entry(odd, reason=odd, warnings=(odd,))
    with store.transaction():
        keys = samples.put(store, within, sample)
        store.ledger.record(within.project_id, within.id, [entry])
    project = within.project_id
    assert store.catalog.projects()[0].id == project_id(odd)
    assert store.catalog.collections(project) == (within,)
    assert within.id == collection_id(project, odd)
    (stored,) = store.documents.find(project, odd)
    assert (stored.uri, stored.title, stored.description, stored.language) == (odd, odd, odd, odd)
    assert (stored.tags, stored.aliases, stored.metadata) == ((odd,), (odd, odd), {odd: [odd]})
    assert store.documents.texts(project, [stored.text_hash])[stored.text_hash] == sample.document.text
    assert store.documents.sections(project, stored.id) == sample.document.sections
    assert store.ledger.entries(project, within.id) == {odd: entry}
    for filters in (
        Filters(collections=(odd,)),
        Filters(path_prefix=odd),
        Filters(uris=(odd,)),
        Filters(title_contains=odd),
        Filters(tags_all=(odd,)),
        Filters(tags_any=(odd,)),
    ):
        assert list(store.documents.admitted(project, filters)) == list(keys)
    assert list(store.documents.admitted(project, Filters(heading_contains=odd.splitlines()[0]))) == list(keys)
    assert list(store.lexical.containing(project, ["word"])) == [keys[1]]


def test_uris_that_differ_only_in_case_or_normal_form_are_different(store: Store, notes: Collection) -> None:
    uris = ["a.md", "A.md", "é.md", "e\u0301.md"]
    with store.transaction():
        for uri in uris:
            samples.put(store, notes, samples.prepared(notes, uri, uri))
    assert store.counts(notes.project_id).documents == 4
    assert [len(store.documents.find(notes.project_id, uri)) for uri in uris] == [1, 1, 1, 1]


def test_a_large_text_comes_back_exactly(store: Store, notes: Collection) -> None:
    paragraph = "".join(
        chr(33 + number % 5000) for number in range(200_000) if not 0xD800 <= number % 5000 + 33 < 0xE000
    )
    sample = samples.prepared(notes, "large.md", paragraph)
    with store.transaction():
        samples.put(store, notes, sample)
    digest = sample.document.content_hash
    assert store.documents.texts(notes.project_id, [digest]) == {digest: sample.document.text}


def test_text_with_nul_characters_is_kept_and_its_words_are_found(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "nul.md", "before\0after word", title="ti\0tle")
    with store.transaction():
        (key,) = samples.put(store, notes, sample)
    (stored,) = store.documents.find(notes.project_id, "nul.md")
    assert stored.title == "ti\0tle"
    assert store.documents.texts(notes.project_id, [stored.text_hash])[stored.text_hash] == "before\0after word\n"
    assert list(store.lexical.containing(notes.project_id, ["word"])) == [key]


@pytest.mark.parametrize("where", ["text", "title", "uri"])
def test_half_a_surrogate_pair_is_no_text_and_is_refused_whole(store: Store, notes: Collection, where: str) -> None:
    """Decoding never lets one through; a store that met one all the same would have no bytes to write for it."""
    half = "\ud83d"
    sample = samples.prepared(
        notes,
        f"{half}.md" if where == "uri" else "a.md",
        f"x {half}" if where == "text" else "x",
        title=half if where == "title" else "t",
    )
    before = observed(store)
    with pytest.raises(UnicodeEncodeError), store.transaction():
        samples.put(store, notes, sample)
    assert observed(store) == before
