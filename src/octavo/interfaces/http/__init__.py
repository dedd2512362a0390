"""HTTP: a route for each operation, and MCP beside them."""
