"""`POST /v1/embeddings`: the operation `embed` in the shape that programs for OpenAI's interface send and expect."""

from __future__ import annotations

import base64
from array import array
from collections.abc import Mapping
from typing import Any

from octavo.errors import InvalidArgument
from octavo.operations.answer_budget import tokens

_HINT = "texts, not numbers of tokens, which are another model's"


def embed_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the operation is asked. Which model is named does not matter: there is one, and the answer names it."""
    texts = given.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InvalidArgument("`input` is neither a text nor a list of texts", hint=_HINT)
    if given.get("encoding_format", "float") not in ("float", "base64"):
        raise InvalidArgument("`encoding_format` is neither float nor base64")
    return {"texts": texts}


def embedding_list(given: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    dimensions = given.get("dimensions")
    if dimensions not in (None, answer["dimensions"]):
        raise InvalidArgument(f"the vectors of {answer['model']} have {answer['dimensions']} dimensions")
    used = sum(tokens(vector["text"]) for vector in answer["vectors"])
    encoded = given.get("encoding_format") == "base64"
    return {
        "object": "list",
        "model": answer["model"],
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _base64(vector["embedding"]) if encoded else vector["embedding"],
            }
            for index, vector in enumerate(answer["vectors"])
        ],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def _base64(vector: list[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()
