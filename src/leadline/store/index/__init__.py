"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.store.index.index import DocIndex, Mode
from leadline.store.index.report import IndexReport, Progress

__all__ = ["DocIndex", "IndexReport", "Mode", "Progress"]
