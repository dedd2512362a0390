"""Scores and rankings: BM25, nearest vectors, fusion, diversity, calibration and measures."""
