"""How good retrieval is, measured on data sets with known answers."""
