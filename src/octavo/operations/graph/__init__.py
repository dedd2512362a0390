"""What points where in a library, what belongs together, and ways to draw it or take it elsewhere."""
