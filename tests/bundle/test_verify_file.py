"""Checking a run file again: what holds, what was changed, and what a forger tried."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_run import REFUNDS, made, told_anew, with_claim

from leadline.bundle.check import Verification, verify_file
from leadline.bundle.container import MANIFEST, pack, unpack
from leadline.bundle.contents import RunFile, manifest_of, opened, without_logins, written
from leadline.errors import BadInput
from leadline.kit import embedder
from leadline.results import Record
from leadline.types import Verdict, content_id
from leadline.values import replace


def checked(data: bytes) -> Verification:
    return asyncio.run(verify_file(data, "x.leadline", embedder()))


def failing(content: RunFile) -> str:
    """The one thing that is wrong with a file whose hashes are all right."""
    found = checked(written(content))
    assert not found.changed
    assert not found.passed
    return " ".join([check.why for check in found.checks if check.why] + [*found.contradictions])


@pytest.mark.contract("W7", "W3", "E3")
def test_every_claim_of_a_run_holds_against_the_stored_pages() -> None:
    found = checked(made().data)
    assert found.passed
    assert found.checks
    first = found.checks[0].claim
    assert first.quote is not None
    assert first.quote.text in REFUNDS
    assert found.content is not None
    assert {kept.page.hash for kept in found.content.pages} >= {first.quote.page}


@pytest.mark.contract("W7")
def test_the_file_says_all_it_should_and_no_key() -> None:
    files = unpack(made().data, "x")
    names = "run.json settings.json steps.jsonl versions.json report.md report.json"
    assert {*names.split(), "pages.json", MANIFEST} <= set(files)
    assert any(name.startswith("prompts/") for name in files)
    steps = [json.loads(line) for line in files["steps.jsonl"].splitlines()]
    assert steps[0]["name"] == "start"
    assert set(steps[0]) == Record.__required_keys__
    assert json.loads(files["run.json"])["task"] == made().content.about.task
    assert not [name for name in json.loads(files["settings.json"]) if name.endswith("api_key")]
    page = made().content.pages[0].page
    assert files[f"pages/{page.hash}.txt"].decode() == page.text
    assert content_id(page.text) == page.hash


@pytest.mark.contract("W7")
def test_a_file_read_and_written_again_is_the_same_file() -> None:
    found = opened(made().data, "x")
    assert found.content is not None
    assert written(found.content) == made().data


@pytest.mark.contract("W7")
@settings(max_examples=150)
@given(st.integers(0, 10**9), st.integers(1, 255))
def test_a_byte_changed_anywhere_is_caught(place: int, by: int) -> None:
    data = bytearray(made().data)
    at = place % len(data)
    data[at] ^= by
    try:
        found = opened(bytes(data), "x.leadline")
    except BadInput:
        return
    assert found.changed


@pytest.mark.contract("W7")
def test_the_part_that_was_changed_is_named() -> None:
    files = unpack(made().data, "x")
    for name in files.keys() - {MANIFEST}:
        if files[name]:
            body = bytearray(files[name])
            body[len(body) // 2] ^= 1
            found = opened(pack(files | {name: bytes(body)}), "x")
            assert found.changed == (f"{name} was changed",)
    assert opened(pack(files | {"more.txt": b""}), "x").changed == ("more.txt was added",)
    del files["prompts/plan.md"]
    assert opened(pack(files), "x").changed == ("prompts/plan.md is missing",)


@pytest.mark.contract("W7")
def test_a_manifest_or_a_zip_that_was_touched_is_named() -> None:
    files = unpack(made().data, "x")
    spaced = files[MANIFEST].replace(b'"root"', b' "root"')
    assert opened(pack(files | {MANIFEST: spaced}), "x").changed == ("manifest.json was changed",)
    at = made().data.find(b"PK\x01\x02")
    other_time = bytearray(made().data)
    other_time[at + 12] ^= 1
    assert opened(bytes(other_time), "x").changed == ("the zip around the parts was changed",)


@pytest.mark.contract("W7")
@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"format": "leadline-run", "version": 2}, "version 2, this Leadline reads 1"),
        ({"format": "another", "version": 1}, "says 'another'"),
        ([1, 2], "manifest.json cannot be read"),
    ],
)
def test_another_format_is_refused(manifest: Any, said: str) -> None:
    data = pack({MANIFEST: json.dumps(manifest).encode()})
    with pytest.raises(BadInput, match=said):
        opened(data, "x.leadline")


@pytest.mark.contract("W7")
@pytest.mark.parametrize("name", ["run.json", "pages.json", "report.json", "steps.jsonl"])
@pytest.mark.parametrize("body", [b"[" * 100_000, b"null", b"\xff\xfe", b'{"a": 1}', b"[7]", b""])
def test_parts_that_are_no_such_parts_are_told_and_never_a_crash(name: str, body: bytes) -> None:
    files = unpack(made().data, "x") | {name: body}
    others = {part: data for part, data in files.items() if part != MANIFEST}
    data = pack(others | {MANIFEST: manifest_of(others)})
    if (name, body) == ("steps.jsonl", b""):
        assert checked(data).passed  # claims rest on pages; that records are missing, replay tells
        return
    with pytest.raises(BadInput, match="a part cannot be read"):
        checked(data)


# ── a forger who makes all hashes anew ──────────────────────────────────────────────────────


@pytest.mark.contract("W7", "W3")
def test_a_quote_that_is_not_in_the_page_is_caught() -> None:
    content = made().content
    quote = content.response.claims[0].quote
    assert quote is not None
    other = replace(quote, text=quote.text.replace("500", "900"))
    assert "are not its quote" in failing(with_claim(content, quote=other))
    moved = replace(quote, start=quote.start + 1, end=quote.end + 1)
    assert "are not its quote" in failing(with_claim(content, quote=moved))
    beyond = replace(quote, end=10**6)
    assert "not in the page" in failing(with_claim(content, quote=beyond))
    elsewhere = replace(quote, page="0" * 16)
    assert "not in the file" in failing(with_claim(content, quote=elsewhere))
    assert "has no quote" in failing(with_claim(content, quote=None))


@pytest.mark.contract("W7", "W2")
def test_ids_that_do_not_exist_are_caught() -> None:
    content = made().content
    assert "does not list" in failing(with_claim(content, sources=(99,)))
    assert "cites nothing" in failing(with_claim(content, sources=()))
    quote = content.response.claims[0].quote
    assert quote is not None
    strange = replace(quote, source=98)
    assert "does not cite" in failing(with_claim(content, quote=strange))


@pytest.mark.contract("W7", "W3")
def test_a_claim_that_says_other_than_its_quote_is_caught() -> None:
    content = made().content
    claim = content.response.claims[0]
    false = claim.text.replace("500", "900")
    assert false != claim.text
    answer = content.response.final_answer.replace(claim.text, false)
    response = replace(content.response, final_answer=answer, summary=answer)
    said = failing(with_claim(replace(content, response=response), text=false))
    assert "do not say it" in said


@pytest.mark.contract("W7", "W3")
def test_a_verdict_of_a_model_that_is_not_on_record_is_caught() -> None:
    content = made().content
    claim = content.response.claims[0]
    loose = "The head of finance may decide on refunds above 900 euros."
    answer = content.response.final_answer.replace(claim.text, loose)
    response = replace(content.response, final_answer=answer, summary=answer)
    forged = with_claim(replace(content, response=response), text=loose, judge="ollama:wise")
    assert "no step of the run has the word of ollama:wise" in failing(forged)


@pytest.mark.contract("W7", "W3")
def test_a_wrong_verdict_is_caught() -> None:
    assert "not contradicted" in failing(with_claim(made().content, verdict=Verdict.CONTRADICTED))


@pytest.mark.contract("W7", "W3")
def test_what_is_only_sourced_cannot_pass_for_proven() -> None:
    content = made().content
    claim = content.response.claims[0]
    loose = "Refunds above 500 euros are for the head of finance to decide."
    answer = content.response.final_answer.replace(claim.text, loose)
    response = replace(content.response, final_answer=answer, summary=answer)
    forged = with_claim(replace(content, response=response), text=loose)
    assert "it was quoted, and comes out otherwise now" in failing(forged)


@pytest.mark.contract("W7", "W3")
def test_a_sentence_added_to_the_answer_is_caught() -> None:
    content = made().content
    added = "The janitor approves refunds above 10,000 euros. [1]"
    answer = f"{content.response.final_answer}\n\n{added}"
    response = replace(content.response, final_answer=answer, summary=answer)
    assert "unproven: The janitor" in failing(told_anew(replace(content, response=response)))


@pytest.mark.contract("W7", "W3")
def test_a_note_with_a_figure_is_allowed_only_where_the_run_wrote_it() -> None:
    content = made().content
    note = "_Searched for: refund 77700 approval_"
    answer = f"{content.response.final_answer}\n\n{note}"
    response = replace(content.response, final_answer=answer, summary=answer)
    noted = told_anew(replace(content, response=response))
    assert "unproven: _Searched for" in failing(noted)
    draft = content.records[-1].copy()
    draft["value"] = {**draft["value"], "answer": answer}
    assert checked(written(replace(noted, records=(*content.records[:-1], draft)))).passed


@pytest.mark.contract("W7")
def test_a_report_that_is_not_that_of_its_response_is_caught() -> None:
    content = made().content
    other = content.report_md.replace("500", "900")
    assert "does not hold the answer" in failing(replace(content, report_md=other))
    claim = content.response.claims[0]
    response = replace(content.response, final_answer="_Nothing._", summary="_Nothing._")
    said = failing(told_anew(replace(content, response=response)))
    assert f"the claim {claim.text[:20]!r}"[:20] in said
    assert "is not in the answer" in said


@pytest.mark.contract("W7", "E3")
def test_a_page_whose_text_was_changed_no_longer_has_its_hash() -> None:
    content = made().content
    kept = content.pages[0]
    page = replace(kept.page, text=kept.page.text.replace("500", "900"))
    forged = replace(content, pages=(replace(kept, page=page), *content.pages[1:]))
    assert "is not in the file" in failing(forged)


def test_no_login_in_an_address_leaves_the_machine() -> None:
    told = without_logins({"a": "http://me:secret@host/x", "b": ["https://u@h"], "c": 1})
    assert told == {"a": "http://host/x", "b": ["https://h"], "c": 1}
