"""The processes and threads that work for an open library."""
