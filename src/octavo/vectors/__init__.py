"""Vector indexes: nearest chunks by cosine."""
