"""What points at what: edges from documents, what links mean, communities, and ways to look at the whole. All pure."""
