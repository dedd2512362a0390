"""The settings: what each means, its value and where that comes from; those that are safe to change can be changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.config.config_file_edits import set_value, target, unset
from octavo.config.layered_config_loading import load, settings
from octavo.config.setting_descriptions import Setting, described, plain, sections, written
from octavo.engine.caller_permissions import authorise
from octavo.errors import InvalidArgument
from octavo.interfaces.web.page_rendering import Listed, Pages, fields
from octavo.model.access_token import AccessScope

_SAFE = "retrieval."  # how a search is answered; everything else names places, services or what is stored


class SettingsPage(Pages):
    def listed(self) -> Listed:
        change: Listed = [("/change/setting", self._change, ["POST"])] if self._site.writable else []
        return self._site.guarded([("/settings", self._settings, ["GET"]), *change])

    async def _settings(self, request: Request) -> Response:
        groups = await self._site.calls.work(lambda engine: setting_groups())
        return self._site.page("settings.html", groups=groups, title="Settings")

    async def _change(self, request: Request) -> Response:
        """Written into the configuration file of the account; an empty value gives the setting its default again."""
        form = await fields(request)
        name, value = form.get("name", ""), form.get("value", "").strip()
        setting = described().get(name)
        if setting is None or not is_safe(setting):
            raise InvalidArgument(f"{name} is not changed from a page", hint=f"run `octavo config set {name} VALUE`")

        def change(engine: object) -> None:
            file = target(os.environ, Path.cwd(), project=False)
            if value:
                set_value(file, name, [value], os.environ, Path.cwd())
            else:
                unset(file, name, os.environ, Path.cwd())

        authorise("settings", AccessScope.ADMIN)
        await self._site.calls.work(change)
        return RedirectResponse(f"/settings#{name}", 303)


def is_safe(setting: Setting) -> bool:
    """What even a folder of somebody else's may set, and of that only what changes nothing that is stored."""
    return setting.in_project_file and setting.name.startswith(_SAFE)


def setting_groups() -> list[dict[str, Any]]:
    """The tables of the configuration with their settings, as `octavo config describe` has them."""
    loaded = load()
    values = {name: written(plain(value)) for name, value in settings(loaded.config)}
    groups = []
    for section in sections():
        rows = [
            {
                "setting": setting,
                "value": values[setting.name],
                "default": written(setting.default),
                "origin": loaded.origins[setting.name],
                "safe": is_safe(setting),
            }
            for setting in section.settings
            if setting.name in values
        ]
        if rows:
            groups.append({"name": section.name or "library", "meaning": section.meaning, "rows": rows})
    return sorted(groups, key=lambda group: not any(row["safe"] for row in group["rows"]))
