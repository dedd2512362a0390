"""Settings: the schema, and where its values come from."""
