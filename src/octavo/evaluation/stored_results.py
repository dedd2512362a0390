"""Results on disk: the last run, the latest of each data set and profile, and baselines under a name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from octavo.atomic_file_replacement import replace_file
from octavo.errors import Conflict, InvalidArgument, NotFound, StorageError
from octavo.evaluation.measured_query_run import MEASURES, EvaluationRun
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex

FORMAT = 1
"""History: 1 the first."""

_NAME = regex(r"[\w][\w.-]{0,99}")


class Outcome(Value):
    """What is kept of a run: its figures question by question, not its rankings."""

    dataset: str
    digest: str
    profile: str
    queries: int
    metrics: Mapping[str, float]
    scores: Mapping[str, Mapping[str, float]] = field(repr=False)
    recipe: str = ""
    measured_at: str = ""

    def as_json(self) -> dict[str, Any]:
        """What `--json` promises: every measure, null where nothing was measured, without their parts."""
        measures = {name: self.metrics.get(name) for name in MEASURES}
        metrics = {name: None if value is None else round(value, 6) for name, value in measures.items()}
        return {"dataset": self.dataset, "profile": self.profile, "queries": self.queries, "metrics": metrics}


def outcome(run: EvaluationRun, *, recipe: str = "", measured_at: str = "") -> Outcome:
    scores = {name: {key: round(value, 6) for key, value in values.items()} for name, values in run.scores.items()}
    return Outcome(run.dataset, run.digest, run.profile, run.questions, run.metrics, scores, recipe, measured_at)


class Results:
    """A folder with `last.json`, `results/` and `baselines/`."""

    def __init__(self, folder: Path, baselines: Path | None = None) -> None:
        self._folder = folder
        self._baselines = baselines or folder / "baselines"

    def record(self, outcomes: Sequence[Outcome]) -> None:
        """Keeps a run as the last, and as the latest of its data set and profile."""
        _write(self._folder / "last.json", outcomes)
        for outcome in outcomes:
            _write(self._folder / "results" / f"{_file_name(outcome)}.json", [outcome])

    def last(self) -> tuple[Outcome, ...]:
        path = self._folder / "last.json"
        if not path.is_file():
            raise NotFound("nothing has been measured yet", hint="run `octavo eval run DATASET` first")
        return _read(path)

    def latest(self) -> tuple[Outcome, ...]:
        """The latest of every data set and profile, by name."""
        files = sorted((self._folder / "results").glob("*.json"))
        outcomes = [outcome for path in files for outcome in _read(path)]
        return tuple(sorted(outcomes, key=lambda outcome: (outcome.dataset, outcome.profile)))

    def save_baseline(self, name: str, outcomes: Sequence[Outcome]) -> Path:
        """Adds to a baseline of that name; figures it holds of the same data set and profile are replaced."""
        path = self._baseline(name)
        earlier = _read(path) if path.is_file() else ()
        merged = {(outcome.dataset, outcome.profile): outcome for outcome in (*earlier, *outcomes)}
        _write(path, [merged[key] for key in sorted(merged)])
        return path

    def baselines(self) -> dict[str, tuple[Outcome, ...]]:
        return {path.stem: _read(path) for path in sorted(self._baselines.glob("*.json"))}

    def baseline(self, name: str) -> tuple[Outcome, ...]:
        path = self._baseline(name)
        if not path.is_file():
            known = ", ".join(sorted(file.stem for file in self._baselines.glob("*.json")))
            hint = f"there are: {known}" if known else "save one with `octavo eval save-baseline --name NAME`"
            raise NotFound(f"there is no baseline {name}", hint=hint)
        return _read(path)

    def _baseline(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise InvalidArgument(f"{name!r} cannot name a baseline", hint="use letters, digits, '.', '-' and '_'")
        return self._baselines / f"{name}.json"


def matching(baseline: Sequence[Outcome], name: str, measured: Outcome) -> Outcome:
    """What a baseline holds of the same questions: the same profile if it has it, else its only one."""
    same = [outcome for outcome in baseline if outcome.digest == measured.digest]
    if not same:
        other = any(outcome.dataset == measured.dataset for outcome in baseline)
        raise NotFound(
            f"the baseline {name} holds nothing comparable of {measured.dataset}",
            hint="the data set's files or the number of queries differ: save the baseline again"
            if other
            else f"it holds: {', '.join(sorted({outcome.dataset for outcome in baseline})) or 'nothing'}",
        )
    for outcome in same:
        if outcome.profile == measured.profile:
            return outcome
    if len(same) > 1:
        raise Conflict(
            f"the baseline {name} holds several profiles of {measured.dataset}, none of them {measured.profile}",
            hint="save a baseline of one profile to compare others with it",
        )
    return same[0]


def _file_name(outcome: Outcome) -> str:
    return re.sub(r"[^\w.-]+", "-", f"{outcome.dataset}.{outcome.profile}")


def _write(path: Path, outcomes: Sequence[Outcome]) -> None:
    content = {"format": FORMAT, "outcomes": [asdict(outcome) for outcome in outcomes]}
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode("utf-8"), private=False)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


def _read(path: Path) -> tuple[Outcome, ...]:
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != FORMAT:
            raise InvalidArgument(
                f"{path} has format {content['format']}, this Octavo reads {FORMAT}", hint="measure and save it again"
            )
        return tuple(Outcome(**outcome) for outcome in content["outcomes"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument(f"{path} cannot be read as results: {error}", hint="remove the file") from error
