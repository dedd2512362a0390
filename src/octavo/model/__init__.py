"""Frozen values: what Octavo talks about. Nothing here does input or output."""
