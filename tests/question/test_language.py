"""Languages by script and small words."""

from __future__ import annotations

import pytest

from leadline.question.language import language


@pytest.mark.contract("P7")
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Which of the two rivers is longer, and where does it reach the sea?"),
        ("de", "Welcher der beiden Flüsse ist länger, und wo erreicht er das Meer?"),
        ("fr", "Lequel des deux fleuves est le plus long, et où se jette-t-il dans la mer ?"),
        ("es", "¿Cuál de los dos ríos es más largo y dónde desemboca en el mar?"),
        ("it", "Quale dei due fiumi è più lungo e dove sfocia nel mare?"),
        ("pt", "Qual dos dois rios é mais longo e onde deságua no mar?"),
        ("nl", "Welke van de twee rivieren is langer en waar bereikt hij de zee?"),
        ("ru", "Какая из двух рек длиннее и где она впадает в море?"),
        ("zh", "这两条河哪一条更长，它在哪里入海？"),
        ("ja", "二つの川のうちどちらが長く、どこで海に注ぎますか。"),
        ("ko", "두 강 중 어느 것이 더 길고 어디에서 바다로 흘러드나요?"),
        ("ar", "أي النهرين أطول وأين يصب في البحر؟"),
    ],
)
def test_a_question_is_known_by_its_language(code: str, text: str) -> None:
    assert language(text) == code


@pytest.mark.contract("P7")
@pytest.mark.parametrize("text", ["", "1234 !?", "Kubernetes 1.29", "Berlin", "TCP vs UDP"])
def test_what_cannot_be_told_counts_as_english(text: str) -> None:
    assert language(text) == "en"


@pytest.mark.contract("P7")
def test_a_foreign_name_does_not_change_the_language_of_a_question() -> None:
    assert language("What does 东京 mean in the history of the city of Tokyo?") == "en"
    assert language("Who wrote La vie en rose and when was it first sung in public?") == "en"
