"""Other formats to text with headings and pages: PDF, Word, slides, sheets, books, web pages, mail."""
