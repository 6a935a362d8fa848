"""The user's own documents: opening and updating their indexes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import BadInput
from leadline.settings import Settings
from leadline.types import content_id

if TYPE_CHECKING:
    from leadline.documents import DocIndex, IndexReport
    from leadline.ports import Embedder, PassageReader
    from leadline.search.documents import DocumentSearcher, Folders


@lru_cache(maxsize=1)
def embedder() -> Embedder:
    """The built-in embeddings; one copy of the weights a process."""
    from leadline.reader.static import StaticEmbedder

    return StaticEmbedder()


def passage_reader(settings: Settings) -> PassageReader | None:
    """The learned reader that the settings name, or None where it is off."""
    return None if settings.reader == "off" else _reader(settings.reader)


def kept_reader(settings: Settings, stack: AsyncExitStack) -> PassageReader | None:
    """The same, closed with `stack`; what it makes of a passage is kept in the data folder."""
    reader = passage_reader(settings)
    if reader is None:
        return None
    from leadline.reader.kept import KeptReader

    kept = KeptReader(settings.data_dir / "passages.db", reader)
    stack.callback(kept.close)
    return kept


@lru_cache(maxsize=2)
def _reader(named: str) -> PassageReader:
    from leadline.reader.encoder import BUILT_IN, OnnxReader

    return OnnxReader(BUILT_IN if named == "on" else Path(named).expanduser())


def refuse_empty(settings: Settings, reports: Sequence[IndexReport]) -> None:
    """Raises `BadInput` when documents were chosen and none holds a file that could be read."""
    if not settings.docs or any(report.files for report in reports):
        return
    where = ", ".join(str(docs) for docs in settings.docs)
    number = sum(len(report.skipped) for report in reports)
    why = "there is no file"
    if number:
        why = f"what is there was left out ({number}); leadline index says why"
    raise BadInput(f"nothing to search in {where}: {why}")


def documents(settings: Settings) -> DocumentSearcher | Folders:
    """The chosen folders and files as one provider."""
    from leadline.search.documents import DocumentSearcher, Folders

    searchers = [
        DocumentSearcher(index, settings.search_mode, settings.min_score)
        for index in open_indexes(settings)
    ]
    if len(searchers) == 1:
        return searchers[0]
    paths = [docs.resolve() if docs.is_file() else docs for docs in settings.docs]
    return Folders(list(zip(paths, searchers, strict=True)))


def open_indexes(settings: Settings) -> tuple[DocIndex, ...]:
    """The indexes of the chosen folders and files, as they stand."""
    if not settings.docs:
        return ()
    from leadline.documents import DocIndex

    max_bytes = int(settings.index_max_file_mb * 1_000_000)
    return tuple(
        DocIndex.open(index_folder(settings.data_dir, docs), docs, embedder(), max_bytes=max_bytes)
        for docs in settings.docs
    )


def index_folder(data_dir: Path, docs: Path) -> Path:
    """Where the index of a folder of documents, or of one file, lies."""
    return data_dir / "indexes" / content_id(str(docs.resolve()))
