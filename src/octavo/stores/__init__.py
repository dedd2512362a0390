"""Where a library lives: a dialect brings its SQL and its connection to the repositories of `sql_repositories`."""
