"""Which language models are configured, what each is for, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from octavo.errors import ConfigurationError
from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field

Role = Literal["answer", "rerank", "summarise", "hypothesise", "judge"]
RERANK_PROVIDERS = ("cohere", "jina", "llamacpp")
"""Services that score passages and write no text."""
ROLES: tuple[Role, ...] = ("answer", "rerank", "summarise", "hypothesise", "judge")


class Prices(Value):
    """What a million tokens cost, read and written; nothing for a model on this machine."""

    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


class ModelSettings(Value):
    """A language model or a rerank service, by a name of your own."""

    provider: Annotated[
        Literal["ollama", "openai", "anthropic", "gguf", "cohere", "jina", "llamacpp"],
        Field(
            "`openai` is every server that speaks its protocol (llama.cpp, LM Studio, vLLM), `gguf` a file"
            " in this process (`octavo[llm]`). `cohere`, `jina` and `llamacpp` are rerank services, for the role"
            " `rerank` alone."
        ),
    ]
    model: Annotated[str, Field("The name of the model at its service.")] = ""
    url: Annotated[str, Field("Where the service is; unset, the provider's own address.")] = ""
    key_variable: Annotated[str, Field("The environment variable with the service's key, where it wants one.")] = ""
    path: Annotated[Path | None, Field("The GGUF file, for the provider `gguf`.")] = None
    size: Annotated[
        str,
        Field(
            "How many parameters the model has, as `4b` or `135m`; unset, what its name says, else what the"
            " size of its file suggests.",
            pattern=r"^(\d+(\.\d+)?[mMbB])?$",
        ),
    ] = ""
    window: Annotated[int, Field("How many tokens the model reads and writes at most.", ge=256, le=10_000_000)] = 4_096
    timeout_seconds: Annotated[
        float, Field("The longest a call may take where its caller sets no deadline.", gt=0, le=3_600)
    ] = 60.0
    concurrency: Annotated[int, Field("How many calls are under way at once.", ge=1, le=64)] = 2
    threads: Annotated[
        Annotated[int, Field(ge=1, le=256)] | None,
        Field("Threads of a model in this process; unset, one for each processor core."),
    ] = None
    prompt_price: Annotated[float, Field("What a million tokens that it reads cost.", ge=0)] = 0.0
    completion_price: Annotated[float, Field("What a million tokens that it writes cost.", ge=0)] = 0.0

    @property
    def prices(self) -> Prices:
        return Prices(self.prompt_price, self.completion_price)


class ModelRoles(Value):
    """Which of the models under `llm.models` does what; without one, Octavo does without."""

    answer: Annotated[str | None, Field("The model that answers questions from passages.")] = None
    rerank: Annotated[
        str | tuple[str, ...] | None,
        Field(
            "The model or service that reads the best passages again. Of several models the smallest is"
            " asked, and the next larger where it fails."
        ),
    ] = None
    summarise: Annotated[str | None, Field("The model that summarises sections and files.")] = None
    hypothesise: Annotated[
        str | None, Field("The model that imagines a passage to look for, and rewrites queries.")
    ] = None
    judge: Annotated[
        str | None,
        Field(
            "The model that says of each sentence of an answer whether its passages say it; its verdict stands"
            " beside that of the rules."
        ),
    ] = None


class LanguageModels(Value):
    """Language models, for what goes beyond finding passages. None is needed, and none is asked unless named here."""

    models: Annotated[
        Mapping[str, ModelSettings], Field("The models by name: a table `[llm.models.NAME]` for each.")
    ] = field(default_factory=dict)
    cache_mb: Annotated[int, Field("Megabytes of answers kept in the library; 0 keeps none.", ge=0, le=1_000_000)] = 64
    roles: ModelRoles = ModelRoles()

    @property
    def reranks_by_model(self) -> bool:
        """Whether a language model has the role of reranking, and not a service made for it."""
        names = self.all_named_for("rerank")
        return any(name in self.models and not self.is_rerank_service(name) for name in names)

    def is_rerank_service(self, name: str) -> bool:
        return self.models[name].provider in RERANK_PROVIDERS

    def named_for(self, role: Role) -> str | None:
        """The name of the model that has this role, if one has; of several, the first that is written."""
        return next(iter(self.all_named_for(role)), None)

    def all_named_for(self, role: Role) -> tuple[str, ...]:
        """The names of the models that have this role, as they are written: a list, or in a variable `small,large`."""
        configured: str | tuple[str, ...] | None = getattr(self.roles, role)
        names = (configured or "").split(",") if configured is None or isinstance(configured, str) else configured
        return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def missing_model(role: Role) -> ConfigurationError:
    """Why something that needs a model cannot be done, and what to write where."""
    return ConfigurationError(
        f"no language model is configured for {role} (llm.roles.{role})",
        hint=f'name one in your configuration: [llm.models.local] and llm.roles.{role} = "local" (docs: models)',
        details={"role": role},
    )
