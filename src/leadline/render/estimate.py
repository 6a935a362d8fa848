"""An estimate as lines for a person, and as JSON for a program."""

from __future__ import annotations

import json

from leadline.codec import dumped
from leadline.render.words import counted
from leadline.types import Estimate, Spread

_KIND = {"web": "the web", "documents": "documents", "both": "documents and the web"}
_NAMES = {"seconds": "time", "cost": "money"}


def estimate_text(estimate: Estimate) -> str:
    """A short table, where the figures come from, and how far past ones were off."""
    rows = [
        ("Time", _said(estimate.seconds, ".1f", " s")),
        ("Searches", _said(estimate.searches, ".0f")),
        ("Pages", _said(estimate.pages, ".0f")),
        ("Tokens", _said(estimate.tokens, ",.0f")),
        ("Money", _said(estimate.cost, ".4f") if estimate.cost_known else "price not known"),
    ]
    head = (
        f"A {estimate.tier.value} run over {_KIND[estimate.sources]}, "
        f"reasoner {estimate.reasoner}; nothing was spent to say so."
    )
    lines = [head, "", *(f"  {name:<9} {said}" for name, said in rows), "", _basis(estimate)]
    return "\n".join([*lines, _errors(estimate)]) + "\n"


def estimate_json(estimate: Estimate) -> str:
    """One indented object."""
    return json.dumps(dumped(estimate), ensure_ascii=False, indent=2) + "\n"


def _said(spread: Spread, form: str, unit: str = "") -> str:
    if spread.low == spread.high:
        return f"{spread.middle:{form}}{unit}"
    return f"{spread.middle:{form}}{unit} ({spread.low:{form}} to {spread.high:{form}}{unit})"


def _basis(estimate: Estimate) -> str:
    if estimate.basis == "limits":
        return "From the limits of the run: none like it was made here before."
    runs = counted(estimate.runs, "past run")
    return f"From {runs} of the same tier, reasoner and kind of source."


def _errors(estimate: Estimate) -> str:
    if not estimate.off:
        return "How far such estimates are off is not known yet: no run with one has ended here."
    parts = [f"{one.percent:g} % in {_NAMES.get(one.what, one.what)}" for one in estimate.off]
    runs = counted(max(one.runs for one in estimate.off), "run")
    return f"Past estimates were off by {', '.join(parts)} (median of the last {runs})."
