"""Polarity: does one sentence deny what the other says, by a negation or an opposite word?"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from leadline.text.words import STOPWORDS, stem, words

NEGATIONS = frozenset(
    """not no never none neither nor without cannot nothing nobody nowhere hardly barely scarcely
    unable incapable""".split()  # noqa: SIM905
)
_LOOSE = frozenset(  # stems of words that deny only in part: they weigh, and decide nothing
    map(
        stem,
        """outside against zero instead except fail failed refuse refused lack lacked lacking avoid
        avoided decline declined deny denied prevent prevented neglect neglected""".split(),  # noqa: SIM905
    )
)
_SHORT = re.compile(r"\b\w{1,12}n['’]t\b", re.IGNORECASE)
_PHRASES = re.compile(
    r"\b(?:has|have|had|is|are) yet to\b|\bno longer\b|\brather than\b|\binstead of\b"
    r"|\brefus(?:e|es|ed|ing) to\b|\bfail(?:s|ed|ing)? to\b",
    re.IGNORECASE,
)
_LOOSE_PHRASES = re.compile(
    r"\bother than\b|\baway from\b|\bturned down\b|\bfar from\b|\bleft out\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,400}[\"”]|(?<!\w)['‘][^'’\n]{2,80}['’](?!\w)")
_NOT_A_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|least)\b|\bno (?:doubt|less than|fewer than|more than|\d)"
    r"|\bwhether or not\b|\bno\.|\bnot to mention\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;:,.()–—|]|\b(?:while|but|although|whereas|because|which)\b", re.IGNORECASE)
_AND = re.compile(rf"{_CLAUSE.pattern}|\band\b", re.IGNORECASE)
_FORMS = """rise:rose,risen fall:fell,fallen grow:grew,grown shrink:shrank,shrunk win:won lose:lost
    buy:bought sell:sold begin:began,begun leave:left drop:dropped,dropping acquit:acquitted
    ban:banned permit:permitted stop:stopped die:died forbid:forbade,forbidden break:broke,broken
    build:built man:men woman:women few:fewer,fewest low:lower,lowest high:higher,highest
    old:older,oldest young:younger,youngest large:larger,largest small:smaller,smallest
    big:bigger,biggest long:longer,longest short:shorter,shortest strong:stronger,strongest
    weak:weaker,weakest early:earlier,earliest late:later,latest fast:faster,fastest
    slow:slower,slowest warm:warmer,warmest cool:cooler,coolest hot:hotter,hottest
    cold:colder,coldest rich:richer,richest poor:poorer,poorest heavy:heavier,heaviest
    light:lighter,lightest wide:wider,widest narrow:narrower,narrowest cheap:cheaper,cheapest
    take:took,taken give:gave,given make:made write:wrote,written know:knew,known see:saw,seen
    open:reopen,reopened lead:led hold:held keep:kept find:found say:said pay:paid
    send:sent spend:spent use:used,using"""
_IRREGULAR = {
    form: base
    for base, _, forms in (line.partition(":") for line in _FORMS.split())
    for form in forms.split(",")
}
# Without this list 18 of 381 damaged sentences of the tests pass, and 2 % more of FEVER's denied
# claims; it does nothing on WiCE.
_OPPOSITES = """increase/decrease/reduce/decline/fall/drop rise/fall/drop/decline/decrease
    grow/shrink/decline/fall raise/lower/cut gain/lose win/lose high/low more/less/few many/few
    most/least above/below before/after first/last early/late up/down north/south east/west
    northern/southern eastern/western left/right open/close support/oppose accept/reject/refuse
    approve/reject allow/ban/forbid permit/prohibit/forbid include/exclude success/failure
    succeed/fail positive/negative true/false strong/weak better/worse best/worst large/small
    big/small long/short old/young fast/slow hot/cold warm/cool rich/poor heavy/light wide/narrow
    cheap/expensive male/female man/woman husband/wife father/mother son/daughter brother/sister
    king/queen promote/inhibit activate/inhibit induce/inhibit/suppress enhance/impair
    improve/worsen begin/end/finish start/end/finish/stop arrive/depart enter/leave buy/sell
    acquire/sell import/export maximum/minimum majority/minority major/minor public/private
    legal/illegal alive/dead born/die convict/acquit guilty/innocent present/absent always/never
    common/rare possible/impossible likely/unlikely safe/dangerous cause/prevent confirm/deny
    pass/fail expand/contract accelerate/slow hire/fire join/leave appoint/dismiss add/remove
    victory/defeat profit/loss surplus/deficit internal/external upper/lower sensitive/resistant
    acute/chronic benign/malignant free/paid mandatory/voluntary temporary/permanent
    advance/retreat create/destroy freeze/melt lend/borrow love/hate praise/criticise/criticize
    resume/suspend shallow/deep simple/complex top/bottom wet/dry same/different hard/soft/easy
    push/pull remember/forget leave/stay"""
_SMALL = STOPWORDS - frozenset(words("use used using make made give given get got show find know"))
_STOPS = frozenset(words("for in on at by during since with from until after before"))
_NEARLY_ALL = 0.75
_REACH = 6  # words that a negation reaches, within its clause


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The stem of `word`, of an irregular form that of its base."""
    return stem(_IRREGULAR.get(word, word))


_OPPOSITE: dict[str, set[str]] = {}
for _word, *_others in (map(root, row.split("/")) for row in _OPPOSITES.split()):
    for _other in _others:
        _OPPOSITE.setdefault(_word, set()).add(_other)
        _OPPOSITE.setdefault(_other, set()).add(_word)


def opposed(claim: str, source: str) -> tuple[str, str] | None:
    """A word of `claim` and its opposite in `source`, when neither says the other's word too."""
    ours = {root(word): word for word in words(claim)}
    theirs = {root(word): word for word in words(source)}
    pairs = ((one, other) for one in ours.keys() - theirs for other in _OPPOSITE.get(one, ()))
    found = sorted((ours[a], theirs[b]) for a, b in pairs if b in theirs and b not in ours)
    return found[0] if found else None


def denied(text: str, loose: bool = False) -> frozenset[str]:
    """The stems that negations of `text` reach and that it does not say besides, as "this value,
    not that value" does; `loose` takes words such as "avoid" for a negation too."""
    text = spelled_out(text)
    if loose:
        text = _LOOSE_PHRASES.sub(" not ", text)
    reached: Counter[str] = Counter()
    before: list[str] = []
    for clause in _CLAUSE.split(text):
        row = words(clause)
        for at, word in enumerate(row):
            if word in NEGATIONS or (loose and stem(word) in _LOOSE):
                # Alone in its clause or cell ("Refunds: none") it speaks of the one before.
                reached.update(_reach(row, at) or _reach([*before, word], len(before)))
        before = row or before
    counts = Counter(map(root, words(text)))
    return frozenset(one for one, times in reached.items() if times >= counts[one])


def _reach(said: list[str], at: int) -> list[str]:
    """The words after a negation, up to a preposition; where none follow ("pay nothing"), those
    before it."""
    found: list[str] = []
    for word in said[at + 1 : at + 1 + _REACH]:
        if found and word in _STOPS:
            break
        if word not in _SMALL:
            found.append(root(word))
    return found or [root(word) for word in said[max(0, at - 2) : at] if word not in _SMALL]


def spelled_out(text: str) -> str:
    """`text` with each way to say "not" as that word; what others say, and titles, left out."""
    text = _QUOTED.sub(" ", text)
    return _PHRASES.sub(" not ", _SHORT.sub(" not ", _NOT_A_DENIAL.sub(" ", text)))


def turned(claim: str, source: str, loose: bool = False) -> bool:
    """Whether one of the two denies something that both speak of, and the other does not."""
    ours, theirs = denied(claim, loose), denied(source, loose)
    if not ours and not theirs:
        return False
    here = ours & set(map(root, words(source)))
    there = theirs & set(map(root, words(claim)))
    return bool(here) != bool(there) or (bool(here) and not here & there)


def at_odds(claim: str, source: str) -> str:
    """In what words `claim` says the opposite of `source`; "" when it does not.

    Two turns undo each other: what was not settled is unsettled, not guilty is innocent.
    """
    pair = opposed(claim, _clause(claim, source))
    other = turned(claim, source)
    if pair and not other:
        return f"the claim says {pair[0]!r} where the source says {pair[1]!r}"
    return "one of claim and source denies what the other says" if other and not pair else ""


def denies(claim: str, source: str) -> bool:
    """Whether `claim` repeats a clause of `source` but for a negation: "Nobody was killed"."""
    if not turned(claim, source):
        return False
    said = set(map(root, words(claim)))
    clauses = ((one, _content(one)) for one in _AND.split(spelled_out(source)))
    return any(
        content and len(said & content) >= _NEARLY_ALL * len(content) and at_odds(claim, clause)
        for clause, content in clauses
    )


def _content(clause: str) -> set[str]:
    """What a clause says, negations and numbers aside."""
    dull = _SMALL | NEGATIONS
    return {root(word) for word in words(clause) if word not in dull and not word.isdigit()}


def _clause(claim: str, source: str) -> str:
    """The clause that shares most with the claim, where one clause has nearly all of it."""
    ours = set(map(root, words(claim))) - STOPWORDS
    parts = [(len(ours & set(map(root, words(part)))), part) for part in _AND.split(source)]
    most, best = max(parts, key=lambda pair: pair[0])
    total = len(ours & set(map(root, words(source))))
    return best if most >= _NEARLY_ALL * total else source
