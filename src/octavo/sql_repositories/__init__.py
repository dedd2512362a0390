"""Repositories over named queries: the same code for every SQL dialect."""
