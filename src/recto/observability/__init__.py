"""What an operator sees while Recto works: logs and progress."""
