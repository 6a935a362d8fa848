"""Images: opening the files that may be opened, and saying what they show."""
