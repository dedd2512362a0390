"""From structure to chunks: where a document is cut, and what of a chunk is embedded."""
