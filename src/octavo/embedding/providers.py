"""Every service an embedding profile can name, and how each is reached."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.dataclass import dataclass, replace
from octavo.embedding import jina, ollama, openai, voyage
from octavo.embedding.remote_embedder import EmbeddingWire, RemoteEmbedder
from octavo.errors import InvalidArgument
from octavo.model.embedding_profile import KEY_VARIABLES, USUAL_ADDRESSES, EmbeddingProfileSettings
from octavo.model.index_tuning import INDEX_OPTIONS
from octavo.services.json_client import Endpoint, Patience, address_problem


@dataclass(frozen=True, slots=True)
class EmbeddingService:
    """Where a service is and where its key is looked for, unless a profile says otherwise."""

    url: str
    key_variable: str = ""
    options: tuple[str, ...] = ()


SERVICES: Mapping[str, EmbeddingService] = {
    "ollama": EmbeddingService(ollama.URL, options=("shorten",)),
    "openai": EmbeddingService(USUAL_ADDRESSES["openai"], KEY_VARIABLES["openai"], ("shorten",)),
    "voyage": EmbeddingService(USUAL_ADDRESSES["voyage"], KEY_VARIABLES["voyage"], ("contextual",)),
    "jina": EmbeddingService(USUAL_ADDRESSES["jina"], KEY_VARIABLES["jina"], ("late_chunking",)),
}


def completed(settings: EmbeddingProfileSettings) -> EmbeddingProfileSettings:
    """The settings with the service's own address and the name of its key, or the reason why they cannot be used."""
    service = SERVICES[settings.provider]
    if not settings.model:
        raise InvalidArgument(f"a profile of {settings.provider} needs a model")
    for name in settings.options:
        if name not in service.options and name not in INDEX_OPTIONS:
            known = f"it has: {', '.join(service.options)}" if service.options else "it has none"
            raise InvalidArgument(f"{settings.provider} has no option {name}", hint=known)
    url = settings.url or service.url
    if problem := address_problem(url):
        raise InvalidArgument(f"the url of {settings.provider} {problem}")
    # A key meant for one service is not sent to another address.
    variable = settings.key_variable or (service.key_variable if url == service.url else "")
    return replace(settings, url=url, key_variable=variable)


def remote_embedder(name: str, settings: EmbeddingProfileSettings, key: str | None) -> RemoteEmbedder:
    settings = completed(settings)
    usual = Patience()
    patience = Patience(
        timeout_seconds=settings.timeout_seconds or usual.timeout_seconds,
        retries=usual.retries if settings.retries is None else settings.retries,
        requests_per_minute=settings.requests_per_minute,
    )
    endpoint = Endpoint(f"{name} ({settings.provider})", settings.url, key, patience)
    return RemoteEmbedder(name, settings, _wire(settings), endpoint)


def _wire(settings: EmbeddingProfileSettings) -> EmbeddingWire:
    model, dimensions, options = settings.model, settings.dimensions, settings.options
    # Many servers refuse a size in the request, even their own: only who wants shorter vectors says one.
    shortened = dimensions if options.get("shorten") else None
    match settings.provider:
        case "ollama":
            return ollama.OllamaEmbeddingWire(model, shortened)
        case "openai":
            return openai.OpenAIEmbeddingWire(model, shortened)
        case "voyage":
            return voyage.VoyageWire(model, dimensions, contextual=bool(options.get("contextual")))
    return jina.JinaWire(model, dimensions, late_chunking=bool(options.get("late_chunking")))
