"""Groups of vectors: k-means, names for the groups, and a map of them."""
