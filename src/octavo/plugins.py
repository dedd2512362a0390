"""Packages beside the core, ours and other people's: named by entry points, imported when first used.

group               name                                     object
octavo.stores       scheme of a library's URL                `engine.wiring.store_opening.StoreEngine`
octavo.converters   extension of a file, without its dot     function that reads the file
octavo.stages       name of a stage in a profile             frozen dataclass of one of the four shapes
octavo.importers    name of another program                  `operations.database.importer_choice.Importer`
octavo.providers    name of an embedding profile's provider  function that makes an embedder
octavo.indexes      form of a snapshot's vector index        module with `save_index` and `open_indexes`
octavo.trainers     `finetune`                               function that trains a model on a library
octavo.references   extension of a file, without its dot     function that says which publication the file is
octavo.exporters    form of `octavo export --to`             function that writes documents into a folder

Ours are listed here, as pyproject.toml declares them: a search that needs nothing else looks at no installed package.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from octavo.errors import ConfigurationError

STORES = "octavo.stores"
CONVERTERS = "octavo.converters"
STAGES = "octavo.stages"
IMPORTERS = "octavo.importers"
PROVIDERS = "octavo.providers"
INDEXES = "octavo.indexes"
TRAINERS = "octavo.trainers"
EXPORTERS = "octavo.exporters"
REFERENCES = "octavo.references"

OURS: Mapping[str, Mapping[str, str]] = {
    STORES: dict.fromkeys(("postgresql", "postgres"), "octavo_postgres.store_entry_point"),
    CONVERTERS: {
        **dict.fromkeys(("json", "txt"), "octavo_records.conversation_converter:read_conversations"),
        "bib": "octavo_records.calendars_contacts_references:read_references",
        "ics": "octavo_records.calendars_contacts_references:read_calendar",
        "opml": "octavo_records.calendars_contacts_references:read_outline",
        "vcf": "octavo_records.calendars_contacts_references:read_contacts",
        **dict.fromkeys(("jsonl", "ndjson"), "octavo_records.json_lines_converter:read_lines"),
        "doc": "octavo_office.doc:read_doc",
        "msg": "octavo_office.outlook_msg:read_message",
        "ppt": "octavo_office.ppt:read_ppt",
        "rtf": "octavo_office.rtf:read_rtf",
        "xls": "octavo_office.xls:read_xls",
    },
    STAGES: {
        "intent": "octavo_stages.query_intent_and_expansion:QueryIntent",
        "concepts": "octavo_stages.query_intent_and_expansion:ConceptExpansion",
        "dense_feedback": "octavo_stages.query_intent_and_expansion:FeedbackRecall",
        "phrase": "octavo_stages.recall_stages:PhraseRecall",
        "title": "octavo_stages.recall_stages:TitleRecall",
        "dense_clusters": "octavo_stages.recall_stages:ClusterRecall",
        "dense_outline": "octavo_stages.recall_stages:ShardRoutedRecall",
        "graph": "octavo_stages.graph_stages:GraphRecall",
        "intent_fusion": "octavo_stages.query_intent_and_expansion:IntentFusion",
        "community_boost": "octavo_stages.graph_stages:CommunityBoost",
        "graph_expansion": "octavo_stages.graph_stages:GraphExpansion",
        "recency_tiers": "octavo_stages.recency_and_time_range:RecencyTiers",
        "recency_decay": "octavo_stages.recency_and_time_range:RecencyDecay",
        "time_range": "octavo_stages.recency_and_time_range:TimeRange",
        "ngram_duplicates": "octavo_stages.diversity_and_duplicates:NgramDuplicates",
        "minhash_duplicates": "octavo_stages.diversity_and_duplicates:MinHashDuplicates",
        "mmr": "octavo_stages.diversity_and_duplicates:MarginalRelevance",
        "cap_per_section": "octavo_stages.section_stages:CapPerSection",
        "parent_expansion": "octavo_stages.section_stages:ParentExpansion",
    },
    IMPORTERS: {
        "chroma": "octavo_import.chroma",
        "memento": "octavo_import.memento",
        "mcp-memory-service": "octavo_import.mcp_memory_service",
        "basic-memory": "octavo_import.note_folders_of_other_programs:BASIC_MEMORY",
        "ragdocs": "octavo_import.note_folders_of_other_programs:RAGDOCS",
        "msrl": "octavo_import.note_folders_of_other_programs:MSRL",
        "obsidian": "octavo_import.note_folders_of_other_programs:OBSIDIAN",
    },
    PROVIDERS: {},
    INDEXES: dict.fromkeys(("ivfpq", "hnsw"), "octavo_stages.faiss_indexes"),
    TRAINERS: {"finetune": "octavo_train.finetune_operation:train_model"},
    EXPORTERS: {"site": "octavo_site.static_site:write_site"},
    REFERENCES: dict.fromkeys(("pdf", "epub", "html"), "octavo_records.publication_of_file:work_of"),
}


class EntryPoint(NamedTuple):
    """`target` is a module, or `module:attribute`."""

    group: str
    name: str
    target: str
    distribution: str
    version: str

    def load(self) -> Any:
        try:
            return resolved(self.target)
        except (Exception, SystemExit) as error:  # whatever a stranger's module does when it is imported
            raise ConfigurationError(
                f"the plugin {self.distribution} cannot be imported for {self.group} {self.name}: "
                f"{type(error).__name__}: {error}",
                hint=f"install it again, or remove it: pip uninstall {self.distribution}",
            ) from error


def load(group: str, name: str) -> Any:
    """The object that a package adds under a name, which is one of `names`."""
    ours = OURS[group].get(name)
    return others(group)[name].load() if ours is None else resolved(ours)


def has(group: str, name: str) -> bool:
    """Whether a package adds this; one of ours is known without a look at what is installed."""
    return name in OURS[group] or name in others(group)


def names(group: str) -> tuple[str, ...]:
    """Everything that packages add, ours first."""
    return (*OURS[group], *others(group))


def others(group: str) -> Mapping[str, EntryPoint]:
    """What other people's packages add, by name. A name of ours stays ours; of two, the first on the path counts."""
    points: dict[str, EntryPoint] = {}
    for entry in installed():
        if entry.group == group and entry.name not in OURS[group]:
            points.setdefault(entry.name, entry)
    return points


def folders(group: str) -> list[str]:
    """Where the code of a group lies, for a process that may read nothing else. Nothing is imported to look."""
    targets = (*OURS[group].values(), *(entry.target for entry in others(group).values()))
    packages = dict.fromkeys(target.partition(":")[0].partition(".")[0] for target in targets)
    specs = [spec for spec in map(find_spec, filter(str.isidentifier, packages)) if spec is not None]
    return [path for spec in specs for path in spec.submodule_search_locations or [spec.origin or ""] if path]


def resolved(target: str) -> Any:
    """Imports what `module` or `module:attribute` names."""
    module, _, attribute = target.partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def install_command(extra: str) -> str:
    """`pip install 'textual<9,>=8.0'`: an extra by its packages, which are found wherever Octavo itself came from."""
    metadata = import_module("importlib.metadata")  # importing it takes as long as a third of a search
    try:
        needed = [line.partition(";") for line in metadata.requires("octavo") or ()]
    except metadata.PackageNotFoundError:  # a copy of the source on the path
        needed = []
    packages = [f"'{name.strip()}'" for name, _, when in needed if re.search(rf"extra == ['\"]{extra}['\"]", when)]
    return " ".join(("pip install", *(packages or (f"'octavo[{extra}]'",))))


@cache
def installed() -> tuple[EntryPoint, ...]:
    """The entry points for Octavo of all other installed distributions.

    Read as files, not by `importlib.metadata`: importing that takes as long as a third of a search. The working
    directory, which `python -m` puts on the path, is left out: it may be a folder of somebody else's notes.
    """
    folders = dict.fromkeys(os.path.realpath(folder) for folder in sys.path if folder)
    folders.pop(os.path.realpath(os.curdir), None)
    return tuple(entry for folder in folders for entry in _declared_in(folder))


def _declared_in(folder: str) -> list[EntryPoint]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entry.path for entry in entries if entry.name.endswith(".dist-info"))
    except OSError:
        return []
    return [entry for path in found for entry in _declared_by(Path(path))]


def _declared_by(distribution: Path) -> list[EntryPoint]:
    try:
        text = (distribution / "entry_points.txt").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    name, _, version = distribution.name.removesuffix(".dist-info").partition("-")
    if "[octavo." not in text or name == "octavo":
        return []
    points, group = [], ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]")
        elif group in OURS and "=" in line:
            key, _, target = line.partition("=")
            points.append(EntryPoint(group, key.strip(), target.partition("[")[0].strip(), name, version))
    return points
