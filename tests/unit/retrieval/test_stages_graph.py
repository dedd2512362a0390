"""Links and communities in a search: they raise what belongs to the best, and reach what no word leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stage_samples import NOTES, asking, details, library, listed, note, uris

from octavo.graph.edge_extraction import linked
from octavo.model.document import Link, LinkKind
from octavo.model.ids import document_id
from octavo.model.normalised_text_and_spans import Span
from octavo.model.prepared_document import PreparedDocument
from octavo.model.query import Filters
from octavo.model.search_result import Candidate
from octavo.retrieval.profile_toml_files import read_profile, write_profile
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import SkipStage, in_order
from octavo.retrieval.stages.linked_document_boost import NeighbourBoost
from octavo_stages.graph_stages import CommunityBoost, GraphRecall


def joined(*notes: tuple[PreparedDocument, str]) -> SearchedLibrary:
    """A library of notes, each with the name of the one it links to."""
    held = library(*(one for one, _ in notes))
    with held.store.transaction():
        for one, target in notes:
            links = (Link(LinkKind.WIKILINK, target, None, None, Span(0, 1)),) if target else ()
            held.store.graph.put(held.project, NOTES.id, [linked(replace(one.document, links=links))])
    return held


def ranked(held: SearchedLibrary, *scores: float) -> tuple[Candidate, ...]:
    return in_order(list(listed(held, *scores)))


def chain() -> SearchedLibrary:
    return joined(
        (note("a.md", "alpha"), "b"),
        (note("b.md", "beta"), "c"),
        (note("c.md", "gamma"), ""),
        (note("d.md", "delta"), ""),
    )


def test_what_the_best_links_to_gains_and_says_so() -> None:
    held = chain()
    refined = NeighbourBoost(share=0.5, seeds=1).refine(asking(held), ranked(held, 1.0, 0.5, 0.4, 0.8))
    assert uris(refined) == ["a.md", "b.md", "d.md", "c.md"]
    assert [one.score for one in refined] == [1.0, 1.0, 0.8, 0.4]
    assert details(refined, "neighbour_boost") == {"b.md": "+0.500 by links"}


def test_a_link_counts_either_way_and_never_lowers_a_score() -> None:
    held = chain()
    before = ranked(held, -1.0, 0.5, -0.4, -0.8)
    refined = NeighbourBoost(share=1.0, seeds=1).refine(asking(held), before)
    scores = {one.uri: one.score for one in refined}
    assert scores == {"b.md": 0.5, "a.md": 0.5, "c.md": pytest.approx(1.1), "d.md": -0.8}


def test_only_wanted_types_and_the_first_candidates_are_raised() -> None:
    held = chain()
    with pytest.raises(SkipStage, match="linked"):
        NeighbourBoost(types=("embeds",)).refine(asking(held), ranked(held))  # type: ignore[arg-type]
    with pytest.raises(SkipStage, match="linked"):
        NeighbourBoost(seeds=1, among=1).refine(asking(held), ranked(held))
    with pytest.raises(SkipStage, match="no candidates"):
        NeighbourBoost().refine(asking(held), ())


def test_the_community_of_the_best_counts_for_more() -> None:
    held = chain()
    names = {uri: document_id(held.project, NOTES.id, uri) for uri in ("a.md", "b.md", "c.md", "d.md")}
    with pytest.raises(SkipStage, match="octavo graph build"):
        CommunityBoost().refine(asking(held), ranked(held))
    with held.store.transaction():
        numbers = {names["a.md"]: 0, names["c.md"]: 0, names["b.md"]: 1, names["d.md"]: 2}
        held.store.graph.put_communities(held.project, numbers, {})
    refined = CommunityBoost(factor=2.0, seeds=1).refine(asking(held), ranked(held, 1.0, 0.9, 0.5, 0.1))
    assert [(one.uri, one.score) for one in refined] == [("a.md", 2.0), ("c.md", 1.0), ("b.md", 0.9), ("d.md", 0.1)]
    with pytest.raises(SkipStage, match="no other candidate"):
        CommunityBoost(seeds=1).refine(asking(held), ranked(held, 0.1, 1.0, 0.2, 0.3))


def test_the_channel_finds_what_is_linked_with_what_the_words_find() -> None:
    held = chain()
    ranking = GraphRecall(seeds=1, hops=2).recall(asking(held, "alpha"))
    known = held.store.documents.candidates(held.project, [one.key for one in ranking.scored])
    assert [known[one.key].uri for one in ranking.scored] == ["b.md", "c.md"]
    assert ranking.scored[0].score > ranking.scored[1].score > 0
    one_hop = GraphRecall(seeds=1, hops=1).recall(asking(held, "alpha"))
    assert [known[one.key].uri for one in one_hop.scored] == ["b.md"]
    narrowed = GraphRecall(seeds=1).recall(asking(held, "alpha", filters=Filters(uris=("a.md", "c.md"))))
    assert [known[one.key].uri for one in narrowed.scored] == ["c.md"]


@pytest.mark.parametrize(("text", "reason"), [("delta", "linked with nothing"), ("zeta", "no word"), ("", "no words")])
def test_the_channel_is_skipped_where_there_is_nothing_to_follow(text: str, reason: str) -> None:
    with pytest.raises(SkipStage, match=reason):
        GraphRecall().recall(asking(chain(), text))


def test_the_stages_can_be_named_in_a_profile() -> None:
    profile = read_profile(
        """
        name = "linked"
        [[recall]]
        stage = "lexical"
        [[recall]]
        stage = "dense"
        [[recall]]
        stage = "graph"
        types = ["links_to", "embeds"]
        [fuse]
        stage = "joined_fusion"
        weights = [["graph", 0.2]]
        [[refine]]
        stage = "neighbour_boost"
        share = 0.2
        [[refine]]
        stage = "community_boost"
        """
    )
    assert profile.refine == (NeighbourBoost(share=0.2), CommunityBoost())
    assert read_profile(write_profile(profile)) == profile
