"""A second run reads what changed, writes what changed, and ends where a first run over the same folder would."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples
from workbench import GOOD, VAULT, Bench

from octavo.chunking.code_chunker import CodeChunker
from octavo.chunking.code_piece_grouping import Groups
from octavo.errors import RecipeMismatch
from octavo.ingest.indexing_report import CollectionReport
from octavo.model.document import Kind
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query
from octavo.retrieval.profiles_by_name import profile_named

CODE_ALONE = Filters(kinds=(Kind.CODE,))


def figures(report: CollectionReport) -> dict[str, int]:
    """What a run did, without what it left alone."""
    names = ("added", "changed", "moved", "removed")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def versions(bench: Bench, uri: str) -> list[str]:
    """The texts of a document's versions, oldest first."""
    with bench.opened() as engine:
        project = engine.project.id
        (stored,) = engine.store.documents.find(project, uri)
        held = engine.store.documents.versions(project, stored.id)
        texts = engine.store.documents.texts(project, [one.text_hash for one in held])
        return [texts[one.text_hash] for one in held]


def fresh(bench: Bench, **settings: Any) -> dict[str, Any]:
    """What a library made from nothing holds of the same folder."""
    with tempfile.TemporaryDirectory() as aside:
        other = replace(bench, library=Path(aside) / "fresh.db")
        other.index(**settings)
        return other.state(**settings)


def without_history(state: dict[str, Any]) -> dict[str, Any]:
    """The present alone: versions, and their numbers, are of the past."""
    documents = [replace(document, version=0) for document in state["documents"]]
    hashes = {document.text_hash for document in documents}
    texts = {digest: text for digest, text in state["texts"].items() if digest in hashes}
    return state | {"documents": documents, "versions": None, "texts": texts}


def test_a_run_over_an_unchanged_folder_reads_and_writes_nothing(bench: Bench) -> None:
    bench.folder = VAULT
    first = bench.index()
    assert first.added > 10 and first.failed == []
    state, generation = bench.state(), bench.generation()
    report = bench.run()
    assert (figures(report.collections[0]), report.embedded, report.collections[0].bytes) == ({}, 0, 0)
    assert report.collections[0].unchanged == first.added
    assert (bench.state(), bench.generation()) == (state, generation)


def test_a_touched_file_is_read_and_found_to_be_the_same(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before = bench.state()
    os.utime(bench.folder / "bread.md", (1_700_000_000, 1_700_000_000))
    report = bench.run()
    assert (figures(report.collections[0]), report.embedded) == ({}, 0)
    after = bench.state()
    stamp = after["ledger"]["notes"]["bread.md"].stamp
    assert stamp.mtime_ns == 1_700_000_000_000_000_000
    assert after["versions"] == before["versions"]
    assert {chunk.uri: chunk.modified_at for chunk in after["chunks"]}["bread.md"] == 1_700_000_000
    timeless = [[chunk._replace(modified_at=0.0) for chunk in state["chunks"]] for state in (before, after)]
    assert timeless[0] == timeless[1]
    assert bench.index().bytes == 0


def test_an_edited_file_is_changed_and_keeps_its_earlier_versions(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    for text in ("# Bread\n\nzebrafish\n", "# Bread\n\nquagga\n"):
        bench.write({"bread.md": text})
        report = bench.run()
        assert figures(report.collections[0]) == {"changed": 1}
        assert report.embedded == 1
    assert (bench.found("dough"), bench.found("zebrafish"), bench.found("quagga")) == ([], [], ["bread.md"])
    assert versions(bench, "bread.md") == [GOOD["bread.md"], "# Bread\n\nzebrafish\n", "# Bread\n\nquagga\n"]
    assert without_history(bench.state()) == without_history(fresh(bench))
    assert bench.problems() == ()


def test_an_edit_that_is_taken_back_is_a_version_of_its_own_and_embeds_nothing(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    bench.write({"bread.md": "# Bread\n\nzebrafish\n"})
    bench.index()
    bench.write({"bread.md": GOOD["bread.md"]})
    report = bench.run()
    assert (figures(report.collections[0]), report.embedded) == ({"changed": 1}, 0)
    assert versions(bench, "bread.md") == [GOOD["bread.md"], "# Bread\n\nzebrafish\n", GOOD["bread.md"]]


def test_a_deleted_file_leaves_the_library_and_comes_back_with_its_history(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    (bench.folder / "bread.md").unlink()
    assert figures(bench.index()) == {"removed": 1}
    assert (bench.found("dough"), "bread.md" in bench.ledger()) == ([], False)
    bench.write({"bread.md": "# Bread\n\nThe dough is back.\n"})
    assert figures(bench.index()) == {"added": 1}
    assert bench.found("dough") == ["bread.md"]
    assert versions(bench, "bread.md") == [GOOD["bread.md"], "# Bread\n\nThe dough is back.\n"]


def test_a_new_ignore_rule_removes_what_it_names(bench: Bench) -> None:
    bench.write({**GOOD, "drafts/a.md": "zebrafish\n", "drafts/deep/b.md": "quagga\n"})
    bench.index()
    bench.write({".octavoignore": "drafts/\n"})
    assert figures(bench.index()) == {"removed": 2}
    assert set(bench.ledger()) == set(GOOD)
    (bench.folder / ".octavoignore").unlink()
    assert figures(bench.index()) == {"added": 2}
    assert figures(bench.index(ingest={"ignore": ("*.txt",)})) == {"removed": 1}
    bench.collection = CollectionSettings(include=("garden/",))
    bench.index()
    assert set(bench.ledger()) == {"garden/apples.md"}
    assert bench.problems() == ()


def test_new_chunk_sizes_cut_every_document_anew_and_version_none(bench: Bench) -> None:
    paragraphs = "\n\n".join(f"Paragraph {number} says a few words about zebrafish." for number in range(40))
    bench.write({**GOOD, "long.md": f"# Long\n\n{paragraphs}\n"})
    first = bench.index()
    smaller = {"target_min_tokens": 10, "target_max_tokens": 20, "hard_max_tokens": 30, "min_preferred_tokens": 5}
    chunking = smaller | {"overlap_tokens": 0}
    report = bench.index(chunking=chunking)
    assert figures(report) == {"changed": 4}
    assert report.chunks > first.chunks
    assert len(versions(bench, "long.md")) == 1
    assert bench.state(chunking=chunking) == fresh(bench, chunking=chunking)
    assert figures(bench.index(chunking=chunking)) == {}


def test_a_collections_own_heading_depth_cuts_its_documents_anew(bench: Bench) -> None:
    words = "words " * 120
    bench.write({"a.md": f"# One\n\n{words}\n\n## Two\n\n{words}\n\n### Three\n\n{words}\n"})
    bench.index()
    bench.collection = CollectionSettings(max_heading_depth=1)
    assert figures(bench.index()) == {"changed": 1}
    assert {chunk.heading_path for chunk in bench.state()["chunks"]} == {("One",)}


def test_new_tags_and_another_kind_reach_documents_that_did_not_change(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    bench.collection = CollectionSettings(tags=("shared",), kind=Kind.DOC)
    assert figures(bench.index()) == {"changed": 3}
    with bench.opened() as engine:
        filters = Filters(tags_all=("shared",), kinds=(Kind.DOC,))
        assert len(engine.search(Query("the", filters=filters)).hits) == 3
    assert figures(bench.index()) == {}
    bench.collection = CollectionSettings()
    assert figures(bench.index()) == {"changed": 3}
    assert bench.state() == fresh(bench)


def test_another_embedder_is_refused_and_the_library_stays_as_it_is(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before, generation = bench.state(), bench.generation()
    bench.write({"new.md": "zebrafish\n"})
    with pytest.raises(RecipeMismatch, match=r"was built with hashing \(1\), the configuration says") as caught:
        bench.run(embedding={"provider": "bundled"})
    assert caught.value.hint and "embedding.provider" in caught.value.hint
    assert (bench.state(), bench.generation()) == (before, generation)
    process = bench.process("index", OCTAVO_EMBEDDING_PROVIDER="bundled")
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said.count("error: the library was built with")) == (3, 1)
    assert figures(bench.index()) == {"added": 1}


def test_another_embedder_is_taken_while_nothing_is_indexed(bench: Bench) -> None:
    bench.index()
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        engine.index()
        assert engine.store.catalog.recipe(engine.project.id) == engine.recipe()


def test_a_file_that_failed_to_parse_is_left_alone_until_it_or_the_recipe_changes(bench: Bench) -> None:
    bench.write({**GOOD, "odd.md": b"\0\1\2" * 10})
    assert [problem.uri for problem in bench.index().skipped] == ["odd.md"]
    assert bench.index().bytes == 0
    assert bench.ledger()["odd.md"].outcome is FileOutcome.SKIPPED
    bench.write({"odd.md": "zebrafish\n"})
    assert figures(bench.index()) == {"added": 1}


def test_a_run_without_vectors_is_searchable_by_words_and_the_next_one_fills_them_in(bench: Bench) -> None:
    bench.write(GOOD)
    with bench.opened() as engine:
        report = engine.index(embed=False)
        assert (report.embedded, engine.freshness().full_vectors) == (0, 0.0)
        result = engine.search(Query("prune the apple"))
        assert result.hits[0].citation.uri == "garden/apples.md"
        assert result.freshness.pending == 3
        dense = next(stage for stage in result.trace if stage.stage == "dense")
        assert dense.skipped == "no chunk has a vector yet"
        assert engine.index().embedded == 3
        assert engine.search(Query("prune the apple")).freshness.full_vectors == 1.0


NAMES = ("a.md", "b.md", "folder/a.md", "folder/b.md", "other/a.md")
TEXTS = (
    "# Same\n\nthe same words\n",
    "# Same\n\nother words\n",
    "no heading, the water\n",
    "",
    "---\ntitle: T\n---\nnote\n",
)
step = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("swap"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("index"), st.just(""), st.just("")),
)


def act(folder: Path, what: str, name: str, other: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if what == "write":
        path.write_text(other, "utf-8")
    elif what == "delete":
        path.unlink(missing_ok=True)
    elif path.exists():
        target = folder / other
        target.parent.mkdir(exist_ok=True)
        aside = folder.parent / "aside"
        path.rename(aside)
        if what == "swap" and target.exists():
            target.rename(path)
        aside.rename(target)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(step, min_size=1, max_size=12))
def test_any_history_ends_where_a_first_run_would(tmp_path: Path, steps: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as place:
        bench = Bench(Path(place) / "notes", Path(place) / "library.db", Path(place))
        bench.folder.mkdir()
        for what, name, other in steps:
            if what == "index":
                bench.index()
            else:
                act(bench.folder, what, name, other)
        bench.index()
        assert bench.problems() == ()
        assert timeless(bench.state()) == timeless(fresh(bench))
        assert figures(bench.index()) == {}


def timeless(state: dict[str, Any]) -> dict[str, Any]:
    """Touching or moving a file does not change its document, so that a time may be that of an earlier file."""
    state = without_history(state)
    documents = [replace(document, modified_at=0.0) for document in state["documents"]]
    chunks = [chunk._replace(modified_at=0.0) for chunk in state["chunks"]]
    return state | {"documents": documents, "chunks": chunks}


def test_a_collection_another_process_took_out_and_put_back_is_seen_anew(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    with bench.opened() as engine:
        before = engine.search(Query("prune")).hits
        with bench.opened() as other:
            other.remove_collection("notes")
        bench.index()
        assert [hit.citation for hit in engine.search(Query("prune")).hits] == [hit.citation for hit in before]
        (bench.folder / "bread.md").unlink()
        (report,) = engine.index().collections
        assert (report.unchanged, figures(report)) == (2, {"removed": 1})


def test_a_folder_of_many_files_that_goes_takes_all_of_them_along(bench: Bench) -> None:
    bench.write({"kept.md": "# Kept\n"} | {f"many/{number}.md": f"# Note {number}\n" for number in range(700)})
    with bench.opened() as engine:
        engine.index()
        shutil.rmtree(bench.folder / "many")
        (report,) = engine.index().collections
        assert report.removed == 700
        assert engine.freshness().documents == 1


def test_a_library_of_an_earlier_version_is_brought_over_by_one_run_and_equal_texts_keep_their_vectors(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = "def charge(order):\n    return order.total\n\n\ndef refund(order):\n    return -charge(order)\n"
    bench.write({**GOOD, "shop.py": shop})
    with monkeypatch.context() as earlier, bench.opened() as engine:
        earlier.setattr(CodeChunker, "version", "code-3")
        earlier.setattr(Groups, "is_one_line", lambda *_: True)  # small declarations shared a chunk
        before = engine.index()
        assert [hit.citation.symbol for hit in engine.search(Query("refund", filters=CODE_ALONE)).hits] == ["refund"]
    with bench.opened() as engine:
        brought_over = engine.index()
        # Both declarations are chunks of their own now; the notes are as they were.
        assert (before.embedded, brought_over.embedded) == (len(GOOD) + 1, 2)
        assert engine.freshness().full_vectors == 1.0
        found = engine.search(Query("refund", filters=CODE_ALONE), profile_named("code")).hits
        assert [hit.citation.symbol for hit in found] == ["refund", "charge"]
        assert engine.index().embedded == 0
