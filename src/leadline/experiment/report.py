"""The report of an experiment: what was asked, how it was done, what the rows say and do not."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from leadline.experiment.analysis import Finding, Interval, analyse
from leadline.experiment.plots import strip_chart
from leadline.experiment.responses import RESPONSES
from leadline.experiment.rows import Row, as_csv
from leadline.experiment.spec import Spec


def write_reports(spec: Spec, rows: Sequence[Row], folder: Path) -> tuple[Path, ...]:
    """`report.md`, `report.html` and `rows.csv` in the folder of the rows."""
    findings = analyse(spec, rows)
    charts = {one.response: strip_chart(one, spec.factor.name) for one in findings}
    text = as_markdown(spec, rows, findings)
    written = {
        "report.md": text,
        "report.html": as_page(spec.name, text, charts),
        "rows.csv": as_csv(rows, spec.responses),
    }
    for name, body in written.items():
        part = folder / f"{name}.part"
        part.write_text(body, "utf-8")
        part.replace(folder / name)
    return tuple(folder / name for name in written)


def as_markdown(spec: Spec, rows: Sequence[Row], findings: Sequence[Finding]) -> str:
    """The whole report; a heading for each response, under which the page puts its chart."""
    parts = [
        f"# {spec.name}",
        spec.about,
        _short(spec, findings),
        "## How it was done",
        *_method(spec, rows),
    ]
    for finding in findings:
        parts += [f"## {finding.response}", *_told(spec, finding)]
    parts += ["## How to read this", _READING]
    return "\n\n".join(part for part in parts if part) + "\n"


_READING = (
    "Intervals hold 95 % and are found by drawing units anew (BCa); with fewer than ten units they "
    "are too narrow. “p” is how likely a difference as large would be if the levels were alike; "
    "“p (Holm)” counts in the other comparisons of its table. The smallest difference is what "
    "this design would have found 8 times in 10 by an analysis of variance, with noise of the "
    "size seen here: where none was found, a smaller one may be there. δ tells how much oftener "
    "the first level is above the second than below it, from −1 to 1. The rows are in `rows.csv` "
    "and `rows.jsonl`."
)


def _short(spec: Spec, findings: Sequence[Finding]) -> str:
    lines = [
        f"| response | {' | '.join(level.name for level in spec.factor.levels)} | test | effect "
        "| p | p (Holm) |",
        "|---|" + "---:|" * len(spec.factor.levels) + "---|---:|---:|---:|",
    ]
    for one in findings:
        means = " | ".join(number_of(group.mean.value) for group in one.groups)
        tested = one.tested
        effect, chance = "–", ("–", "–")
        if tested.effect_name:
            effect = f"{tested.effect_name} = {tested.effect:.2f}"
            chance = (_p(tested.p), _p(one.p_holm))
        lines.append(
            f"| {one.response} | {means} | {tested.test} | {effect} | {chance[0]} | {chance[1]} |"
        )
    return "\n".join(lines)


def _method(spec: Spec, rows: Sequence[Row]) -> list[str]:
    factor, count = spec.factor, len(spec.tasks)
    levels = ", ".join(f"`{level.name}`" for level in factor.levels)
    crossed = (
        "Every task met every level."
        if factor.kind == "settings"
        else "Each task belongs to one level."
    )
    held = ", ".join(f"`{name} = {_value(value)}`" for name, value in spec.settings.items())
    failed = [row for row in rows if row.why]
    versions = sorted({row.code for row in rows})
    lines = [
        f"- Factor: {factor.name}, with {len(factor.levels)} levels: {levels}. {crossed}",
        f"- Tasks: {count}. Replications: {spec.replications}. Runs: {len(rows)}, in an order "
        f"drawn from seed {spec.seed}; {spec.parallel} at a time.",
        "- Responses, named ahead: "
        + "; ".join(f"{name} ({RESPONSES[name].about})" for name in spec.responses)
        + ".",
        f"- Held: {held or 'the defaults'}.",
        f"- Program: version {', '.join(versions) or 'unknown'}."
        + (" The program changed between rows: compare with care." if len(versions) > 1 else ""),
    ]
    if failed:
        lines.append(f"- Failed: {len(failed)} runs, the first: {failed[0].why}.")
    return ["\n".join(lines)]


def _told(spec: Spec, one: Finding) -> list[str]:
    unit = RESPONSES[one.response].about
    table = ["| level | units | mean | 95 % interval | sd |", "|---|---:|---:|---|---:|"]
    table += [
        f"| {group.level} | {len(group.values)} | {number_of(group.mean.value)} "
        f"| {_interval(group.mean)} | {number_of(group.sd)} |"
        for group in one.groups
    ]
    parts = [unit[0].upper() + unit[1:] + ".", "\n".join(table)]
    tested = one.tested
    if not tested.effect_name:
        return [*parts, f"Not tested: {tested.why}.", *one.notes]
    parts.append(
        f"Test: {tested.test}, because {tested.why}. Statistic {number_of(tested.statistic)}, "
        f"p = {_p(tested.p)}, with all responses counted in {_p(one.p_holm)}; "
        f"{tested.effect_name} = {tested.effect:.2f}. {tested.beside}".strip()
    )
    parts.append(_pair_table(one))
    parts.append(_power(spec, one))
    return [*parts, *one.notes]


def _pair_table(one: Finding) -> str:
    lines = [
        "| pair | difference | 95 % interval | δ | p | p (Holm) |",
        "|---|---:|---|---:|---:|---:|",
    ]
    lines += [
        f"| {pair.one} − {pair.other} | {number_of(pair.difference.value)} "
        f"| {_interval(pair.difference)} | {pair.delta:+.2f} | {_p(pair.p)} | {_p(pair.p_holm)} |"
        for pair in one.pairs
    ]
    return "\n".join(lines)


def _power(spec: Spec, one: Finding) -> str:
    if not math.isfinite(one.smallest):
        return (
            "Power: with so few units, one level apart from the others would be found less than 8 "
            "times in 10, however far apart it is."
        )
    return (
        f"Power: a level that differs from the others by {number_of(one.smallest)} would have been "
        f"found 8 times in 10 at α = {spec.alpha:g}; a smaller difference may well be missed."
    )


def _interval(of: Interval) -> str:
    return f"{number_of(of.low)} to {number_of(of.high)}"


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(_value(one) for one in value)
    return value.name if isinstance(value, Path) else str(value)


def number_of(value: float) -> str:
    """A figure as people write it: three digits that matter, no exponent where it can be helped."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits = min(6, max(0, 2 - math.floor(math.log10(abs(value)))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# ── the page ────────────────────────────────────────────────────────────────────────────────

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.55 system-ui, sans-serif; }}
body {{ margin: 0 auto; max-width: 46rem; padding: 2rem 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; }}
th, td {{ border-bottom: 1px solid #8886; padding: 0.3rem 0.7rem; text-align: left; }}
img {{ max-width: 100%; background: #fff; border: 1px solid #8884; border-radius: 4px; }}
</style></head>
<body>
{body}</body></html>
"""


def as_page(title: str, markdown: str, charts: Mapping[str, str]) -> str:
    """The report as one HTML file, a chart under each response's heading; it can load nothing."""
    import nh3
    from markdown_it import MarkdownIt

    html = nh3.clean(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))
    for name, chart in charts.items():
        heading = f"<h2>{escape(name)}</h2>"
        drawing = base64.b64encode(chart.encode()).decode()
        source = f'src="data:image/svg+xml;base64,{drawing}"'
        figure = f'<figure><img alt="{escape(name)} of each level" {source}></figure>'
        html = html.replace(heading, f"{heading}\n{figure}", 1)
    return _PAGE.format(title=escape(title), body=html)
