"""One server for all clients of a library on this machine, and how they reach it."""
