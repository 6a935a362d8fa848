"""Fusion: one ranking from keyword scores and cosines, and hits that say the same made one."""

from __future__ import annotations

from collections.abc import Mapping

WEIGHT = 0.9  # of the cosine beside the normalised keyword score
# The cosine that a chunk needs which shares no word with the query. On three collections such
# chunks, where relevant, have .40 at the 90th percentile, so little is lost.
FLOOR = 0.5
# The same when no chunk at all knows a word of the query: random letters reach .69 in 38,000
# chunks, some of them as random.
LONELY_FLOOR = 0.7


def convex(
    keywords: Mapping[int, float], cosines: Mapping[int, float], weight: float = WEIGHT
) -> list[tuple[int, float]]:
    """Keyword score over the best one, plus `weight` times the cosine, scaled to 0–1."""
    top = max(keywords.values(), default=0.0) or 1.0
    floor = FLOOR if keywords else LONELY_FLOOR
    scored = []
    for key in keywords.keys() | cosines.keys():
        cosine = max(0.0, cosines.get(key, 0.0))
        if key not in keywords and cosine < floor:
            continue
        score = (keywords.get(key, 0.0) / top + weight * cosine) / (1 + weight)
        if score > 0:
            scored.append((key, score))
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def reciprocal(
    keywords: Mapping[int, float], cosines: Mapping[int, float], depth: int = 60
) -> list[tuple[int, float]]:
    """Reciprocal rank fusion; kept as the measured alternative."""
    scores: dict[int, float] = {}
    for ranking in (keywords, cosines):
        ordered = sorted(ranking, key=lambda key: (-ranking[key], key))
        for rank, key in enumerate(ordered, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (depth + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
