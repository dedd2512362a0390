"""Another embedding profile takes over: filled in the background while the old one answers, then switched at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from embedding_services import DIMENSIONS, Service, served

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import Conflict, NotFound, RecipeMismatch
from octavo.model.job import Job, JobState
from octavo.operations.canonical_documents.requests import CanonicalUpsertRequest
from octavo.operations.canonical_documents.write_read_and_pack import canonical_upsert
from octavo.operations.embedding_profiles.list_set_fill_and_activate import (
    profiles_activate,
    profiles_list,
    profiles_reindex,
    profiles_set,
)
from octavo.operations.embedding_profiles.requests import (
    ProfilesActivateRequest,
    ProfilesListRequest,
    ProfilesReindexRequest,
    ProfilesSetRequest,
)
from octavo.operations.jobs.list_retry_and_run_jobs import work, work_shortly
from octavo.operations.library.doctor import doctor
from octavo.operations.library.requests import DoctorRequest
from octavo.operations.library.status import full_status
from octavo.operations.memory.memory_reading_and_writing import memory_commit, remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemoryCommitRequest, RecallRequest, RememberRequest
from octavo.operations.models.list_fetch_train_and_activate import models_activate
from octavo.operations.models.requests import ModelsActivateRequest
from octavo.operations.projects.projects_and_sessions import sessions_list
from octavo.operations.projects.requests import SessionsListRequest
from octavo.operations.search.requests import FindSimilarRequest, SearchRequest
from octavo.operations.search.search_handlers import find_similar, search

SETTINGS = {"embedding.provider": "hashing"}
FAST = Jobs(retry_seconds=0.001, max_retry_seconds=0.001, max_attempts=3)


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as running:
        yield running


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.db"
    with open_library(path, create=True, settings=SETTINGS) as engine:
        for number in range(5):
            remember(engine, RememberRequest(text=f"The boiler number {number} stands in cellar {number * 7}."))
        work(engine, FAST)
    return path


def states(engine: Engine) -> dict[str, tuple[str, int]]:
    found = profiles_list(engine, ProfilesListRequest()).profiles
    return {one.name: (one.state, one.chunks) for one in found}


def upsert(engine: Engine, service: Service, activate: bool = False, retries: int = 0) -> None:
    request = ProfilesSetRequest("local", "ollama", "a-model", url=service.url, retries=retries, activate=activate)
    profiles_set(engine, request, by_person=True)


def test_a_profile_is_filled_while_the_old_one_answers_and_then_takes_over_in_every_process(
    library: Path, service: Service
) -> None:
    with open_library(library, settings=SETTINGS) as here, open_library(library, settings=SETTINGS) as there:
        assert recall(there, RecallRequest("boiler")).pending == 0
        upsert(here, service)
        assert states(here) == {"configured": ("active", 5), "local": ("idle", 0)}
        with pytest.raises(Conflict, match="5 chunks have no vector under local"):
            profiles_activate(here, ProfilesActivateRequest("local"))
        assert profiles_reindex(here, ProfilesReindexRequest("local")).job
        assert states(here)["local"] == ("filling", 0)
        remember(there, RememberRequest(text="A sixth boiler came while the profile was filled."))
        assert len(recall(there, RecallRequest("boiler")).memories) == 6
        assert here.embedder.profile.dimensions == 64
        done = work(here, FAST)
        assert (done.failed, done.dead) == (0, 0)
        assert states(there) == {"configured": ("idle", 5), "local": ("active", 6)}
        asked = len(service.seen)
        assert recall(there, RecallRequest("sixth boiler")).memories[0].text.startswith("A sixth")
        assert there.embedder.profile.dimensions == DIMENSIONS
        assert [body["input"] for body in service.bodies[asked:]] == [["sixth boiler"]]
        remember(here, RememberRequest(text="A seventh boiler is embedded by the new profile alone."))
        work(there, FAST)
        assert states(here) == {"configured": ("idle", 5), "local": ("active", 7)}
        with pytest.raises(Conflict, match="2 chunks have no vector under configured"):
            profiles_activate(here, ProfilesActivateRequest("configured"))
    with open_library(library, settings=SETTINGS) as later:
        assert later.embedder.profile.name == "local"


def test_a_process_that_was_open_goes_on_indexing_after_another_switched(
    library: Path, service: Service, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Boilers\n\nAll about boilers.\n", "utf-8")
    with open_library(library, settings=SETTINGS) as here, open_library(library, settings=SETTINGS) as there:
        there.add_collection("notes", notes)
        there.index()
        upsert(here, service, activate=True)
        work(here, FAST)
        assert states(here)["local"][0] == "active"
        (notes / "b.md").write_text("# Valves\n\nAll about valves.\n", "utf-8")
        there.index()
        assert there.embedder.profile.name == "local"
        assert there.freshness().pending == 0


def test_going_back_is_instant_where_nothing_is_missing(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        assert states(engine)["local"][0] == "active"
        profiles_activate(engine, ProfilesActivateRequest("configured"))
        assert states(engine) == {"configured": ("active", 5), "local": ("idle", 5)}
        assert engine.embedder.profile.dimensions == 64
        profiles_activate(engine, ProfilesActivateRequest("local"))
        assert engine.embedder.profile.dimensions == DIMENSIONS
        with pytest.raises(NotFound, match="nowhere"):
            profiles_activate(engine, ProfilesActivateRequest("nowhere"))


@pytest.mark.parametrize(
    "trouble",
    [
        (429, {"error": "slow down"}, {}),
        (500, {"error": "no"}, {}),
        "break",
        lambda answer: {**answer, "embeddings": [[1.0] * 3 for _ in answer["embeddings"]]},
        lambda answer: {**answer, "embeddings": [[float("nan")] * DIMENSIONS for _ in answer["embeddings"]]},
    ],
    ids=["429", "500", "broken", "dimensions", "nan"],
)
def test_a_service_that_fails_once_is_tried_again_and_one_that_keeps_failing_changes_nothing(
    library: Path, service: Service, trouble: object
) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        service.trouble = [trouble]
        done = work_until_settled(engine)
        assert (done, states(engine)["local"]) == ([], ("active", 5))
    with open_library(library, settings=SETTINGS) as engine:
        profiles_activate(engine, ProfilesActivateRequest("configured"))
        request = ProfilesSetRequest("other", "ollama", "b", DIMENSIONS, url=service.url, retries=0, activate=True)
        profiles_set(engine, request, by_person=True)
        service.trouble = [trouble] * 50
        assert [job.kind for job in work_until_settled(engine)] == ["reindex_profile"]
        assert states(engine) == {"configured": ("active", 5), "local": ("idle", 5), "other": ("filling", 0)}
        assert len(recall(engine, RecallRequest("boiler")).memories) == 5


def work_until_settled(engine: Engine) -> list[Job]:
    """Until no job waits to be tried again; the dead ones."""
    while engine.store.outbox.jobs(engine.project.id, [JobState.READY, JobState.LEASED]):
        work(engine, FAST)
    return list(engine.store.outbox.jobs(engine.project.id, [JobState.DEAD]))


def test_a_profile_that_answers_keeps_the_meaning_of_its_vectors(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        with pytest.raises(Conflict, match="its vectors would no longer fit"):
            request = ProfilesSetRequest("local", "ollama", "another", DIMENSIONS, url=service.url)
            profiles_set(engine, request, by_person=True)
        slower = ProfilesSetRequest("local", "ollama", "a-model", url=service.url, requests_per_minute=600.0)
        assert profiles_set(engine, slower, by_person=True).profile.state == "active"


@pytest.mark.parametrize(
    ("provider", "model", "options"), [("voyage", "voyage-context-3", {}), ("jina", "m", {"late_chunking": True})]
)
def test_chunks_of_a_specification_are_embedded_in_sight_of_each_other_and_others_alone(
    library: Path, service: Service, provider: str, model: str, options: dict[str, bool]
) -> None:
    words = [" ".join(f"word{number}-{place}" for place in range(150)) for number in range(4)]
    text = "# Spec\n\n" + "\n\n".join(f"## Part {number}\n\n{one}" for number, one in enumerate(words))
    with open_library(library, settings=SETTINGS) as engine:
        for key, doc_class in (("spec/app", "app_spec"), ("other", "notes")):
            request = CanonicalUpsertRequest(key=key, text=text.replace("Spec", key), doc_class=doc_class)
            canonical_upsert(engine, request)
        asked = ProfilesSetRequest(
            "together", provider, model, DIMENSIONS, url=service.url, retries=0, activate=True, **options
        )
        profiles_set(engine, asked, by_person=True)
        assert work(engine, FAST).dead == 0
        assert states(engine)["together"][0] == "active"
        if provider == "voyage":
            groups = [group for body in service.bodies for group in body["inputs"]]
        else:
            groups = [body["input"] for body in service.bodies if body.get("late_chunking")]
        (whole,) = [group for group in groups if len(group) > 1]
        assert all("spec/app" in one for one in whole)
        assert [part for one in whole for part in ("Part 0", "Part 3") if part in one] == ["Part 0", "Part 3"]
        assert not any("other" in one for one in whole)


def test_a_specification_that_was_edited_is_embedded_whole_and_shares_no_vector_with_its_copy(
    library: Path, service: Service
) -> None:
    words = [" ".join(f"word{number}-{place}" for place in range(150)) for number in range(4)]
    text = "# Spec\n\n" + "\n\n".join(f"## Part {number}\n\n{one}" for number, one in enumerate(words))
    with open_library(library, settings=SETTINGS) as engine:
        for key in ("spec/app", "spec/copy"):
            canonical_upsert(engine, CanonicalUpsertRequest(key=key, text=text, doc_class="app_spec"))
        asked = ProfilesSetRequest(
            "together", "voyage", "voyage-context-3", DIMENSIONS, url=service.url, retries=0, activate=True
        )
        profiles_set(engine, asked, by_person=True)
        assert work(engine, FAST).dead == 0

        def together() -> list[list[str]]:
            return [group for body in service.bodies for group in body["inputs"] if len(group) > 1]

        first, copy = together()
        assert first == copy
        chunks = engine.store.embeddings.assignments(engine.project.id)
        shared = [len(set(chunks[chunks[:, 1] == key][:, 0])) for key in set(chunks[:, 1].tolist())]
        assert max(shared) == 1
        edited = text.replace("word2-7 ", "another ")
        canonical_upsert(engine, CanonicalUpsertRequest(key="spec/app", text=edited, doc_class="app_spec"))
        assert work(engine, FAST).dead == 0
        (again,) = together()[2:]
        assert len(again) == len(first)
        assert sum(old != new for old, new in zip(first, again, strict=True)) == 1
        assert engine.store.check() == ()


def test_a_service_is_asked_once_for_the_first_query_of_a_process(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
    for ask in (
        lambda: recall(engine, RecallRequest("boiler number 2")),
        lambda: search(engine, SearchRequest("boiler number 2")),
    ):
        before = len(service.seen)
        with open_library(library, settings=SETTINGS) as engine:
            ask()
        assert [body["input"] for body in service.bodies[before:]] == [["boiler number 2"]]


def test_a_service_that_is_down_is_asked_once_and_the_answer_says_what_was_not_searched(library: Path) -> None:
    with served() as service, open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        assert recall(engine, RecallRequest("boiler")).degraded is None
    with open_library(library, settings=SETTINGS) as engine:
        for _ in range(2):
            found = recall(engine, RecallRequest("boiler cellar"))
            assert len(found.memories) == 5
            assert found.degraded and found.degraded[0].startswith("dense: local (ollama) at http://")
            assert "does not answer" in found.degraded[0]
        similar = find_similar(engine, FindSimilarRequest(snippet="the boiler stands in the cellar"))
        assert similar.hits and similar.degraded
        assert "does not answer" in similar.degraded[0]


def test_a_question_about_the_past_says_what_was_not_searched(library: Path) -> None:
    with served() as service, open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        first = recall(engine, RecallRequest("boiler number 1")).memories[0]
        memory_commit(engine, MemoryCommitRequest(text="The boiler number 1 is gone.", item=first.item))
    with open_library(library, settings=SETTINGS) as engine:
        found = recall(engine, RecallRequest("boiler cellar", as_of=first.updated_at))
        assert found.memories and found.degraded
        assert all(said.startswith("dense: local (ollama) at http://") for said in found.degraded)
        assert search(engine, SearchRequest("boiler cellar", as_of=first.updated_at)).degraded


def test_the_bundled_encoder_answers_for_a_service_that_is_down_and_the_answer_says_so(library: Path) -> None:
    settings = {**SETTINGS, "embedding.fallback": "bundled"}
    with served() as service, open_library(library, settings=settings) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        remember(engine, RememberRequest(text="Fresh loaves are baked at dawn."))
        work(engine, FAST)
        assert recall(engine, RecallRequest("boiler")).degraded is None
        bundled = engine.library.active.setup.fallback
        assert bundled is not None
        assert engine.store.embeddings.coverage(engine.project.id, bundled.profile) == (6, 6)
    with open_library(library, settings=settings) as engine:
        found = recall(engine, RecallRequest("bread from the oven"))
        assert [memory.text for memory in found.memories] == ["Fresh loaves are baked at dawn."]  # shares no word
        assert found.degraded is not None
        (said,) = found.degraded
        assert said.startswith("dense: local (ollama) at http://")
        assert said.endswith("; octavo-encoder-2 answered in its place")


def test_a_search_asks_a_broken_service_once_and_then_not_again_for_a_while(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        asked = len(service.seen)
        service.trouble += [(503, {}, {})] * 9
        for _ in range(3):
            assert recall(engine, RecallRequest("boiler cellar")).degraded
        assert len(service.seen) == asked + 1


def test_another_configured_model_than_the_library_has_is_named(library: Path, tmp_path: Path) -> None:
    notes = tmp_path / "more"
    notes.mkdir()
    (notes / "a.md").write_text("# Boilers\n\nAll about boilers.\n", "utf-8")
    with open_library(library, settings=SETTINGS) as engine:
        engine.add_collection("more", notes)
        engine.index()
    with open_library(library, settings={"embedding.provider": "bundled"}) as engine:
        found = search(engine, SearchRequest(query="boilers"))
        assert found.hits and found.degraded
        assert "the vectors were made by hashing" in found.degraded[0]
        with pytest.raises(RecipeMismatch) as refused:
            engine.index()
        command = "octavo models activate octavo-encoder-2"
        assert refused.value.hint and refused.value.hint.startswith(f"`{command}` embeds it anew")
        checks = {check.name: check for check in doctor(engine, DoctorRequest()).checks}
        assert {checks[name].hint for name in ("recipe", "jobs")} == {refused.value.hint}
        assert command in {advisory.command for advisory in full_status(engine).advisories}


def test_going_back_fills_what_came_in_meanwhile(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True)
        work(engine, FAST)
        assert states(engine)["local"][0] == "active"
        remember(engine, RememberRequest(text="The telescope stands on the roof."))
        work(engine, FAST)
        with pytest.raises(Conflict) as caught:
            profiles_activate(engine, ProfilesActivateRequest("configured"))
        assert "profiles reindex configured" in str(caught.value.hint)
        assert profiles_reindex(engine, ProfilesReindexRequest("configured")).job is not None
        work(engine, FAST)
        assert states(engine)["configured"] == ("active", 6)
        assert states(engine)["local"][0] == "idle"


def test_another_profile_does_not_cut_the_files_again(tmp_path: Path, service: Service) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nThe lamp stands on the table.\n", "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", notes)
        engine.index()
        upsert(engine, service, activate=True)
        work(engine, FAST)
        (report,) = engine.index().collections
        assert (report.changed, report.unchanged) == (0, 1)


def test_the_model_that_a_hint_names_can_be_activated(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nThe lamp stands on the table.\n", "utf-8")
    path = tmp_path / "library.db"
    with open_library(path, create=True, settings={"embedding.provider": "bundled"}) as engine:
        engine.add_collection("notes", notes)
        engine.index()
    with open_library(path, settings=SETTINGS) as engine:
        with pytest.raises(Conflict) as caught:
            engine.index()
        assert "models activate hashing-64" in str(caught.value.hint)
        assert models_activate(engine, ModelsActivateRequest("hashing-64")).job is not None
        work(engine, FAST)
        assert states(engine)["configured"][0] == "active"
        engine.index()
        assert search(engine, SearchRequest("lamp")).hits


def test_a_command_asks_a_service_that_does_not_answer_once_and_says_so(library: Path, service: Service) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        upsert(engine, service, activate=True, retries=4)
        work(engine, FAST)
        asked = len(service.seen)
        service.trouble = [(503, {"error": "overloaded"}, {})] * 20
        remember(engine, RememberRequest(text="The shutter is painted every spring."))
        once = Jobs(max_attempts=1)
        assert "overloaded" in work_shortly(engine, once)
        assert len(service.seen) == asked + 1, "neither again, nor with the usual patience"
        found = sessions_list(engine, SessionsListRequest("shutter"))
        assert found.degraded is not None and "does not answer" in found.degraded[0]
        service.trouble = []
        assert sessions_list(engine, SessionsListRequest()).degraded is None
