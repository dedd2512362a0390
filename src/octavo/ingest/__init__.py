"""The writing flow: what is on disk → what is in the library."""
