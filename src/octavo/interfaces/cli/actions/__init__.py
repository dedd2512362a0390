"""What commands do, imported when one is called: their options and help stand in `commands` and need none of this."""
