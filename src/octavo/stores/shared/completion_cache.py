"""A cache of what language models answered."""

from __future__ import annotations

from octavo.model.ids import ProjectId
from octavo.model.language_model import Completion, Usage
from octavo.stores.shared.clock import Clock
from octavo.stores.shared.database import Database, value
from octavo.stores.shared.projects import KeyCache


class CompletionRepository:
    """Fits `ports.Completions`."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def known(self, project: ProjectId, model: str, prompt: str, digest: str) -> Completion | None:
        where = {"project": self._keys.project(project), "model": model, "prompt": prompt, "input": digest}
        for answer, prompt_tokens, completion_tokens in self._database.rows("completion_known", where):
            return Completion(answer, Usage(prompt_tokens, completion_tokens, cached=True))
        return None

    def put(
        self, project: ProjectId, model: str, prompt: str, digest: str, completion: Completion, keep_bytes: int
    ) -> None:
        row = {
            "project": self._keys.project(project),
            "model": model,
            "prompt": prompt,
            "input": digest,
            "answer": completion.text,
            "prompt_tokens": completion.usage.prompt_tokens,
            "completion_tokens": completion.usage.completion_tokens,
            "size": len(completion.text.encode("utf-8", "replace")) + len(digest),
            "now": self._clock(),
        }
        with self._database.transaction():
            self._database.run("completion_put", row)
            if int(value(self._database, "completions_size", {"project": row["project"]})) > keep_bytes:
                self._database.run("completions_prune", {"project": row["project"], "keep": keep_bytes})

    def count(self, project: ProjectId) -> int:
        return int(value(self._database, "completions_count", {"project": self._keys.project(project)}))

    def prune(self, project: ProjectId, keep_bytes: int) -> int:
        where = {"project": self._keys.project(project)}
        before = self.count(project)
        self._database.run("completions_prune", where | {"keep": keep_bytes})
        return before - self.count(project)
