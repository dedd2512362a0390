"""Where a library lives. Repositories are written once in `shared`; a dialect brings its SQL and its connection."""
