"""The settings, each with its value and origin; a browser's way in and out, by the token or a code for one session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.config.config_file_edits import set_value, target, unset
from octavo.config.layered_config_loading import load, settings
from octavo.config.setting_descriptions import Setting, described, plain, sections, written
from octavo.engine.caller_permissions import authorise
from octavo.errors import InvalidArgument
from octavo.interfaces.http.authentication import Access, cookie_name, set_session
from octavo.interfaces.web.page_rendering import Listed, Pages, Site, fields
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


class Login:
    def __init__(self, site: Site, access: Access) -> None:
        self._site = site
        self._access = access

    def listed(self) -> Listed:
        return self._site.guarded([("/login", self._login, ["GET", "POST"]), ("/logout", self._logout, ["POST"])])

    async def _login(self, request: Request) -> Response:
        given = dict(request.query_params)
        if request.method == "POST":
            given = {"token": (await fields(request)).get("token", "").strip()}
        elif not given.keys() & {"token", "code"}:
            refused = "refused" in given
            return self._site.page("login.html", refused=refused, title="Token needed")
        session = await self._access.begin(request.scope, token=given.get("token", ""), code=given.get("code", ""))
        if session is None:
            return RedirectResponse("/login?refused=1", 303)
        # What the address held is in no page, so no link gives it away.
        question = f"/?{urlencode({'q': given['q']})}" if given.get("q") else "/"
        admitted = RedirectResponse(question, 303, {"Cache-Control": "no-store"})
        set_session(admitted, request.headers, session)
        return admitted

    async def _logout(self, request: Request) -> Response:
        self._access.end(request.headers)
        left = RedirectResponse("/login", 303)
        left.delete_cookie(cookie_name(request.headers))
        return left
