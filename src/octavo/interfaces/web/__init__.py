"""The library as pages for a browser: HTML made here from the answers of operations, and two small scripts."""
