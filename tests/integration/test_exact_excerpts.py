"""Every hit cites exactly: its excerpt is the slice of the stored text that its span, lines and headings name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import VAULT, Bench

from octavo.engine.engine import Engine
from octavo.model.normalised_text_and_spans import LineIndex, normalise
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.model.search_result import Hit
from octavo.retrieval.profiles_by_name import PROFILES

VOCABULARY = sorted({word for path in VAULT.rglob("*.md") for word in path.read_text("utf-8").split()})
query = st.one_of(
    st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6).map(" ".join),
    st.text(max_size=30),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("excerpts")
    bench = Bench(VAULT, place / "library.db", place)
    with bench.opened() as engine:
        engine.index()
        yield engine


def stored_text(engine: Engine, hit: Hit) -> str:
    (stored,) = engine.store.documents.find(engine.project.id, hit.citation.uri)
    assert stored.id == hit.document_id
    return engine.store.documents.texts(engine.project.id, [stored.text_hash])[stored.text_hash]


REPEATABLE = sorted(name for name in PROFILES if not any("rerank" in stage.name for stage in PROFILES[name].refine))
"""Profiles without a reranker, which takes its time; tests/integration/test_limits.py asks those again and again."""


ABSENT = ("no language model is configured", "no summaries were made")
"""What some profiles ask for and this library does without."""


def assert_exact(engine: Engine, hit: Hit) -> None:
    text, span = stored_text(engine, hit), hit.citation.span
    assert text == normalise((VAULT / hit.citation.uri).read_text("utf-8"))
    assert hit.excerpt == text[span.start : span.end] and hit.excerpt.strip()
    assert hit.citation.lines == LineIndex(text).lines(span.start, span.end)
    assert not hit.excerpt_truncated
    sections = engine.store.documents.sections(engine.project.id, hit.document_id)
    path = hit.citation.heading_path
    around = [section.span for section in sections if section.path == path]
    assert around
    assert not path or any(section.start <= span.start and span.end <= section.end for section in around)
    key = engine.store.documents.chunk_key(engine.project.id, hit.chunk_id)
    assert key is not None
    chunk = engine.store.documents.candidates(engine.project.id, [key])[key]
    assert span.start < chunk.span.end and chunk.span.start < span.end


@given(words=query, profile=st.sampled_from(REPEATABLE), limit=st.integers(1, 30))
def test_every_excerpt_is_the_slice_its_citation_names(engine: Engine, words: str, profile: str, limit: int) -> None:
    result = engine.search(Query(words, limit), PROFILES[profile])
    assert len(result.hits) <= limit
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    for hit in result.hits:
        assert_exact(engine, hit)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(stage.failed.startswith(ABSENT) for stage in result.trace if stage.failed)
    again = engine.search(Query(words, limit), PROFILES[profile])
    assert again.hits == result.hits


@given(words=query, most=st.integers(1, 200))
def test_a_shortened_excerpt_is_the_beginning_of_the_slice_and_says_so(engine: Engine, words: str, most: int) -> None:
    whole = engine.search(Query(words))
    cut = engine.search(replace(Query(words), max_excerpt_chars=most))
    assert [hit.citation for hit in cut.hits] == [hit.citation for hit in whole.hits]
    for short, long in zip(cut.hits, whole.hits, strict=True):
        assert short.excerpt == long.excerpt[:most]
        assert short.excerpt_truncated == (len(long.excerpt) > most)


@pytest.mark.parametrize("depth", [None, 0, 1, 2])
@pytest.mark.parametrize("profile", ["hybrid", "lexical_only"])
def test_every_passage_that_matches_is_in_a_hit_however_deep_sections_are_cut(
    tmp_path: Path, depth: int | None, profile: str
) -> None:
    """The chunks of one section above `max_heading_depth` are neighbours, and below headings of their own."""
    bench = Bench(tmp_path / "notes", tmp_path / "library.db", tmp_path, CollectionSettings(max_heading_depth=depth))
    parts = [f"## Part {part}\n\nThe lantern of room {part} " + f"shines{part} " * 150 + "\n" for part in "abc"]
    bench.write({"house.md": "# House\n\n" + "\n".join(parts)})
    with bench.opened() as engine:
        engine.index()
        excerpts = [hit.excerpt for hit in engine.search(Query("lantern room"), PROFILES[profile]).hits]
    assert [sum(f"room {part} shines" in excerpt for excerpt in excerpts) for part in "abc"] == [1, 1, 1]


def test_the_bundled_model_indexes_and_answers_the_same_way(tmp_path: Path) -> None:
    """The one run here with the real embedder: everything else about the flow does not depend on it."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("Home.md", "people/Safety.md"):
        (notes / Path(name).name).write_bytes((VAULT / name).read_bytes())
    bench = Bench(notes, tmp_path / "library.db", tmp_path)
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        report = engine.index()
        assert report.embedded > 0 and engine.freshness().full_vectors == 1.0
        for words in ("what is this place about?", "a night at the observatory"):
            result = engine.search(Query(words))
            assert result.hits and {step.stage for step in result.hits[0].steps} >= {"dense"}
            for hit in result.hits:
                assert_exact(engine, hit)
        assert engine.index().embedded == 0
