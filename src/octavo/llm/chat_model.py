"""A chat model over any transport: a deadline for each call, limited concurrency, replies checked by schema."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from octavo.errors import ProviderFailed
from octavo.fast_dataclass import replace
from octavo.llm.reply_parsing import clipped, read_json, with_schema, without_thoughts
from octavo.model.language_model_calls import Completion, CompletionRequest, Usage
from octavo.model.language_model_settings import ModelSettings, Prices

_BYTES_PER_TOKEN = 3  # rather too many tokens than too few: English has about four bytes to one
_REFUSABLE = {"max_tokens": "max_completion_tokens", "temperature": ""}
"""Settings that newer models refuse, and what they want instead."""
_REMEMBERED = 600.0  # seconds: a server may be replaced by one that wants what this one refuses
_FORMAT_REFUSED = (400, 404, 422, 501)


class ChatWire(Protocol):
    """How one service wants to be asked, and how it answers."""

    def body(self, request: CompletionRequest) -> tuple[str, dict[str, Any]]:
        """A path and what is posted to it."""

    def read(self, answer: Any) -> Completion: ...

    def piece(self, line: str) -> str | None:
        """The text in a line of a stream; None at its end."""


class Transport(Protocol):
    """Whom the calls go to: `services.json_client.Endpoint`, or a model in this process."""

    def post_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Any: ...

    def lines_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[str]: ...


class ChatModel:
    """Fits `ports.LanguageModel`."""

    def __init__(
        self,
        name: str,
        settings: ModelSettings,
        wire: ChatWire,
        endpoint: Transport,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._said = name
        self._settings = settings
        self._wire = wire
        self._endpoint = endpoint
        self._places = threading.BoundedSemaphore(settings.concurrency)
        self._clock = clock
        self._refused: dict[str, float] = {}
        """Settings that the service did not take, and until when they are left out."""

    @property
    def name(self) -> str:
        settings = self._settings
        return f"{settings.provider}:{settings.model or (settings.path.name if settings.path else self._said)}"

    @property
    def window(self) -> int:
        return self._settings.window

    @property
    def prices(self) -> Prices:
        return self._settings.prices

    def complete(self, request: CompletionRequest) -> Completion:
        return self._completed(request, self._ends(request.deadline))

    def structured(self, request: CompletionRequest) -> Completion:
        """Asks once more, with what was wrong, where the first reply does not fit the schema."""
        ends, prompt, schema = self._ends(request.deadline), request.prompt, request.schema or {}
        schema_request = replace(request, prompt=with_schema(prompt, schema))
        first = self._formatted(schema_request, ends)
        value, problem = read_json(first.text, schema)
        if not problem:
            return replace(first, value=value)
        second = self._formatted(replace(schema_request, prompt=with_schema(prompt, schema, problem)), ends)
        value, problem = read_json(second.text, schema)
        if problem:
            raise ProviderFailed(
                f"{self._said} did not answer in the form that was asked for: {problem}",
                hint="a larger model, or one that can give JSON, may do better",
            )
        return replace(second, value=value, usage=first.usage + second.usage)

    def stream(self, request: CompletionRequest) -> Iterator[str]:
        pieces = self._pieces(replace(request, stream=True), self._ends(request.deadline))
        return clipped(without_thoughts(pieces), request.max_tokens)

    def count_tokens(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def _formatted(self, request: CompletionRequest, ends: float) -> Completion:
        """Many servers do not know output by schema: such a one is asked for JSON by words alone."""
        try:
            return self._completed(request, ends)
        except ProviderFailed as error:
            if error.details.get("status") not in _FORMAT_REFUSED:
                raise
            return self._completed(replace(request, schema=None), ends)

    def _completed(self, request: CompletionRequest, ends: float) -> Completion:
        started = time.monotonic()
        with self._place(ends):
            answer = self._posted(request, ends)
        try:
            completion = self._wire.read(answer)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            raise self._misread() from error
        whole = "".join(without_thoughts([completion.text]))
        text = "".join(clipped([whole], request.max_tokens))
        usage = Usage(
            completion.usage.prompt_tokens or self.count_tokens(request.prompt.text),
            completion.usage.completion_tokens or self.count_tokens(text),
            time.monotonic() - started,
        )
        cost = self.prices.cost(usage.prompt_tokens, usage.completion_tokens)
        return Completion(text, replace(usage, cost=cost), completion.truncated or text != whole)

    def _pieces(self, request: CompletionRequest, ends: float) -> Iterator[str]:
        with self._place(ends):
            for line in self._lines(request, ends):
                try:
                    piece = self._wire.piece(line)
                except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
                    raise self._misread() from error
                if piece is None:
                    return
                if piece:
                    yield piece
        raise ProviderFailed(f"{self._said} broke off before its answer was whole")

    def _posted(self, request: CompletionRequest, ends: float) -> Any:
        without: frozenset[str] = frozenset()
        while True:
            path, body = self._body(request, without)
            try:
                answer = self._endpoint.post_within(path, body, ends - time.monotonic())
            except ProviderFailed as error:
                without |= self._refusal(error, body)
                continue
            self._leave_out(without)
            return answer

    def _lines(self, request: CompletionRequest, ends: float) -> Iterator[str]:
        without: frozenset[str] = frozenset()
        while True:
            path, body = self._body(request, without)
            try:
                for line in self._endpoint.lines_within(path, body, ends - time.monotonic()):
                    self._leave_out(without)
                    without = frozenset()
                    yield line
                return
            except ProviderFailed as error:
                without |= self._refusal(error, body)

    def _body(self, request: CompletionRequest, without: frozenset[str]) -> tuple[str, dict[str, Any]]:
        path, body = self._wire.body(request)
        refused = {name for name, until in tuple(self._refused.items()) if self._clock() < until}
        for name in (refused | without) & body.keys():
            value, instead = body.pop(name), _REFUSABLE[name]
            if instead:
                body[instead] = value
        return path, body

    def _refusal(self, error: ProviderFailed, body: Mapping[str, Any]) -> frozenset[str]:
        """The settings of the call that the service says it does not take; any other failure is raised."""
        refused = error.details.get("status") == 400
        names = frozenset(name for name in _REFUSABLE if refused and name in body and name in error.message)
        if not names:
            raise error
        return names

    def _leave_out(self, names: frozenset[str]) -> None:
        """Settings without which a call was answered: a complaint that only names one proves nothing."""
        self._refused |= dict.fromkeys(names, self._clock() + _REMEMBERED)

    def _misread(self) -> ProviderFailed:
        return ProviderFailed(
            f"{self._said} did not answer like a service of {self._settings.provider}",
            hint="check the model's provider and url",
        )

    def _ends(self, deadline: float | None) -> float:
        return time.monotonic() + (self._settings.timeout_seconds if deadline is None else deadline)

    @contextmanager
    def _place(self, ends: float) -> Iterator[None]:
        """One of the calls that may be under way at once, waited for no longer than the call itself."""
        if not self._places.acquire(timeout=max(0.0, ends - time.monotonic())):
            raise ProviderFailed(
                f"{self._said} is busy with {self._settings.concurrency} other calls",
                hint="try again, or allow more calls at once by the model's concurrency",
            )
        try:
            yield
        finally:
            self._places.release()
