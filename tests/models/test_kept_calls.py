"""Answers are kept before anything else happens: no call is paid for twice (R9, R7)."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline.errors import ReasonerFailed, StoreBroken
from leadline.fakes.model import ScriptedModel
from leadline.models.kept import FILE_NAME, CallBook, KeptModel, Size, fingerprint
from leadline.models.metered import MeteredModel
from leadline.purse import Price, Purse
from leadline.types import Ask, Call, Completion, Limits, Usage
from leadline.values import replace


@dataclass(frozen=True)
class Word:
    word: str


ASK = Ask("Be brief.", "Say a word.", Word, 20)


def kept(book: CallBook, model: ScriptedModel, role: str = "planner") -> KeptModel:
    purse = Purse(Limits())
    return KeptModel(MeteredModel(model, role, purse, Price(1.0, 2.0), book), role, book)


def complete(model: KeptModel, ask: Ask = ASK) -> Completion:
    return asyncio.run(model.complete(ask))


@pytest.mark.contract("R9")
def test_what_was_answered_before_a_crash_is_not_asked_again(tmp_path: Path) -> None:
    model = ScriptedModel([Completion("yes", 7, 3)])
    first = complete(kept(CallBook(tmp_path, "a run"), model))
    # The process is gone without a word; another one opens the file.
    again = complete(kept(CallBook(tmp_path, "a run"), ScriptedModel([])))
    assert again == first
    assert len(model.asks) == 1


@pytest.mark.contract("R9")
def test_a_stream_is_kept_as_well(tmp_path: Path) -> None:
    async def pieces(model: KeptModel) -> list[str | Completion]:
        return [piece async for piece in model.stream(ASK)]

    first = asyncio.run(
        pieces(kept(CallBook(tmp_path, "r"), ScriptedModel(["a long answer " * 9])))
    )
    book = CallBook(tmp_path, "r")
    again = asyncio.run(pieces(kept(book, ScriptedModel([]))))
    assert again[-1] == first[-1]
    assert "".join(str(piece) for piece in again[:-1]) == "a long answer " * 9
    assert len(book.calls()) == 1


@pytest.mark.contract("R9")
def test_anything_that_could_change_the_answer_makes_another_request() -> None:
    asks = [
        ASK,
        replace(ASK, system="Be long."),
        replace(ASK, prompt="Say two words."),
        replace(ASK, schema=None),
        replace(ASK, max_tokens=21),
        replace(ASK, temperature=0.3),
        replace(ASK, images=(b"one",)),
        replace(ASK, images=(b"two",)),
    ]
    prints = [fingerprint(ask, "planner", "m") for ask in asks]
    prints += [fingerprint(ASK, "producer", "m"), fingerprint(ASK, "planner", "n")]
    assert len(set(prints)) == len(prints)
    assert fingerprint(ASK, "planner", "m") == prints[0]


@pytest.mark.contract("R9")
def test_runs_do_not_see_each_others_answers(tmp_path: Path) -> None:
    complete(kept(CallBook(tmp_path, "one"), ScriptedModel(["yes"])))
    assert complete(kept(CallBook(tmp_path, "two"), ScriptedModel(["no"]))).text == "no"


@pytest.mark.contract("R7", "L4")
def test_the_bill_of_all_lives_is_added_up(tmp_path: Path) -> None:
    book = CallBook(tmp_path, "r")
    model = ScriptedModel(
        [Completion("yes", 1000, 100), ReasonerFailed("too slow", type="timeout")]
    )
    counted = kept(book, model)
    complete(counted)
    with pytest.raises(ReasonerFailed):
        complete(counted, replace(ASK, prompt="Another."))
    later = CallBook(tmp_path, "r")
    answered, failed = later.calls()
    assert (answered.role, answered.prompt_tokens, answered.cost) == ("planner", 1000, 0.0012)
    assert failed.error == "too slow"
    assert failed.prompt_tokens > 0
    assert later.spent() == Usage(
        calls=2,
        prompt_tokens=1000 + failed.prompt_tokens,
        completion_tokens=100,
        cost=0.0012 + failed.cost,
    )


@pytest.mark.contract("R9", "L5")
def test_what_a_model_holds_stays_as_it_was_found(tmp_path: Path) -> None:
    book = CallBook(tmp_path, "r")
    assert book.size("planner") is None
    book.note_size("planner", Size(8192, 3.5))
    book.note_size("planner", Size(4096, 4.2))
    assert CallBook(tmp_path, "r").size("planner") == Size(8192, 3.5)
    assert book.size("producer") is None


@pytest.mark.contract("X2")
def test_no_prompt_is_kept_only_its_fingerprint(tmp_path: Path) -> None:
    book = CallBook(tmp_path, "r")
    complete(kept(book, ScriptedModel(["yes"])), replace(ASK, prompt="a secret question"))
    book.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"a secret question" not in held


def test_a_broken_file_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreBroken, match=FILE_NAME):
        CallBook(tmp_path, "r")


def test_the_answer_is_on_the_disk_before_it_is_returned(tmp_path: Path) -> None:
    book = CallBook(tmp_path, "r")
    complete(kept(book, ScriptedModel(["yes"])))
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        assert other.execute("SELECT answer FROM calls").fetchall() == [("yes",)]


def test_an_answer_without_a_meter_is_on_the_bill_too(tmp_path: Path) -> None:
    book = CallBook(tmp_path, "r")
    complete(KeptModel(ScriptedModel([Completion("yes", 7, 3)]), "planner", book))
    assert book.calls() == (Call("planner", "fake", 7, 3, 0.0, 0.0),)
