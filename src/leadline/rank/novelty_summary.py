"""Diagnosis: what the curve of novelty scores says about a run, in plain words and counts."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.types import GateVerdict

DIVERSE, NARROW = 7.0, 3.5
LATER_ROUNDS = slice(1, 5)
SLOPE = 2.0


def diagnosis(verdicts: Sequence[GateVerdict]) -> str:
    """One or two sentences on the whole run; failed searches are left to the error log."""
    judged = [verdict for verdict in verdicts if verdict.reason != "failed"]
    if not verdicts:
        return "Nothing was searched."
    if not judged:
        return "No search brought anything that could be judged."
    scores = [verdict.score for verdict in judged]
    if len(scores) == 1:
        return f"One search was judged (novelty {scores[0]:.1f} of 10); that makes no curve yet."
    return _shape(scores) + _discarded(judged)


def _shape(scores: Sequence[float]) -> str:
    if min(scores) > DIVERSE:
        return f"All {len(scores)} searches scored above 7: the queries are diverse."
    later = scores[LATER_ROUNDS]
    if max(later) < NARROW:
        rounds = "round 2" if len(later) == 1 else f"rounds 2–{len(later) + 1}"
        return (
            f"Novelty was under 3.5 in {rounds}: a narrow topic, or a planner that repeats itself."
        )
    half = len(scores) // 2
    early, late = _mean(scores[:half]), _mean(scores[-half:])
    if early - late >= SLOPE:
        return (
            f"Novelty fell from {early:.1f} to {late:.1f} of 10 over {len(scores)} searches: "
            "later ones brought more and more of what was already known."
        )
    if late - early >= SLOPE:
        return (
            f"Novelty rose from {early:.1f} to {late:.1f} of 10 over {len(scores)} searches: "
            "later queries opened new ground."
        )
    return (
        f"Novelty stayed between {min(scores):.1f} and {max(scores):.1f} of 10 over "
        f"{len(scores)} searches: new and repeated text were mixed throughout."
    )


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _discarded(judged: Sequence[GateVerdict]) -> str:
    dropped = sum(not verdict.accepted for verdict in judged)
    if not dropped:
        return ""
    return f" {dropped} of {len(judged)} batches were discarded as repetition."


def counts(searches: int, sources: int, verdicts: Sequence[GateVerdict]) -> str:
    """How far a run is: searches made, sources read, how much of the last batch was repeated."""
    told = f"{_number(searches, 'search', 'es')} made, {_number(sources, 'source', 's')} read"
    if not verdicts or verdicts[-1].reason == "failed":
        return told
    return f"{told}, {verdicts[-1].repeated:.0%} of the last batch already seen".replace("%", " %")


def _number(count: int, noun: str, plural: str) -> str:
    return f"{count} {noun}{'' if count == 1 else plural}"
