"""Words and texts: tokens, stems, spellings, languages, and how alike two texts are."""
