"""The documentation as a site: which pages there are, in which order, and how they look.

Pages are plain Markdown and read the same here and where the repository is hosted. So the source folder is the root
of the repository (`scripts/build_docs.py` says so), and the navigation stands here, not in the pages.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

project = "Octavo"
extensions = ["myst_parser"]
include_patterns = [
    "docs/**",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md",
    "CHANGELOG.md",
    "SECURITY.md",
]
root_doc = "docs/index"
nitpicky = True

myst_heading_anchors = 4

html_theme = "furo"
html_title = "Octavo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

NAVIGATION = {
    "Start": ["install", "first-ten-minutes"],
    "Guides": [
        "guides/notes",
        "guides/obsidian",
        "guides/conversations",
        "guides/papers",
        "guides/export",
        "formats",
        "answers",
        "guides/code",
        "guides/repositories",
        "guides/history",
        "guides/graph",
        "writing",
        "guides/memory",
        "guides/agents",
        "guides/clients/README",
        "guides/python",
        "guides/integrations",
        "guides/langchain",
        "guides/llama-index",
        "guides/haystack",
        "guides/agent-frameworks",
        "guides/data-frames",
        "guides/mteb",
        "guides/browser",
        "guides/terminal",
        "guides/editors",
        "guides/serving",
        "guides/team",
        "guides/partitions",
        "guides/large-libraries",
        "guides/models",
        "models",
        "guides/evaluation",
        "guides/plugins",
        "questions",
        "troubleshooting",
        "compatibility",
    ],
    "Reference": [
        "reference/queries",
        "reference/commands",
        "reference/operations",
        "reference/python",
        "reference/configuration",
        "reference/stages",
        "seeds",
    ],
    "How it is built": [
        "/ARCHITECTURE",
        "/SECURITY",
        "glossary",
        "decisions/README",
        "research/README",
        "/CONTRIBUTING",
        "/CODE_OF_CONDUCT",
        "roadmap",
        "/CHANGELOG",
    ],
}
"""Caption → pages, from docs/. A page that is in no list, or a list that names no page, fails the build."""

_LISTED_BELOW = {
    "guides/clients/README": ["[a-z]*"],
    "decisions/README": ["[0-9]*"],
    "research/README": ["[a-z]*", "archive/*"],
}
"""Pages whose folder is listed below them."""


def _toctree(pages: list[str], caption: str = "", *, glob: bool = False) -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else []), *([":glob:"] if glob else [])]
    return "\n".join(["", "", "```{toctree}", *options, "", *pages, "```", ""])


def _add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    if page == root_doc:
        source[0] += "".join(_toctree(pages, caption) for caption, pages in NAVIGATION.items())
    below = _LISTED_BELOW.get(page.removeprefix("docs/"))
    if below:
        source[0] += _toctree(below, glob=True)


def _redirect_from_the_top(app: Sphinx, exception: Exception | None) -> None:
    page = '<!doctype html><title>Octavo</title><meta http-equiv="refresh" content="0; url=docs/index.html">\n'
    Path(app.outdir, "index.html").write_text(page, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("source-read", _add_navigation)
    app.connect("build-finished", _redirect_from_the_top)
