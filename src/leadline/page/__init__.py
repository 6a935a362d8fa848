"""The page that the service shows: plain modules and styles, served as the files they are."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where they lie."""
