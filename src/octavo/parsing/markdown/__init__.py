"""Markdown: a CommonMark-compatible scanner of blocks, with links, tags and front matter, at exact offsets."""
