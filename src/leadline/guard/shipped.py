"""The files that ship with the scanner: fields, rules, weights."""

from __future__ import annotations

from pkgutil import get_data  # `importlib.resources` loads five times as much


def data_of(name: str) -> bytes:
    """The bytes of a file. Raises `OSError` where it is missing."""
    data = get_data("leadline.guard", name)
    if data is None:
        raise OSError(f"{name} cannot be read from where leadline is installed")
    return data
