"""Projects of a library, and the sessions of work in them."""
