"""What every page shares: templates, headers, and calls of operations. Pages ask operations only."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from octavo.engine.search.index_freshness import learning
from octavo.errors import NotIndexed, OctavoError
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.authentication import Access
from octavo.interfaces.http.problem_responses import status_of
from octavo.interfaces.web import code_diffs_and_messages_as_html, document_addresses, markdown_to_html
from octavo.operations.operation_lookup import EVERY, OPERATIONS
from octavo.version import __version__

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with it, browsers send the forms of these pages with `Origin: null`, which the guard refuses.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}

PAGES = (
    ("/", "Search"),
    ("/ask", "Ask"),
    ("/memories", "Memories"),
    ("/graph", "Graph"),
    ("/library", "Library"),
    ("/docs", "API"),
)
"""What the head of every page leads to."""

LIBRARY_PAGES = (
    ("/library", "Overview"),
    ("/models", "Models"),
    ("/jobs", "Jobs"),
    ("/evaluation", "Evaluation"),
    ("/map", "Map"),
    ("/settings", "Settings"),
)
"""What the pages about the library lead to."""

_TITLES = {
    401: "Token needed",
    403: "Not allowed",
    404: "Not found",
    409: "Not now",
    413: "Too much at once",
    421: "Another name",
    500: "Something broke",
    503: "Too busy just now",
    504: "This took too long",
}

Page = Callable[[Request], Awaitable[Response]]
Listed = list[tuple[str, Page, list[str]]]


@cache
def templates(writable: bool = False, secured: bool = False) -> Environment:
    """What pages are made of; `writable` ones offer changes, `secured` ones an end of the session."""
    made = Environment(
        loader=PackageLoader("octavo.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,  # templates are part of the package: none changes while it runs
    )
    made.filters |= {"sentence": code_diffs_and_messages_as_html.sentence, "learning": learning}
    made.globals |= {
        "version": __version__,
        "document_link": document_addresses.document_link,
        "differences": code_diffs_and_messages_as_html.differences,
        "inline": markdown_to_html.inline,
        "place": document_addresses.DocumentPlace,
        "named_link": document_addresses.named_link,
        "not_yet": lambda error: isinstance(error, NotIndexed),
        "writable": writable,
        "secured": secured,
        "site_pages": PAGES,
        "library_pages": LIBRARY_PAGES,
    }
    return made


class Site:
    """`writable` is whether pages offer changes: then every request is one of a session. `access` begins and ends
    sessions, where a token is needed."""

    def __init__(
        self,
        calls: Calls,
        *,
        writable: bool = False,
        open_with: tuple[str, ...] = (),
        access: Access | None = None,
    ) -> None:
        self.calls = calls
        self.access = access
        self.writable = writable
        self.open_with = tuple(
            (name, template) for name, _, template in (setting.partition("=") for setting in open_with)
        )
        self._templates = templates(writable, access is not None)

    def part(self, name: str, **shown: Any) -> str:
        """A piece of a page."""
        return self._templates.get_template(name).render(**shown)

    def page(self, name: str, http_status: int = 200, **shown: Any) -> Response:
        return HTMLResponse(self.part(name, **shown), http_status, HEADERS)

    def refusal(self, request: Request, status: int, headers: Mapping[str, str] | None = None) -> Response:
        """What a person sees at an address that has no page, or that takes what only programs send."""
        name = request.url.path.rpartition("/")[2]
        shown: dict[str, Any] = {"path": request.url.path, "example": None, "title": "Not found"}
        if status == 405:
            operation = OPERATIONS.get(name)
            example = json.dumps(operation.example or {}, ensure_ascii=False) if operation else "{}"
            address = str(request.base_url).rstrip("/")
            shown |= {"example": example, "address": address, "title": "This address is for programs"}
        page = self.page("refusal.html", status, **shown)
        page.headers.update(headers or {})
        return page

    def refused(
        self, status: int, detail: str, hint: str | None = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """What a person sees whom the server does not let in, or who waited too long."""
        title = _TITLES.get(status, "Not possible")
        page = self.page("refused.html", status, detail=detail, hint=hint, status=status, title=title)
        page.headers.update(headers or {})
        return page

    async def call(self, operation: str, **arguments: Any) -> Any:
        return await self.calls.value(EVERY[operation], arguments)

    async def maybe(self, operation: str, **arguments: Any) -> Any:
        """The answer, or None where there is none to be had."""
        try:
            return await self.call(operation, **arguments)
        except OctavoError:
            return None

    def guarded(self, pages: Listed) -> Listed:
        return [(path, self._said(page), methods) for path, page, methods in pages]

    def _said(self, page: Page) -> Page:
        """What goes wrong on purpose is a page too."""

        async def answered(request: Request) -> Response:
            try:
                return await page(request)
            except OctavoError as error:
                status = status_of(error)
                title = "Nothing here yet" if isinstance(error, NotIndexed) else _TITLES.get(status, "Not possible")
                return self.page("error.html", status, error=error, title=title)

        return answered


class Pages:
    """Pages of one subject, which ask operations of a site and are shown by it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._page = site.page
        self._call = site.call


def wants_page(request: Request) -> bool:
    """Whether a browser asks, to show what comes."""
    return request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")


def number(written: str | None) -> int | None:
    """A number as an address has it; None where there is none. Longer ones count nothing that a library has."""
    return int(written) if written and written.isdecimal() and len(written) <= 12 else None


def given(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """What was filled in, of a form or an address."""
    return {name: value for name, value in mapping.items() if value}


async def fields(request: Request) -> dict[str, str]:
    """What a form sent."""
    return {name: values[-1] for name, values in parse_qs((await request.body()).decode(errors="replace")).items()}
