"""Libraries in a PostgreSQL database: its SQL, its connections, its indexes."""
