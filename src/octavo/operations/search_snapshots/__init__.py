"""The snapshots that a large library is searched through: make one, look at them, choose one."""
