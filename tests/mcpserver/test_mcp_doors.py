"""Who gets in, what they see, and what is left when the server or its client goes."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp_rig import (
    QUESTION,
    SENTENCE,
    Served,
    data,
    over_http,
    over_stdio,
    read,
    runs,
    small_web,
    stdio_parameters,
    text,
    write_handbook,
)

from leadline.cli.app import outcome
from leadline.session import open_session
from leadline.settings import Settings
from leadline.store.keyring import Keyring

SECRET = "sk-planted-0123456789abcdef"
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


async def hello(served: Served, **headers: str) -> httpx2.Response:
    wanted = {"accept": "application/json, text/event-stream", **headers}
    async with httpx2.AsyncClient(timeout=120) as client:
        return await client.post(served.url, json=HELLO, headers=wanted)


def keys(folder: Path, **quotas: int) -> tuple[str, str]:
    ring = Keyring(folder / "data")
    return ring.create("ann", **quotas)[0], ring.create("bob")[0]


@pytest.mark.contract("U3", "H4")
def test_where_keys_are_needed_nobody_gets_in_without_one(tmp_path: Path) -> None:
    async def whole() -> None:
        ann, _ = keys(tmp_path)
        ring = Keyring(tmp_path / "data")
        gone, key = ring.create("carol")
        ring.revoke(key.id)
        async with over_http(tmp_path, serve_require_keys=True) as served:
            assert (await hello(served)).status_code == 401
            for wrong in ("ll_deadbeef_" + "x" * 43, "nonsense", gone):
                refused = await hello(served, authorization=f"Bearer {wrong}")
                assert refused.status_code == 401
                assert "not known here" in refused.json()["message"]
                assert wrong not in refused.text
            assert (await hello(served, authorization=f"Bearer {ann}")).status_code == 200
            assert (await hello(served, **{"x-api-key": ann})).status_code == 200

    asyncio.run(whole())


@pytest.mark.contract("U3", "H4")
def test_a_run_its_report_and_what_it_remembers_are_its_owners_alone(tmp_path: Path) -> None:
    async def whole() -> None:
        docs = (write_handbook(tmp_path / "handbook"),)
        ann_key, bob_key = keys(tmp_path)
        async with over_http(tmp_path, docs=docs, serve_require_keys=True) as served:
            ann, bob = await served.client(ann_key), await served.client(bob_key)
            found = data(await ann.call_tool("research", {"question": QUESTION}))
            assert [one["run_id"] for one in await runs(ann)] == [found["run_id"]]
            assert SENTENCE in await read(ann, found["report_uri"])
            assert await _seen(ann, found["report_uri"])
            assert await runs(bob) == []
            assert not await _seen(bob, found["report_uri"])
            for uri in (found["report_uri"], f"leadline://runs/{found['run_id']}"):
                with pytest.raises(MCPError, match="no run has the id"):
                    await bob.read_resource(uri)
            of_run = {"claim": SENTENCE, "source": found["report_uri"]}
            assert (await bob.call_tool("verify_claim", of_run)).is_error
            asked = {"question": QUESTION}
            assert data(await ann.call_tool("recall", asked))["notes"]
            assert data(await bob.call_tool("recall", asked))["notes"] == []
            other = data(await bob.call_tool("research", {"question": QUESTION}))
            again = data(await ann.call_tool("research", {"question": QUESTION}))
            assert not await _recalled(served, other["run_id"])
            assert await _recalled(served, again["run_id"])

    asyncio.run(whole())


async def _recalled(served: Served, run_id: str) -> list[str]:
    """What a run was begun from: the facts that memory had for it."""
    rows = await served.desk.session.engine.rows(run_id)
    return [fact for row in rows if row.name == "recall" for fact in row.value["facts"]]


async def _seen(client: Client, uri: str) -> bool:
    return uri in {str(one.uri) for one in (await client.list_resources()).resources}


@pytest.mark.contract("U3", "H4")
def test_another_owners_unfinished_run_is_not_gone_on_with(tmp_path: Path) -> None:
    async def whole() -> None:
        ann_key, bob_key = keys(tmp_path)
        async with (
            small_web(held=True) as web,
            over_http(tmp_path, serve_require_keys=True, **web.settings()) as served,
        ):
            ann, bob = await served.client(ann_key), await served.client(bob_key)
            call = asyncio.create_task(ann.call_tool("research", {"question": QUESTION}))
            await web.searched.wait()
            call.cancel()
            await asyncio.wait({call})
            while (left := (await runs(ann))[0])["status"] == "running":
                pass
            web.open.set()
            found = data(await bob.call_tool("research", {"question": QUESTION}))
            assert found["run_id"] != left["run_id"]
            assert not found["resumed"]

    asyncio.run(asyncio.wait_for(whole(), 300))


@pytest.mark.contract("U3", "H4")
def test_a_key_has_no_more_runs_than_its_quota(tmp_path: Path) -> None:
    async def whole() -> None:
        docs = (write_handbook(tmp_path / "handbook"),)
        ann_key, _ = keys(tmp_path, runs_per_day=1)
        async with over_http(tmp_path, docs=docs, serve_require_keys=True) as served:
            ann = await served.client(ann_key)
            assert not (await ann.call_tool("research", {"question": QUESTION})).is_error
            more = await ann.call_tool("research", {"question": "How many holidays are there?"})
            assert more.is_error
            assert "1 runs a day are allowed" in text(more)

    asyncio.run(whole())


@pytest.mark.contract("U3", "H4", "X3")
def test_a_page_in_a_browser_cannot_have_the_server_asked(tmp_path: Path) -> None:
    async def whole() -> None:
        async with over_http(tmp_path) as served:
            assert (await hello(served)).status_code == 200
            assert (await hello(served, host="evil.example")).status_code == 421
            assert (await hello(served, origin="https://evil.example")).status_code == 403
            large = await _post(served, b"[" + b" " * 300_000 + b"]")
            assert large.status_code == 413

    asyncio.run(whole())


async def _post(served: Served, body: bytes) -> httpx2.Response:
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }
    async with httpx2.AsyncClient(timeout=120) as client:
        return await client.post(served.url, content=body, headers=headers)


@pytest.mark.contract("U3", "X2")
def test_no_key_of_ours_is_in_what_a_client_is_told(tmp_path: Path) -> None:
    async def whole() -> None:
        docs = write_handbook(tmp_path / "handbook")
        (docs / "keys.md").write_text(f"# Keys\n\nThe search key of the office is {SECRET}.\n")
        async with over_http(tmp_path, docs=(docs,), tavily_api_key=SECRET) as served:
            client = await served.client()
            found = await client.call_tool("search_docs", {"query": "search key office"})
            assert "The search key of the office is ***" in text(found)
            assert SECRET not in found.model_dump_json()
            failed = await client.call_tool("read_doc", {"ref": SECRET})
            assert failed.is_error
            assert SECRET not in failed.model_dump_json()
            asked = {"question": "What is the search key of the office?"}
            report = await client.call_tool("research", asked)
            assert SECRET not in report.model_dump_json()
            assert SECRET not in await read(client, data(report)["report_uri"])

    asyncio.run(whole())


@pytest.mark.contract("U3", "R9")
def test_a_server_that_is_told_to_stop_leaves_its_runs_to_be_resumed(tmp_path: Path) -> None:
    async def whole() -> None:
        async with small_web(held=True) as web:
            async with (
                over_http(tmp_path, **web.settings()) as served,
                Client(served.url) as client,
            ):
                call = asyncio.create_task(client.call_tool("research", {"question": QUESTION}))
                await web.searched.wait()
                served.server.handle_exit(signal.SIGTERM, None)
                await asyncio.wait({call})
            assert await _status(tmp_path) == "interrupted"

    asyncio.run(asyncio.wait_for(whole(), 300))


@pytest.mark.slow
@pytest.mark.contract("U3", "R9")
def test_a_client_that_hangs_up_ends_the_process_and_leaves_the_run(tmp_path: Path) -> None:
    async def whole() -> None:
        async with small_web(held=True) as web:
            async with over_stdio(tmp_path, **web.settings()) as client:
                call = asyncio.create_task(client.call_tool("research", {"question": QUESTION}))
                await web.searched.wait()
            await asyncio.wait({call})
            assert await _status(tmp_path) in ("cancelled", "interrupted")

    asyncio.run(asyncio.wait_for(whole(), 300))
    assert "Traceback" not in (tmp_path / "stderr.txt").read_text()


@pytest.mark.slow
@pytest.mark.contract("U3", "R9")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_at_once_and_leaves_the_run(
    sign: signal.Signals, tmp_path: Path
) -> None:
    async def whole() -> None:
        async with small_web(held=True) as web:
            given = stdio_parameters(tmp_path, **web.settings())
            process = await asyncio.create_subprocess_exec(
                given.command,
                *given.args,
                env=given.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            call = {"name": "research", "arguments": {"question": QUESTION}}
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            assert process.stdin is not None
            assert process.stderr is not None
            for message in (HELLO, ready, asked):
                process.stdin.write(json.dumps(message).encode() + b"\n")
            await web.searched.wait()
            process.send_signal(sign)
            assert await process.wait() == 128 + sign  # its stdin is still open
            assert b"Traceback" not in await process.stderr.read()
            process.stdin.close()
            assert await _status(tmp_path) == "interrupted"

    asyncio.run(asyncio.wait_for(whole(), 300))


async def _status(folder: Path) -> str:
    async with open_session(Settings(data_dir=folder / "data", no_model=True)) as session:
        (info,) = await session.engine.list()
    assert info.unfinished
    return info.status


@pytest.mark.contract("U3", "H4")
def test_beyond_loopback_it_does_not_start_without_a_key(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = ["mcp", "--http", "--host", "0.0.0.0", "--port", "0"]
    assert outcome([*there, "--data-dir", str(tmp_path / "data")]) == 2
    out, told = capfd.readouterr()
    assert out == ""
    assert "leadline keys create --owner NAME" in told


@pytest.mark.contract("U3", "U2")
def test_wrong_options_are_told_with_what_to_do(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the server goes to a folder of its own
    data_dir = ["--data-dir", str(tmp_path / "data")]
    assert outcome(["mcp", "--port", "80", *data_dir]) == 2
    assert "--host and --port go with --http" in capfd.readouterr().err
    assert outcome(["mcp", "--http", "--port", "70000", *data_dir]) == 2
    assert "70000" in capfd.readouterr().err
    assert outcome(["mcp", "--docs", str(tmp_path / "nowhere"), *data_dir]) == 2
    assert "nowhere" in capfd.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert outcome(["mcp", "--http", "--port", port, *data_dir]) == 2
    assert "choose another port with --port" in capfd.readouterr().err
