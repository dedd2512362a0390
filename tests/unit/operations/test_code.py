"""Searching code and putting it in front of a task, over the code blocks of the vault and a file beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import NotIndexed
from octavo.operations.code.code_search import augment, search_code
from octavo.operations.code.requests import AugmentRequest, SearchCodeRequest
from octavo.operations.search.requests import FindSimilarRequest, SearchDocsRequest, SearchRequest
from octavo.operations.search.search_handlers import find_similar, search
from octavo.operations.token_counts_and_page_cursor import tokens

PYTHON = '''"""Tea."""


def brew_tea(minutes: int) -> str:
    """Pours water over leaves and waits."""
    return f"tea after {minutes} minutes"
'''
STEEP = "def steep\n" + "".join(f"  swirl({n}, :pot, :lid, :cup)\n" for n in range(20)) + "end\n"
GUIDE = """# Tea

How tea is made here.

## By hand

```sh
kettle --boil && pour --over leaves
```

## By program

```py
from tea import brew_tea

brew_tea(4)
```
"""


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("kitchen")
    folder = place / "folder"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "tea.py").write_text(PYTHON, "utf-8")
    (folder / "lib" / "tea.js").write_text("function brewTea(minutes) {\n  return minutes;\n}\n", "utf-8")
    (folder / "steep.rb").write_text(STEEP, "utf-8")
    (folder / "tea.toml").write_text('[tea]\nleaves = "green"\n', "utf-8")
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    (folder / "plain.md").write_text("# Brewing\n\nTo brew tea takes leaves, minutes and water.\n", "utf-8")
    settings = {
        "embedding.provider": "hashing",
        "chunking.target_min_tokens": 5,
        "chunking.target_max_tokens": 12,
        "chunking.hard_max_tokens": 30,
        "chunking.min_preferred_tokens": 2,
        "chunking.overlap_tokens": 0,
    }
    with open_library(place / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("kitchen", folder)
        engine.index()
        yield engine


def found(engine: Engine, query: str, **values: object) -> list[str]:
    return [hit.uri for hit in search_code(engine, SearchCodeRequest(query, **values)).hits]  # type: ignore[arg-type]


def test_code_is_found_in_files_and_in_notes_and_prose_is_not(kitchen: Engine) -> None:
    uris = found(kitchen, "brew tea leaves", max_results=20)
    assert {"lib/tea.py", "lib/tea.js", "tea.toml", "guide.md"} <= set(uris)
    assert "plain.md" not in uris


def test_a_language_narrows_to_files_and_code_blocks_in_it_by_whatever_name(kitchen: Engine) -> None:
    assert set(found(kitchen, "brew tea", language="Python", max_results=20)) == {"lib/tea.py", "guide.md"}
    assert set(found(kitchen, "brew tea", language="py", max_results=20)) == {"lib/tea.py", "guide.md"}
    assert found(kitchen, "kettle", language="bash") == ["guide.md"]
    assert found(kitchen, "brew tea", language="cobol") == []


def test_a_code_block_is_cited_by_its_own_lines(kitchen: Engine) -> None:
    (hit,) = search_code(kitchen, SearchCodeRequest("kettle boil", language="shell")).hits
    assert hit.heading_path[-1] == "By hand"
    assert "kettle --boil" in hit.excerpt
    lines = GUIDE.split("\n")[hit.start_line - 1 : hit.end_line]
    assert "\n".join(lines).strip() == hit.excerpt.strip()


def test_the_declaration_comes_before_its_uses(kitchen: Engine) -> None:
    assert found(kitchen, "brew_tea")[0] == "lib/tea.py"
    assert found(kitchen, "brewTea")[0] == "lib/tea.js"


def test_a_path_and_a_file_can_be_asked_for_and_left_out(kitchen: Engine) -> None:
    assert set(found(kitchen, "brew tea", path_prefix="lib/")) == {"lib/tea.py", "lib/tea.js"}
    assert "lib/tea.py" not in found(kitchen, "brew_tea", exclude_file="lib/tea.py")


def test_the_reranker_scores_when_it_is_asked_for(kitchen: Engine) -> None:
    for wanted, stages in ((True, [None]), (False, [])):
        answer = search_code(kitchen, SearchCodeRequest("brew_tea", use_reranker=wanted, explain=True))
        assert [stage.skipped for stage in answer.trace or () if stage.stage == "rerank"] == stages


def test_similar_code_is_asked_for_by_language_too(kitchen: Engine) -> None:
    answer = find_similar(kitchen, FindSimilarRequest("def brew(m): return m", language="py"))
    assert {hit.uri for hit in answer.hits} == {"lib/tea.py", "guide.md"}


def test_code_finds_code_and_prose_finds_prose_unless_kinds_are_named(kitchen: Engine) -> None:
    code = find_similar(kitchen, FindSimilarRequest("function brew(minutes) { return minutes; }", limit=20))
    assert {hit.content_type for hit in code.hits} <= {"code", "comment", "docstring", "config"}
    assert code.hits
    prose = find_similar(kitchen, FindSimilarRequest("Tea is brewed with leaves and water.", limit=20))
    assert {hit.content_type for hit in prose.hits} <= {"prose", "table"}
    assert prose.hits
    notes = find_similar(kitchen, FindSimilarRequest("brew(minutes);", kinds=("note",), limit=20))
    assert "plain.md" in {hit.uri for hit in notes.hits}


def test_a_least_score_leaves_out_what_lies_below_it(kitchen: Engine) -> None:
    every = find_similar(kitchen, FindSimilarRequest("def brew_tea(minutes: int) -> str:", limit=20)).hits
    near = find_similar(kitchen, FindSimilarRequest("def brew_tea(minutes: int) -> str:", limit=20, min_score=0.2)).hits
    assert 0 < len(near) < len(every)
    assert not found(kitchen, "brew_tea", min_score=1.0)


def test_five_hits_are_the_default_and_whole_declarations_their_form(kitchen: Engine) -> None:
    assert (SearchDocsRequest("x").limit, FindSimilarRequest("x").limit, SearchCodeRequest("x").max_results) == (
        5,
        5,
        5,
    )
    hit = search_code(kitchen, SearchCodeRequest("pours water over leaves", language="py")).hits[0]
    assert hit.excerpt == PYTHON[PYTHON.index("def brew_tea") :].rstrip()
    assert (hit.symbol, hit.symbol_kind, hit.language) == ("brew_tea", "function", "python")


def test_a_long_declaration_is_shown_whole_or_by_its_passage(kitchen: Engine) -> None:
    whole, cut = (
        search_code(kitchen, SearchCodeRequest("swirl seven", language="ruby", expand=expand)).hits[0]
        for expand in ("declaration", "passage")
    )
    assert whole.excerpt == STEEP.rstrip()
    assert len(cut.excerpt) < len(whole.excerpt)


def test_code_alone_is_searched_as_code(kitchen: Engine) -> None:
    answer = search(kitchen, SearchRequest("brewTea", kinds=("code",)))
    assert (answer.profile, answer.hits[0].uri, "symbol" in answer.hits[0].matched) == ("code", "lib/tea.js", True)
    assert search(kitchen, SearchRequest("brewTea", kinds=("code", "note"))).profile == "hybrid"
    assert search(kitchen, SearchRequest("brewTea", kinds=("code",), profile="hybrid")).profile == "hybrid"


def test_hits_are_narrowed_to_content_types_and_to_what_found_them(kitchen: Engine) -> None:
    config = search(kitchen, SearchRequest("tea leaves", content_types=("config",), show_all=True)).hits
    assert {hit.uri for hit in config} == {"tea.toml"}
    named = search(kitchen, SearchRequest("brewTea", profile="code", matched=("symbol",))).hits
    assert named
    assert all("symbol" in hit.matched for hit in named)
    assert not search(kitchen, SearchRequest("brewTea", profile="code", matched=("graph",))).hits


def test_a_task_is_augmented_with_what_fits(kitchen: Engine) -> None:
    answer = augment(kitchen, AugmentRequest("Write a test for brew_tea", max_context_tokens=400))
    assert answer.text.endswith("\n\nWrite a test for brew_tea")
    assert answer.quotations[0].uri == "lib/tea.py"
    assert "def brew_tea(minutes: int) -> str:" in answer.context
    assert answer.tokens == tokens(answer.context) <= 400


@pytest.mark.parametrize("room", [50, 60, 80, 120, 200])
def test_a_context_is_never_longer_than_its_room(kitchen: Engine, room: int) -> None:
    answer = augment(kitchen, AugmentRequest("brew tea", max_context_tokens=room, max_results=10))
    assert answer.tokens <= room
    assert all(0 < one.shown <= one.end_line - one.start_line + 1 for one in answer.quotations)


def test_a_task_that_nothing_is_known_of_stays_as_it_is(kitchen: Engine) -> None:
    answer = augment(kitchen, AugmentRequest("zzz", language="cobol"))
    assert (answer.text, answer.context, answer.tokens, answer.quotations) == ("zzz", "", 0, ())


def test_an_empty_library_is_an_error_with_a_hint(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("empty") / "library.db"
    with (
        open_library(path, create=True, settings={"embedding.provider": "hashing"}) as engine,
        pytest.raises(NotIndexed),
    ):
        search_code(engine, SearchCodeRequest("x"))


def test_of_a_note_its_code_block_alone_is_shown_and_comes_after_the_code(kitchen: Engine) -> None:
    hits = search_code(kitchen, SearchCodeRequest("brew_tea", max_results=20)).hits
    uris = [hit.uri for hit in hits]
    assert uris.index("lib/tea.py") < uris.index("guide.md")
    blocks = [hit for hit in hits if hit.uri == "guide.md"]
    lines = GUIDE.split("\n")
    for block in blocks:
        assert block.excerpt.startswith("```")
        assert lines[block.start_line - 1 : block.end_line] == block.excerpt.split("\n")
