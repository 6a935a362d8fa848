"""ClapNQ: share of the gold sentences that the first paragraph and the whole report show."""

from __future__ import annotations

from benchmarks.baselines import Baselines
from benchmarks.folders import as_folder
from benchmarks.gold import drawn, mean, read_rows, share_held, tally
from benchmarks.options import Figures, Options
from benchmarks.product import Cost, ask_all, lengths


def run(options: Options) -> Figures:
    rows = read_rows(options.data / "clapnq" / "clapnq_dev_answerable.jsonl")
    documents = [
        (f"{row['id']}-{number}", passage["title"], passage["text"])
        for row in rows
        for number, passage in enumerate(row["passages"])
    ]
    docs = as_folder(documents, options.work / "folders" / "clapnq")
    rows = drawn(rows, options)
    gold = [
        list(dict.fromkeys(one for output in row["output"] for one in output["selected_sentences"]))
        for row in rows
    ]
    rows = [row for row, proofs in zip(rows, gold, strict=True) if proofs]
    gold = [proofs for proofs in gold if proofs]
    asked = [row["input"] for row in rows]
    cost = Cost()
    answered = ask_all(asked, docs, "clapnq", options)
    figures: Figures = {"questions": len(rows)} | cost.figures(len(rows)) | lengths(answered)
    shown = list(zip(gold, answered, strict=True))
    tally(
        figures,
        "product",
        {
            "first_paragraph": [share_held(proofs, one.direct) for proofs, one in shown],
            "report": [share_held(proofs, one.report) for proofs, one in shown],
            "refused": [not one.found for one in answered],
        },
    )
    if options.baselines:
        plain = Baselines(docs, options.work / "baselines" / "clapnq")
        for name, best in (("two_sentences", plain.two_sentences), ("hybrid", plain.hybrid)):
            texts = [best(text) for text in asked]
            pairs = list(zip(gold, texts, strict=True))
            first = mean(share_held(proofs, "\n".join(some[:1])) for proofs, some in pairs)
            figures[f"first.{name}"] = first
            figures[f"all.{name}"] = mean(
                share_held(proofs, "\n".join(some)) for proofs, some in pairs
            )
    return figures
