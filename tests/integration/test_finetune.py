"""A library trains its own encoder: on the CPU, in seconds, with a tiny model in Octavo's own form."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch, which is an extra: pip install 'octavo[train]'")

from tiny import tiny_folder

from octavo.config.schema import Jobs
from octavo.embedding.bundled_embedder import bundled_fast_embedder
from octavo.embedding.static_token_embedder import StaticEmbedder
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import Conflict, InvalidArgument, NotFound, NotIndexed
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.models.list_fetch_train_and_activate import (
    models_activate,
    models_list,
    models_remove,
    models_show,
)
from octavo.operations.models.requests import (
    ModelsActivateRequest,
    ModelsFinetuneRequest,
    ModelsListRequest,
    ModelsShowRequest,
)
from octavo.operations.models.results import FinetuneAnswer
from octavo_train.finetune_operation import train_model

CONCEPTS = (
    ("rain", "drops"),
    ("night", "stars"),
    ("mirror", "glass"),
    ("dome", "shutter"),
    ("cold", "frost"),
    ("wind", "gusts"),
    ("power", "battery"),
    ("road", "gravel"),
    ("guest", "visitor"),
    ("fault", "alarm"),
)
"""What headings call by the first name, texts call by the second: nothing but training can tell."""
FILLER = ("the", "then", "and", "with", "from", "over", "under", "when", "where", "always", "never", "some", "more")


def notes(count: int = 40) -> dict[str, str]:
    dice = random.Random(0)
    found = {}
    for number in range(count):
        parts = [f"# {dice.choice(FILLER).title()} {dice.choice(FILLER)}\n"]
        for _ in range(3):
            chosen = dice.sample(CONCEPTS, 3)
            said = [*dice.choices(FILLER, k=16), *(second for _, second in chosen)]
            dice.shuffle(said)
            parts.append(f"## {' '.join(first for first, _ in chosen)}\n\n{' '.join(said)}.\n")
        found[f"note-{number:02}.md"] = "\n".join(parts)
    return found


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    vault = tmp_path / "vault"
    vault.mkdir()
    for name, text in notes().items():
        (vault / name).write_text(text, encoding="utf-8")
    base = tiny_folder(tmp_path / "tiny", list(notes().values()))
    settings = {"embedding.provider": "onnx", "embedding.model": str(base)}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as opened:
        opened.add_collection("vault", vault)
        opened.index()
        yield opened


def made(engine: Engine, request: ModelsFinetuneRequest, settings: dict[str, float], least: int = 20) -> FinetuneAnswer:
    return train_model(engine, request, settings, NoProgress(), least=least)


def trained(engine: Engine, name: str = "mine", epochs: float = 1.0) -> FinetuneAnswer:
    settings = {"epochs": epochs, "batch": 16, "rate": 1e-3, "close": 0.0, "balance": 0.0}
    return made(engine, ModelsFinetuneRequest(name), settings)


def test_what_was_held_back_is_found_better_and_the_model_takes_over_in_the_background(engine: Engine) -> None:
    done = trained(engine, epochs=5.0)
    held = done.figures["held back"]
    assert held["after"] > held["before"] + 0.1
    assert set(done.figures) == {"held back", "bundled set"}
    assert "held back" in models_show(engine, ModelsShowRequest("mine")).card
    before = engine.embedder.profile
    promised = models_activate(engine, ModelsActivateRequest("mine", force=True))
    assert promised.model.state == "filling"
    assert engine.search(Query("gravel")).hits
    engine.follow_active_profile()
    assert engine.embedder.profile == before
    work(engine, Jobs(), threading.Event())
    engine.follow_active_profile()
    assert engine.embedder.profile.revision == done.revision
    assert engine.freshness().full_vectors == 1.0
    models = models_list(engine, ModelsListRequest()).models
    states = {model.name: model.state for model in models if model.form != "reranker"}
    assert [name for name, state in states.items() if state == "active"] == ["mine"]
    with pytest.raises(Conflict, match="mine is active in project"):
        models_remove(engine, ModelsShowRequest("mine"))


def test_the_same_seed_gives_the_same_model_and_another_name_is_kept_apart(engine: Engine) -> None:
    first, second = trained(engine, "one"), trained(engine, "two")
    assert first.revision == second.revision
    with pytest.raises(Conflict, match="there is a model one already"):
        trained(engine, "one")
    models_remove(engine, ModelsShowRequest("two"))
    assert [model.name for model in models_list(engine, ModelsListRequest()).models if model.base] == [
        "octavo-fast-2",
        "one",
    ]


def test_a_model_that_is_worse_is_not_activated_without_force(engine: Engine) -> None:
    folder = Path(trained(engine).path)
    about = json.loads((folder / "model.json").read_text("utf-8"))
    about["figures"]["held back"] = {"before": 0.9, "after": 0.1}
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(Conflict, match="finds less than tiny on: held back"):
        models_activate(engine, ModelsActivateRequest("mine"))


def test_a_table_lands_in_its_encoders_space(engine: Engine) -> None:
    settings = {"epochs": 20, "batch": 32, "rate": 1e-2, "own": 1e-2, "decay": 0.0}
    done = made(engine, ModelsFinetuneRequest("fast", static=True), settings)
    fast = StaticEmbedder(Path(done.path))
    assert fast.space == engine.embedder.profile.revision != bundled_fast_embedder().space
    texts = list(notes(8).values())
    assert (fast.embed(texts) * engine.embedder.embed(texts)).sum(1).mean() > 0.8
    with pytest.raises(InvalidArgument, match="fast is a table"):
        models_activate(engine, ModelsActivateRequest("fast"))


def test_a_pupil_that_is_told_no_answers_learns_from_its_teacher(engine: Engine) -> None:
    trained(engine, "teacher", epochs=5.0)
    settings = {"epochs": 5.0, "batch": 16, "rate": 1e-3, "close": 0.0, "balance": 0.0, "contrast": 0.0}
    done = made(engine, ModelsFinetuneRequest("pupil", teacher="teacher"), settings)
    held = done.figures["held back"]
    assert held["after"] > held["before"] + 0.1
    assert "teacher teacher" in models_show(engine, ModelsShowRequest("pupil")).card


def test_a_teacher_that_there_is_not_is_refused_before_anything_is_read(engine: Engine) -> None:
    with pytest.raises(NotFound, match="nobody"):
        made(engine, ModelsFinetuneRequest("pupil", teacher="nobody"), {})
    with pytest.raises(InvalidArgument, match="a table has its encoder for a teacher"):
        made(engine, ModelsFinetuneRequest("pupil", teacher="nobody", static=True), {})


def test_too_few_pairs_are_refused_with_their_number(engine: Engine) -> None:
    with pytest.raises(NotIndexed, match=r"gives \d+ pairs to learn from"):
        made(engine, ModelsFinetuneRequest(), {}, least=100_000)


def test_a_setting_that_there_is_not_is_refused_by_name(engine: Engine) -> None:
    with pytest.raises(InvalidArgument, match="no setting temprature"):
        made(engine, ModelsFinetuneRequest(), {"temprature": 1})


def test_a_model_that_there_is_not_is_refused_by_name(engine: Engine) -> None:
    with pytest.raises(NotFound, match="there is no model nowhere"):
        models_show(engine, ModelsShowRequest("nowhere"))
