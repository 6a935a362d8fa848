"""Retrieval over a judged collection: rank-bm25, our keywords, our vectors and their fusion."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from leadline.bench.data import Document, Judged, load_corpus, load_queries
from leadline.bench.measures import baseline, mean, ndcg, recall
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex, Mode
from leadline.reader.static import StaticEmbedder

_KEPT = 10
Search = Callable[[str], Sequence[str]]


def run(data: Path, options: BenchOptions) -> dict[str, float | int]:
    """`ndcg10` and `r10` for `rank_bm25`, `bm25`, `vector`, `hybrid`; `n` queries."""
    corpus = load_corpus(data, titles=not options.no_titles)
    queries = list(load_queries(data, options.queries, options.qrels))
    if options.limit:
        queries = random.Random(options.seed).sample(queries, min(options.limit, len(queries)))  # noqa: S311
    index = DocIndex.in_memory(((d.id, d.title, d.text) for d in corpus), StaticEmbedder())
    searches: dict[str, Search] = {
        "rank_bm25": _rank_bm25(corpus),
        "bm25": _ours(index, "bm25"),
        "vector": _ours(index, "vector"),
        "hybrid": _ours(index, "hybrid"),
    }
    found: dict[str, float | int] = {}
    for name, search in searches.items():
        found |= _measured(name, search, queries)
    found["gain.hybrid"] = round(found["ndcg10.hybrid"] - found["ndcg10.bm25"], 4)
    return found | {"n": len(queries), "documents": len(corpus)}


def _measured(name: str, search: Search, queries: Sequence[Judged]) -> dict[str, float | int]:
    rankings = [search(query.text) for query in queries]
    pairs = list(zip(rankings, queries, strict=True))
    return {
        f"ndcg10.{name}": mean([ndcg(r, q.grades) for r, q in pairs]),
        f"r10.{name}": mean([recall(r, q.grades) for r, q in pairs]),
    }


def _ours(index: DocIndex, mode: Mode) -> Search:
    def search(text: str) -> Sequence[str]:
        # A long document has several chunks; it stands where its best one does.
        hits = index.search(text, 3 * _KEPT, mode=mode)
        return list(dict.fromkeys(hit.url for hit in hits))[:_KEPT]

    return search


def _rank_bm25(corpus: Sequence[Document]) -> Search:
    """The baseline as its own documentation uses it: lower case, split at white space."""
    okapi = baseline("rank_bm25").BM25Okapi([f"{d.title} {d.text}".lower().split() for d in corpus])
    names = [document.id for document in corpus]

    def search(text: str) -> Sequence[str]:
        return list(okapi.get_top_n(text.lower().split(), names, n=_KEPT))

    return search
