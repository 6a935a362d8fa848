"""Readers: the bytes of one format to a page of text. `read` chooses; one file a format."""

from leadline.readers.registry import READERS, read, refused

__all__ = ["READERS", "read", "refused"]
