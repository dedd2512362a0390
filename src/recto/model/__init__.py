"""Frozen values: what Recto talks about. Nothing here does input or output."""
