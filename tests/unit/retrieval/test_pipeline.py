"""The pipeline and the first stages, over SQLite in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
import samples
from numpy.typing import NDArray
from search_vectors import Meaning

from octavo.errors import LibraryError, OctavoError, ProviderFailed, StorageError
from octavo.model.document import Kind
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.query import Filters, Query, Terms
from octavo.model.search_result import Candidate, Ranking, ScoredChunk
from octavo.retrieval.hit_presentation import present
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import BY_WORDS_ALONE, PROFILES, profile_named
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import RetrievalProfile, Search, SkipStage, in_order
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument, MergeSpans
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion, SingleChannel
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex
from octavo_stages.section_stages import ParentExpansion

PROFILE = samples.embedding_profile(dimensions=26)


@dataclass(frozen=True)
class LetterEmbedder:
    """Counts letters: related texts share letters, and anyone can check the cosine by hand."""

    profile: EmbeddingProfile = PROFILE

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        counts = np.array([text.lower().count(chr(97 + letter)) for letter in range(26)], dtype=np.float32) + 1e-3
        return (counts / np.linalg.norm(counts)).astype(np.float32)


def _fail() -> LetterEmbedder:
    raise ProviderFailed("the model is away")


@pytest.fixture
def library() -> SearchedLibrary:
    return _library()


def _library(embedder: Callable[[], LetterEmbedder] = LetterEmbedder) -> SearchedLibrary:
    from octavo.ingest.chunk_embedding import embed_pending
    from octavo.observability.progress import NoProgress

    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        samples.put(store, within, samples.prepared(within, "zebra.md", "# Zebra", "a zebra has stripes", "zebras run"))
        samples.put(store, within, samples.prepared(within, "apple.md", "# Apple", "an apple is red", "apples fall"))
        samples.put(store, within, samples.prepared(within, "both.md", "an apple for the zebra", tags=("food/fruit",)))
    embed_pending(store, within.project_id, LetterEmbedder(), NoProgress())
    index = ExactIndex(store, within.project_id, PROFILE)
    return SearchedLibrary(store, within.project_id, Meaning(embedder, lambda: index), lambda: samples.MODIFIED)


def _query(text: str, **filters: object) -> Query:
    return Query(text, filters=Filters(**filters), terms=samples.terms(text))  # type: ignore[arg-type]


MAY_NOT_APPLY = {
    "context",
    "rerank",
    "typos",
    "pinned",
    "canonical",
    "validity",
    "memory_recency",
    "symbols",
    "places",
    "fragments",
    "tests_below",
}
MAY_NOT_APPLY |= {
    "concepts",
    "graph",
    "community_boost",
    "cap_commits",
    "neighbour_boost",
    "named_first",
    "links_below",
    "near_copies",
    "exact_match",
    "definitions",
}
MAY_NOT_APPLY |= {"title_words", "comments_below", "definitions_first", "bridges"}
MAY_NOT_APPLY |= {"dense_sections", "dense_files"}
"""To two words in a library without memories, code, conversations, commits, links or reranker."""


ASKS_A_MODEL = {"hyde", "subqueries", "llm_rerank"}
NEEDS_SUMMARIES = {"dense_sections", "dense_files"}


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_built_in_profile_finds_the_obvious_document(name: str, library: SearchedLibrary) -> None:
    candidates, trace = run(profile_named(name), _query("zebra stripes"), library)
    assert candidates[0].uri == "zebra.md"
    without_model = {entry.failed for entry in trace if entry.stage in ASKS_A_MODEL}
    assert all("no language model is configured" in str(failed) for failed in without_model)
    others = {entry.failed for entry in trace if entry.stage not in {*ASKS_A_MODEL, *NEEDS_SUMMARIES}}
    assert others == {None}
    assert {entry.stage for entry in trace if entry.skipped} <= MAY_NOT_APPLY


def test_the_same_query_gives_the_same_hits_in_the_same_order(library: SearchedLibrary) -> None:
    first = run(PROFILES["hybrid"], _query("apple zebra"), library)[0]
    assert run(PROFILES["hybrid"], _query("apple zebra"), library)[0] == first


def test_a_model_that_fails_leaves_the_lexical_answer_and_a_line_in_the_trace() -> None:
    library = _library(_fail)
    candidates, trace = run(PROFILES["hybrid"], _query("zebra"), library)
    assert candidates
    assert [entry.failed for entry in trace if entry.stage == "dense"] == ["the model is away"]


@dataclass(frozen=True)
class _Broken:
    error: OctavoError
    name: str = "broken"

    def recall(self, search: Search) -> Ranking:
        raise self.error

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        raise self.error


@pytest.mark.parametrize("error", [LibraryError("torn"), StorageError("no disk")], ids=lambda one: one.message)
def test_a_channel_that_meets_damage_fails_alone_and_the_trace_says_so(
    library: SearchedLibrary, error: OctavoError
) -> None:
    channel = RetrievalProfile("plain", (LexicalRecall(), _Broken(error)), SingleChannel())
    refinement = RetrievalProfile("plain", (LexicalRecall(),), SingleChannel(), (_Broken(error),))
    alone, _ = run(RetrievalProfile("plain", (LexicalRecall(),), SingleChannel()), _query("zebra"), library)
    for profile in (channel, refinement):
        found, trace = run(profile, _query("zebra"), library)
        assert [candidate.key for candidate in found] == [candidate.key for candidate in alone]
        failed = [(stage.failed, stage.damage) for stage in trace if stage.failed]
        assert failed == [(error.message, isinstance(error, LibraryError) or None)]


@pytest.mark.parametrize("error", [LibraryError("torn"), StorageError("no disk")], ids=lambda one: one.message)
def test_a_damaged_library_is_an_error_where_no_channel_answers(library: SearchedLibrary, error: OctavoError) -> None:
    with pytest.raises(type(error), match=error.message):
        run(RetrievalProfile("plain", (_Broken(error),), SingleChannel()), _query("zebra"), library)


def test_when_no_channel_answers_the_first_that_failed_says_why(library: SearchedLibrary) -> None:
    two = (_Broken(ProviderFailed("first")), _Broken(ProviderFailed("second")))
    with pytest.raises(ProviderFailed, match="first"):
        run(RetrievalProfile("none", two, SingleChannel()), _query("zebra"), library)
    assert run(RetrievalProfile("one", (*two, LexicalRecall()), SingleChannel()), _query("zebra"), library)[0]
    with pytest.raises(ProviderFailed, match="away"):
        run(PROFILES["dense_only"], _query("zebra"), replace(library, meaning=library.meaning.instead(embedder=_fail)))


@dataclass(frozen=True)
class _FailsDeeper:
    depth: int = 1
    name: str = "shallow"

    def recall(self, search: Search) -> Ranking:
        if self.depth > 1:
            raise ProviderFailed("too deep")
        return LexicalRecall(depth=1, in_small=0).recall(search)


def test_a_long_list_whose_deeper_recall_fails_ends_early_and_the_trace_says_so(library: SearchedLibrary) -> None:
    profile = RetrievalProfile("shallow", (_FailsDeeper(),), SingleChannel())
    first, _ = run(profile, _query("zebra"), library)
    found, trace = run(profile, replace(_query("zebra"), limit=200), library)
    assert found == first and len(found) == 1
    assert (trace[-1].failed, trace[-1].repeatable) == ("too deep", False)


def test_a_query_without_words_is_answered_by_meaning_alone(library: SearchedLibrary) -> None:
    query = replace(_query("zebra"), terms=replace(samples.terms("zebra"), words=()))
    candidates, trace = run(PROFILES["hybrid"], query, library)
    assert candidates
    assert [entry.skipped for entry in trace if entry.stage == "lexical"] == ["the query has no words to look for"]


def test_a_hypothesis_is_looked_for_by_meaning_while_the_words_stay_the_questions(library: SearchedLibrary) -> None:
    asked = replace(_query("zebra stripes"), hypothesis="apples fall")
    by_meaning, _ = run(PROFILES["dense_only"], asked, library)
    by_word, _ = run(PROFILES["lexical_only"], asked, library)
    assert (by_meaning[0].uri, by_word[0].uri) == ("apple.md", "zebra.md")


def test_filters_hold_for_every_channel(library: SearchedLibrary) -> None:
    for name in PROFILES:
        candidates, _ = run(profile_named(name), _query("apple zebra", tags_all=("food",)), library)
        assert {candidate.uri for candidate in candidates} == {"both.md"}, name


def test_what_a_negated_filter_lets_through_is_found_by_no_channel(library: SearchedLibrary) -> None:
    for name in PROFILES:
        asked = _query("apple zebra", without=(Filters(tags_all=("food",)), Filters(path_prefix="app")))
        candidates, _ = run(profile_named(name), asked, library)
        assert {candidate.uri for candidate in candidates} == {"zebra.md"}, name


@dataclass(frozen=True)
class _Everything:
    """A channel that looks at no exclusion."""

    name: str = "everything"

    def recall(self, search: Search) -> Ranking:
        keys = search.library.store.documents.admitted(search.library.project, Filters())
        return Ranking(self.name, tuple(ScoredChunk(key, 1.0) for key in keys))


def test_what_is_excluded_is_found_by_no_channel(library: SearchedLibrary) -> None:
    terms = replace(samples.terms("apple"), excluded=(("zebra",), ("apples",)))
    candidates, _ = run(RetrievalProfile("all", (_Everything(),), SingleChannel()), Query("x", terms=terms), library)
    texts = library.store.documents.texts(library.project, {candidate.text_hash for candidate in candidates})
    said = [candidate.span.of(texts[candidate.text_hash]) for candidate in candidates]
    assert said and not [text for text in said if "zebra" in text.split() or "apples" in text.split()]


def test_a_channel_looks_deeper_where_a_negated_filter_refuses_what_it_found_first(library: SearchedLibrary) -> None:
    asked = replace(_query("apple zebra", without=(Filters(path_prefix="both"), Filters(path_prefix="zebra"))), limit=1)
    shallow = RetrievalProfile("shallow", (LexicalRecall(depth=1, in_small=0),), SingleChannel())
    assert [one.uri for one in run(shallow, asked, library)[0]] == ["apple.md"]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_filters_alone_list_what_they_let_through_the_newest_first(name: str) -> None:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        for uri, modified in (("a.md", 1.0), ("b.md", 3.0), ("c.md", 3.0), ("d.md", 2.0), ("other/e.md", 9.0)):
            samples.put(store, within, samples.prepared(within, uri, "# Head", "words", modified_at=modified))
    index = ExactIndex(store, within.project_id, PROFILE)
    held = SearchedLibrary(store, within.project_id, Meaning(_fail, lambda: index), lambda: 0.0)
    query = Query("-path:other", filters=Filters(without=(Filters(path_prefix="other"),)), terms=Terms("-path:other"))
    candidates, trace = run(profile_named(name), query, held)
    assert [(candidate.uri, candidate.ordinal) for candidate in candidates] == [
        ("b.md", 0),
        ("c.md", 0),
        ("d.md", 0),
        ("a.md", 0),
    ]
    assert [entry.returned for entry in trace if entry.stage == "filters"] == [4]
    nowhere = replace(query, filters=Filters(path_prefix="nowhere"))
    assert run(profile_named(name), nowhere, held)[0] == ()


def test_an_excluded_word_and_a_phrase_hold_for_meaning_too(library: SearchedLibrary) -> None:
    terms = replace(samples.terms("apple"), excluded=(("zebra",),))
    candidates, _ = run(PROFILES["dense_only"], Query("apple -zebra", terms=terms), library)
    assert {candidate.uri for candidate in candidates} == {"apple.md"}
    terms = replace(samples.terms("apple"), phrases=(("the", "zebra"),))
    candidates, _ = run(PROFILES["dense_only"], Query('apple "the zebra"', terms=terms), library)
    assert {candidate.uri for candidate in candidates} == {"both.md"}


def test_a_hit_is_the_exact_slice_and_a_truncated_one_keeps_its_span(library: SearchedLibrary) -> None:
    query = replace(_query("zebra stripes"), max_excerpt_chars=4)
    whole = present(run(PROFILES["hybrid"], _query("zebra stripes"), library)[0], _query("zebra stripes"), library)
    cut = present(run(PROFILES["hybrid"], query, library)[0], query, library)
    for hit in whole:
        document = library.store.documents.get(library.project, hit.document_id)
        assert document is not None
        text = library.store.documents.texts(library.project, [document.text_hash])[document.text_hash]
        assert hit.excerpt == hit.citation.span.of(text) and not hit.excerpt_truncated
    assert [hit.citation for hit in cut] == [hit.citation for hit in whole]
    assert all(hit.excerpt_truncated and len(hit.excerpt) == 4 for hit in cut)


def test_a_chunk_found_by_words_alone_gets_its_exact_cosine(library: SearchedLibrary) -> None:
    """With one dense candidate the rest are lexical; their cosines must not count as zero."""
    query = _query("apple zebra")
    search = Search(query, library)
    lexical = LexicalRecall().recall(search)
    top = library.meaning.vectors.search(search.vector, 1)
    shallow = ScoreFusion().fuse(search, {"lexical": lexical, "dense": Ranking("dense", top)})
    deep = library.meaning.vectors.search(search.vector, 100)
    wide = ScoreFusion().fuse(search, {"lexical": lexical, "dense": Ranking("dense", deep)})
    common = {one.key for one in shallow}
    assert [one.key for one in shallow] == [one.key for one in wide if one.key in common]


def test_words_say_what_lies_beyond_the_depth_unless_everything_was_found(library: SearchedLibrary) -> None:
    search = Search(replace(_query("apple zebra"), limit=2), library)
    cut, whole = LexicalRecall(depth=2, in_small=0).recall(search), LexicalRecall().recall(search)
    assert cut.beyond == cut.scored[-1].score > 0
    assert whole.beyond == 0.0


def test_a_channel_that_found_nothing_leaves_the_other_to_decide(library: SearchedLibrary) -> None:
    search = Search(_query("zebra"), library)
    lexical = LexicalRecall().recall(search)
    fused = ScoreFusion().fuse(search, {"lexical": lexical, "dense": Ranking("dense", ())})
    assert [one.key for one in fused] == [one.key for one in lexical.scored]
    assert search.notes["weights"] == {"lexical": 1.0}


@dataclass(frozen=True)
class _Grumpy:
    name: str = "grumpy"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        raise SkipStage("not today")


def test_a_skipped_refinement_changes_nothing_and_says_why(library: SearchedLibrary) -> None:
    plain = RetrievalProfile("plain", (LexicalRecall(),), SingleChannel())
    grumpy = replace(plain, refine=(_Grumpy(),))
    query = _query("apple zebra")
    candidates, trace = run(grumpy, query, library)
    assert candidates == run(plain, query, library)[0]
    assert trace[-1].skipped == "not today"
    assert trace[-1].received == trace[-1].returned == len(candidates)


def _candidate(uri: str, start: int, end: int, score: float) -> Candidate:
    document = samples.prepared(samples.collection(), uri, "x").document
    hit = samples.prepared(samples.collection(), uri, f"x{start}").chunks[0].chunk
    return Candidate(
        key=ChunkKey(start),
        chunk_id=hit.id,
        document_id=document.id,
        collection="notes",
        uri=uri,
        kind=document.kind,
        title=uri,
        heading_path=(),
        span=Span(start, end),
        lines=Lines(start, end),
        text_hash="",
        modified_at=0.0,
        score=score,
    )


def test_ties_are_ordered_by_uri_then_by_start() -> None:
    one, two, three = _candidate("b.md", 5, 6, 1.0), _candidate("b.md", 1, 2, 1.0), _candidate("a.md", 9, 10, 1.0)
    assert in_order([one, two, three]) == (three, two, one)


def test_a_document_takes_no_more_places_than_its_cap(library: SearchedLibrary) -> None:
    many = tuple(_candidate("a.md", start, start + 1, 1.0 / start) for start in range(1, 6))
    other = _candidate("b.md", 1, 2, 0.01)
    kept = CapPerDocument(limit=2).refine(Search(_query("x"), library), (*many, other))
    assert kept == (*many[:2], other)


def test_of_a_word_alone_a_file_of_code_shows_its_best_declarations_and_the_others_last(
    library: SearchedLibrary,
) -> None:
    code = tuple(
        _candidate("a.py", 100 * place, 100 * place + 50, 0.9 - place / 100)._replace(kind=Kind.CODE, section=place)
        for place in range(6)
    )
    other = _candidate("b.md", 0, 50, 0.125)
    kept = CapPerDocument().refine(Search(_query("tmux"), library), (*code, other))
    assert [one.section for one in kept if one.uri == "a.py"] == list(range(6))
    assert kept[4] == other and {one.score for one in kept[5:]} == {other.score}
    asked = CapPerDocument().refine(Search(_query("open tmux in popup"), library), (*code, other))
    assert asked == (*code, other)


def test_further_passages_of_a_declaration_come_after_what_else_there_is(library: SearchedLibrary) -> None:
    first, again, other = (
        _candidate("a.py", 100 * place, 100 * place + 50, 0.75 - place / 8)._replace(kind=Kind.CODE, section=section)
        for place, section in enumerate((3, 3, 4))
    )
    kept = CapPerDocument().refine(Search(_query("let the tank drain faster"), library), (first, again, other))
    assert kept == (first, other, again.scored(other.score))
    outside = tuple(one._replace(section=0) for one in (first, again, other))
    assert CapPerDocument().refine(Search(_query("let the tank drain faster"), library), outside) == outside


def test_spans_that_nearly_touch_become_one_hit_with_the_better_score(library: SearchedLibrary) -> None:
    low, high, far = (
        _candidate("a.md", 0, 100, 0.2),
        _candidate("a.md", 150, 300, 0.9),
        _candidate("a.md", 900, 950, 0.5),
    )
    merged = MergeSpans(gap=200).refine(Search(_query("x"), library), (high, far, low))
    assert merged == (high._replace(span=Span(0, 300), lines=Lines(0, 300)), far)


@pytest.mark.parametrize("limit", [1, 2, 10, 1000])
def test_how_many_hits_are_asked_for_changes_none_of_them(library: SearchedLibrary, limit: int) -> None:
    given = tuple(_candidate("a.md", 100 * place, 100 * place + 100, 1.0 - place / 100) for place in range(15))
    merged = MergeSpans().refine(Search(replace(_query("x"), limit=limit), library), given)
    assert [one.span for one in merged] == [Span(0, 1000), Span(1000, 1500)]


def test_spans_that_overlap_become_one_only_while_it_stays_short(library: SearchedLibrary) -> None:
    given = tuple(_candidate("a.md", start, start + 1000, 1.0 - start / 10_000) for start in range(0, 4000, 800))
    merged = MergeSpans().refine(Search(_query("x"), library), given)
    assert [one.span for one in merged] == [Span(0, 1800), Span(1600, 3400), Span(3200, 4200)]
    inner = _candidate("a.md", 100, 200, 0.1)
    whole = _candidate("a.md", 0, 5000, 0.9)
    assert [one.span for one in MergeSpans().refine(Search(_query("x"), library), (whole, inner))] == [Span(0, 5000)]


def test_no_gap_is_bridged_over_what_was_excluded(library: SearchedLibrary) -> None:
    first, third = _candidate("a.md", 0, 100, 0.9), _candidate("a.md", 150, 300, 0.8)._replace(ordinal=2)
    search = Search(replace(_query("x"), terms=replace(samples.terms("x"), excluded=(("word",),))), library)
    assert MergeSpans().refine(search, (first, third)) == (first, third)
    (merged,) = MergeSpans().refine(search, (first, third._replace(ordinal=1)))
    assert merged.span == Span(0, 300)
    (touching,) = MergeSpans().refine(search, (first, third._replace(span=Span(90, 300))))
    assert touching.span == Span(0, 300)


def test_an_excerpt_shows_nothing_of_a_chunk_that_a_filter_refused() -> None:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        samples.put(store, within, samples.prepared(within, "a.md", "apple one", "apple secret", "apple two"))
    held = SearchedLibrary(
        store, within.project_id, Meaning(_fail, lambda: ExactIndex(store, within.project_id, PROFILE)), lambda: 0.0
    )
    for stage in (MergeSpans(), ParentExpansion()):
        query = Query("apple -secret", terms=replace(samples.terms("apple"), excluded=(("secret",),)))
        profile = RetrievalProfile("words", (LexicalRecall(),), SingleChannel(), (stage,))
        hits = present(run(profile, query, held)[0], query, held)
        assert [hit.excerpt for hit in hits] == ["apple one", "apple two"], stage.name


def test_an_unknown_profile_is_refused_with_the_names_there_are() -> None:
    from octavo.errors import InvalidArgument

    with pytest.raises(InvalidArgument) as refused:
        profile_named("hybird")
    assert "hybrid" in (refused.value.hint or "")


def test_a_profile_asks_for_the_vector_unless_it_is_one_of_words_alone() -> None:
    assert {name for name in PROFILES if not PROFILES[name].embeds} == BY_WORDS_ALONE


def test_filters_from_two_places_must_both_hold() -> None:
    first = Filters(collections=("a", "b"), path_prefix="docs/", tags_all=("x",), modified_after=1.0)
    second = Filters(collections=("b", "c"), path_prefix="docs/api/", tags_all=("y",), modified_after=2.0)
    both = first.narrowed_by(second)
    assert both == Filters(collections=("b",), path_prefix="docs/api/", tags_all=("x", "y"), modified_after=2.0)
    assert first.narrowed_by(Filters()) == first
    contradiction: Mapping[str, Filters] = {
        "collections": Filters(collections=("z",)),
        "path": Filters(path_prefix="src/"),
    }
    for other in contradiction.values():
        narrowed = first.narrowed_by(other)
        assert "\0" in (*narrowed.collections, narrowed.path_prefix)
