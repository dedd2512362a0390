"""A place is filtered by as it is shown: with the collection's name in front as well as without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.operations.code.code_search import search_code
from octavo.operations.code.requests import SearchCodeRequest
from octavo.operations.search.requests import FindSimilarRequest, SearchRequest
from octavo.operations.search.search_handlers import find_similar, search

TEXT = "# Dome\n\nThe dome opens at dusk.\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """`notes` and `other` hold the same uris; `other` has a folder that is called like the first collection."""
    root = tmp_path_factory.mktemp("places")
    for name in ("notes/sky/dome.md", "other/sky/dome.md", "notes/README.md", "mixed/other/dome.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(TEXT, encoding="utf-8")
    (root / "notes/dome.py").write_text("def open_dome():\n    return 'dusk'\n", encoding="utf-8")
    settings = {"embedding.provider": "hashing"}
    with open_library(root / "library.db", create=True, settings=settings) as engine:
        for name in ("notes", "other", "mixed"):
            engine.add_collection(name, root / name)
        engine.index()
        yield engine


def places(engine: Engine, **filters: object) -> set[str]:
    found = search(engine, SearchRequest("dome dusk", limit=50, **filters))  # type: ignore[arg-type]
    copies = {place.rpartition(":")[0] for hit in found.hits for place in hit.also_in or ()}
    return copies | {f"{hit.collection}/{hit.uri}" for hit in found.hits}


@pytest.mark.parametrize("prefix", ["notes/sky/", "notes/sky", "notes/sky/dome.md"])
def test_a_path_prefix_may_begin_with_the_collection(library: Engine, prefix: str) -> None:
    assert places(library, path_prefix=prefix) == {"notes/sky/dome.md"}
    assert places(library, path_prefix=prefix, collections=("other",)) == set()


def test_the_name_of_a_collection_alone_is_the_whole_of_it(library: Engine) -> None:
    assert places(library, path_prefix="notes/") >= {"notes/sky/dome.md", "notes/README.md"}
    assert all(one.startswith("notes/") for one in places(library, path_prefix="notes"))


def test_a_real_folder_of_that_name_goes_first(library: Engine) -> None:
    assert places(library, path_prefix="other/") == {"mixed/other/dome.md"}
    assert places(library, uris=("other/dome.md",)) == {"mixed/other/dome.md"}


def test_documents_may_be_named_with_their_collection(library: Engine) -> None:
    assert places(library, uris=("notes/sky/dome.md",)) == {"notes/sky/dome.md"}
    assert places(library, uris=("sky/dome.md",)) == {"notes/sky/dome.md", "other/sky/dome.md"}
    assert places(library, uris=("nowhere/dome.md",)) == set()


def test_only_the_document_of_the_named_collection_is_left_out(library: Engine) -> None:
    def left(name: str) -> set[str]:
        found = find_similar(library, FindSimilarRequest(TEXT, limit=50, exclude_file=name))
        return {f"{hit.collection}/{hit.uri}" for hit in found.hits if hit.uri == "sky/dome.md"}

    assert left("notes/sky/dome.md") == {"other/sky/dome.md"}
    assert left("sky/dome.md") == set()


def test_code_is_searched_below_a_collection_too(library: Engine) -> None:
    found = search_code(library, SearchCodeRequest("open dome", path_prefix="notes/dome"))
    assert {hit.uri for hit in found.hits} == {"dome.py"}
