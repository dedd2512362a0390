"""Summaries of sections and files, with their vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, DocumentId, ProjectId
from octavo.model.normalised_text_and_spans import Span
from octavo.model.summary import NodeType, PlacedChunk, Summarised, Summary, SummaryVectors, Unsummarised
from octavo.sql_repositories.database_port import first, value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_ALL = 2**62  # more documents than any library has


class SummaryRepository(ProjectRepository):
    """Summaries of sections and files. They go with the text they were made of: a changed document has none."""

    def missing(
        self, project: ProjectId, profile: EmbeddingProfile, maker: str, most: int | None = None
    ) -> tuple[Unsummarised, ...]:
        """Documents without summaries by this maker in this profile, oldest first. Commits have none."""
        where = self._of(project, profile) | {"maker": maker, "limit": _ALL if most is None else most}
        rows = self._database.rows("summaries_missing", where)
        return tuple(Unsummarised(DocumentId(row[0]), row[1], row[2].hex()) for row in rows)

    def chunks(self, project: ProjectId, document: DocumentId) -> tuple[PlacedChunk, ...]:
        """The chunks of a document in its order."""
        rows = self._rows("summary_chunks", project, id=document)
        return tuple(PlacedChunk(ChunkKey(row[0]), Span(row[1], row[2])) for row in rows)

    def put(
        self,
        project: ProjectId,
        profile: EmbeddingProfile,
        made_of: Unsummarised,
        maker: str,
        summaries: Sequence[Summary],
    ) -> bool:
        """Replaces a document's summaries; False, and nothing is written, where its text is another one by now."""
        where = self._in(project, id=made_of.document_id)
        row = first(self._database, "summary_document", where | {"text_hash": bytes.fromhex(made_of.text_hash)})
        if row is None:
            return False
        body = profile.canonical()
        named = {"project": where["project"], "name": profile.name, "body": body, "now": self._clock()}
        self._database.run("profile_put", named)
        self._database.run("summaries_remove", {"document": row[0]})
        common = self._of(project, profile) | {"document": row[0], "maker": maker, "now": self._clock()}
        self._database.run_many(
            "summary_put",
            (
                {
                    **common,
                    "node": summary.node.value,
                    "start": summary.span.start,
                    "end": summary.span.end,
                    "path": json.dumps(summary.heading_path, ensure_ascii=False),
                    "summary": summary.text,
                    "data": summary.data,
                }
                for summary in summaries
            ),
        )
        return True

    def of_document(self, project: ProjectId, document: DocumentId) -> tuple[tuple[str, Summary], ...]:
        """Each summary with its maker: the file's first, then the sections' in order."""
        return tuple(
            (row[0], Summary(NodeType(row[1]), Span(row[2], row[3]), tuple(json.loads(row[4])), row[5], bytes(row[6])))
            for row in self._rows("summaries_of_document", project, id=document)
        )

    def state(self, project: ProjectId, profile: EmbeddingProfile) -> tuple[int, int]:
        """How many there are and the key of the newest: another pair once anything was made or removed."""
        count, newest = self._database.rows("summaries_state", self._of(project, profile))[0]
        return int(count), int(newest)

    def vectors(self, project: ProjectId, profile: EmbeddingProfile, node: NodeType) -> SummaryVectors:
        rows = self._database.rows("summary_vectors", self._of(project, profile) | {"node": node.value})
        return SummaryVectors(tuple(row[0] for row in rows), b"".join([bytes(row[1]) for row in rows]))

    def chunks_below(self, project: ProjectId, keys: Sequence[int]) -> Mapping[int, tuple[ChunkKey, ...]]:
        """The chunks that begin within what a summary is of, by the summary's key."""
        where = self._in(project, keys=json.dumps([int(key) for key in keys]))
        below: dict[int, list[ChunkKey]] = {}
        for summary, chunk in self._database.rows("summary_chunks_below", where):
            below.setdefault(int(summary), []).append(ChunkKey(chunk))
        return {summary: tuple(chunks) for summary, chunks in below.items()}

    def summarised(self, project: ProjectId, profile: EmbeddingProfile) -> Summarised:
        files, documents, sections = map(int, self._database.rows("summaries_counted", self._of(project, profile))[0])
        return Summarised(files, documents, sections, files)

    def clear(self, project: ProjectId) -> int:
        """Removes all of them; how many there were. Inside a transaction."""
        where = self._in(project)
        count = int(value(self._database, "summaries_count", where))
        self._database.run("summaries_clear", where)
        return count

    def _of(self, project: ProjectId, profile: EmbeddingProfile) -> dict[str, Any]:
        return self._in(project, profile=self._keys.profile(project, profile.canonical()))
