"""Out of place: a sentence that orders or asks something, standing alone among rows of data, and
floods, which say one word so often that a model loses its thread."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from leadline.guard.features import Codes, Tokens, lettered

_ROW = re.compile(r"[ \t]{0,8}\|[^\n|]*\|[^\n]*\|[ \t]{0,8}$")
_OPENERS = frozenset(
    """explain describe define list write draft compose create generate develop design provide
    give offer suggest recommend outline summarise summarize translate convert calculate
    compute solve find identify compare contrast discuss analyse analyze show tell teach
    help advise plan prepare propose name state rewrite paraphrase rephrase replace
    substitute scramble rearrange reverse encode encrypt combine group use add append insert
    include integrate incorporate introduce mention modify enhance augment extend render
    remove omit ignore disregard forget send forward visit click download install share
    print repeat respond reply answer say output begin start end conclude make never let
    assist brainstorm elaborate simulate pretend act imagine construct craft narrate detail
    illustrate interpret evaluate estimate guide clarify debug fix jumble anagram shuffle
    swap mix what who when where why how which whose break do don't please""".split()  # noqa: SIM905
)
_ASKED = re.compile(r"(?:can|could|would|will|do|does|is|are|should|may) (?:you|i|we|it|there)\b")
_END = re.compile(r"[.?!][\"')\]*_]{0,3}\s{0,8}$")
_BEGIN = re.compile(r"[\s_>\"']{0,6}(?:(?:now|also|kindly|then),? )?([a-z']{2,14})\b")


def _asks(line: str) -> bool:
    """Whether a line opens like a question or an order, and goes on."""
    match = _BEGIN.match(line)
    if match is None or len(line) - match.end() < 6 or "|" in line:
        return False
    if not _END.search(line, max(0, len(line) - 12)):
        return False
    return match.group(1) in _OPENERS or _ASKED.match(line, match.start(1)) is not None


def odd_lines(plain: str) -> Iterator[tuple[int, int]]:
    """The spans of lines that ask or order something right between the rows of a table."""
    if plain.count("|") < 6 or "\n" not in plain:
        return
    lines = plain.split("\n")
    rows = [line.count("|") > 1 and bool(_ROW.match(line)) for line in lines]
    start = 0
    for number, line in enumerate(lines):
        near = rows[max(0, number - 2) : number + 3]
        beside = any(rows[max(0, number - 1) : number + 2]) and sum(near) > 1
        if beside and not rows[number] and len(line) < 500 and _asks(line):
            yield start, start + len(line)
        start += len(line) + 1


BARE_CHARS = 240  # of a text that may be nothing but a question for instructions
_ASKS_FOR = re.compile(
    r"[\W_]{0,6}(?:please |now |then |just |simply )?(?:what (?:are|is|were|was)|print|outputs?"
    r"|list|show|repeat|format|write|explain|translate|give|tell|reveal|summari[sz]e|tl;?dr"
    r"|display|recite|rewrite|paraphrase|convert|describe|copy|echo|dump|type|spell|return|state|share|leak|put|turn|make|respond|append)\b"
)
_ITS_OWN = frozenset(
    """instruction instructions rules ruleset prompt prompts commands directives
    guidelines above passcode password passphrase""".split()  # noqa: SIM905
)
_FORM = frozenset(
    """a an all any each every of the your you my me it its this that these those to from
    in into as by with without using for and or then also but now please just only simply
    out down up between inside at is are was were be been what which so far previous prior
    initial original last first full exact exactly entire complete verbatim literal own
    new safely word words letter letters character characters line lines text texts
    sentence sentences paragraph message messages bullet bullets bulleted point points
    list lists numbered table markdown json yaml xml html csv code block python pseudocode
    comments comment c java javascript script function program poem rhyme song haiku
    limerick english chinese french german spanish language languages detail details
    detailed terms simple plain step steps format style order backwards reversed reverse
    uppercase lowercase caps brackets quotes quotation marks beginning start starting
    begin ending end explanation nothing else short long brief summary secret access
    denied granted we i us have has had given received told said got ones some several
    small little few which hint hints input output outputs system initially before earlier
    here there again once twice one two three""".split()  # noqa: SIM905
)


def is_bare(plain: str) -> bool:
    """Whether a short text asks for instructions or a password, says how it wants them, and is
    about nothing else: it asks a machine about itself, for else it would have a subject."""
    if len(plain) > BARE_CHARS or not _ASKS_FOR.match(plain):
        return False
    words = set(re.findall(r"[a-z]+", plain))
    rest = words - _FORM - _ITS_OWN
    return bool(words & _ITS_OWN) and all(_ASKS_FOR.fullmatch(word) for word in rest)


AGAIN = 24  # words in a row that repeat the one, two or three before them
LONG = 60  # letters of a "word" that may be a short one written many times
PIECE = 200  # characters; a flood is told in pieces, for windows go by the middle of what is told


def floods(codes: Codes, found: Tokens) -> Iterator[tuple[int, int]]:
    """The spans in which a word or a few are repeated over and over, in pieces."""
    for start, end in (*_repeated_words(codes, found), *_repeated_letters(codes, found)):
        for at in range(start, end, PIECE):
            yield at, min(at + PIECE, end)


def _repeated_words(codes: Codes, found: Tokens) -> Iterator[tuple[int, int]]:
    for lag in (1, 2, 3):
        if len(found.keys) <= AGAIN + lag:
            return
        same = found.keys[lag:] == found.keys[:-lag]
        if np.count_nonzero(same) < AGAIN:
            continue
        letters = lettered(codes, found)
        same &= letters[lag:] & letters[:-lag]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
        for first, last in edges.reshape(-1, 2).tolist():
            if last - first >= AGAIN:
                yield int(found.start[first]), int(found.end[last + lag - 1])


def _repeated_letters(codes: Codes, found: Tokens) -> Iterator[tuple[int, int]]:
    size = found.end - found.start
    if size.max(initial=0) < LONG:
        return
    for n in np.flatnonzero(lettered(codes, found) & (size >= LONG)).tolist():
        start, end = int(found.start[n]), int(found.end[n])
        word = codes[start : min(end, start + 400)]
        if len(set(word.tolist())) < 3:
            continue
        lags = range(3, len(word) // 4 + 1)
        if any(np.array_equal(word[lag:], word[:-lag]) for lag in lags):
            yield start, end
