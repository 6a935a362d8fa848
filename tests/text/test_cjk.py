"""Characters that stand without spaces between their words are told from all others."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.text import cjk

RANGES = (("\u3040", "\u30ff"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7af"))
ODD = st.sampled_from(
    "a–“é\u303f\u3040\u30ff\u3100\u3400\u4dbf\u4dc0\u4e00\u9fff\ua000\uac00\ud7af"
)


def is_cjk(one: str) -> bool:
    return any(first <= one <= last for first, last in RANGES)


@settings(deadline=None)
@given(text=st.one_of(st.text(), st.text(ODD)))
def test_they_are_found_counted_and_taken_out(text: str) -> None:
    assert cjk.has_cjk(text) == any(map(is_cjk, text))
    assert cjk.count_cjk(text) == sum(map(is_cjk, text))
    assert cjk.without_cjk(text) == "".join(" " if is_cjk(one) else one for one in text)
