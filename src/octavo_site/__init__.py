"""A library as pages that any web server, or none, can show."""
