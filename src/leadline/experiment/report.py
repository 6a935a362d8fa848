"""The report of an experiment: what was asked, how it was done, what the rows say and do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from leadline.experiment.analyse import Finding, analyse
from leadline.experiment.page import as_page
from leadline.experiment.responses import RESPONSES
from leadline.experiment.rows import Row, as_csv
from leadline.experiment.spec import Spec
from leadline.render.charts import Strip, number_of, strips
from leadline.stats.intervals import Interval


def write_reports(spec: Spec, rows: Sequence[Row], folder: Path) -> tuple[Path, ...]:
    """`report.md`, `report.html` and `rows.csv` in the folder of the rows."""
    findings = analyse(spec, rows)
    charts = {one.response: chart(spec, one) for one in findings}
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


def chart(spec: Spec, finding: Finding) -> str:
    """The units of each level, their mean and its interval."""
    levels = [
        Strip(group.level, group.values, group.mean.value, group.mean.low, group.mean.high)
        for group in finding.groups
        if group.values
    ]
    return strips(f"{finding.response} by {spec.factor.name}", finding.response, levels)


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
    "this design would have found 8 times in 10, by simulation with normal noise of the size seen "
    "here: where none was found, a smaller one may be there. δ tells how much oftener the first "
    "level is above the second than below it, from −1 to 1. The rows are in `rows.csv` and "
    "`rows.jsonl`."
)


def _short(spec: Spec, findings: Sequence[Finding]) -> str:
    lines = [
        f"| response | {' | '.join(level.name for level in spec.factor.levels)} | test | effect "
        "| p | p (Holm) |",
        "|---|" + "---:|" * len(spec.factor.levels) + "---|---:|---:|---:|",
    ]
    for one in findings:
        means = " | ".join(number_of(group.mean.value) for group in one.groups)
        effect = f"{one.effect} = {one.tested.effect:.2f}" if one.effect else "–"
        chance = (_p(one.tested.p), _p(one.p_holm)) if one.effect else ("–", "–")
        lines.append(
            f"| {one.response} | {means} | {one.test} | {effect} | {chance[0]} | {chance[1]} |"
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
    if not one.effect:
        return [*parts, f"Not tested: {one.why}.", *one.notes]
    parts.append(
        f"Test: {one.test}, because {one.why}. Statistic {number_of(one.tested.statistic)}, "
        f"p = {_p(one.tested.p)}, with all responses counted in {_p(one.p_holm)}; "
        f"{one.effect} = {one.tested.effect:.2f}. {one.beside}".strip()
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
