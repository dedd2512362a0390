"""A library and its collections: what belongs to it, whether it is up to date, and whether anything is wrong."""
