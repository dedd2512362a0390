"""Merges the project file in a collection's folder into the configuration; an unreadable one is ignored."""

from __future__ import annotations

from pathlib import Path

from octavo.config.layered_config_loading import for_folder
from octavo.config.schema import Config
from octavo.errors import ConfigurationError
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.logs import logger


def folder_config(config: Config, settings: CollectionSettings) -> Config:
    """The configuration for a collection.

    A project file that cannot be read says nothing: it is somebody else's, and no other folder waits for it.
    """
    if not settings.folder:
        return config
    try:
        return for_folder(config, Path(settings.folder))
    except ConfigurationError as error:
        logger("config").warning("the project file of %s is not followed: %s", settings.folder, error.message)
        return config
