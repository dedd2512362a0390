"""The compiled part: words of a text looked up in C, with the same results as without it."""
