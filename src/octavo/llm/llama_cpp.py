"""A language model in this process, from a GGUF file."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from octavo.errors import MissingExtra, ModelUnavailable, OctavoError, ProviderFailed
from octavo.observability.cancellation import current_cancellation
from octavo.plugins import install_command

_END, _GONE = object(), object()


class GgufServer:
    """Fits `chat.Transport`. The model is loaded by the first call, in the thread that answers it."""

    def __init__(self, name: str, path: Path, window: int, concurrency: int, threads: int | None) -> None:
        self._name = name
        self._path = path
        self._window = window
        self._concurrency = concurrency
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()
        self._server: Any = None

    def post_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Any:
        """Streamed as well, because only between two tokens can a call be ended."""
        text, usage, reason = "", None, None
        for chunk in self._chunks(body, seconds):
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices") or ():
                text += choice["delta"].get("content") or ""
                reason = choice.get("finish_reason") or reason
        return {"choices": [{"message": {"content": text}, "finish_reason": reason}], "usage": usage}

    def lines_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[str]:
        yield from (f"data: {json.dumps(chunk)}" for chunk in self._chunks(body, seconds))
        yield "data: [DONE]"

    def _chunks(self, body: Mapping[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
        """What the model writes, from a thread of its own: reading the prompt takes as long as it takes."""
        ends = time.monotonic() + seconds
        written: SimpleQueue[Any] = SimpleQueue()
        unwanted = threading.Event()

        def receive(chunk: Any) -> bool:
            written.put(chunk)
            return unwanted.is_set()

        def work() -> None:
            try:
                streamed_body = {**body, "stream": True, "stream_options": {"include_usage": True}}
                self._loaded().handle_chat_completions(streamed_body, receive)
                written.put(_END)
            except Exception as error:
                written.put(error)

        threading.Thread(target=work, name="octavo-gguf").start()
        try:
            with current_cancellation().calling(lambda: written.put(_GONE)):
                while True:
                    chunk = written.get(timeout=max(0.0, ends - time.monotonic()))
                    if chunk is _END:
                        return
                    if chunk is _GONE:
                        raise ProviderFailed(f"nobody waits for the answer of the model {self._name} any more")
                    yield self._checked(chunk)
        except Empty:
            raise ProviderFailed(f"the model {self._name} did not answer in time") from None
        finally:
            unwanted.set()

    def _checked(self, chunk: Any) -> dict[str, Any]:
        if isinstance(chunk, OctavoError):
            raise chunk
        if isinstance(chunk, Exception):
            raise ProviderFailed(f"the model {self._name} failed: {str(chunk)[:300]}") from chunk
        if not isinstance(chunk, dict) or "error" in chunk:
            raise ProviderFailed(f"the model {self._name} failed: {str(chunk)[:300]}")
        return chunk

    def _loaded(self) -> Any:
        with self._lock:
            if self._server is None:
                self._server = self._load()
            return self._server

    def _load(self) -> Any:
        try:
            bindings = import_module("xllamacpp")
        except ImportError as error:
            raise MissingExtra(
                f"the model {self._name} is a GGUF file, which needs llama.cpp", hint=install_command("llm")
            ) from error
        if not self._path.is_file():
            raise ModelUnavailable(
                f"the file of the model {self._name} is not there: {self._path}",
                hint=f"check llm.models.{self._name}.path, or fetch it with `octavo models fetch`",
                details={"path": str(self._path)},
            )
        settings = bindings.CommonParams()
        settings.model.path = str(self._path)
        settings.n_ctx = self._window * self._concurrency
        settings.n_parallel = self._concurrency
        settings.warmup = False
        settings.verbosity = -1  # it would log on stderr
        # The bindings listen on a port of this machine as well: without the key, nobody is answered there.
        settings.api_keys = [secrets.token_hex(32)]
        settings.ui = settings.endpoint_slots = False
        settings.offline = True
        for cores in (settings.cpuparams, settings.cpuparams_batch):
            cores.n_threads = self._threads
            cores.poll = 0  # threads that wait leave their core to others
        try:
            return bindings.Server(settings)
        except Exception as error:
            raise ModelUnavailable(
                f"{self._path} could not be loaded: {str(error)[:300]}", hint="check that it is a whole GGUF file"
            ) from error
