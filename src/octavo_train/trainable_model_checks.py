"""What training needs before it begins: torch and onnx, a model that can be trained, a teacher that can be run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from octavo.embedding.model_folder import ModelDirectory as ModelDirectory
from octavo.embedding.model_folder import read_directory
from octavo.errors import InvalidArgument, MissingExtra
from octavo.plugins import install_command

REMEDY = "train from the bundled model, or from one that `octavo models finetune` made"
RERANKER_REMEDY = (
    "give --base the folder of a reranker in Octavo's form, such as `octavo models finetune --reranker` makes"
)
TEACHER = "name a model of `octavo models list`, or a folder with model.json, model.onnx and its tokenizer"


def require_torch() -> None:
    try:
        for library in ("onnx", "torch"):
            import_module(library)
    except ImportError as error:
        raise MissingExtra(
            f"training needs torch and onnx, and {error.name} is not installed",
            hint=f"{install_command('train')} (on a machine without a GPU, torch's CPU build is enough)",
        ) from error


def base_directory(folder: Path) -> ModelDirectory:
    """The folder, if the encoder in it can be trained."""
    directory = read_directory(folder, REMEDY)
    if directory.tokenizer == "tokenizers" or directory.pooling != "graph" or directory.padding:
        raise InvalidArgument(f"{directory.profile.name} was not built by Octavo and cannot be trained", hint=REMEDY)
    return directory


def reranker_directory(folder: Path) -> ModelDirectory:
    """The folder, if the reranker in it can be trained."""
    directory = read_directory(folder, RERANKER_REMEDY)
    if directory.profile.dimensions != 1 or directory.tokenizer != "tokenizers":
        raise InvalidArgument(f"{directory.profile.name} is not a reranker", hint=RERANKER_REMEDY)
    return directory


def teacher_directory(folder: Path) -> ModelDirectory:
    """The folder, if the encoder in it can be run; it need not be one that can be trained."""
    directory = read_directory(folder, TEACHER)
    directory.graph()
    return directory
