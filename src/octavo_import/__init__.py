"""Records of other programs' databases, taken into a library."""
