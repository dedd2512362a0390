"""Finding passages by word and by meaning."""
