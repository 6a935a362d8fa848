"""Readers: the bytes of one format to a page of text, one file a format; `registry.py` chooses."""
