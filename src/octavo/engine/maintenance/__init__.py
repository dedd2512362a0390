"""Looking after a library: repair, transfer, offline work, advisories and metrics."""
