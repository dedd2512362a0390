"""MTEB: the encoder that a library searches with, as a model of the benchmark.

from octavo.integrations.mteb import OctavoEncoder

results = mteb.evaluate(OctavoEncoder(library), mteb.get_tasks(tasks=["STSBenchmark"]))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ScoringFunction
from mteb.types import PromptType

from octavo import Library


class OctavoEncoder(AbsEncoder):
    """Queries are embedded as a search embeds them, everything else as passages are."""

    def __init__(self, library: Library) -> None:
        self._library = library
        model = library.models.embed([""])
        self.mteb_model_meta = ModelMeta.create_empty(
            {
                "name": f"octavo/{model.model}",
                "revision": "1",
                "embed_dim": model.dimensions,
                "framework": ["ONNX"],
                "similarity_fn_name": ScoringFunction.COSINE,
            }
        )

    def encode(self, inputs: Any, *, prompt_type: PromptType | None = None, **about: Any) -> Any:
        queries = prompt_type == PromptType.query
        embedded = (self._library.models.embed(batch["text"], queries=queries) for batch in inputs)
        return np.array([vector.embedding for part in embedded for vector in part.vectors], np.float32)
