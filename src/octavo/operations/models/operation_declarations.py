"""Declares the operations on models: what there is, how good each is, which one answers, and a new one."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_COLUMNS = ("name", "form", "state", "revision", "dimensions", "bytes", "base", "made_at")

_catalog = partial(Operation, module="octavo.operations.models.list_fetch_train_and_activate")

MODELS = (
    Operation(
        module="octavo.operations.models.text_embedding",
        name="embed",
        summary="Turn texts into vectors.",
        description="The vectors of texts, by the model that searches use. For programs; a search needs none.",
        help=(
            "Without a TEXT, every line of stdin is one: as it is, or the `text` of a JSON object, of which the rest "
            "is kept. Each is answered with a line of JSON that has its `embedding`."
        ),
        listing=Listing(rows="vectors", columns=("text", "embedding")),
        examples=("octavo embed 'the moons of Jupiter'",),
        example={"texts": ["the moons of Jupiter"]},
    ),
    _catalog(
        name="models_list",
        summary="List the models on this machine.",
        description="The bundled models and those that were made or fetched here, with their figures and states.",
        listing=Listing(rows="models", columns=_COLUMNS),
        examples=("octavo models list",),
    ),
    _catalog(
        name="models_show",
        summary="Show a model's card.",
        description="What a model was made from, how, and how good it is.",
        listing=Listing(rows="model", columns=_COLUMNS),
        examples=("octavo models show octavo-encoder-2",),
        example={"name": "octavo-encoder-2"},
    ),
    _catalog(
        name="models_activate",
        summary="Let a model answer for this project.",
        description=(
            "Re-embed the library with a model in the background, then let it answer. One that is worse on a check "
            "is refused unless forced. A reranker takes over at once."
        ),
        help="The library is embedded anew in the background while the old model goes on; for a reranker it is not.",
        listing=Listing(rows="model", columns=_COLUMNS, confirms=True),
        examples=("octavo models activate octavo-encoder-2",),
        example={"name": "octavo-encoder-2"},
        annotations=WRITES,
    ),
    _catalog(
        name="models_remove",
        summary="Delete a model from this machine, if nothing uses it.",
        description="Delete a model's folder, if no profile of this library's projects stands for it.",
        listing=Listing(rows="model", columns=_COLUMNS, confirms=True, shown=("removed|dim", "{name}|title")),
        examples=("octavo models remove mine",),
        example=None,
        annotations=WRITES,
        remote=False,
    ),
    _catalog(
        name="models_fetch",
        summary="Fetch a model's files that a manifest names.",
        description="Fetch the files of an embedding model or a language model from the addresses in a manifest.",
        help=(
            "The manifest gives the address, the sha256 and the size of each file, and the licence. A file that breaks "
            "off goes on where it was when it is fetched again; one that is not as promised is deleted."
        ),
        listing=Listing(columns=("name", "form", "path", "licence", "bytes", "files", "fetched"), confirms=True),
        examples=("octavo models fetch bge-m3", "octavo models fetch qwen3-4b --manifest models.toml"),
        example=None,
        annotations=WRITES,
        watched=True,
        lengthy=True,
        remote=False,
    ),
    _catalog(
        name="models_finetune",
        summary="Train the encoder or the reranker on the library's own content, measure it, and register it.",
        description="Train the encoder or the reranker, or fit a fast table, on the library's own content.",
        help=(
            "Headings ask for their sections, titles for what stands below them, docstrings for their code, commits "
            "for their changes, links for their targets. Every tenth document is held back. The model is measured on "
            "what was held back and on a set that ships with Octavo; a reranker on what was held back, against the one "
            "before it and against none. Its state is saved every minute: a run that is stopped goes on where it was "
            "when it is called again."
        ),
        listing=Listing(columns=("name", "form", "revision", "better")),
        examples=(
            "octavo models finetune --name mine --activate",
            "octavo models finetune --reranker --name mine-rerank --activate",
        ),
        example=None,
        annotations=WRITES,
        watched=True,
        lengthy=True,
        remote=False,
    ),
)
