"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.store.index.index import DocIndex
from leadline.store.index.report import IndexReport, Progress
from leadline.store.index.snapshot import Mode

__all__ = ["DocIndex", "IndexReport", "Mode", "Progress"]
