"""Says on every page how Octavo is installed: from the package index, or before a release from a checkout.

With --check, says whether the pages are up to date. `RELEASED` is the one place to change when a version is out.
"""

from __future__ import annotations

import re
import sys

from generated import ROOT, main

RELEASED = False

_COMMAND = re.compile(r"((?:pip|pipx|uv tool) install(?: --upgrade)? )('?)(?:octavo|\.)((?:\[[a-z,]+\])?)\2(?=[\s`)])")
_NOTE = re.compile(r"(<!-- where it comes from -->\n).*?(<!-- end -->)", re.DOTALL)
_UNRELEASED = """\
The commands are typed in a checkout of the repository, or with the path of a wheel in place of the dot
(`pip install ./octavo-0.1.0-py3-none-any.whl`): no version is on the package index yet.
"""


def page(text: str) -> str:
    source = "octavo" if RELEASED else "."
    text = _COMMAND.sub(rf"\1\2{source}\3\2", text)
    note = "" if RELEASED else _UNRELEASED
    return _NOTE.sub(rf"\1{note}\2", text)


if __name__ == "__main__":
    docs = ROOT / "docs"
    pages = [ROOT / "README.md", *docs.glob("*.md"), *docs.glob("guides/**/*.md")]
    sys.exit(main({path: page(path.read_text("utf-8")) for path in pages}))
