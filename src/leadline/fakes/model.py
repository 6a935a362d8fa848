"""A language model that answers from a script, or from a function of the request."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from leadline.errors import LeadlineError, ReasonerFailed
from leadline.text.tokens import PLAIN_CHARS_PER_TOKEN, Counter
from leadline.types import Ask, Completion, ToolCall
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of

Said = str | Completion | LeadlineError
Rule = Callable[[Ask], Said]


def calling(*calls: tuple[str, Mapping[str, Any] | str], text: str = "") -> Completion:
    """An answer that calls tools: names with their arguments, as an object or as raw text."""
    made = (
        ToolCall(name, given if isinstance(given, str) else json.dumps(given))
        for name, given in calls
    )
    return Completion(text, calls=tuple(made))


class ScriptedModel:
    """Satisfies `ports.Model`. `asks` keeps every request; a prompt over the window is refused.

    A script is used up answer by answer; an error in it is raised. After the last one the model
    fails, so that a test sees every call it did not expect.
    """

    def __init__(
        self,
        script: Sequence[Said] | Rule,
        *,
        name: str = "fake",
        window: int = 8192,
        chars_per_token: float = PLAIN_CHARS_PER_TOKEN,
    ) -> None:
        self._script = script if callable(script) else list(script)
        self.name, self.window, self.chars_per_token = name, window, chars_per_token
        self.asks: list[Ask] = []

    async def complete(self, ask: Ask) -> Completion:
        self.asks.append(ask)
        # The margin is ours; a server counts what is there.
        prompt = tokens_of(ask, Counter(self.chars_per_token, margin=1.0))
        if prompt + ask.max_tokens > self.window:
            raise ReasonerFailed(
                f"{self.name}: a prompt of {prompt} tokens and an answer of {ask.max_tokens} do "
                f"not fit a window of {self.window}",
                type="overlong",
            )
        said = self._said(ask)
        if isinstance(said, LeadlineError):
            raise said
        if isinstance(said, str):
            answer = Counter(self.chars_per_token, margin=1.0).count(said)
            said = Completion(said, prompt, answer, cut=answer > ask.max_tokens)
        return replace(said, model=said.model or self.name)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        whole = await self.complete(ask)
        for start in range(0, len(whole.text), 20):
            yield whole.text[start : start + 20]
        yield whole

    def _said(self, ask: Ask) -> Said:
        if callable(self._script):
            return self._script(ask)
        if not self._script:
            return ReasonerFailed(f"{self.name}: the script is used up")
        return self._script.pop(0)
