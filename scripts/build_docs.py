"""Builds the documentation into build/docs; a broken link, a missing page and a page nothing leads to are errors.

    python scripts/build_docs.py [--serve [PORT]]

The pages load nothing from elsewhere, which is checked as well: they can be read from the folder, without a network.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from generated import ROOT
from sphinx.cmd.build import build_main

SITE = ROOT / "build" / "docs"
_PORT = 8000

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//[^"'> ]+"""
    r"""|<link[^>]*\srel=["']?(?:stylesheet|preload|preconnect|icon)["']?[^>]*href=["']?(?:https?:)?//[^"'> ]+"""
    r"""|(?:@import\s+|url\()["']?(?:https?:)?//[^"')]+"""
)


def build() -> int:
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--fresh-env", "--jobs", "auto"]
    code = build_main(
        [*options, "-b", "html", "-c", str(ROOT / "docs"), "-d", str(SITE.parent / "doctrees"), str(ROOT), str(SITE)]
    )
    for page, found in _loaded_from_elsewhere():
        print(f"{page.relative_to(SITE)} loads something from elsewhere: {found}", file=sys.stderr)
        code = code or 1
    return code


def _loaded_from_elsewhere() -> Iterator[tuple[Path, str]]:
    for page in sorted(SITE.rglob("*")):
        if page.suffix in {".html", ".css"}:
            yield from ((page, found[0]) for found in _LOADED.finditer(page.read_text("utf-8")))


def serve(port: int) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/ until Ctrl-C")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    result = build()
    if "--serve" in sys.argv[1:]:
        given = sys.argv[sys.argv.index("--serve") + 1 :]
        serve(int(given[0]) if given else _PORT)
    elif not result:
        print(f"{SITE / 'index.html'}")
    sys.exit(result)
