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
        two = [" ".join(plain.two_sentences(text)) for text in asked]
        three = [plain.hybrid(text) for text in asked]
        for name, first, whole in (
            ("two_sentences", two, two),
            ("hybrid", ["\n".join(some[:1]) for some in three], ["\n".join(x) for x in three]),
        ):
            figures[f"first_paragraph.{name}"] = mean(map(share_held, gold, first))
            figures[f"report.{name}"] = mean(map(share_held, gold, whole))
    return figures
