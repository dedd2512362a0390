"""Records how a project is indexed, and refuses an embedding model whose vectors cannot be compared with its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.errors import RecipeMismatch
from octavo.model.embedding_profile import EmbeddingProfile, embed_anew, is_succeeded
from octavo.model.index_recipe import Recipe
from octavo.model.job import JobKind

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary


def ensure_recipe(library: OpenLibrary) -> None:
    """Records how this project is indexed, or refuses to mix vectors that cannot be compared.

    New chunk sizes, parsers or analyzers re-index file by file, because each ledger row names its recipe.
    A new embedding model would make old and new vectors incomparable: that is an explicit migration, unless there
    is nothing to compare with yet, or the model is the successor of the one that shipped before: then this run embeds
    anew, and until it has, words and the fast vectors find what has no vector yet.
    """
    library.active.follow()
    store, project = library.store, library.project.id
    recipe, recorded = library.recipe(), store.catalog.recipe(project)
    if recorded == recipe:
        return
    if recorded is not None and _is_other(recorded.embedding, recipe.embedding) and store.counts(project).chunks:
        raise RecipeMismatch(
            f"the library was built with {_named(recorded)}, the configuration says {_named(recipe)}",
            hint=other_model_hint(recorded.embedding, recipe.embedding),
        )
    with store.transaction():
        store.catalog.record_recipe(project, recipe)
        if recorded is not None:
            # Files are read again by the next run over their folder; memories have none to be read from.
            store.outbox.enqueue(
                project, JobKind.REINGEST, "recipe", {"redact": True} if unredacted(recorded, recipe) else {}
            )


def _is_other(made: EmbeddingProfile, profile: EmbeddingProfile) -> bool:
    return made != profile and not is_succeeded(made, profile)


def other_model_hint(made: EmbeddingProfile, profile: EmbeddingProfile) -> str:
    """What to do about vectors of another model than the configured one."""
    return f"`{embed_anew(made, profile)}` embeds it anew; or set embedding.provider and embedding.model back"


def unredacted(recorded: Recipe | None, recipe: Recipe) -> bool:
    """Whether what a library holds was stored before keys and tokens were redacted by today's rules."""
    return recorded is not None and recorded.redaction != recipe.redaction


def _named(recipe: Recipe) -> str:
    return f"{recipe.embedding.model} ({recipe.embedding.revision})"
