"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.documents.build import IndexReport, Progress
from leadline.documents.index import DocIndex
from leadline.documents.search import Mode
from leadline.documents.vectors import PassageVectors

__all__ = ["DocIndex", "IndexReport", "Mode", "PassageVectors", "Progress"]
