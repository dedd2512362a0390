"""What an agent asked to keep: committed in one transaction, searchable at once, never lost."""
