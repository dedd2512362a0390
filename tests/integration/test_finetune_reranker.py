"""A library trains its own reranker: on the CPU, in seconds, with a tiny model in Octavo's own form."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch, which is an extra: pip install 'octavo[train]'")

from test_finetune import notes
from tiny import tiny_folder, tiny_reranker_folder

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import Conflict, InvalidArgument, ModelUnavailable, NotFound
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.library.status import full_status
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
from octavo.retrieval.built_in_profiles.cross_encoder import HYBRID_RERANK
from octavo_train.finetune_operation import train_model
from octavo_train.reranker_training_lists import found_lists
from octavo_train.training_pairs_from_document import PairKind, TrainingPair

NONE = "no-reranker"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A vault, a tiny encoder and a tiny reranker, with a folder for models of their own."""
    folder = tmp_path_factory.mktemp("reranker")
    (folder / "vault").mkdir()
    for name, text in notes().items():
        (folder / "vault" / name).write_text(text, encoding="utf-8")
    tiny_folder(folder / "tiny", list(notes().values()))
    tiny_reranker_folder(folder / "tiny-rerank", list(notes().values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        yield folder


@pytest.fixture(scope="module")
def library(place: Path) -> Iterator[Engine]:
    settings = {"embedding.provider": "onnx", "embedding.model": str(place / "tiny")}
    with open_library(place / "library.db", create=True, settings=settings) as opened:
        opened.add_collection("vault", place / "vault")
        opened.index()
        yield opened


@pytest.fixture(scope="module")
def made(library: Engine, place: Path) -> FinetuneAnswer:
    return trained(library, place, "mine")


@pytest.fixture
def engine(library: Engine, made: FinetuneAnswer) -> Iterator[Engine]:
    yield library
    models_activate(library, ModelsActivateRequest(NONE))


def trained(engine: Engine, place: Path, name: str) -> FinetuneAnswer:
    request = ModelsFinetuneRequest(name, reranker=True, base=str(place / "tiny-rerank"))
    return train_model(engine, request, {"epochs": 0.2, "rate": 1e-3}, NoProgress(), least=20)


def states(engine: Engine) -> dict[str, str]:
    return {one.name: one.state for one in models_list(engine, ModelsListRequest()).models if one.form == "reranker"}


def reads(engine: Engine) -> str:
    """The name of what reads passages again in this project."""
    result = engine.search(Query("gravel road"), HYBRID_RERANK)
    return str(next(stage.detail["model"] for stage in result.trace if stage.stage == "rerank"))


def skipped(engine: Engine) -> str | None:
    """Why nothing reads passages again in this project."""
    result = engine.search(Query("gravel road"), HYBRID_RERANK)
    return next(stage.failed for stage in result.trace if stage.stage == "rerank")


def test_a_reranker_is_measured_against_the_one_before_it_and_against_none(made: FinetuneAnswer) -> None:
    assert made.form == "reranker"
    assert set(made.figures) == {"held back", "held back, against no reranker"}
    before, without = made.figures.values()
    assert before["after"] == without["after"]


def test_candidates_are_found_by_the_search_and_know_their_answer(engine: Engine, place: Path) -> None:
    pairs = [
        TrainingPair("gravel road", "the gravel is always under the snow", PairKind.HEADING, "a"),
        TrainingPair("frost", "never more frost when some wind", PairKind.HEADING, "b"),
    ]
    lists = found_lists(engine, pairs, ["stars and more stars with glass"], place, NoProgress())
    for one, pair in zip(lists, pairs, strict=True):
        assert len(one.answers) == 1
        assert pair.positive in one.passages[next(iter(one.answers))]
        assert one.ndcg() == one.ndcg(lambda query, passages: range(len(passages), 0, -1)) == 1.0


def test_a_reranker_is_activated_at_once_and_taken_back(engine: Engine, made: FinetuneAnswer) -> None:
    assert states(engine) == {"mine": "idle"}
    activated = models_activate(engine, ModelsActivateRequest("mine", force=True))
    assert (activated.model.state, activated.job) == ("active", None)
    assert states(engine) == {"mine": "active"}
    assert reads(engine) == f"mine@{made.revision}/2"
    assert not [one for one in full_status(engine).advisories if "fine-tuned" in one.message]
    with pytest.raises(Conflict, match="mine is active in project"):
        models_remove(engine, ModelsShowRequest("mine"))
    assert models_activate(engine, ModelsActivateRequest(NONE)).model.state == "active"
    assert states(engine) == {"mine": "idle"}
    assert skipped(engine) == "no reranker is configured"


def test_another_project_keeps_its_own_reranker(engine: Engine) -> None:
    models_activate(engine, ModelsActivateRequest("mine", force=True))
    with engine.store.transaction():
        engine.store.catalog.ensure_project("theirs")
    assert states(engine.within("theirs")) == {"mine": "idle"}


def test_a_reranker_that_is_worse_is_not_activated_without_force(engine: Engine, made: FinetuneAnswer) -> None:
    described = Path(made.path) / "model.json"
    whole = described.read_text("utf-8")
    about = json.loads(whole)
    about["figures"]["held back"] = {"before": 0.9, "after": 0.1}
    described.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(Conflict, match="finds less than tiny-rerank on: held back"):
        models_activate(engine, ModelsActivateRequest("mine"))
    assert states(engine)["mine"] == "idle"
    described.write_text(whole, encoding="utf-8")


def test_the_same_seed_gives_the_same_reranker_whose_card_tells_its_figures(
    engine: Engine, made: FinetuneAnswer, place: Path
) -> None:
    again = trained(engine, place, "again")
    assert again.revision == made.revision
    card = models_show(engine, ModelsShowRequest("again")).card
    assert "A cross-encoder, trained from tiny-rerank" in card
    assert "octavo models finetune --name again --reranker" in card
    assert "| held back, against no reranker |" in card
    assert hashlib.sha256((Path(again.path) / "model.onnx").read_bytes()).hexdigest() in card
    models_remove(engine, ModelsShowRequest("again"))
    assert "again" not in states(engine)


def test_an_activated_reranker_that_is_gone_says_how_to_go_back(engine: Engine, made: FinetuneAnswer) -> None:
    shutil.copytree(made.path, Path(made.path).with_name("gone"))
    models_activate(engine, ModelsActivateRequest("gone", force=True))
    (Path(made.path).with_name("gone") / "model.onnx").unlink()
    with pytest.raises(ModelUnavailable) as caught:
        engine.reader.reranker.prepare()
    assert "octavo models activate no-reranker" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("request_", "error", "told"),
    [
        (ModelsFinetuneRequest("x", reranker=True, static=True), InvalidArgument, "a table is not a reranker"),
        (ModelsFinetuneRequest("x", reranker=True, teacher="y"), InvalidArgument, "learns from the search alone"),
        (ModelsFinetuneRequest("x", reranker=True, base="nobody"), NotFound, "there is no model nobody"),
    ],
)
def test_what_makes_no_sense_for_a_reranker_is_refused(
    engine: Engine, request_: ModelsFinetuneRequest, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        train_model(engine, request_, {}, NoProgress(), least=20)


def test_an_encoder_is_no_base_of_a_reranker(engine: Engine, place: Path) -> None:
    request = ModelsFinetuneRequest("x", reranker=True, base=str(place / "tiny"))
    with pytest.raises(InvalidArgument, match="tiny is not a reranker"):
        train_model(engine, request, {}, NoProgress(), least=20)
