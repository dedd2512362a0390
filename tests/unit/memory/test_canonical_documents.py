"""Canonical documents: one for a key, exact slices, and packs that never outgrow their budget."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.operations.canonical_documents.requests import (
    CanonicalContextPackRequest,
    CanonicalGetRequest,
    CanonicalGetSectionRequest,
    CanonicalListRequest,
    CanonicalUpsertRequest,
)
from octavo.operations.canonical_documents.write_read_and_pack import (
    canonical_context_pack,
    canonical_get,
    canonical_get_section,
    canonical_list,
    canonical_outline,
    canonical_upsert,
)
from octavo.operations.memory.memory_reading_and_writing import memory_diff, remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemoryDiffRequest, RecallRequest, RememberRequest
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.token_counts_and_page_cursor import tokens

GOLDEN = Path(__file__).parents[2] / "golden" / "memory"
SPEC = (GOLDEN / "spec.md").read_text("utf-8")
PLAN = (GOLDEN / "plan.md").read_text("utf-8")


def put(engine: Engine, key: str = "spec/app", text: str = SPEC, **given: object) -> tuple[str, int, str]:
    done = canonical_upsert(engine, CanonicalUpsertRequest(key=key, text=text, **given))  # type: ignore[arg-type]
    return done.item, done.version, done.action


def golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("OCTAVO_UPDATE_GOLDEN"):
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def test_a_key_has_one_document_and_writing_the_same_again_changes_nothing(engine: Engine, clock: SetClock) -> None:
    item, version, action = put(engine, doc_class="app_spec")
    assert (version, action) == (1, "created")
    clock.now += 1.0
    assert put(engine) == (item, 1, "unchanged")
    assert put(engine, "/spec/app/") == (item, 1, "unchanged")
    assert put(engine, text=SPEC + "\nMore.\n") == (item, 2, "revised")
    found = canonical_get(engine, CanonicalGetRequest("spec/app"))
    assert (found.item, found.doc_class, found.text) == (item, "app_spec", SPEC + "\nMore.\n")
    assert canonical_get(engine, CanonicalGetRequest("spec/app", version=1)).text == SPEC
    assert [document.key for document in canonical_list(engine, CanonicalListRequest()).documents] == ["spec/app"]
    with pytest.raises(Conflict, match="is at version 2, not 1"):
        put(engine, text="late", expected_version=1)
    with pytest.raises(NotFound, match="no canonical document spec/ap"):
        canonical_get(engine, CanonicalGetRequest("spec/ap"))


def test_a_title_from_a_heading_goes_with_the_heading_and_one_that_was_given_stays(engine: Engine) -> None:
    put(engine, "a", "# One\n\nText.\n")
    put(engine, "b", "# One\n\nText.\n", title="Given")
    for key in "ab":
        put(engine, key, "# Two\n\nOther.\n")
    assert [document.title for document in canonical_list(engine, CanonicalListRequest()).documents] == ["Two", "Given"]


def test_the_same_key_of_an_idempotent_request_gives_the_first_answer(engine: Engine) -> None:
    first = put(engine, idempotency_key="k")
    put(engine, text="# Other\n")
    assert put(engine, idempotency_key="k") == first
    with pytest.raises(Conflict, match="was used for something else"):
        put(engine, text="# A third\n", idempotency_key="k")


def test_a_section_is_an_exact_slice_with_everything_below_it(engine: Engine) -> None:
    put(engine)
    outline = canonical_outline(engine, CanonicalGetRequest("spec/app")).sections
    assert [one.anchor for one in outline] == ["boiler-control", "readings", "limits", "alarms", "who-is-called"]
    for one in outline:
        found = canonical_get_section(engine, CanonicalGetSectionRequest("spec/app", one.anchor))
        assert found.text == SPEC[one.start : one.end]
        assert found.text.startswith("#" * one.level + " " + one.title)
        lines = SPEC.split("\n")[one.start_line - 1 : one.end_line]
        assert found.text.rstrip("\n") == "\n".join(lines).rstrip("\n")
    by_title = canonical_get_section(engine, CanonicalGetSectionRequest("spec/app", "Who is called"))
    assert by_title.anchor == "who-is-called"
    with pytest.raises(NotFound, match="no section nowhere"):
        canonical_get_section(engine, CanonicalGetSectionRequest("spec/app", "#nowhere"))


def test_a_canonical_document_is_cut_without_overlap(engine: Engine) -> None:
    words = " ".join(f"word{number}" for number in range(3_000))
    item, _, _ = put(engine, text=f"# Long\n\n{words}\n")
    memories = engine.memories
    from octavo.memory.draft import MemoryDraft, prepared_of
    from octavo.model.memory import MemoryId

    cut = prepared_of(memories, MemoryId(item), MemoryDraft(words, canonical_key="x"), 0.0).chunks
    plain = prepared_of(memories, MemoryId(item), MemoryDraft(words), 0.0).chunks
    assert len(cut) > 3
    assert all(a.chunk.span.end <= b.chunk.span.start for a, b in pairwise(cut))
    assert any(a.chunk.span.end > b.chunk.span.start for a, b in pairwise(plain))


def test_a_pack_reads_as_its_golden_file(engine: Engine, clock: SetClock) -> None:
    clock.now = 1_700_000_000.0
    put(engine, doc_class="app_spec")
    put(engine, "plans/valves", PLAN, doc_class="implementation_plan")
    asked = canonical_context_pack(
        engine, CanonicalContextPackRequest("who is called when the pressure alarm goes off?", 160)
    )
    golden("pack-asked.txt", named(engine, OPERATIONS["canonical_context_pack"].written(asked)) + "\n")
    whole = canonical_context_pack(engine, CanonicalContextPackRequest(max_tokens=2_000))
    golden("pack-whole.txt", named(engine, OPERATIONS["canonical_context_pack"].written(whole)) + "\n")


def named(engine: Engine, text: str) -> str:
    """Ids depend on when a memory was made: names stand for them."""
    for number, one in enumerate(canonical_list(engine, CanonicalListRequest()).documents, 1):
        text = text.replace(one.item, f"mem_{number:020d}")
    return text


def test_diffs_read_as_their_golden_files(engine: Engine, clock: SetClock) -> None:
    item, _, _ = put(engine)
    clock.now += 1.0
    changed = SPEC.replace("90 °C", "85 °C").replace("## Alarms", "## Warnings") + "\n## Appendix\n\nTwo pages.\n"
    put(engine, text=changed)
    whole = memory_diff(engine, MemoryDiffRequest(item))
    golden("diff.txt", named(engine, whole.diff))
    sections = memory_diff(engine, MemoryDiffRequest(item, by_section=True))
    golden("diff-sections.txt", named(engine, OPERATIONS["memory_diff"].written(sections) + "\n"))
    assert {(section.change, section.anchor) for section in sections.sections} >= {
        ("changed", "limits"),
        ("added", "appendix"),
    }
    put(engine, text=SPEC)
    assert memory_diff(engine, MemoryDiffRequest(item, 1, 3)).diff == ""
    assert memory_diff(engine, MemoryDiffRequest(item, 1, 3, by_section=True)).sections == ()


@settings(max_examples=examples(25))
@given(budget=st.integers(50, 700), query=st.sampled_from(["", "pressure", "who is called", "valves and limits"]))
def test_a_pack_never_outgrows_its_budget_and_cites_exactly(packed: Engine, budget: int, query: str) -> None:
    found = canonical_context_pack(packed, CanonicalContextPackRequest(query, budget))
    assert tokens(found.text) == found.tokens <= budget
    texts = {"spec/app": SPEC, "plans/valves": PLAN}
    for one in found.passages:
        assert one.text == texts[one.key][one.start : one.end]
        assert f"{one.citation}" in found.text
        assert texts[one.key].split("\n")[one.start_line - 1 : one.end_line][0] == one.text.split("\n")[0]
    spans = sorted((passage.key, passage.start, passage.end) for passage in found.passages)
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(spans))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    path = tmp_path_factory.mktemp("packs") / "library.db"
    engine = open_library(path, create=True, settings={"embedding.provider": "hashing"})
    put(engine)
    put(engine, "plans/valves", PLAN)
    return engine


def test_a_small_pack_holds_the_section_that_answers_and_cites_it(engine: Engine) -> None:
    """Its neighbours are about the same and would not fit with it."""
    filler = "The boiler room has pumps, pipes and gauges, and the pumps are checked. " * 5
    answer = "The pressure alarm calls the engineer on duty, who closes the inlet valve first. " * 5
    parts = [f"## Part {number}\n\n{filler}Pressure is shown on gauge {number}.\n" for number in range(6)]
    text = "# Plant\n\n" + "\n".join([*parts[:3], f"## Alarm\n\n{answer}\n", *parts[3:]])
    put(engine, text=text)
    pack = canonical_context_pack(engine, CanonicalContextPackRequest("who does the pressure alarm call?", 300))
    assert pack.tokens <= 300
    texts = {passage.heading_path: passage.text for passage in pack.passages}
    assert texts["Plant", "Alarm"] == f"## Alarm\n\n{answer}".rstrip()
    wide = canonical_context_pack(engine, CanonicalContextPackRequest("who does the pressure alarm call?", 1_200))
    assert {passage.heading_path[-1] for passage in wide.passages} > {"Alarm"}
    assert all(passage.text.startswith(("## ", "# ")) for passage in wide.passages)


def test_a_recalled_memory_is_cited_by_its_section_with_all_its_passages_when_asked(engine: Engine) -> None:
    text = "# Plant\n\n" + "".join(f"## Part {n}\n\nPump {n} hums.{' It is oiled daily.' * 40}\n\n" for n in range(4))
    put(engine, text=text)
    (found,) = recall(engine, RecallRequest("pump 2 hums", include_chunks=True)).memories
    assert found.heading_path[-1] == "Part 2"
    assert (found.anchor, text[found.start : found.end]) == ("part-2", found.text)
    assert text.split("\n")[found.start_line - 1].startswith("## Part 2")
    assert found.uri == f"{found.item}.md" or found.item in found.uri
    assert found.chunks is not None
    assert len(found.chunks) > 1
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in found.chunks)
    assert recall(engine, RecallRequest("pump 2 hums")).memories[0].chunks is None


def test_a_pack_keeps_to_the_documents_and_classes_asked_for(engine: Engine) -> None:
    put(engine, doc_class="app_spec")
    put(engine, "plans/valves", PLAN, doc_class="implementation_plan")
    one = canonical_context_pack(engine, CanonicalContextPackRequest("valves", keys=("spec/app",)))
    assert {passage.key for passage in one.passages} <= {"spec/app"}
    two = canonical_context_pack(engine, CanonicalContextPackRequest("valves", doc_classes=("implementation_plan",)))
    assert {passage.key for passage in two.passages} == {"plans/valves"}
    with pytest.raises(NotFound, match="nowhere"):
        canonical_context_pack(engine, CanonicalContextPackRequest("valves", keys=("nowhere",)))
    none = canonical_context_pack(engine, CanonicalContextPackRequest("valves", doc_classes=("nothing",)))
    assert (none.passages, none.text, none.tokens) == ((), "", 0)


def test_what_a_pack_said_is_not_remembered_again(engine: Engine) -> None:
    put(engine)
    found = canonical_context_pack(engine, CanonicalContextPackRequest("pressure"))
    done = remember(engine, RememberRequest(text=OPERATIONS["canonical_context_pack"].written(found)))
    assert done.action == "unchanged"


def test_canonical_documents_count_for_more_and_can_be_asked_for_alone(engine: Engine) -> None:
    remember(engine, RememberRequest(text="The pressure was read twice today, nothing unusual about the pressure."))
    item, _, _ = put(engine, doc_class="app_spec")
    assert {memory.item for memory in recall(engine, RecallRequest("pressure", canonical_only=True)).memories} == {item}
    assert recall(engine, RecallRequest("pressure", doc_classes=("other",))).memories == ()
    assert len(recall(engine, RecallRequest("pressure")).memories) == 2


@pytest.mark.parametrize("key", ["", "  ", "a#b", "a\nb", "x" * 501])
def test_a_key_that_cannot_be_cited_is_refused(engine: Engine, key: str) -> None:
    with pytest.raises(InvalidArgument):
        put(engine, key)
