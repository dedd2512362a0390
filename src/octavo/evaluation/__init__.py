"""Measuring retrieval: data sets, measures, comparisons and reports. Knows nothing of engines or stores."""
