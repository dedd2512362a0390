"""Downloads web pages into a folder, from one address or from a file that holds addresses."""

from __future__ import annotations

import time

from octavo.bounded_file_reading import read_small
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.library.requests import FetchRequest
from octavo.path_resolution_and_private_folders import expand_user
from octavo.services.file_and_page_download import FetchedPage, addresses_in, fetch_page


class FetchedPagesAnswer(Value):
    """`ok` where every page was fetched."""

    folder: str
    pages: tuple[FetchedPage, ...]
    ok: bool


def fetch(engine: Engine, request: FetchRequest, progress: Progress | None = None) -> FetchedPagesAnswer:
    progress = progress or NoProgress()
    if request.pages.startswith(("http://", "https://")):
        addresses: tuple[str, ...] = (request.pages,)
    else:
        try:
            addresses = addresses_in(read_small(expand_user(request.pages), links=True).decode("utf-8", "replace"))
        except OSError as error:
            raise InvalidArgument(f"{request.pages} cannot be read: {error.strerror}") from error
    if not addresses:
        raise InvalidArgument(
            f"{request.pages} has no address in it", hint="an address begins with https:// or http://"
        )
    folder = expand_user(request.folder)
    progress.start("fetching pages", len(addresses), "pages")
    pages = []
    taken: set[str] = set()
    for address in addresses:
        pages.append(fetch_page(address, folder, time.time(), taken))
        progress.advance(1)
    progress.finish()
    return FetchedPagesAnswer(str(folder), tuple(pages), not any(page.problem for page in pages))
