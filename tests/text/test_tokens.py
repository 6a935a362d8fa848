"""Tokens by characters."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from leadline.text.tokens import (
    PLAIN_CHARS_PER_TOKEN,
    Counter,
    calibrated,
    count_tokens,
    weight,
)


def test_tokens_are_characters_over_their_ratio_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


# ── counting a prompt before it is sent ─────────────────────────────────────────────────────

SAMPLES = {
    "english": "The government decided on Thursday to increase funding for heat pumps next year. ",
    "german": "Die Bundesregierung beschloss am Donnerstag, die Förderung erheblich zu erhöhen. ",
    "russian": "Правительство приняло решение увеличить финансирование программы в будущем году. ",
    "arabic": "قررت الحكومة زيادة تمويل البرنامج في العام المقبل لأن الأموال غير كافية. ",
    "chinese": "政府决定在明年增加对该项目的资助，因为目前的资金不足以满足需求。",
    "japanese": "政府は来年、このプログラムへの資金を増やすことを決定した。",
    "korean": "정부는 내년에 이 프로그램에 대한 자금을 늘리기로 결정했다. ",
    "table": "| 12.5 | 1,204 | 2021-03-04 | 99.1% | 0.0034 |\n",
    "code": "def f(x: int) -> list[str]:\n    return [str(i) for i in range(x) if i % 2 == 0]\n",
    "emoji": "🙂🚀🔥✅ done ",
}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Someone else's count, with the vocabulary of Llama 2: old and small, so on the high side."""
    spec = importlib.util.find_spec("wordllama")
    assert spec
    folder = Path(spec.origin or "").parent
    found = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    found.no_truncation()
    return found


@pytest.mark.contract("L5")
@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_a_count_is_on_the_safe_side_and_not_wildly_so(language: str, tokenizer: Tokenizer) -> None:
    text = SAMPLES[language] * 20
    true = len(tokenizer.encode(text, add_special_tokens=False).ids)
    assert true <= Counter().count(text) <= 2.5 * true


@pytest.mark.contract("L5")
@given(st.text(max_size=400), st.text(max_size=400))
def test_parts_add_up_to_the_whole(one: str, other: str) -> None:
    counter = Counter()
    whole = counter.weigh(one + other)
    assert whole == pytest.approx(counter.weigh(one) + counter.weigh(other))
    assert whole >= len(one + other) / 8


@pytest.mark.contract("L5")
def test_the_scale_moves_towards_what_the_model_reports() -> None:
    text = SAMPLES["english"] * 50
    scale = PLAIN_CHARS_PER_TOKEN
    for _ in range(12):
        scale = calibrated(scale, weight(text), tokens=len(text) // 5)
    assert scale == pytest.approx(weight(text) / (len(text) // 5), rel=0.01)
    assert calibrated(4.0, weight(text), tokens=0) == 4.0
    assert calibrated(4.0, 1e9, tokens=1) == pytest.approx(6.0)
