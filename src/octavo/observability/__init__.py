"""What an operator sees while Octavo works: logs and progress."""
