"""Loading judged claims: WiCE, FEVER-Symmetric, Climate-FEVER and SciFact as cases of one shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from leadline.bench.data import one_of, rows
from leadline.errors import BadInput

Label = Literal["supported", "partly", "none", "contradicted"]


@dataclass(frozen=True)
class Case:
    """A claim, the sentences it cites, what people said of it, and the sentences that say so."""

    claim: str
    sentences: tuple[str, ...]
    label: Label
    gold: frozenset[int] = frozenset()


def load_cases(data: Path, layout: str = "", claims: Path | None = None) -> tuple[Case, ...]:
    """The cases of a folder, whose name tells its layout unless `layout` does. `claims` is the
    file to take where the folder has several."""
    name = layout or next((one for one in FORMATS if one in data.resolve().name), "")
    if name not in FORMATS:
        raise BadInput(
            f"{layout or data} is not a set of judged claims; --format may be {', '.join(FORMATS)}"
        )
    cases = tuple(case for case in FORMATS[name](data, claims) if case.sentences)
    if not cases:
        raise BadInput(f"{data} holds no claims of {name}")
    return cases


def _wice(data: Path, claims: Path | None) -> Iterator[Case]:
    labels: dict[str, Label] = {
        "supported": "supported",
        "partially_supported": "partly",
        "not_supported": "none",
    }
    for row in rows(claims or one_of(data, "*claim*.jsonl*", "*.jsonl*")):
        gold = frozenset(at for group in row["supporting_sentences"] for at in group)
        yield Case(row["claim"], tuple(row["evidence"]), labels[row["label"]], gold)


def _fever(data: Path, claims: Path | None) -> Iterator[Case]:
    labels: dict[str, Label] = {"SUPPORTS": "supported", "REFUTES": "contradicted"}
    for row in rows(claims or one_of(data, "*.jsonl*")):
        label = labels.get(row.get("gold_label") or row["label"], "none")
        yield Case(row["claim"], (row.get("evidence") or row["sentence1"],), label)


def _climate(data: Path, claims: Path | None) -> Iterator[Case]:
    labels: dict[str, Label] = {
        "SUPPORTS": "supported",
        "REFUTES": "contradicted",
        "DISPUTED": "contradicted",
    }
    for row in rows(claims or one_of(data, "*.jsonl*")):
        said = tuple(one["evidence"] for one in row["evidences"])
        yield Case(row["claim"], said, labels.get(row["claim_label"], "none"))


def _scifact(data: Path, claims: Path | None) -> Iterator[Case]:
    documents = {str(row["_id"]): row for row in rows(one_of(data, "corpus.jsonl*"))}
    for row in rows(claims or one_of(data, "queries*.jsonl*", "claims*.jsonl*")):
        found: dict[str, list[dict[str, Any]]] = {}
        for one in row.get("evidence") or ():
            found.setdefault(str(one["doc_id"]), []).append(one)
        for name in dict.fromkeys([*map(str, row["cited_doc_ids"]), *found]):
            if name in documents:
                yield _abstract(row["text"], documents[name], found.get(name, []))


def _abstract(claim: str, document: dict[str, Any], evidence: list[dict[str, Any]]) -> Case:
    labels: dict[str, Label] = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
    gold = frozenset(at for one in evidence for at in one["sentences"])
    label = labels[evidence[0]["label"]] if evidence else "none"
    return Case(claim, tuple(document["sentences"]), label, gold)


FORMATS: dict[str, Callable[[Path, Path | None], Iterator[Case]]] = {
    "wice": _wice,
    "fever_symmetric": _fever,
    "climate_fever": _climate,
    "scifact": _scifact,
}
