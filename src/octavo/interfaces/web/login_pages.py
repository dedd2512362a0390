"""A browser's way in and out: it exchanges the token, or a code that opens one session, for a cookie of its own."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.interfaces.http.authentication import Access, cookie_name, set_session
from octavo.interfaces.web.page_rendering import Listed, Site, fields


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
