"""What surrounds a search in an open library: path filters, languages, freshness, one state, what failed."""
