"""Moving whole libraries: from engine to engine, and in from elsewhere."""
