"""Scans the folders of collections, by the rules for files and commits that the configuration gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from octavo.config.schema import Config
from octavo.engine.wiring.config_with_project_file import folder_config
from octavo.fast_dataclass import dataclass
from octavo.ingest.git_commit_indexing import HistoryRules
from octavo.model.file_formats import left_out_reason, readable_extensions
from octavo.model.folder_scan import Scan
from octavo.model.indexing_ledger import FileStamp
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.parsing.registry import extensions
from octavo.sources.file_watching import changes
from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.shown_files_of_git_commits import Withholding


@dataclass(frozen=True, slots=True)
class Sources:
    """The folders of collections, read as a configuration says."""

    config: Config

    def scan(self, collection: Collection, known: Mapping[str, FileStamp], paths: Sequence[str] | None) -> Scan:
        return scan(collection.root, file_rules(self.config, collection.settings), known, paths=paths)

    def history_rules(self, settings: CollectionSettings) -> HistoryRules:
        history = self.config.history
        return HistoryRules(
            wanted=history.enabled if settings.history is None else settings.history,
            max_commits=settings.max_commits or history.max_commits,
            outside=history.outside_git if settings.outside_git is None else settings.outside_git,
            files=file_rules(self.config, settings),
        )

    def changes(
        self, root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
    ) -> Iterator[frozenset[str]]:
        """Yields the paths below a folder at which something happened."""
        return changes(root, stop, ready, polling=polling, poll_ms=poll_ms)

    def matter(self, collection: Collection, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths at which the collection could have something to index; the ignore files are read anew."""
        matters = Withholding(collection.root, file_rules(self.config, collection.settings)).matters
        return frozenset(path for path in paths if matters(path))


def reads_archives(config: Config, settings: CollectionSettings) -> bool:
    return config.converting.archives if settings.archives is None else settings.archives


def file_rules(config: Config, settings: CollectionSettings) -> IgnoreRules:
    config = folder_config(config, settings)
    converted = readable_extensions(ocr=config.converting.ocr, archives=reads_archives(config, settings))
    return IgnoreRules(
        extensions=extensions(settings.include) | converted,
        include=settings.include,
        ignore=(*config.ingest.ignore, *settings.ignore),
        max_bytes=settings.max_file_bytes or config.ingest.max_file_bytes,
        converted=converted,
        max_converted_bytes=settings.max_file_bytes or config.converting.max_file_bytes,
        left_out=left_out_reason,
    )
