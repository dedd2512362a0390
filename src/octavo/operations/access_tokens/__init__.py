"""Who may ask a server: tokens, and what was changed with them."""
