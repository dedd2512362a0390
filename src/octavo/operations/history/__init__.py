"""The history of what was indexed: commits, and the past of a file."""
