"""Fine-tune the encoder, or fit a fast table, on a library's own content: harvest, train, measure, export, register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.engine.engine import Engine
from recto.engine.offline import FINETUNE, kept_record
from recto.errors import InvalidArgument
from recto.evaluation.dataset import read_dataset
from recto.observability.progress import NoProgress, Progress
from recto.training.check import score
from recto.training.finetune import Trained, base_directory, finetune, fit_table, require_torch, teacher_directory
from recto.training.installed import Installed, bundled, free_name, install, model_named, models_folder
from recto.training.library import Harvest, harvest, read_pairs
from recto.training.pairs import counted

if TYPE_CHECKING:
    from recto.training.finetune import ModelDirectory

BUNDLED_SET = "bundled set"
HELD_BACK = "held back"
_SET = Path(__file__).parent.parent / "evaluation" / "sets" / "almanac"
_LEAST = 50  # pairs to learn from: fewer teach nothing that holds elsewhere


@dataclass(frozen=True, slots=True)
class FinetuneRequest:
    """`base` and `teacher` are a model's name or folder; without a base, it is the model that answers now. `least` is
    for tests."""

    name: str
    collections: tuple[str, ...] = ()
    static: bool = False
    base: str = ""
    teacher: str = ""
    pairs: Path | None = None
    settings: Mapping[str, Any] | None = None
    device: str | None = None
    replace: bool = False
    least: int = _LEAST
    command: str = "recto finetune"


@dataclass(frozen=True, slots=True)
class Finetuned:
    """What was made and how good it is; `better` says whether it may be activated without force."""

    model: Installed
    pairs: Mapping[str, int]
    held: int
    dropped: int
    figures: Mapping[str, Mapping[str, float]]
    better: bool
    batch: int
    device: str


def run_finetune(engine: Engine, request: FinetuneRequest, progress: Progress | None = None) -> Finetuned:
    free_name(models_folder(), request.name, replace=request.replace)
    require_torch()
    progress = progress or NoProgress()
    base = base_directory(_base(engine, request.base))
    _teacher(request)  # before anything is read, so that a wrong name costs nothing
    collections = [engine.collection(name) for name in request.collections] or list(engine.collections())
    extra = read_pairs(request.pairs) if request.pairs else ()
    found = harvest(engine.store, engine.project.id, collections, progress, extra=extra, least=request.least)
    make = _table if request.static else _encoder
    with kept_record(engine, FINETUNE):
        return make(base, found, request, progress)


def _encoder(base: ModelDirectory, found: Harvest, request: FinetuneRequest, progress: Progress) -> Finetuned:
    from recto.training.contrastive import Settings
    from recto.training.export import Made, encoder_files

    # A teacher says more than which passage is right: the pairs count for less, and each has more to choose from.
    usual = {"contrast": 0.5, "negatives": 3} if request.teacher else {}
    settings = _settings(Settings, {**usual, **(request.settings or {})})
    root = models_folder()
    work = root / f".{request.name}.work"
    trained = finetune(base, found, settings, work, progress, request.device, teacher=_teacher(request))
    progress.start("quantising", None, "texts")
    try:
        files = encoder_files(
            trained.model,
            found.passages[:60],
            base.file("tokenizer.json").read_bytes(),
            base.file("vocab.txt").read_bytes(),
            (base.path / "LICENSE").read_bytes() if (base.path / "LICENSE").is_file() else b"",
            base.profile.window,
        )
    finally:
        progress.finish()
    made = Made(
        name=request.name,
        base=base.profile.name,
        base_revision=base.profile.revision,
        made_at=_now(),
        command=request.command,
        pairs=counted(found.learn),
        settings=asdict(trained.settings) | ({"teacher": request.teacher} if request.teacher else {}),
        figures={HELD_BACK: _rounded(trained.before, trained.after)},
    )
    folder = install(root, request.name, _described(files, made, base), replace=request.replace)
    before, after = _bundled_set(base.path, progress), _bundled_set(folder, progress)
    figures = {**made.figures, BUNDLED_SET: _rounded(before, after)}
    files = _described(files, _with(made, figures), base)
    install(root, request.name, files, replace=True)
    return _result(root, request, found, trained, figures)


def _table(base: ModelDirectory, found: Harvest, request: FinetuneRequest, progress: Progress) -> Finetuned:
    from recto.training.export import Made, described_table
    from recto.training.table import TableSettings

    settings = _settings(TableSettings, request.settings)
    table, held = fit_table(base, found, settings, progress, request.device)
    figures = {f"{HELD_BACK}, documents by table": {"before": round(held, 4), "after": round(held, 4)}}
    made = Made(
        name=request.name,
        base=base.profile.name,
        base_revision=base.profile.revision,
        made_at=_now(),
        command=request.command,
        pairs=counted(found.learn),
        settings=asdict(settings),
        figures=figures,
    )
    licence = (base.path / "LICENSE").read_bytes() if (base.path / "LICENSE").is_file() else b""
    vocabulary = base.file("vocab.txt").read_bytes()
    files = described_table(table, settings.power, settings.lead, vocabulary, licence, made, base.profile.window)
    root = models_folder()
    install(root, request.name, files, replace=request.replace)
    model = model_named(root, request.name)
    return Finetuned(model, counted(found.learn), len(found.held), 0, figures, True, settings.batch, "")


def _described(files: Mapping[str, bytes], made: Any, base: ModelDirectory) -> dict[str, bytes]:
    from recto.training.export import described_encoder

    return described_encoder(files, made, base.profile.window, base.profile.dimensions)


def _with(made: Any, figures: Mapping[str, Mapping[str, float]]) -> Any:
    from dataclasses import replace

    return replace(made, figures=figures)


def _result(
    root: Path,
    request: FinetuneRequest,
    found: Harvest,
    trained: Trained,
    figures: Mapping[str, Mapping[str, float]],
) -> Finetuned:
    model = model_named(root, request.name)
    return Finetuned(
        model=model,
        pairs=counted(found.learn),
        held=len(found.held),
        dropped=trained.dropped,
        figures=figures,
        better=not model.worse,
        batch=trained.settings.batch,
        device=trained.device,
    )


def _base(engine: Engine, named: str) -> Path:
    """The folder of the model to begin with."""
    if named and Path(named).is_dir():
        return Path(named)
    if named:
        return model_named(models_folder(), named).path
    engine.follow_profile()
    embedder = engine.embedder
    folder = getattr(embedder, "folder", None)
    if folder is None:
        raise InvalidArgument(
            f"{embedder.profile.name} is not a local model and cannot be trained",
            hint=f"begin with the bundled one: --base {bundled().path}",
        )
    return Path(folder)


def _teacher(request: FinetuneRequest) -> ModelDirectory | None:
    if not request.teacher:
        return None
    if request.static:
        raise InvalidArgument("a table has its encoder for a teacher", hint="leave out --teacher, or --static")
    folder = Path(request.teacher)
    return teacher_directory(folder if folder.is_dir() else model_named(models_folder(), request.teacher).path)


def _settings(kind: Any, given: Mapping[str, Any] | None) -> Any:
    known = kind.__dataclass_fields__
    for name in given or {}:
        if name not in known:
            raise InvalidArgument(f"there is no setting {name} in training", hint=f"there are: {', '.join(known)}")
    return kind(**(given or {}))


def _bundled_set(model: Path, progress: Progress) -> float:
    """What a model finds of the set that ships with Recto."""
    read = read_dataset(_SET)
    number = {record.id: place for place, record in enumerate(read.records)}
    judged = [
        {number[document]: value for document, value in read.qrels[question.id].items() if value > 0}
        for question in read.questions
    ]
    passages = [f"{record.title}\n{record.text}".strip() for record in read.records]
    return score(model, passages, [question.text for question in read.questions], judged, progress)


def _rounded(before: float, after: float) -> Mapping[str, float]:
    return {"before": round(before, 4), "after": round(after, 4)}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


__all__: Sequence[str] = ("BUNDLED_SET", "HELD_BACK", "FinetuneRequest", "Finetuned", "run_finetune")
