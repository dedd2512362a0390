"""Memories: what an agent asked to remember, committed in one transaction, searchable at once, never lost."""
