"""The document index: a folder of files made searchable by words and by meaning."""

from leadline.documents.index import DocIndex
from leadline.documents.report import IndexReport, Progress
from leadline.documents.snapshot import Mode

__all__ = ["DocIndex", "IndexReport", "Mode", "Progress"]
