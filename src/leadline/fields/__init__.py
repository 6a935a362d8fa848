"""The settings by subject, each with its default, its bounds and a sentence; see `settings.py`."""
