"""How the world reaches Recto."""
