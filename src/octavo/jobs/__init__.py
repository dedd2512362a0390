"""Promised work, done later: claimed under a lease, run outside any transaction, tried again when it fails."""
