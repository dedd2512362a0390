"""Questions answered from the library, every sentence with its citation."""
