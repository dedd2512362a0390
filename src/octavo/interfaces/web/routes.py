"""Collects the routes of all web pages; those that change the library only where writing is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.routing import Route

from octavo.interfaces.web.ask_pages import Answers
from octavo.interfaces.web.document_pages import DocumentPages
from octavo.interfaces.web.library_change_forms import Changes
from octavo.interfaces.web.library_pages import LibraryPages
from octavo.interfaces.web.login_pages import Login
from octavo.interfaces.web.memory_pages import MemoryPages
from octavo.interfaces.web.page_rendering import Site
from octavo.interfaces.web.search_pages import SearchPages
from octavo.interfaces.web.settings_page import SettingsPage


def page_routes(site: Site, describe: Callable[[], Mapping[str, Any]]) -> list[Route]:
    """`describe` gives the OpenAPI document, for the page on the programming interface."""
    listed = [
        *SearchPages(site, describe).listed(),
        *DocumentPages(site).listed(),
        *Answers(site).listed(),
        *MemoryPages(site).listed(),
        *LibraryPages(site).listed(),
        *SettingsPage(site).listed(),
        *(Login(site, site.access).listed() if site.access else ()),
        *(Changes(site).listed() if site.writable else ()),
    ]
    return [Route(path, page, methods=methods) for path, page, methods in listed]
