"""Exit codes, and the words in which the help and the docs tell them."""

from __future__ import annotations

ANSWERED = 0
FAILED = 1
BAD_INPUT = 2
NOT_FOUND = 3
INTERRUPTED = 130

MEANINGS = (
    (ANSWERED, "answered, or done"),
    (FAILED, "failed; the message says why, the log says more"),
    (BAD_INPUT, "bad input: a wrong value, a missing folder, an empty question"),
    (NOT_FOUND, "not found: the sources do not answer the question"),
    (INTERRUPTED, "interrupted; the run can be resumed"),
)
