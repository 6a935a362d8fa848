"""Diagnosis: what the curve of novelty scores says about a run, in plain words and counts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from leadline.types import GateVerdict

DIVERSE, NARROW = 7.0, 3.5
SLOPE = 2.0


def diagnosis(verdicts: Sequence[GateVerdict]) -> str:
    """One or two sentences on the whole run; failed searches are left to the error log."""
    if not verdicts:
        return "Nothing was searched."
    judged = [verdict for verdict in verdicts if verdict.reason != "failed"]
    scores = [verdict.score for verdict in judged]
    if len(scores) < 2:
        return (
            f"One search was judged (novelty {scores[0]:.1f} of 10); that makes no curve yet."
            if scores
            else "No search brought anything that could be judged."
        )
    dropped = sum(not verdict.accepted for verdict in judged)
    told = f" {dropped} of {len(judged)} batches were discarded as repetition." if dropped else ""
    return _shape(scores) + told


def _shape(scores: Sequence[float]) -> str:
    if min(scores) > DIVERSE:
        return f"All {len(scores)} searches scored above 7: the queries are diverse."
    later = scores[1:5]
    if max(later) < NARROW:
        rounds = "round 2" if len(later) == 1 else f"rounds 2–{len(later) + 1}"
        return (
            f"Novelty was under 3.5 in {rounds}: a narrow topic, or a planner that repeats itself."
        )
    half = len(scores) // 2
    early, late = fmean(scores[:half]), fmean(scores[-half:])
    if abs(early - late) >= SLOPE:
        went, meaning = (
            ("fell", "later ones brought more and more of what was already known")
            if early > late
            else ("rose", "later queries opened new ground")
        )
        return (
            f"Novelty {went} from {early:.1f} to {late:.1f} of 10 over {len(scores)} searches: "
            f"{meaning}."
        )
    return (
        f"Novelty stayed between {min(scores):.1f} and {max(scores):.1f} of 10 over "
        f"{len(scores)} searches: new and repeated text were mixed throughout."
    )
