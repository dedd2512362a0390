"""Answers about models: installed, removed and fine-tuned ones; and how they are told in lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from octavo.embedding.installed_models import ModelShown
from octavo.embedding.model_download import FetchedModel
from octavo.fast_dataclass import Value
from octavo.operations.styled_answer_lines import Block, Line, Part, Quote, columns, count, size


class ModelsAnswer(Value):
    models: tuple[ModelShown, ...]


class ModelAnswer(Value):
    """`card` is what was written down when it was made; `job` fills it in the background."""

    model: ModelShown
    card: str = ""
    job: int | None = None


class ModelRemoved(Value):
    model: ModelShown


class FinetuneAnswer(Value):
    """What was made and how good it is. `better` says whether it may be activated without force; `refused` that it was
    to be and was not, because it is worse. `job` embeds the library with it; a reranker is `activated` at once."""

    name: str
    form: str
    path: str
    revision: str
    pairs: Mapping[str, int]
    held: int
    dropped: int
    figures: Mapping[str, Mapping[str, float]]
    better: bool
    batch: int
    device: str
    refused: bool = False
    job: int | None = None
    activated: bool = False


_STYLES = {"active": "good", "filling": "warn"}


def models_lines(answer: ModelsAnswer) -> Iterator[Line]:
    yield from _table(answer.models)


def model_lines(answer: ModelAnswer) -> Iterator[Block]:
    yield from _table((answer.model,))
    if answer.job:
        yield _filling(answer.job)
    if answer.card:
        yield ()
        yield Quote(answer.card, whole=True)


def fetched_model_lines(answer: FetchedModel) -> Iterator[Line]:
    told = f"{count(answer.fetched, 'file')} fetched" if answer.fetched else "everything was there already"
    yield Part(answer.name, "title"), Part(f": {told}, {size(answer.bytes)} in all, licence {answer.licence}")
    yield (Part(answer.path),)
    if answer.form == "gguf":
        yield (Part(f'It answers as [llm.models.{answer.name}] with provider = "gguf" and this path.', "dim"),)
    else:
        command = f"octavo models activate {answer.name}"
        yield Part("It embeds this library after ", "dim"), Part(command), Part(".", "dim")


def finetune_lines(answer: FinetuneAnswer) -> Iterator[Line]:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in answer.pairs.items())
    total = count(sum(answer.pairs.values()), "pair")
    yield Part(answer.name, "title"), Part(f": {total} ({kinds}), {answer.held:,} held back")
    for name, figures in answer.figures.items():
        if answer.form == "table":
            yield (Part(f"  {name}: nDCG@10 {figures['after']:.3f}"),)
        else:
            style = "good" if figures["after"] >= figures["before"] else "warn"
            yield Part(f"  {name}: nDCG@10 {figures['before']:.3f} to "), Part(f"{figures['after']:.3f}", style)
    if answer.job:
        yield _filling(answer.job)
    elif answer.activated:
        yield (Part("It reads the best passages again from now on: `--rerank`, `-p hybrid_rerank`.", "dim"),)
    elif answer.refused:
        yield (Part(f"Not activated: it is worse. `octavo models activate {answer.name} --force`", "warn"),)
    elif answer.form != "table":
        yield (Part(f"`octavo models activate {answer.name}` lets it answer.", "dim"),)


def _filling(job: int) -> Line:
    return (Part(f"Job {job} embeds the library with it; `octavo worker --once` does it now.", "dim"),)


def _table(models: Iterable[ModelShown]) -> Iterator[Line]:
    yield from columns(
        [
            (
                Part(model.name, "title"),
                Part(model.form),
                Part(model.state, _STYLES.get(model.state, "dim")),
                Part(f"{model.dimensions} dimensions" if model.form in ("encoder", "table") else "", "dim"),
                Part(size(model.bytes), "dim"),
                Part("; ".join(model.problems) or _figures(model), "bad" if model.problems else "dim"),
            )
            for model in models
        ]
    )


def _figures(model: ModelShown) -> str:
    if model.form == "table":
        return f"in the space of {model.base}" if model.base else ""
    figures = (f"{name} {pair['before']:.3f} to {pair['after']:.3f}" for name, pair in model.figures.items())
    return ", ".join(figures)
