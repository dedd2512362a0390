"""`octavo profiles`: which embedders a project knows, which one answers, and how another takes over."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup
from octavo.interfaces.cli.options import shared_options
from octavo.operations.profiles.requests import ProfilesActivateRequest, ProfilesSetRequest


@click.group(cls=OperationGroup)
@shared_options
def profiles() -> None:
    """Look at embedding profiles, make one, fill it, search with it."""


@profiles.add
@command(ProfilesSetRequest, "profiles_set", name="set", action="profiles:set_profile")
def set_profile() -> None: ...


@profiles.add
@command(ProfilesActivateRequest, "profiles_reindex", action="profiles:reindex")
@click.option("--wait", is_flag=True, help="Do the work here and now, rather than leave it to a worker.")
def reindex() -> None: ...
