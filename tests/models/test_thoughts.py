"""Hidden thoughts would eat the tokens of an answer, so models that can are asked not to think."""

from __future__ import annotations

import pytest

from leadline.models.google import GoogleDialect
from leadline.models.openai import OpenAIDialect
from leadline.models.refusal import Refused, unwanted
from leadline.types import Ask

ASK = Ask("Be brief.", "Say a word.")


@pytest.mark.contract("L1")
@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("gpt-5-mini", True),
        ("openai/gpt-oss-120b", True),
        ("o3", True),
        ("gpt-4.1-mini", False),
        ("qwen3-8b", False),
        ("mixtral-o1-blend", False),
    ],
)
def test_only_models_that_think_are_asked_to_think_little(model: str, asked: bool) -> None:
    body = OpenAIDialect(model).request(ASK, frozenset(), stream=False).json
    assert ("reasoning_effort" in body) == asked
    body = OpenAIDialect(model).request(ASK, frozenset({"think"}), stream=False).json
    assert "reasoning_effort" not in body


@pytest.mark.contract("L1")
def test_gemini_is_asked_not_to_think_until_it_refuses() -> None:
    body = GoogleDialect("gemini-2.5-flash").request(ASK, frozenset(), stream=False).json
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}
    without = frozenset({"think"})
    body = GoogleDialect("gemini-2.5-pro").request(ASK, without, stream=False).json  # type: ignore[arg-type]
    assert "thinkingConfig" not in body["generationConfig"]


@pytest.mark.contract("L1")
@pytest.mark.parametrize(
    "said",
    [
        "Budget 0 is invalid. This model only works in thinking mode.",
        "Unrecognized request argument supplied: reasoning_effort",
    ],
)
def test_a_refusal_to_think_less_is_understood(said: str) -> None:
    assert unwanted(Refused(400, said), ASK, frozenset()) == "think"
