"""A library in a PostgreSQL database: connections, schema, words by BM25, vectors by pgvector."""
