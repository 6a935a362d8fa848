"""The places that runs take in the service: each is given back once, and by its own run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from service_rig import FakeService, Running, running

from leadline.errors import BadInput
from leadline.settings import Settings

TASK = {"task": "Who approves refunds?", "async": True}
SLOW, WRONG = 7, 8  # seeds: its documents take long to be ready, and are not to be had at all


@dataclass
class SlowDocuments(FakeService):
    """A request with the seed `SLOW` or `WRONG` waits until `ready`; the latter is refused then."""

    waits: threading.Event = field(default_factory=threading.Event)
    ready: threading.Event = field(default_factory=threading.Event)

    def prepare(self, settings: Settings) -> None:
        if settings.seed in (SLOW, WRONG):
            self.waits.set()
            assert self.ready.wait(120)
        if settings.seed == WRONG:
            raise BadInput("the folder is gone")


@contextmanager
def asked(served: Running, fake: SlowDocuments, **body: Any) -> Iterator[Future[Any]]:
    """A request that is being made ready while the block goes on."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(served.post, "/run", {**TASK, **body})
        try:
            assert fake.waits.wait(120)
            yield answer
        finally:
            fake.ready.set()


def taken(served: Running) -> int:
    return int(served.client.get("/ready").json()["running"])


@pytest.mark.contract("H3", "H4")
def test_a_refused_question_gives_its_place_back_whoever_came_meanwhile(tmp_path: Path) -> None:
    fake = SlowDocuments(holds=True)
    with running(tmp_path, fake) as served:
        with asked(served, fake, seed=WRONG) as answer:
            served.job()
        assert answer.result().status_code == 409
        assert taken(served) == 1
        served.go(fake)


@pytest.mark.contract("H3", "H4")
def test_a_run_keeps_its_place_whoever_left_meanwhile(tmp_path: Path) -> None:
    fake = SlowDocuments(holds=True)
    with running(tmp_path, fake, serve_max_runs=2) as served:
        other = served.job()
        with asked(served, fake, seed=SLOW) as answer:
            served.go(fake)
            assert served.events(other)[-1].name == "done"
        assert answer.result().status_code == 202
        assert taken(served) == 1
        served.go(fake)


@pytest.mark.contract("H1")
def test_a_question_waits_for_no_other_with_another_idempotency_key(tmp_path: Path) -> None:
    fake = SlowDocuments()
    with running(tmp_path, fake) as served, ThreadPoolExecutor(1) as pool:
        body, key = {**TASK, "seed": SLOW}, {"Idempotency-Key": "slow"}
        slow = pool.submit(served.post, "/run", body, headers=key)
        assert fake.waits.wait(120)
        quick = served.post("/run", TASK, headers={"Idempotency-Key": "quick"}, timeout=120)
        fake.ready.set()
        assert (quick.status_code, slow.result().status_code) == (202, 202)


@pytest.mark.contract("H1", "H3")
def test_an_idempotency_key_stands_for_one_question(tmp_path: Path) -> None:
    with running(tmp_path, FakeService()) as served:
        first = served.post("/run", TASK, headers={"Idempotency-Key": "one"})
        other = {**TASK, "task": "Who approves travel?"}
        again = served.post("/run", other, headers={"Idempotency-Key": "one"})
        assert (first.status_code, again.status_code) == (202, 409)
        assert "another question" in again.json()["message"]
