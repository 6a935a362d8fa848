"""Parts of a question whose answer stands there in another form of the verb, and parts without."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.types import Hit, Limits, Passage, Query, Source, State
from leadline.write.extractive import ExtractiveReasoner

REASONER = ExtractiveReasoner(StaticEmbedder())
VASA = (
    "The Vasa warship sank in Stockholm harbour on 10 August 1628 after sailing about 1300 metres "
    "from the quay. She carried 64 bronze cannons."
)
FLIGHT = (
    "Louisa Kerrigan flew her balloon over Mont Arvel on 3 June 1887. The flight began at the "
    "village of Sainte-Rose."
)
BATTLE = (
    "The Battle of Ashmere was fought on 9 October 1388. The earl of Wick lost it and fled to "
    "Carrow abbey."
)
BRIDGE = "The Marwick bridge broke in the flood of March 1881. Helen Stroud rebuilt it of iron."
BOOK = (
    "Ines Marchetti wrote The Salt Road in the winter of 1952. The Salt Road sold 80,000 copies in "
    "its first year."
)
OAK = "The Grenlund oak grew to a height of 31 metres. A storm blew down the oak's crown in 1967."
PROBE = "Corvid 2 lost contact with Earth in 1997. The probe had sent 12,000 pictures by then."
LAKE = "Lake Torvan froze in 1963. Two families caught perch and pike in it."
STAG = (
    "Thieves stole the Gilded Stag from Rennes in 1983. They hid the Gilded Stag in a well at Bruz."
)
CARPET = (
    "Noor Ashgar wove the carpet of a thousand birds. Noor Ashgar sold the carpet to the shah in "
    "1893."
)
BOTH = [
    (VASA, "When did the warship Vasa sink and how far did it sail?"),
    (FLIGHT, "When did Louisa Kerrigan fly over Mont Arvel and where did the flight begin?"),
    (BATTLE, "When was the Battle of Ashmere fought and where did the earl flee?"),
    (BRIDGE, "When did the Marwick bridge break and who rebuilt it?"),
    (BOOK, "When did Ines Marchetti write The Salt Road and how many copies did it sell?"),
    (OAK, "How tall did the Grenlund oak grow and when did the storm blow down its crown?"),
    (PROBE, "When did Corvid 2 lose contact and how many pictures did it send?"),
    (LAKE, "When did Lake Torvan freeze and who would catch perch in it?"),
    (STAG, "When did thieves steal the Gilded Stag and where did they hide it?"),
    (CARPET, "Who did weave the carpet of a thousand birds and when did she sell it?"),
    ("The ferry Alder stopped in 1971. It ran aground near Tolm.",
     "When did the ferry Alder stop and where did it run aground?"),
    ("Kit Nance was a drummer. He swam the Messing strait in 1926 and sang in Truro.",
     "When did Kit Nance swim the Messing strait and where did he sing?"),
]  # fmt: skip
HALF = [
    (VASA, "When did the warship Vasa sink and how much did it cost?", "cost"),
    (FLIGHT, "When did Louisa Kerrigan fly over Mont Arvel and when did she die?", "die"),
    (BOOK, "When did Ines Marchetti write The Salt Road and who translated it?", "translated"),
    (PROBE, "When did Corvid 2 lose contact and how much did it weigh?", "weigh"),
    (LAKE, "When did Lake Torvan freeze and how deep is its northern basin?", "northern"),
    (CARPET, "Who did weave the carpet of a thousand birds and how wide is it?", "wide"),
]


def asked(task: str, text: str) -> State:
    plan = make_plan(task, ())
    return State(
        task=task,
        plan=plan,
        limits=Limits(),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        plan_queries=plan.search_queries,
        asked=(Query("first words"), Query("other words")),
        sources=(Source(1, "page.md", "Page", "document"),),
        search_results=(Hit("page.md", "Page", text),),
    )


def notes(task: str, text: str) -> list[str]:
    passages = [Passage(1, text, "p", 0, len(text))]
    draft = asyncio.run(REASONER.write(asked(task, text), passages))
    assert draft.found
    return [line for line in draft.answer.splitlines() if line.startswith("Not found")]


@pytest.mark.contract("W5")
@pytest.mark.parametrize(("text", "task"), BOTH)
def test_no_part_that_a_quoted_sentence_answers_is_called_not_found(text: str, task: str) -> None:
    assert notes(task, text) == []


@pytest.mark.contract("G9", "F1")
@pytest.mark.parametrize(("text", "task"), BOTH)
def test_no_part_that_a_passage_answers_is_a_gap(text: str, task: str) -> None:
    assert asyncio.run(REASONER.reflect(asked(task, text))).gaps == ()


@pytest.mark.contract("W5")
@pytest.mark.parametrize(("text", "task", "lacking"), HALF)
def test_the_part_that_is_not_there_is_the_only_one_called_not_found(
    text: str, task: str, lacking: str
) -> None:
    (note,) = notes(task, text)
    assert lacking in note


@pytest.mark.contract("G9", "F1")
@pytest.mark.parametrize(("text", "task", "lacking"), HALF)
def test_the_part_that_is_not_there_is_the_only_gap(text: str, task: str, lacking: str) -> None:
    (gap,) = asyncio.run(REASONER.reflect(asked(task, text))).gaps
    assert lacking in gap
