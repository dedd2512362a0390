"""How a service is asked over HTTP: attempts, deadlines, keys, and when to leave it alone for a while."""
