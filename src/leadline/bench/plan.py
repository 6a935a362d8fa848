"""What `bench all` measures: which bench on which data, how much of it, and what to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A bench on a data set; `limit` 0 takes all of it, `seconds` end it."""

    bench: str
    data: str
    limit: int = 0
    seconds: int = 600

    @property
    def title(self) -> str:
        return f"{self.bench} {self.data}"


@dataclass(frozen=True)
class Compared:
    """A figure of ours and those it stands beside, by their keys."""

    name: str
    ours: str
    others: tuple[str, ...] = ()


# The longest first, so that two at a time end together.
MEASURES = (
    Measure("memory", "locomo", seconds=900),
    Measure("ocr", "ocr", limit=4),
    Measure("index", "mdn.tar.gz", seconds=900),
    Measure("multihop", "2wikimultihopqa", limit=300),
    Measure("answer", "2wikimultihopqa", limit=60),
    Measure("retrieval", "scifact", limit=300),
    Measure("answer", "hotpotqa", limit=60),
    Measure("answer", "musique", limit=60),
    Measure("answer", "clapnq", limit=80),
    Measure("revision", "musique", limit=25),
    Measure("retrieval", "vaswani_npl"),
    Measure("multihop", "musique"),
    Measure("multihop", "hotpotqa"),
    Measure("injection", "injection"),
    Measure("verify", "wice"),
    Measure("verify", "scifact"),
    Measure("verify", "climate_fever", limit=600),
    Measure("verify", "fever_symmetric"),
    Measure("novelty", "paraphrase"),
    Measure("retrieval", "cranfield"),
)
MADE = (
    Measure("multihop", "made"),
    Measure("answer", "made", limit=30),
    Measure("retrieval", "made"),
    Measure("revision", "made", limit=10),
    Measure("index", "made-pages"),
)

_SIDES = ("rank_bm25", "bm25", "vector")
_COMPARED: Mapping[str, tuple[Compared, ...]] = {
    "index": (
        Compared("build, s", "build_s.ours", ("build_s.bm25s",)),
        Compared("query p50, ms", "p50_ms.ours", ("p50_ms.bm25s", "p50_ms.rank_bm25")),
        Compared("update of 1 %, share of the build", "update_share.ours"),
    ),
    "retrieval": tuple(
        Compared(name, f"{key}.hybrid", tuple(f"{key}.{side}" for side in _SIDES))
        for name, key in (("nDCG@10", "ndcg10"), ("R@10", "r10"))
    ),
    "multihop": tuple(
        Compared(
            name,
            f"{key}.reflective",
            tuple(f"{key}.{side}" for side in ("single", "fair", "fixed", "saturation")),
        )
        for name, key in (("all gold in 10", "all_gold10"), ("searches", "searches"))
    ),
    "novelty": (
        *(
            Compared(
                f"AUC of repetition, {name.upper()}",
                f"auc.semantic_{name}",
                (f"auc.jaccard_{name}", f"auc.cosine_{name}"),
            )
            for name in ("mrpc", "sts", "sick")
        ),
        Compared(
            "rank correlation, same topic",
            "spearman.same_topic_semantic",
            ("spearman.same_topic_heuristic", "spearman.same_topic_jaccard"),  # how new a batch is
        ),
    ),
    "answer": (
        *(
            Compared(name, f"{key}.extractive", (f"{key}.lead", f"{key}.topk"))
            for name, key in (
                ("gold answer in the report", "answer"),
                ("gold sentences", "sentence"),
            )
        ),
        Compared("answers found", "found.answerable"),
        Compared("says not found: invented things", "found.invented"),
        Compared("says not found: answer removed", "found.removed"),
    ),
    "verify": tuple(
        Compared(name, key, (f"{key}.overlap", f"{key}.embedding"))
        for name, key in (
            ("AUC supported", "auc.supported"),
            ("AUC not supported", "auc.not_supported"),
            ("best sentence first", "hit1"),
        )
    ),
    "revision": (
        Compared("gold answer, able reviser", "answer.able", ("answer.off", "answer.rules")),
        Compared("unproven sentences shipped", "unproven.careless", ("unproven.off",)),
    ),
    "memory": (
        Compared("R@10", "r10.store", ("r10.keyword", "r10.vector")),
        Compared("R@4", "r4.store", ("r4.keyword", "r4.vector")),
        Compared("lookup p95, ms CPU", "get_context_cpu_ms_p95", ("bare_commit_cpu_ms_p95",)),
    ),
    "ocr": (Compared("words read", "recall", ("recall.plain", "recall.half")),),
}


def compared(bench: str, figures: Mapping[str, object]) -> Iterator[Compared]:
    """The rows of a bench in the table; of injections, one a source, since they are not pooled."""
    if bench == "injection":
        for key in figures:
            kind, _, source = key.partition(".")
            if source.endswith((".low", ".high")):  # ends of an interval
                continue
            if kind in ("recall", "fpr") and f"{kind}.regex.{source}" in figures:
                name = "attacks found" if kind == "recall" else "false alarms"
                yield Compared(f"{name}: {source}", key, (f"{kind}.regex.{source}",))
        return
    for one in _COMPARED.get(bench, ()):
        if one.ours in figures:
            yield Compared(one.name, one.ours, tuple(key for key in one.others if key in figures))
