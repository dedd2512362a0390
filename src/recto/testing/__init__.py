"""Shipped test doubles: an in-memory store and small, deterministic sample values."""
