"""The HTTP server: operations, pages and MCP in one application."""
