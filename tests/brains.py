"""Models with known faults, for the tests of the doctor: each is a rule of `ScriptedModel`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from leadline.errors import ReasonerFailed
from leadline.fakes.model import Said
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion, ToolCall
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of

Rule = Callable[[Ask], Said]
SEARCHES = {"search_queries": [{"query": "tides moon", "intent": "why"}], "tier": "simple"}
CITED = "It was opened in 1931 [12]. It is 412 metres long [31]. It was painted green in 2004 [47]."
TALK = "The moon pulls at the sea, and the sea follows it round the earth. "


def size(ask: Ask) -> int:
    """Tokens of a prompt, as a server counts them."""
    return tokens_of(ask, Counter(margin=1.0))


def wants_json(ask: Ask) -> bool:
    return ask.schema is not None or "JSON" in ask.system


def good(ask: Ask) -> Completion:
    """Does all that is asked of it."""
    if ask.tools:
        made = (ToolCall(ask.tools[0].name, json.dumps({"place": "Graufeld"})),)
        return Completion("", size(ask), 12, calls=made if ask.native else ())
    if wants_json(ask):
        text = json.dumps(SEARCHES)
    elif code := re.search(r"box is (\d{5})\.", ask.prompt):
        text = f"The code is {code.group(1)}."
    elif "[12]" in ask.prompt:
        text = CITED
    else:
        text = "Hello." if "hello" in ask.prompt else TALK * 4
    return Completion(text, size(ask), len(text) // 4)


def leaking(ask: Ask) -> Completion:
    """Thinks aloud before each answer."""
    done = good(ask)
    return replace(done, text=f"<think>Let me see, [99].</think>\n{done.text}")


def strange(ask: Ask) -> Completion:
    """Thinks aloud between marks that nobody takes out."""
    done = good(ask)
    return replace(done, text=f"<|inner_voice|>Hm.<|spoken|>{done.text}")


def silent(ask: Ask) -> Completion:
    """Thinks where nobody sees it, and has it paid for; in a small room nothing is left."""
    done = good(ask)
    if ask.max_tokens < 300:
        return replace(done, text="", completion_tokens=ask.max_tokens, cut=True)
    return replace(done, completion_tokens=done.completion_tokens + 300)


def saying(ask: Ask) -> Said:
    """Calls tools only in words, and then in a fence."""
    if not ask.tools:
        return good(ask)
    call = {"tool": ask.tools[0].name, "arguments": {"place": "Graufeld"}}
    return "It is warm." if ask.native else f"```json\n{json.dumps(call)}\n```"


def prose(ask: Ask) -> Completion:
    """Never gives JSON."""
    return replace(good(ask), text="I would search for tides.") if wants_json(ask) else good(ask)


def wrapped(ask: Ask) -> Completion:
    """Gives JSON in a fence, with words round it."""
    done = good(ask)
    return replace(done, text=f"Sure!\n```json\n{done.text}\n```") if wants_json(ask) else done


def wordy(ask: Ask) -> Completion:
    """Gives JSON when told in words, nonsense under a schema."""
    return replace(good(ask), text="{" * 20) if ask.schema else good(ask)


def inventing(ask: Ask) -> Completion:
    """Counts its sources from 1."""
    done = good(ask)
    text = done.text.replace("[12]", "[1]").replace("[31]", "[2]").replace("[47]", "[3]")
    return replace(done, text=text)


def forgetting(limit: int) -> Rule:
    """Reads everything, and loses what is in a prompt of more than `limit` tokens."""

    def rule(ask: Ask) -> Completion:
        done = good(ask)
        return done if size(ask) < limit else replace(done, text="The code is 00000.")

    return rule


def cutting(limit: int) -> Rule:
    """Leaves out the start of a prompt that is longer, and says nothing."""

    def rule(ask: Ask) -> Completion:
        over = size(ask) - limit
        done = good(ask)
        if over <= 0:
            return done
        return replace(done, text="I see no code.", prompt_tokens=limit)

    return rule


def refusing(limit: int) -> Rule:
    """Takes no prompt over `limit` with its answer."""

    def rule(ask: Ask) -> Said:
        if size(ask) + ask.max_tokens > limit:
            return ReasonerFailed("too long", type="overlong")
        return good(ask)

    return rule


def crashing(limit: int) -> Rule:
    """Its server breaks on a schema, and on prompts over `limit`."""

    def rule(ask: Ask) -> Said:
        if ask.schema or size(ask) > limit:
            return ReasonerFailed("HTTP 500 (out of memory)")
        return good(ask)

    return rule


def uncounted(rule: Rule) -> Rule:
    """The same from a server that does not say how many tokens it took."""

    def without(ask: Ask) -> Said:
        said = rule(ask)
        if isinstance(said, Completion):
            return replace(said, prompt_tokens=0, completion_tokens=0)
        return said

    return without
