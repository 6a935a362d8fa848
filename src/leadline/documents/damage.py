"""The one failure that a rebuild mends: what is stored is not what was written."""

from __future__ import annotations

from leadline.errors import StoreBroken


class Damaged(StoreBroken):
    """A file of the index is missing, cut or changed, or was made by another version."""
