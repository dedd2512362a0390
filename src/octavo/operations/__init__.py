"""One typed function per thing a client can do."""
