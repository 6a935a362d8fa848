"""`leadline runs stats`: what all runs say together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, say, settings_from

if TYPE_CHECKING:
    from leadline.observe.stats import Share, Stats

BAR = 20


@click.command("stats")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@common_options
def stats(as_json: bool, **given: Any) -> None:
    """Why runs stopped, where they failed, what they cost, how new their searches were."""
    from leadline.observe.stats import stats_of

    found = stats_of(settings_from(common_of(given)).data_dir)
    say(_as_json(found) if as_json else _told(found))


def _told(found: Stats) -> str:
    if not found.runs:
        return "No finished runs yet.\n"
    parts = [
        f"{found.runs} runs, {found.answered} with an answer, {found.degraded} degraded",
        f"median {found.seconds_median:g} s, {found.searches_mean:g} searches, "
        f"{found.tokens_mean:,.0f} tokens a run; ${found.cost_total:.4f} in all, "
        f"${found.cost_mean:.4f} a run",
        _shares("Why they stopped", found.stop_reasons),
        _shares("Where something failed (share of runs)", found.failures),
        _providers(found),
        _shares("Claims", found.claims),
        _scores(found),
        _novelty(found),
        "\n".join(found.advice),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shares(title: str, shares: tuple[Share, ...]) -> str:
    if not shares:
        return ""
    wide = max(len(one.what) for one in shares)
    lines = [f"  {one.what:<{wide}}  {one.count:>6}  {one.share:6.1%}" for one in shares]
    return "\n".join([title, *lines])


def _providers(found: Stats) -> str:
    from leadline.observe.providers import in_words

    if not found.providers:
        return ""
    wide = max(len(one.provider) for one in found.providers)
    lines = [f"  {one.provider:<{wide}}  {in_words(one)}" for one in found.providers]
    return "\n".join(["Search providers", *lines])


def _scores(found: Stats) -> str:
    if not found.first_scores:
        return ""
    lines = [f"  {name:<13} {score:5.2f}" for name, score in found.first_scores]
    return "\n".join([f"First-round scores of {found.first_scored} runs, of 10", *lines])


def _novelty(found: Stats) -> str:
    if not found.novelty:
        return ""
    lines = [
        f"  search {one.number:>2}  {one.mean:5.2f}  {'#' * round(one.mean * BAR / 10):<{BAR}}  "
        f"{one.runs} runs, {one.discarded:.0%} discarded"
        for one in found.novelty
    ]
    return "\n".join(["Novelty by search, of 10", *lines])


def _as_json(found: Stats) -> str:
    import json
    from dataclasses import asdict

    return json.dumps(asdict(found), indent=2) + "\n"
