"""One open library and everything that can be done with it."""
