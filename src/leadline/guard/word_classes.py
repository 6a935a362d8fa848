"""Fields of words, and what a sentence has of them: which words stand in it, and how they stand to
one another. What that counts, and for which sentences it is looked up, is in `told.py`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_

from leadline.frozen import frozen
from leadline.guard.shipped import data_of

SIZES = (6, 12, 18)  # words
NEAR = 3  # words between two that belong together
CODE = "`{}=<|_"


def _forms(verb: str) -> tuple[str, ...]:
    stem = verb[:-1] if verb.endswith("e") else verb
    third = f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"
    return verb, third, f"{stem}ed", f"{stem}ing"


def _read() -> dict[str, frozenset[str]]:
    said = data_of("fields.toml").decode("utf-8")
    return {
        name: frozenset(row.get("words", "").split())
        | {form for verb in row.get("verbs", "").split() for form in _forms(verb)}
        for name, row in tomllib.loads(said).items()
    }


FIELDS = _read()
BIT = {name: 1 << n for n, name in enumerate(FIELDS)}


MACHINE, DEVICE, WHOEVER, HANDLES = (BIT[n] for n in ("machine", "device", "whoever", "handles"))
YOU, YOUR, MUST, POLITE, NO = (BIT[n] for n in ("you", "your", "must", "polite", "no"))
OUTPUT, SAYS, SOURCE, SOLE = (BIT[n] for n in ("output", "says", "source", "sole"))
TASK, ASKED, USER, SESSION, MIND = (BIT[n] for n in ("task", "asked", "user", "session", "mind"))
RESET, KEEPS, EVER, SEND = (BIT[n] for n in ("reset", "keeps", "ever", "send"))
PRIVATE, WRONG, HAIL, THIS = (BIT[n] for n in ("private", "wrong", "hail", "this"))
TLD, WEB, RIGHT, IS, LEADS = (BIT[n] for n in ("tld", "web", "right", "is", "leads"))
GOES_ON, NOTICE, WHOLE, TEXT = (BIT[n] for n in ("goes_on", "notice", "whole", "text"))
TERMS, OWN, BEGINS, REPLIES = (BIT[n] for n in ("terms", "private_own", "begins", "replies"))
NATURE, RIVAL, TRUST, META = (BIT[n] for n in ("nature", "rival", "trust", "meta"))
DAY, SPEECH = (BIT[n] for n in ("day", "speech"))
ORDER = BIT["order"] | BIT["more_order"]
ORDERED, DUTY = 1 << 59, 1 << 60  # an order where one may begin; the beginning of a duty
BIDS, ADDRESS = 1 << 61, 1 << 62  # either of them, or a request; an address in the net

NAMED = BIT | {"an order": ORDERED, "a duty": DUTY}

_DEEDS = ("bids", "sole", "reset", "keeps", "send")

# What goes together: whether a sentence has words of two or three of these is what counts.
GROUPS = {
    "machine": MACHINE | DEVICE | WHOEVER | NATURE,
    "you": YOU,
    "bids": BIDS,
    "output": OUTPUT | SAYS | TEXT | SPEECH | REPLIES,
    "source": SOURCE | RIVAL,
    "sole": SOLE | NO,
    "task": TASK | ASKED | GOES_ON,
    "user": USER,
    "session": SESSION,
    "reset": RESET | NOTICE,
    "keeps": KEEPS | MIND,
    "ever": EVER | DAY,
    "address": ADDRESS,
    "private": PRIVATE | OWN,
    "send": SEND,
    "trust": TRUST | WRONG | META,
}
# An order is one to a machine only where it names something of these: "Drop the anchor" does not.
OBJECTS = reduce(or_, (group for name, group in GROUPS.items() if name not in _DEEDS))
_WERE = frozenset({"were", "been", "are", "was"})


class Sentence:
    """The words of one sentence with their fields."""

    def __init__(self, text: str, words: list[str], bits: list[int]) -> None:
        self.text, self.words, self.bits = text, words, bits
        self.all = reduce(or_, bits)
        self.orders = [n for n, one in enumerate(self.bits) if one & ORDERED]

    def put_to_you(self) -> bool:
        """Whether it speaks of what "you were asked", "you have been given"."""
        return any(
            self.bits[n] & YOU
            and any(
                self.bits[m] & ASKED and self.words[m - 1] in _WERE
                for m in range(n + 2, min(n + 5, len(self.bits)))
            )
            for n in range(len(self.bits))
        )

    def near(self, one: int, other: int, reach: int = NEAR) -> bool:
        """Whether a word of `one` is followed within `reach` words by one of `other`."""
        if not (self.all & one and self.all & other):
            return False
        return any(
            bits & one and any(two & other for two in self.bits[n + 1 : n + 1 + reach])
            for n, bits in enumerate(self.bits)
        )

    def ordered(self, field: int, other: int = 0, reach: int = 8) -> bool:
        """Whether an order that is a word of `field` is followed by a word of `other`."""
        return any(
            self.bits[n] & field
            and (not other or any(two & other for two in self.bits[n + 1 : n + 1 + reach]))
            for n in self.orders
        )


def features(one: Sentence) -> list[str]:
    """What a sentence has, by name."""
    found = [f"has {name}" for name, bit in NAMED.items() if one.all & bit]
    groups = [name for name, group in GROUPS.items() if one.all & group]
    found += [f"{a}+{b}" for a, b in combinations(groups, 2)]
    found += ["opens with an order"] * bool(one.bits[0] & ORDERED)
    found += ["code"] * any(word[0] in CODE for word in one.words)
    found += [f"over {size} words" for size in SIZES if len(one.words) > size]
    return [*found, *shapes(one)]


_ROLE = re.compile(
    r"\byou (?:are|will be|have been) (?:now|hereby|no longer|reassigned)\b"
    r"|^\W{0,4}(?:please |now )?(?:act as|behave (?:as|like)"
    r"|pretend|assume the (?:role|part|persona)|play the)\b"
)
_CANCELLED = re.compile(
    r"\b(?:task|assignment|questions?|job|mission|objective|brief|investigation|research"
    r"|inquiry|enquiry"
    r"|instructions|directives?|orders)\b[^.\n]{0,30}?"
    r"\b(?:is|are|was|were|been|being)(?: now| hereby| already)?"
    r" (?:over|done|finished|complete|completed|void|cancell?ed|withdrawn|changed|replaced"
    r"|superseded|obsolete"
    r"|suspended|dropped|closed|overruled|overridden|revoked|moot|settled"
    r"|a rehearsal|irrelevant|on hold)\b"
    r"|\b(?:real|actual|new|true|next) (?:task|assignment|question|job|mission|objective"
    r"|instructions?|topic|goal)"
    r"(?: is| are| reads| ?:| -)|"
    r"\bwhat(?:ever)? (?:was|had been|has been|were|is being|you were|they"
    r"|the (?:user|reader)) "
    r"(?:asked|wanted|requested)\b|"
    r"\bwere (?:only |just |all )?(?:a )?(?:rehearsal|test|drill|dry run)\b"
)


def _addressed(one: Sentence) -> int:
    """2 where the sentence speaks to a machine, 1 where it may."""
    best = 0
    for n, bits in enumerate(one.bits):
        if not bits & (WHOEVER | DEVICE | MACHINE):
            continue
        after = one.bits[n + 1 : n + 4]
        handles = next((m for m, b in enumerate(after) if b & HANDLES), None)
        if handles is not None and any(
            b & (THIS | SOURCE | TEXT) for b in one.bits[n + handles + 2 : n + handles + 5]
        ):
            best = max(best, 1 if bits & DEVICE and not bits & MACHINE else 2)
        hailed = n < 7 and any(b & HAIL for b in one.bits[max(0, n - 3) : n])
        called = n + 1 < len(one.words) and one.words[n + 1][0] in ":,"
        bound = any(b & MUST for b in after[:2]) or bool(after and after[0] & DUTY)
        if bits & (DEVICE | MACHINE) and (hailed or n < 2) and (called or bound):
            best = max(best, 2 if bits & MACHINE and (hailed or n == 0) else 1)
    return best


@frozen
class Shape:
    """How words of a sentence stand to one another; it can only hold where the sentence has a word
    of each of `needs`."""

    name: str
    needs: tuple[int, ...]
    holds: Callable[[Sentence], bool]


def _near(name: str, one: int, other: int, reach: int = NEAR) -> Shape:
    return Shape(name, (one, other), lambda said: said.near(one, other, reach))


def _order(name: str, field: int, other: int = 0, reach: int = 8, also: int = 0) -> Shape:
    needs = tuple(need for need in (ORDERED, field, other, also) if need)
    return Shape(name, needs, lambda said: said.ordered(field, other, reach))


def _has_signs(one: Sentence) -> bool:
    signs = sum(not word[0].isalnum() and word[0] not in ",.'\n" for word in one.words)
    return signs > 0.2 * len(one.words)


# "This can only be set at the start": what is said of things, not to anyone.
_PASSIVE = re.compile(
    r"\b(?:can|must|may|should|shall|will|has to|have to|cannot|need to)"
    r"(?: only| not| never| always| also| then)? be "
    r"(?!(?:cited|named|credited|mentioned|quoted|listed|ranked|answered|attributed|recommended|praised|described"
    r"|presented|remembered|stored|forgotten|ignored|sent|posted|treated|regarded|given|told)\b)"
    r"\w{2,14}(?:ed|en|t|d)\b"
)
# A setting for whoever reads: "applies_to: all AI agents", "new_goal": "…".
_KEY = re.compile(
    r"(?:^|[\s{,\"'])(?:(?:ai|llm|agent|assistant|model|system|memory|task|goal|prompt|citation"
    r"|source|user|tool|next|new|required|applies)[_-]\w{2,20}|role|scope|audience)[\"']?\s?[:=]"
)
_ANY_MACHINE = WHOEVER | DEVICE | MACHINE
SHAPES = (
    Shape("several orders", (ORDERED,), lambda one: len(one.orders) > 1),
    _near("your output", YOUR, OUTPUT),
    _near("your task", YOUR, TASK | SESSION | USER),
    _near("your mind", YOUR, MIND),
    _near("your own", YOUR, OWN | PRIVATE),
    _near("you say", YOU, SAYS | ORDER, 2),
    Shape("you were asked", (YOU, ASKED), Sentence.put_to_you),
    _near("user asked", USER, ASKED | RESET, 4),
    _near("right output", RIGHT, OUTPUT, 2),
    _near("other sources", SOLE | RIVAL, SOURCE, 2),
    _near("whole output", WHOLE, OUTPUT | TEXT, 2),
    _near("later session", EVER | DAY, SESSION | TASK | ASKED | OUTPUT),
    _order("order to say", SAYS),
    _order("order to say only", SAYS, SOLE),
    _order("order to keep", KEEPS),
    _order("order to keep for ever", KEEPS, EVER | DAY, 12),
    _order("order to drop", RESET),
    _order("order to drop the task", RESET, TASK | ASKED, 6),
    _order("order to send", SEND),
    _order("order to send private things", SEND, PRIVATE | OWN),
    _order("order to begin", BEGINS),
    _order("not to go on", GOES_ON, TASK | OUTPUT, 5, NO),
    _near("task notice", TASK | SESSION | MIND | USER, NOTICE, 1),
    Shape("may be addressed", (_ANY_MACHINE,), lambda one: _addressed(one) == 1),
    Shape("addressed", (_ANY_MACHINE,), lambda one: _addressed(one) == 2),
    Shape("role", (), lambda one: _ROLE.search(one.text) is not None),
    Shape("cancelled", (), lambda one: _CANCELLED.search(one.text) is not None),
    Shape("asks", (), lambda one: one.words[-1][0] == "?"),
    Shape("signs", (), _has_signs),
    Shape("passive", (), lambda one: _PASSIVE.search(one.text) is not None),
    Shape("key", (), lambda one: _KEY.search(one.text) is not None),
)


@lru_cache(maxsize=4096)
def possible(held: int) -> tuple[Shape, ...]:
    """The shapes that a sentence with the fields `held` can have."""
    return tuple(one for one in SHAPES if all(held & need for need in one.needs))


def shapes(one: Sentence) -> list[str]:
    """How the words of a sentence stand to one another, by name."""
    return [each.name for each in possible(one.all) if each.holds(one)]
