"""What Markdown has besides prose: front matter and the attributes of headings."""
