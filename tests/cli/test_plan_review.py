"""`--review-plan` at a terminal: the form, the editor, the prompts, and where there is none."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import Told, clean_environment
from hypothesis import given
from hypothesis import strategies as st

from leadline.cli.planform import as_form, from_form
from leadline.errors import BadInput
from leadline.types import Plan, Query, Tier
from leadline.values import replace

PLAN = Plan(
    (Query("refund approval", "who decides"), Query("head of finance")),
    knowledge_gaps=("who approves",),
    subtasks=(),
    tier=Tier.STANDARD,
)
TASK = "Who approves a refund above 500 euros?"
_LINE = st.text(st.characters(categories=["L", "N"], include_characters=" -:#|?"), min_size=1)
_WORDS = _LINE.map(lambda text: " ".join(text.replace("|", " ").split())).filter(bool)


# ── the form ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P6")
@given(
    queries=st.lists(st.tuples(_WORDS, st.just("") | _WORDS), min_size=1, max_size=6),
    gaps=st.lists(_WORDS, max_size=4),
    subtasks=st.lists(_WORDS, max_size=4),
    tier=st.sampled_from(Tier),
)
def test_a_plan_that_nobody_changed_comes_back_as_it_was(
    queries: list[tuple[str, str]], gaps: list[str], subtasks: list[str], tier: Tier
) -> None:
    plan = Plan(
        tuple(Query(text, intent) for text, intent in queries),
        knowledge_gaps=tuple(gaps),
        subtasks=tuple(subtasks),
        tier=tier,
    )
    assert from_form(as_form(TASK, plan), plan) == plan


@pytest.mark.contract("P6")
def test_what_a_person_changes_is_what_comes_back() -> None:
    form = as_form(TASK, PLAN).replace("tier: standard", "tier: Deep")
    form = form.replace("- head of finance", "- finance handbook | rules\n- refund limit")
    edited = from_form(form.replace("subtasks:", "subtasks:\n- refunds\n- holidays"), PLAN)
    assert edited == replace(
        PLAN,
        tier=Tier.DEEP,
        search_queries=(
            PLAN.search_queries[0],
            Query("finance handbook", "rules"),
            Query("refund limit"),
        ),
        subtasks=("refunds", "holidays"),
    )


@pytest.mark.contract("P6")
@pytest.mark.parametrize("form", ["", "  \n\n", "# only\n# remarks\n"])
def test_nothing_left_means_not_now(form: str) -> None:
    assert from_form(form, PLAN) is None


@pytest.mark.contract("P6")
@pytest.mark.parametrize(
    ("form", "why"),
    [
        ("tier: huge", "line 1: the tier is one of simple, standard, deep; got 'huge'"),
        ("- alone", "line 1 belongs to no part"),
        ("queries:\nforgot the dash", "line 2 begins neither with"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(form: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        from_form(form, PLAN)


# ── at a terminal ───────────────────────────────────────────────────────────────────────────


def at_terminal(
    folder: Path, docs: Path, editor: str, typed: str = "", *more: str
) -> tuple[int, str]:
    """The real program on a terminal of its own; its exit code and all that was shown."""
    arguments = [sys.executable, "-m", "leadline", *(more or (TASK, "--review-plan"))]
    if not more:
        arguments += ["--docs", str(docs)]
    arguments += ["--data-dir", str(folder / "data")]
    env = clean_environment(folder) | {"VISUAL": editor, "EDITOR": editor, "TERM": "xterm"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(sys.executable, arguments, env)
    shown, sent, until = b"", False, time.monotonic() + 300
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 1)
        if ready:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        if typed and not sent and b"nothing stops here" in shown:
            os.write(terminal, typed.encode())
            sent = True
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")


def an_editor(folder: Path, script: str) -> str:
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.contract("P6", "U2")
def test_the_plan_is_edited_in_the_editor_and_followed(tmp_path: Path, handbook: Path) -> None:
    editor = an_editor(
        tmp_path, "sed -i 's/^- .* | the whole question/- finance head approves/' $1"
    )
    code, shown = at_terminal(tmp_path, handbook, editor)
    assert code == 0, shown
    assert "finance head approves" in shown
    assert "approves every refund" in shown


@pytest.mark.contract("P6", "U2", "R9")
def test_an_emptied_plan_leaves_a_run_that_can_be_resumed(tmp_path: Path, handbook: Path) -> None:
    code, shown = at_terminal(tmp_path, handbook, an_editor(tmp_path, ": > $1"))
    assert code == 130, shown
    assert "Nothing was searched" in shown
    run_id = shown.split("leadline runs resume ")[1].split()[0]
    code, shown = at_terminal(
        tmp_path, handbook, an_editor(tmp_path, "true"), "", "runs", "resume", run_id
    )
    assert code == 0, shown
    assert "approves every refund" in shown


@pytest.mark.contract("P6", "P2")
def test_a_plan_with_the_question_itself_is_shown_again_with_the_reason(
    tmp_path: Path, handbook: Path
) -> None:
    script = f"""if grep -q '^# Not yet' $1; then sed -i 's/^- Who approves.*/- refund rule/' $1
    else sed -i 's/^- .* | the whole question/- {TASK}/' $1; fi"""
    code, shown = at_terminal(tmp_path, handbook, an_editor(tmp_path, script))
    assert code == 0, shown
    assert "repeats the question" in shown
    assert "refund rule" in shown


@pytest.mark.contract("P6")
def test_without_an_editor_the_plan_is_changed_line_by_line(tmp_path: Path, handbook: Path) -> None:
    code, shown = at_terminal(tmp_path, handbook, "/no/such/editor", "3 finance approval\nok\n")
    assert code == 0, shown
    assert "line by line instead" in shown
    assert "finance approval" in shown


@pytest.mark.contract("P6")
def test_where_there_is_no_terminal_it_is_refused_before_anything_is_done(
    program: Callable[..., Told], handbook: Path
) -> None:
    told = program(TASK, "--docs", str(handbook), "--review-plan")
    assert told.code == 2
    assert "at a terminal only" in told.err
