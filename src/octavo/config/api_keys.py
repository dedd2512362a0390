"""API keys of services: read from the environment or a file when they are needed, stored nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping

from octavo.errors import ConfigurationError, system_message
from octavo.path_resolution_and_private_folders import expand_user


def api_key(variable: str, file: str, environ: Mapping[str, str] | None = None) -> str | None:
    """The key in a file, or else in a variable; None where neither is named or the variable is unset."""
    if file:
        path = expand_user(file)
        try:
            key = path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"the key file {path} cannot be read: {system_message(error)}") from error
        if not key or len(key.split()) != 1:
            raise ConfigurationError(f"the key file {path} does not hold one key")
        return key
    return (os.environ if environ is None else environ).get(variable, "").strip() or None if variable else None
