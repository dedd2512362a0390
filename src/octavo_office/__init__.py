"""Office formats of before 2007: Word, Excel, PowerPoint, RTF and Outlook's messages."""
