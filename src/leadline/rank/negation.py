"""Polarity: does one sentence deny what the other says, by a negation or an opposite word?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.text.words import stem, words

_DENIALS = frozenset(
    """not no never none neither nor without cannot nothing nobody nowhere hardly barely scarcely
    unable incapable outside against zero instead except""".split()  # noqa: SIM905
)
_DENYING_STEMS = frozenset(
    map(
        stem,
        """fail fails failed failing refuse refuses refused lack lacks lacked lacking avoid avoids
        avoided decline declined deny denies denied prevent prevented neglect neglected""".split(),  # noqa: SIM905
    )
)
_SHORT = re.compile(r"\w+n['’]t\b", re.IGNORECASE)
_PHRASES = re.compile(
    r"\b(?:has|have|had|is|are) yet to\b|\bno longer\b|\bother than\b|\brather than\b|\baway from\b"
    r"|\bturned down\b|\bfar from\b|\bleft out\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(
    r"\bnot (?:only|just|merely|least)\b|\bno (?:doubt|less than|fewer than|\d)|\bwhether or not\b"
    r"|\bno\.|\bnot to mention\b",
    re.IGNORECASE,
)
_OPPOSITES = """increase/decrease increase/reduce increase/decline increase/fall rise/fall rise/drop
    rise/decline rise/decrease grow/shrink grow/decline gain/lose gain/loss win/lose won/lost
    higher/lower high/low more/less more/fewer most/least above/below over/under before/after
    first/last early/late earlier/later up/down north/south east/west northern/southern
    eastern/western left/right open/close opened/closed support/oppose accept/reject
    approve/reject allow/ban allow/prohibit permit/prohibit include/exclude success/failure
    succeed/fail positive/negative true/false strong/weak stronger/weaker better/worse
    best/worst large/small larger/smaller big/small long/short longer/shorter old/young
    older/younger oldest/youngest largest/smallest highest/lowest longest/shortest fast/slow
    faster/slower hot/cold warm/cool warmer/cooler warming/cooling male/female man/woman
    men/women husband/wife father/mother son/daughter brother/sister king/queen
    promote/inhibit activate/inhibit induce/inhibit induce/suppress enhance/impair
    improve/worsen begin/end begin/finish start/end start/finish start/stop arrive/depart
    enter/leave buy/sell bought/sold acquire/sell import/export maximum/minimum
    majority/minority major/minor public/private legal/illegal alive/dead born/died
    convict/acquit guilty/innocent present/absent always/never all/none common/rare
    possible/impossible likely/unlikely safe/dangerous cause/prevent confirm/deny pass/fail
    expand/contract accelerate/slow hire/fire join/leave appoint/dismiss add/remove
    attack/defend victory/defeat profit/loss surplus/deficit internal/external upper/lower
    maternal/paternal upregulate/downregulate sensitive/resistant acute/chronic
    benign/malignant""".split()  # noqa: SIM905
_OPPOSITE: dict[str, set[str]] = {}
for _pair in _OPPOSITES:
    _one, _two = _pair.split("/")
    _OPPOSITE.setdefault(stem(_one), set()).add(stem(_two))
    _OPPOSITE.setdefault(stem(_two), set()).add(stem(_one))
_UN = ("un", "in", "im", "dis", "non", "ir")
_REACH = 5  # words that a negation reaches


def opposed(claim: str, source: str) -> tuple[str, str] | None:
    """A word of `claim` and its opposite in `source`, when neither says the other's word too."""
    ours = {stem(word): word for word in words(claim)}
    theirs = {stem(word): word for word in words(source)}
    for root, word in ours.items():
        if root in theirs:
            continue
        for other in _OPPOSITE.get(root, ()):
            if other in theirs and other not in ours:
                return word, theirs[other]
    return _prefixed(ours, theirs)


def _prefixed(ours: dict[str, str], theirs: dict[str, str]) -> tuple[str, str] | None:
    """`able` against `unable`, `agreed` against `disagreed`."""
    for one, two in ((ours, theirs), (theirs, ours)):
        for root in one.keys() - two.keys():
            for prefix in _UN:
                base = root.removeprefix(prefix)
                if base != root and len(base) > 3 and base in two and base not in one:
                    pair = one[root], two[base]
                    return pair if one is ours else pair[::-1]
    return None


def denied(text: str) -> tuple[frozenset[str], ...]:
    """The stems that each negation of `text` reaches."""
    text = _NOT_ONLY.sub(" ", text)
    text = _PHRASES.sub(" not ", _SHORT.sub(" not ", text))
    said = words(text)
    stems = [stem(word) for word in said]
    return tuple(
        frozenset(stems[max(0, at - 1) : at + _REACH + 1]) - {stems[at]}
        for at, word in enumerate(said)
        if word in _DENIALS or stems[at] in _DENYING_STEMS
    )


def turned(claim: str, source: str, shared: Sequence[str]) -> bool:
    """Whether exactly one of the two denies what both speak of: the stems they `shared`."""
    common = set(shared)
    ours = [reach for reach in denied(claim) if reach & common]
    theirs = [reach for reach in denied(source) if reach & common]
    return bool(ours) != bool(theirs)
