"""What other programs keep of people's days: conversations, calendars, contacts, bookmarks, references."""
