"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.documents.index import DocIndex, IndexReport, Progress
from leadline.documents.search import Mode

__all__ = ["DocIndex", "IndexReport", "Mode", "Progress"]
