"""What a person types into a search: its grammar, its kind, its spelling, and what it could match."""
