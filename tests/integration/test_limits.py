"""A longer list of hits begins with the shorter one, whatever the limits, the profile and the engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from git_repository import GitRepository
from workbench import ENGINES, bench_on

from octavo.engine import library_search
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.fast_dataclass import replace
from octavo.model.document import Kind
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES, profile_named
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo_stages.section_stages import CapPerSection, ParentExpansion

WORDS = (
    "lamp",
    "tower",
    "signal",
    "keeper",
    "tide",
    "rope",
    "gull",
    "mast",
    "storm",
    "chart",
    "bell",
    "fog",
    "salt",
    "pier",
)
LIMITS = (1, 10, 100, 101, 400)
SHAPED = replace(
    PROFILES["hybrid"],
    name="shaped",
    refine=(*PROFILES["hybrid"].refine, CapPerSection(2), ConfidenceFloor(share=0.05), ParentExpansion()),
)


def corpus(random_: random.Random, count: int) -> dict[str, str]:
    """Notes of one to eight sections; frequent words are in most of them."""

    def sentence() -> str:
        return " ".join(WORDS[int(random_.random() ** 2 * len(WORDS))] for _ in range(random_.randint(8, 40))) + "."

    def note(number: int) -> str:
        sections = (f"## Part {part}\n\n{sentence()}\n" for part in range(random_.randint(1, 8)))
        return f"# Note {number}\n\n{sentence()}\n\n" + "\n".join(sections)

    return {f"{number % 7}/{number}.md": note(number) for number in range(count)}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    bench, settings = bench_on(request.param, tmp_path_factory.mktemp("limits"), request)
    bench.write(corpus(random.Random(38), 300))
    repository = GitRepository(bench.folder)
    for number in range(30):
        repository.commit(f"Mend the lamp of tower {number}", {"log.txt": f"{number}\n"})
    with (
        pytest.MonkeyPatch.context() as patched,
        open_engine(bench.config(embedding={}, **settings), create=True) as engine,
    ):
        patched.setattr(library_search, "JUDGED_WITHIN", {False: 600.0, True: 600.0})  # what is learnt moves scores
        engine.add_collection("notes", bench.folder)
        engine.index()
        yield engine


def hits(engine: Engine, text: str, limit: int, profile: RetrievalProfile, *, floor: bool) -> list[object]:
    result = engine.search(Query(text, limit, floor=floor), profile)
    return [(hit.chunk_id, hit.citation, hit.score, hit.excerpt) for hit in result.hits]


@pytest.mark.parametrize("name", [*sorted(PROFILES), SHAPED.name])
def test_a_longer_list_begins_with_the_shorter_one(engine: Engine, name: str) -> None:
    profile = SHAPED if name == SHAPED.name else profile_named(name)
    for text, floor in (("lamp of the keeper", False), ("tower signal", True)):
        lists = [hits(engine, text, limit, profile, floor=floor) for limit in LIMITS]
        for shorter, longer in pairwise(lists):
            assert longer[: len(shorter)] == shorter


def test_as_many_hits_as_are_asked_for_are_given_where_there_are_so_many(engine: Engine) -> None:
    result = engine.search(Query("lamp", 400, floor=False), PROFILES["hybrid"])
    assert len(result.hits) == 400
    assert len({hit.chunk_id for hit in result.hits}) == 400
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)


def test_no_document_takes_more_places_in_a_long_list(engine: Engine) -> None:
    documents = [hit.document_id for hit in engine.search(Query("lamp", 1000, floor=False), PROFILES["hybrid"]).hits]
    assert max(map(documents.count, documents)) <= 3


def test_commits_take_no_more_than_a_fifth_of_the_first_places_whatever_the_limit(engine: Engine) -> None:
    for limit in (5, 10, 50, 300):
        found = engine.search(Query("mend lamp tower", limit, floor=False), PROFILES["hybrid"]).hits
        commits = [hit.kind is Kind.COMMIT for hit in found]
        assert sum(commits[:5]) <= 1 and sum(commits[:10]) <= 2 and (limit < 300 or any(commits))


def test_a_recorded_search_for_many_hits_is_answered_again_as_it_was(engine: Engine) -> None:
    query = Query("lamp of the keeper", 300, floor=False)
    result, recording = engine.record(query, PROFILES["hybrid"])
    assert result.hits == engine.search(query, PROFILES["hybrid"]).hits
    assert engine.replay(recording).hits == result.hits
