"""How the world reaches Octavo."""
