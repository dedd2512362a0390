"""How properties are tested: no deadline on a busy machine, and the same examples on every run of a shared one."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("recto", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "recto")
