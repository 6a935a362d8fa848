"""One running service, four kinds of client, one answer whose every claim is proven."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from openai import OpenAI

from leaky_world import FACTS, QUESTION, leaky_world, settings


async def _over_mcp(url: str, key: str) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=300) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        found = await client.call_tool("research", {"question": QUESTION, "tier": "simple"})
        assert not found.is_error
        assert found.structured_content
        return dict(found.structured_content)


def _sentences(text: str) -> set[str]:
    """What is claimed, without marks, links and citations."""
    plain = re.sub(r"\[[^\]]*\]\([^)]*\)|\[\d+\]|[*_>#]", "", text)
    return {fact for fact in FACTS if fact in " ".join(plain.split())}


@pytest.mark.slow
@pytest.mark.contract("H1", "H6", "U3")
def test_a_chat_client_an_mcp_client_curl_and_the_api_get_the_same_proven_answer(
    tmp_path: Path,
) -> None:
    with leaky_world() as (_, base):
        env = os.environ | settings(base)
        env |= {"RESEARCH_DATA_DIR": str(tmp_path), "RESEARCH_OPENAI_API_KEY": "simulated-key"}
        env |= {"RESEARCH_SERVE_REQUIRE_KEYS": "1", "RESEARCH_MEMORY": "0"}
        leadline = [sys.executable, "-m", "leadline"]
        made = subprocess.run(
            [*leadline, "keys", "create", "--owner", "anna"],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        key = made.stdout.strip()
        service = subprocess.Popen(
            [*leadline, "serve", "--port", "0"], env=env, stderr=subprocess.PIPE, text=True
        )
        try:
            assert service.stderr is not None
            found = re.search(r"http://\S+", service.stderr.readline())
            assert found
            url = found[0]
            told = subprocess.run(
                [
                    *("curl", "-s", f"{url}/run", "-H", "Content-Type: application/json"),
                    *("-H", f"Authorization: Bearer {key}"),
                    *("-d", json.dumps({"task": QUESTION, "complexity_tier": "simple"})),
                ],
                capture_output=True,
                text=True,
                check=True,
                timeout=300,
            )
            by_curl = json.loads(told.stdout)
            headers = {"Authorization": f"Bearer {key}"}
            with httpx2.Client(base_url=url, headers=headers, timeout=300) as client:
                by_api = client.post("/run-simple", json={"task": QUESTION}).json()
                said = OpenAI(base_url=f"{url}/v1", api_key=key).chat.completions.create(
                    model="leadline-simple", messages=[{"role": "user", "content": QUESTION}]
                )
                by_mcp = asyncio.run(_over_mcp(url, key))
                runs = client.get("/runs").json()["runs"]
        finally:
            service.terminate()
            service.communicate(timeout=120)
    assert by_curl["final_answer"] == by_api["final_answer"]
    assert by_mcp["answer"] == by_api["final_answer"]
    wanted = _sentences(by_api["final_answer"])
    assert wanted
    assert _sentences(str(said.choices[0].message.content)) == wanted
    for response in (by_curl, by_api):
        assert {claim["verdict"] for claim in response["claims"]} == {"quoted"}
    assert [run["status"] for run in runs] == ["finished"] * 4
    assert by_mcp["run_id"] in {run["id"] for run in runs}
