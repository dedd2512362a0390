"""Stores language-model completions by model, prompt and input hash, and prunes them to a number of bytes."""

from __future__ import annotations

from octavo.model.ids import ProjectId
from octavo.model.language_model_calls import Completion, Usage
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class CompletionRepository(ProjectRepository):
    """What language models have answered before, by the prompt's name and version and a digest of what was asked."""

    def known(self, project: ProjectId, model: str, prompt: str, digest: str) -> Completion | None:
        for answer, prompt_tokens, completion_tokens in self._rows(
            "completion_known", project, model=model, prompt=prompt, input=digest
        ):
            return Completion(answer, Usage(prompt_tokens, completion_tokens, cached=True))
        return None

    def put(
        self, project: ProjectId, model: str, prompt: str, digest: str, completion: Completion, keep_bytes: int
    ) -> None:
        """Stores an answer; the oldest go where all together take more than `keep_bytes`."""
        row = self._in(
            project,
            model=model,
            prompt=prompt,
            input=digest,
            answer=completion.text,
            prompt_tokens=completion.usage.prompt_tokens,
            completion_tokens=completion.usage.completion_tokens,
            size=len(completion.text.encode("utf-8", "replace")) + len(digest),
            now=self._clock(),
        )
        with self._database.transaction():
            self._database.run("completion_put", row)
            if int(value(self._database, "completions_size", {"project": row["project"]})) > keep_bytes:
                self._database.run("completions_prune", {"project": row["project"], "keep": keep_bytes})

    def count(self, project: ProjectId) -> int:
        return int(self._value("completions_count", project))

    def prune(self, project: ProjectId, keep_bytes: int) -> int:
        """Forgets the oldest beyond so many bytes; how many there were. Inside a transaction."""
        where = self._in(project)
        before = self.count(project)
        self._database.run("completions_prune", where | {"keep": keep_bytes})
        return before - self.count(project)
