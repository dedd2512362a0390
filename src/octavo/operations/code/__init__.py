"""Finding code, and putting it in front of a task."""
