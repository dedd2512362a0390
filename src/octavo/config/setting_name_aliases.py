"""Names that settings have in other programs or had in earlier versions → what they are here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

RENAMED: dict[str, str] = {}
"""Settings that had another name → the name they have now. A name stays here for one minor version at least: it is
understood, with a warning."""

MSRL: Mapping[str, str] = {
    "chunking.target_min_tokens": "chunking.target_min_tokens",
    "chunking.target_max_tokens": "chunking.target_max_tokens",
    "chunking.hard_max_tokens": "chunking.hard_max_tokens",
    "chunking.min_preferred_tokens": "chunking.min_preferred_tokens",
    "chunking.overlap_tokens": "chunking.overlap_tokens",
    "retrieval.default_top_k": "retrieval.limit",
    "retrieval.default_max_excerpt_chars": "retrieval.max_excerpt_chars",
    "lifecycle.ignored_patterns": "ingest.ignore",
}
"""What MSRL's file in a vault may say here. The rest of it is about a whole machine, which no folder decides."""

_SIZES = (600, 1_000, 1_200, 200, 100)  # MSRL's defaults, in the table's order: a file that sets one gets the rest

_ELSEWHERE: Mapping[str, str] = {
    "backoff": "jobs.retry_seconds",
    "bm25_weight": "the profile `weighted`",
    "chunk_max_tokens": "chunking.hard_max_tokens",
    "chunk_overlap": "chunking.overlap_tokens",
    "chunk_overlap_tokens": "chunking.overlap_tokens",
    "chunk_size": "chunking.target_max_tokens",
    "chunking_strategy": "chunking.strategy",
    "cluster_algorithm": "`octavo cluster build --algorithm`",
    "cluster_k": "`octavo cluster build --k`",
    "connection_string": "library",
    "cross_encoder_model": "reranking.model",
    "dedup_enabled": "`octavo search --compressed`",
    "default_max_excerpt_chars": "retrieval.max_excerpt_chars",
    "default_top_k": "retrieval.limit",
    "device": "embedding.providers",
    "documents_path": "`octavo add FOLDER`",
    "embed_model": "embedding.model",
    "embedding_model": "embedding.model",
    "embedding_provider": "embedding.provider",
    "enable_file_summaries": "`octavo summaries build`",
    "enable_section_summaries": "`octavo summaries build`",
    "enable_versioning": "always on: `octavo db prune` lets versions go",
    "eval_baselines_dir": "`octavo eval run --baselines`",
    "exclude": "ingest.ignore",
    "finetune_enabled": "`octavo models finetune`",
    "ignore_patterns": "ingest.ignore",
    "ignored_patterns": "ingest.ignore",
    "index_path": "library",
    "max_cached_shards": "snapshots.open_shards",
    "max_file_size_bytes": "ingest.max_file_bytes",
    "max_per_file": "the stage `cap_per_document` of a profile",
    "max_retained_snapshots": "snapshots.keep",
    "min_confidence": "`octavo search --min-score`",
    "mmr_enabled": "retrieval.diversity_strategy",
    "model_path": "embedding.model",
    "num_threads": "embedding.threads",
    "persist_dir": "library",
    "rerank_enabled": "`octavo search --rerank`",
    "rerank_strategy": "retrieval.profile",
    "retrieval_profile": "retrieval.profile",
    "shard_count": "snapshots.shards",
    "span_merge_gap_threshold": "the stage `merge_spans` of a profile",
    "vault_root": "`octavo add FOLDER`",
    "vector_weight": "the profile `weighted`",
    "watch_debounce_ms": "watch.debounce_ms",
    "watch_enabled": "watch.enabled",
}


def setting_for(name: str) -> str:
    """The setting or the command for a name of another program; empty where none is known."""
    return _ELSEWHERE.get(snake(name.rpartition(".")[2]), "library" if name.startswith("vectordb.") else "")


def msrl_settings(written: bytes) -> dict[str, Any]:
    """Of `.msrl/config.json`: what it says about the files of its folder, by our names."""
    said = json.loads(written)
    known = {MSRL[name]: value for name, value in _flat(said) if name in MSRL} if isinstance(said, dict) else {}
    if any(name.startswith("chunking.") for name in known):
        sizes = [name for name in MSRL.values() if name.startswith("chunking.")]
        known = {**dict(zip(sizes, _SIZES, strict=True)), **known}
    return known


def snake(name: str) -> str:
    return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _flat(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, values in tree.items():
        if isinstance(values, Mapping):
            yield from ((f"{snake(section)}.{snake(name)}", value) for name, value in values.items())


def with_present_names(layer: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """Renames former names, with a warning; one under the present name counts."""
    former = {name: RENAMED[name] for name in layer if name in RENAMED}
    if former:
        from octavo.observability.logs import logger  # a setting under its former name is rare, and logging takes time

    for name, present in former.items():
        logger("config").warning(
            "%s sets %s, which is called %s now and will be refused under its former name", origin, name, present
        )
    kept = {name: value for name, value in layer.items() if name not in former}
    return {**{present: layer[name] for name, present in former.items()}, **kept}
