"""`model.json` for a folder as model hubs have them: what their own files say of pooling, size and prefixes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from octavo.embedding.model_folder import BESIDE_GRAPH, FORMAT, GRAPH
from octavo.errors import ModelUnavailable

_RECORDED = (GRAPH, "tokenizer.json", *BESIDE_GRAPH)


def describe_folder(folder: Path, name: str, pooled: str = "") -> Path:
    """Writes `model.json`, unless there is one.

    Pooling is what whoever fetched it says, or that of `1_Pooling/config.json`, else the mean.
    """
    target = folder / "model.json"
    if target.is_file():
        return target
    config = _json(folder / "config.json")
    if "hidden_size" not in config or not (folder / GRAPH).is_file() or not (folder / "tokenizer.json").is_file():
        raise ModelUnavailable(
            f"{folder} is no embedding model: it needs {GRAPH}, tokenizer.json and config.json",
            hint="fetch these files too",
        )
    pooling, limits = _json(folder / "1_Pooling" / "config.json"), _json(folder / "sentence_bert_config.json")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    positions = int(config.get("max_position_embeddings") or 512)
    # RoBERTa's positions begin after the padding's: two of them are no places for tokens.
    usable = positions - 2 if config.get("model_type") in ("roberta", "xlm-roberta") else positions
    files = {each: _record(folder / each) for each in _RECORDED if (folder / each).is_file()}
    about = {
        "format": FORMAT,
        "name": name,
        "model": str(config.get("_name_or_path") or name),
        "revision": files[GRAPH]["sha256"][:12],
        "dimensions": int(pooling.get("word_embedding_dimension") or config["hidden_size"]),
        "window": min(int(limits.get("max_seq_length") or usable), usable),
        "pooling": pooled or ("cls" if pooling.get("pooling_mode_cls_token") else "mean"),
        "tokenizer": "tokenizers",
        "query_prefix": str(prompts.get("query") or ""),
        "document_prefix": str(prompts.get("passage") or prompts.get("document") or ""),
        "files": files,
    }
    target.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return target


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _record(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}
