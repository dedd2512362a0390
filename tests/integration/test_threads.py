"""One engine, several threads: searches go on while a run writes, and each sees one state of the library."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from workbench import Bench

from octavo.engine.engine import Engine
from octavo.model.query import Query
from octavo.model.search_result import Result
from octavo.retrieval.profiles_by_name import PROFILES

FILES = 120


def text(number: int, edition: int) -> str:
    return f"# Note {number}\n\nzebrafish number {number}, edition {edition}\n\n" + f"padding {edition} " * (
        10 * edition
    )


def assert_whole(engine: Engine, result: Result) -> None:
    """Every hit is a slice of a text that was there, and of the document it cites."""
    for hit in result.hits:
        versions = engine.store.documents.versions(engine.project.id, hit.document_id)
        texts = engine.store.documents.texts(engine.project.id, {version.text_hash for version in versions})
        assert hit.excerpt in {hit.citation.span.of(text) for text in texts.values()}
    assert not [stage for stage in result.trace if stage.failed]


@pytest.mark.parametrize("profile", ["hybrid", "dense_only", "lexical_only"])
def test_searches_beside_a_run_each_see_one_state_of_the_library(bench: Bench, profile: str) -> None:
    bench.write({f"{number}.md": text(number, 1) for number in range(FILES)})
    with bench.opened() as engine:
        engine.index()
        done = threading.Event()

        def search(number: int) -> int:
            asked = 0
            while not done.is_set() or asked < 3:
                query = Query(f"zebrafish number {number + asked}", limit=20)
                assert_whole(engine, engine.search(query, PROFILES[profile]))
                asked += 1
            return asked

        with ThreadPoolExecutor(3) as threads:
            asking = [threads.submit(search, number) for number in range(3)]
            try:
                for edition in (2, 3):
                    bench.write({f"{number}.md": text(number, edition) for number in range(0, FILES, 2)})
                    (bench.folder / f"{edition}-gone.md").write_text("zebrafish of a day\n")
                    assert engine.index().collections[0].changed == FILES // 2
                    (bench.folder / f"{edition}-gone.md").unlink()
                    engine.index()
            finally:
                done.set()
            assert all(one.result(timeout=120) >= 3 for one in asking)
        # What was indexed is what is found, by the same engine and by a new one.
        again = [hit.citation for hit in engine.search(Query("edition 3", limit=50), PROFILES[profile]).hits]
    with bench.opened() as fresh:
        assert [hit.citation for hit in fresh.search(Query("edition 3", limit=50), PROFILES[profile]).hits] == again
    assert bench.problems() == ()
