"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.documents.index import DocIndex
from leadline.documents.search import Mode
from leadline.documents.update import IndexReport, Progress

__all__ = ["DocIndex", "IndexReport", "Mode", "Progress"]
