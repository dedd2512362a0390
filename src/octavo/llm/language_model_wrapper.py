"""Base of wrappers around a language model: name, context window, prices and token counts are those of the model."""

from __future__ import annotations

from octavo.model.language_model_settings import Prices
from octavo.ports import LanguageModel


class ModelWrapper:
    """The parts of `ports.LanguageModel` that a wrapper passes on; how to complete is for each to say."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    @property
    def prices(self) -> Prices:
        return self._model.prices

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)
