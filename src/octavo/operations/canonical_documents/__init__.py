"""Canonical documents: specifications, plans and rules under keys, read by section and packed into a budget."""
