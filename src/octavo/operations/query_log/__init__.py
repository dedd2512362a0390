"""The log of queries: look at it, empty it."""
