"""What tests of the Python API share."""

from __future__ import annotations

from pathlib import Path

VAULT = Path(__file__).parents[2] / "examples" / "vault"
HASHING = {"embedding.provider": "hashing"}
