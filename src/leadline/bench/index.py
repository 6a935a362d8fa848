"""The document index at scale: build, update, query and size, beside bm25s and rank-bm25.

Every build starts from the folder and ends with something that answers queries: the baselines
read and cut the files with our code, so that only the indexing differs.
"""

from __future__ import annotations

import os
import random
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from leadline.bench.measures import baseline, percentile
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex
from leadline.documents.files import list_files
from leadline.errors import BadInput, SourceLost
from leadline.read.registry import read
from leadline.reader.static import StaticEmbedder
from leadline.text.windows import windows

_QUERIES = 200
_SLOW_QUERIES = 20  # for rank-bm25, whose queries take a hundred times as long
_CHANGED = 0.01
_KEPT = 5
Figures = dict[str, float | int]


def run(data: Path, options: BenchOptions) -> Figures:
    """Seconds to build and update, milliseconds a query, megabytes; `n` files."""
    with tempfile.TemporaryDirectory() as scratch, _pages(data, Path(scratch)) as docs:
        dice = random.Random(options.seed)  # noqa: S311 - a sample, not a secret
        read_s, cut = _timed(lambda: _chunks(docs))
        asked = _questions(cut, dice, options.limit or _QUERIES)
        chunks, queries = [text for _, text in cut], [query for query, _ in asked]
        index = DocIndex.open(Path(scratch) / "index", docs, StaticEmbedder())
        found = _ours(index, docs, asked, dice)
        found["disk_mb.ours"] = _megabytes(Path(scratch) / "index")
        index.close()
        found |= _bm25s(chunks, queries, read_s, Path(scratch) / "bm25s")
        found |= _rank_bm25(chunks, queries, read_s)
        return found | _ratios(found) | {"n": int(found["files.ours"])}


def _ratios(found: Figures) -> Figures:
    return {
        "build_ratio.bm25s": round(found["build_s.ours"] / found["build_s.bm25s"], 3),
        "build_ratio.bm25s_no_reading": round(found["build_s.ours"] / found["index_s.bm25s"], 3),
        "speedup.rank_bm25": round(found["p50_ms.rank_bm25"] / found["p50_ms.ours"], 1),
        "update_share.ours": round(found["update_s.ours"] / found["build_s.ours"], 4),
    }


@contextmanager
def _pages(data: Path, scratch: Path) -> Iterator[Path]:
    """A copy of the pages that the bench may change: of a folder, or of a `.tar.gz`."""
    docs = scratch / "pages"
    if data.is_dir():
        shutil.copytree(data, docs, symlinks=True)
    elif tarfile.is_tarfile(data):
        with tarfile.open(data) as archive:
            archive.extractall(docs, filter="data")
    else:
        raise BadInput(f"--data wants a folder of pages or a .tar.gz, got {data}")
    yield docs


def _timed(do: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = do()
    return time.perf_counter() - began, result


def _cpu() -> float:
    """Processor seconds so far, of this process and of those it has waited for."""
    return sum(os.times()[:4])


def _chunks(docs: Path) -> list[tuple[str, str]]:
    """The same chunks that our index makes, each with its file."""
    found = []
    for file in list_files(docs):
        try:
            page = read((docs / os.fsdecode(file.path)).read_bytes(), file.url)
        except (SourceLost, OSError):
            continue
        found += [(file.url, page.text[w.start : w.end]) for w in windows(page.text)]
    if not found:
        raise BadInput(f"{docs} holds no page that can be read")
    return found


def _questions(
    cut: Sequence[tuple[str, str]], dice: random.Random, count: int
) -> list[tuple[str, str]]:
    """Queries as people type them: five to ten words in a row out of a page, with its folder."""
    asked = []
    for url, text in dice.choices(cut, k=count):
        spoken = [word for word in text.split() if word.strip(",.").isalpha()]
        start = dice.randrange(max(1, len(spoken) - 10))
        query = " ".join(spoken[start : start + dice.randint(5, 10)]) or "page"
        asked.append((query, _around(url)))
    return asked


def _ours(
    index: DocIndex, docs: Path, asked: Sequence[tuple[str, str]], dice: random.Random
) -> Figures:
    cpu = _cpu()
    build_s, report = _timed(index.update)
    found: Figures = {"build_s.ours": round(build_s, 3), "cpu_s.ours": round(_cpu() - cpu, 3)}
    found |= {"files.ours": report.files, "chunks.ours": report.chunks}
    found |= _latency("ours", lambda query: index.search(query, _KEPT), [q for q, _ in asked])
    found["distractors.ours"] = round(distractor_rate(index, asked), 4)
    found["noop_s.ours"] = round(_timed(index.update)[0], 3)
    files = [docs / os.fsdecode(file.path) for file in list_files(docs) if not file.left_out]
    for path in dice.sample(files, max(1, int(_CHANGED * len(files)))):
        with path.open("ab") as stream:
            stream.write(b"\nA line that was added later.\n")
    update_s, report = _timed(index.update)
    return found | {"update_s.ours": round(update_s, 3), "updated.ours": report.changed}


def _latency(
    name: str, search: Callable[[str], object], queries: Sequence[str]
) -> dict[str, float | int]:
    for query in queries[:5]:
        search(query)
    times = [1000 * _timed(partial(search, query))[0] for query in queries]
    return {
        f"p50_ms.{name}": round(percentile(times, 0.5), 3),
        f"p95_ms.{name}": round(percentile(times, 0.95), 3),
    }


def distractor_rate(index: DocIndex, asked: Sequence[tuple[str, str]], k: int = _KEPT) -> float:
    """Of the best `k` hits of each (query, folder), the share that lie outside the folder."""
    strange = total = 0
    for query, folder in asked:
        hits = index.search(query, k)
        strange += sum(not hit.url.startswith(folder) for hit in hits)
        total += len(hits)
    return strange / total if total else 0.0


def _around(url: str) -> str:
    """The part of the tree a page belongs to: what its folder shares with its neighbours."""
    return "".join(f"{part}/" for part in url.split("/")[:-2])


def _bm25s(chunks: Sequence[str], queries: Sequence[str], read_s: float, home: Path) -> Figures:
    module = baseline("bm25s")
    retriever = module.BM25()

    def build() -> None:
        tokens = module.tokenize(list(chunks), stopwords="en", show_progress=False)
        retriever.index(tokens, show_progress=False)
        retriever.save(home)

    cpu = _cpu()
    index_s, _ = _timed(build)
    found: Figures = {
        "cpu_s.bm25s": round(_cpu() - cpu, 3),
        "build_s.bm25s": round(read_s + index_s, 3),
        "index_s.bm25s": round(index_s, 3),
        "disk_mb.bm25s": _megabytes(home),
    }

    def search(query: str) -> object:
        tokens = module.tokenize(query, stopwords="en", show_progress=False)
        return retriever.retrieve(tokens, k=_KEPT, show_progress=False)

    return found | _latency("bm25s", search, queries)


def _rank_bm25(chunks: Sequence[str], queries: Sequence[str], read_s: float) -> Figures:
    module = baseline("rank_bm25")
    index_s, okapi = _timed(lambda: module.BM25Okapi([text.lower().split() for text in chunks]))
    found: Figures = {"build_s.rank_bm25": round(read_s + index_s, 3)}
    return found | _latency(
        "rank_bm25",
        lambda query: okapi.get_top_n(query.lower().split(), chunks, n=_KEPT),
        queries[:_SLOW_QUERIES],
    )


def _megabytes(folder: Path) -> float:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return round(size / 1e6, 2)
