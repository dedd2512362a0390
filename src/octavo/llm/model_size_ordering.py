"""Orders language models by parameters, read from settings, model name or file size, smallest first."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.lazy_regex import regex
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.path_resolution_and_private_folders import expand_user

_SAID = regex(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)([mb])(?![a-z\d])")  # 4b, 135m, 1.7b, 8x7b
_MILLIONS = {"m": 1.0, "b": 1_000.0}
_BYTES_PER_PARAMETER = 0.6  # of a file quantised to four bits, as most are
_UNKNOWN = float("inf")


def smallest_first(names: Sequence[str], configuration: LanguageModels) -> tuple[str, ...]:
    """Models by their size; those of which it is not known come last, in the order they were given."""
    return tuple(sorted(names, key=lambda name: millions_of_parameters(configuration.models[name])))


def millions_of_parameters(settings: ModelSettings) -> float:
    """What the settings say, else the model's name (`qwen3-4b`, `llama3.2:1b`), else what its file suggests."""
    path = settings.path
    for text in (settings.size, settings.model, path.name if path else ""):
        if match := _SAID.search(text.lower()):
            return float(match[1] or 1) * float(match[2]) * _MILLIONS[match[3]]
    try:
        return _UNKNOWN if path is None else expand_user(path).stat().st_size / _BYTES_PER_PARAMETER / 1e6
    except OSError:
        return _UNKNOWN
