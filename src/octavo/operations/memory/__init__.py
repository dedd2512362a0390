"""Memories: remember, recall and forget, and every version of what was remembered."""
