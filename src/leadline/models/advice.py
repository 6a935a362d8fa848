"""What follows from a model's examination: a profile, settings, and a line on each finding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from leadline.models.judge_exam import BAR
from leadline.models.needle import USEFUL, Reach
from leadline.models.probe import TASKS, Findings, Shaped
from leadline.models.profiles import Profile
from leadline.text.tokens import PLAIN_CHARS_PER_TOKEN
from leadline.values import replace

Mark = Literal["ok", "weak", "BAD", "?"]
"""`weak` is mended or worked round, `BAD` is not, `?` could not be told."""

REPORT_TOKENS = 2000  # an answer of this length must come within the time for one
DEFAULT_TIMEOUT_S = 120.0
SLOW = 10.0  # tokens of an answer a second, under which runs end before their report is written


@dataclass(frozen=True)
class Line:
    """One finding as a person reads it."""

    name: str
    mark: Mark
    said: str


@dataclass(frozen=True)
class Follows:
    """A setting that should be made, and why."""

    setting: str
    value: str
    why: str


def profile_after(before: Profile, found: Findings) -> Profile:
    """What is kept for later runs; what could not be measured stays as it was.

    The text that was read is easier than real pages: that a model takes more tokens than thought
    is believed, that it takes fewer is left to real runs.
    """
    measured = round(found.chars_per_token, 3) or before.chars_per_token
    return Profile(
        chars_per_token=min(measured, before.chars_per_token),
        window=found.reach.measured or before.window,
        schema=not _better_in_words(found),
        tools=before.tools if found.calling.native is None else not found.calling.better_in_words,
        plans=False if _keeps_no_shape(found) else before.plans,
        judges=before.judges if found.judges is None else round(found.judges, 3),
    )


def lines(found: Findings) -> tuple[Line, ...]:
    """Every finding, in the order in which a person asks for them."""
    return (
        _native(found),
        _in_words(found),
        _window(found),
        _thoughts(found),
        _cites(found),
        _calls(found),
        _judges(found),
        _speed(found),
    )


def follows(found: Findings) -> tuple[Follows, ...]:
    """The settings to make. Window and letters a token are in the profile too."""
    made: list[Follows] = []
    if window := found.reach.measured:
        made.append(Follows("model_window", str(window), "what it was found to read"))
    if 0 < found.chars_per_token < PLAIN_CHARS_PER_TOKEN:
        scale = f"{found.chars_per_token:.2f}"
        made.append(Follows("chars_per_token", scale, "how it counts"))
    window = found.reach.measured or found.reach.claimed
    if (seconds := _answer_s(found, window)) > DEFAULT_TIMEOUT_S:
        value = str(min(3600, 60 * math.ceil(seconds / 60)))
        why = "a full prompt and a long answer take so long"
        made.append(Follows("model_timeout_s", value, why))
        made.append(Follows("max_execution_time_s", value, "else a run ends before its report"))
    return tuple(made)


def _answer_s(found: Findings, window: int) -> float:
    """Seconds for a prompt that fills the window and a long answer; 0 when not known."""
    speed = found.speed
    if not speed.prompt or not speed.answer:
        return 0.0
    answer = min(REPORT_TOKENS, window // 2)
    return (window - answer) / speed.prompt + answer / speed.answer


def _better_in_words(found: Findings) -> bool:
    """Only where the schema never worked and words did: a few asks tell no finer difference."""
    return found.native.asked > 1 and not found.native.kept and found.prompted.kept > 1


def _keeps_no_shape(found: Findings) -> bool:
    """A plan is JSON: who gave none, however asked, gives no plan either."""
    return found.prompted.asked > 1 and not (found.native.kept or found.prompted.kept)


def _native(found: Findings) -> Line:
    line = _shape("JSON by schema", found.native, found)
    if not found.takes_schema:
        return replace(line, mark="weak", said=f"the server takes no schema; {line.said}")
    if _better_in_words(found):
        return replace(line, said=f"{line.said}; from now on it is told in words")
    return line


def _in_words(found: Findings) -> Line:
    """Words are used only where the schema fails."""
    line, native = _shape("JSON in words", found.prompted, found), found.native
    spare = line.mark == "BAD" and found.takes_schema and native.asked and native.kept
    return replace(line, mark="weak") if spare else line


def _shape(name: str, shaped: Shaped, found: Findings) -> Line:
    if not shaped.asked:
        return Line(name, "?", f"not told: {_why(found, name)}")
    said = f"{shaped.at_once} of {shaped.asked} valid at once"
    said += f", {shaped.mended} mended" if shaped.mended else ""
    said += f", {shaped.again} when asked again" if shaped.again else ""
    lost = shaped.asked - shaped.kept
    said += f", {lost} never" if lost else ""
    if shaped.asked < len(TASKS):
        said += f"; {len(TASKS) - shaped.asked} more not told: {_why(found, name)}"
    mark: Mark = "ok" if shaped.at_once == shaped.asked else "weak" if shaped.kept else "BAD"
    return Line(name, mark, said)


def _why(found: Findings, name: str) -> str:
    return next((one.why for one in found.unfinished if one.name == name), "no time")


def _window(found: Findings) -> Line:
    reach = found.reach
    claimed = f"claimed {reach.claimed:,} tokens"
    why = "no money" if reach.stop == "money" else _why(found, "window")
    if not reach.held:
        why = "every length was refused" if reach.stop == "refused" else why
        return Line("window", "?", f"{claimed}, not measured: {why}")
    if not reach.measured:
        return Line("window", "?", f"{claimed}, read {_least(reach)}; longer ones not told: {why}")
    if reach.found < USEFUL <= reach.held or not reach.found:
        lost = f"but loses a fact in a text of {reach.lost:,}"
        return Line("window", "BAD", f"{claimed}, reads {reach.held:,}, {lost}")
    said = f"{claimed}, really held {reach.measured:,}"
    over = {
        "refused": "longer ones are refused",
        "cut": "longer ones are cut in silence",
        "lost": "in longer ones facts are lost",
    }.get(reach.stop, "")
    said += f"; {over}" if over else ""
    return Line("window", "ok" if reach.measured >= reach.claimed else "weak", said)


def _least(reach: Reach) -> str:
    if reach.found < reach.held:
        return f"at least {reach.held:,}, found a fact in {reach.found:,}"
    return f"at least {reach.held:,}"


def _thoughts(found: Findings) -> Line:
    seen = found.thoughts
    if seen.staying:
        marks = " ".join(seen.staying)
        return Line("thoughts", "BAD", f"marks that are not taken out: {marks}")
    said = []
    if seen.leaked:
        marks = " ".join(seen.marks)
        said.append(f"in {seen.leaked} of {seen.answers} answers ({marks}); taken out")
    if seen.hidden:
        said.append(f"{seen.hidden:,} tokens thought in silence and paid for")
    if seen.empty:
        said.append(f"{seen.empty} of {seen.answers} answers were empty")
    mark: Mark = "BAD" if 2 * seen.empty > seen.answers else "weak" if said else "ok"
    return Line("thoughts", mark, "; ".join(said) or f"none in {seen.answers} answers")


def _cites(found: Findings) -> Line:
    cites = found.cites
    if not cites.asked:
        return Line("citations", "?", f"not told: {_why(found, 'citations')}")
    said = f"{cites.right} of 3 facts cited with their number"
    if cites.invented:
        return Line("citations", "BAD", f"{said}; invented {', '.join(cites.invented)}")
    mark: Mark = "ok" if cites.right == 3 else "weak" if cites.right else "BAD"
    return Line("citations", mark, f"{said}, none invented")


def _judges(found: Findings) -> Line:
    """A model that cannot judge is not asked to, so nothing here is BAD."""
    if found.judges is None:
        return Line("judging", "?", "not told: there was no time for enough claims")
    said = f"{found.judges:.0%} of right and wrong claims of the same names told apart".replace(
        "%", " %"
    )
    if found.judges < BAR:
        return Line("judging", "weak", f"{said}; its word on a claim is not shown as a verdict")
    return Line("judging", "ok", said)


def _calls(found: Findings) -> Line:
    """Only agent mode needs them, so nothing here is BAD."""
    calling = found.calling
    if calling.native:
        return Line("tool calls", "ok", "calls a tool when it is offered one")
    if calling.in_words:
        said = "only when told of them in words; from now on it is"
        return Line("tool calls", "weak", said)
    if calling.native is None or calling.in_words is None:
        return Line("tool calls", "?", f"not told: {_why(found, 'tool calls')}")
    return Line("tool calls", "weak", "none were made; leave --agent out")


def _speed(found: Findings) -> Line:
    speed = found.speed
    if not speed.answer:
        return Line("speed", "?", "could not be told")
    read = f"reads {speed.prompt:,.0f}" if speed.prompt else "reads an unknown number of"
    said = f"{read}, writes {speed.answer:,.0f} tokens a second"
    said += "" if found.streams else "; does not stream"
    return Line("speed", "ok" if speed.answer >= SLOW else "weak", said)
