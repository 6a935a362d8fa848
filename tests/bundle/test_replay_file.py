"""A report rebuilt from its file alone; runs forked and exported through the session."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_run import QUESTION, made, run_in, settings_for

from leadline.bundle.export import export
from leadline.bundle.replay import replay
from leadline.errors import BadInput, LeadlineError, RunStopped
from leadline.fakes.run import MemoryEngine
from leadline.ports import Run
from leadline.session import open_session
from leadline.values import replace

ALONE = """
import socket, sys
def deny(event, args):
    if event == "socket.__new__" and args[1] in (socket.AF_INET, socket.AF_INET6):
        raise RuntimeError(f"a socket was opened: {args}")
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo"):
        raise RuntimeError(f"the network was asked: {event}")
sys.addaudithook(deny)
from leadline.cli.app import outcome
sys.exit(outcome(sys.argv[1:]))
"""


def alone(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a folder that is its whole world: no home, no data, no network."""
    return subprocess.run(
        [sys.executable, "-c", ALONE, *args],
        cwd=folder,
        env={"HOME": str(folder / "nobody"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )


@pytest.mark.contract("R8", "R10", "W7")
def test_everything_but_the_file_may_be_gone(tmp_path: Path) -> None:
    run = made()
    (tmp_path / "answer.leadline").write_bytes(run.data)
    done = alone(tmp_path, "replay", "answer.leadline", "-o", "again.md")
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "again.md").read_bytes() == run.content.report_md.encode()
    done = alone(tmp_path, "verify", "answer.leadline", "--report", "again.md", "--json")
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["verified"] is True
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["again.md", "answer.leadline"]


@pytest.mark.contract("R8", "W7")
def test_the_same_run_exports_to_the_same_bytes(tmp_path: Path) -> None:
    async def twice() -> None:
        first = await run_in(settings_for(tmp_path))
        async with open_session(first.settings) as session:
            again = await session.export(first.run_id)
        assert again.content == first.content

    asyncio.run(twice())


@pytest.mark.contract("R10")
def test_records_that_do_not_lead_to_the_report_are_told() -> None:
    content = made().content
    for records, said in (
        (content.records[:-1], "the records end before"),
        ((*content.records, content.records[-1]), "1 of its records are not used"),
        ((content.records[0], *content.records[2:]), "in the records and would be"),
    ):
        with pytest.raises(LeadlineError, match=said):
            asyncio.run(replay(replace(content, records=records)))
    at = next(at for at, record in enumerate(content.records) if record["name"] == "plan")
    empty = content.records[at].copy()
    empty["value"] = {"nonsense": 1}
    records = (*content.records[:at], empty, *content.records[at + 1 :])
    with pytest.raises(LeadlineError, match="do not fit together"):
        asyncio.run(replay(replace(content, records=records)))


@pytest.mark.contract("R10")
def test_a_report_that_the_records_do_not_lead_to_differs() -> None:
    content = made().content
    other = replace(content, report_md=content.report_md + "\nMore.\n")
    rebuilt = asyncio.run(replay(other))
    assert rebuilt.differs == ("report.md",)
    assert not rebuilt.equal


@pytest.mark.contract("R10")
def test_a_file_of_another_version_names_both() -> None:
    content = made().content
    other = replace(content, versions={"leadline": "9.9"}, records=content.records[:-1])
    with pytest.raises(LeadlineError, match=r"made by Leadline 9\.9, this is "):
        asyncio.run(replay(other))


@pytest.mark.contract("R10")
def test_settings_that_are_not_valid_are_refused() -> None:
    content = made().content
    with pytest.raises(BadInput, match="settings in the file"):
        asyncio.run(replay(replace(content, settings={"max_iters": "many"})))


# ── exporting ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("W7")
def test_an_unfinished_run_is_not_exported(tmp_path: Path) -> None:
    async def body(run: Run, _: object) -> str:
        raise OSError("no")

    async def scene() -> None:
        engine = MemoryEngine(body)
        await engine.start("task", {}, "r")
        with pytest.raises(RunStopped):
            await engine.result("r")
        await export(engine, "r", settings_for(tmp_path))

    with pytest.raises(BadInput, match="r is failed, and only a finished run can be exported"):
        asyncio.run(scene())


@pytest.mark.contract("E3", "W7")
def test_a_document_that_has_changed_since_is_exported_as_it_was_quoted(tmp_path: Path) -> None:
    async def scene() -> None:
        first = await run_in(settings_for(tmp_path))
        for path in first.settings.docs[0].iterdir():
            path.write_text("# Nothing\n\nThis says nothing at all now.\n")
        async with open_session(first.settings) as session:
            session.prepare()
            again = await session.export(first.run_id)
        assert not again.missing
        assert again.content == first.content

    asyncio.run(scene())


# ── forking ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("R10")
def test_a_fork_through_the_session_keeps_what_was_found_and_its_own_file(tmp_path: Path) -> None:
    async def scene() -> None:
        first = await run_in(settings_for(tmp_path))
        last = [record["name"] for record in first.content.records][-1]
        async with open_session(first.settings) as session:
            new_id = await session.fork(first.run_id, last, {"seed": 7})
            response = await session.response(new_id)
            assert response.final_answer == first.content.response.final_answer
            info = await session.engine.info(new_id)
            assert (info.forked_from, info.settings["seed"]) == (first.run_id, 7)
            exported = await session.export(new_id)
            with pytest.raises(BadInput, match="seed must be a whole number"):
                await session.fork(first.run_id, last, {"seed": "x"})
            with pytest.raises(BadInput, match="no step 'sing'"):
                await session.fork(first.run_id, "sing")
        assert exported.content.about.forked_from == first.run_id
        assert exported.content.about.task == QUESTION
        assert (await replay(exported.content)).equal
        kept = len(first.content.records) - 1
        assert exported.content.records[:kept] == first.content.records[:kept]

    asyncio.run(scene())
