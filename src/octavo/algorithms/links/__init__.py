"""Which document a link means: what documents are called, and what a name resolves to."""
