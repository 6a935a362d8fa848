"""The routes of runs, asked over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from service_rig import ANSWER, SENTENCE, FakeService, Running, events_in, running

from leadline.errors import BadInput
from leadline.render.formats import FORMATS

TASK = {"task": "Who approves refunds?"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("served"), FakeService()) as found:
        yield found


@pytest.mark.contract("H1", "H2")
def test_a_question_is_answered_with_the_whole_response(served: Running) -> None:
    answer = served.post("/run", {**TASK, "max_iters": 2, "complexity_tier": "deep"})
    assert answer.status_code == 200
    response = answer.json()
    named = {"summary", "final_answer", "sources", "claims", "confidence", "gaps", "usage"}
    assert named | {"stop_reason", "degraded", "run_id"} <= set(response)
    assert response["final_answer"] == response["summary"] == ANSWER
    settings = served.client.get(f"/runs/{response['run_id']}").json()["settings"]
    assert (settings["max_iters"], settings["tier"]) == (2, "deep")


@pytest.mark.contract("R6", "H1")
def test_the_events_tell_the_tier_that_was_chosen_and_not_the_planners(served: Running) -> None:
    def told(**more: str) -> str:
        run_id = served.post("/run", {**TASK, **more}).json()["run_id"]
        steps = [event.data for event in served.events(run_id) if event.name == "step"]
        return str(next(step["tier"] for step in steps if step["step"] == "plan"))

    assert told(complexity_tier="deep") == "deep"
    assert told() == "standard"


@pytest.mark.contract("H1")
def test_a_simple_question_takes_nothing_else(served: Running) -> None:
    assert served.post("/run-simple", TASK).json()["found"] is True
    assert served.post("/run-simple", {**TASK, "max_iters": 2}).status_code == 422


@pytest.mark.contract("H1")
def test_async_answers_at_once_and_the_run_can_be_looked_up(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake) as served:
        run_id = served.job()
        status = served.client.get(f"/runs/{run_id}").json()["run"]["status"]
        assert status in ("queued", "running")
        assert served.client.get(f"/runs/{run_id}/report.md").status_code == 409
        with served.client.stream("GET", f"/runs/{run_id}/events") as stream:
            served.go(fake)
            assert list(events_in(stream.iter_lines()))[-1].name == "done"
        assert served.client.get(f"/runs/{run_id}").json()["run"]["status"] == "finished"


@pytest.mark.contract("H1")
def test_a_stream_tells_each_phase_then_the_report_in_pieces(served: Running) -> None:
    with served.client.stream("POST", "/run", json={**TASK, "stream": True}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = list(events_in(answer.iter_lines()))
    steps = [event.data["step"] for event in events if event.name == "step"]
    assert [name for name in steps if name != "start"] == ["plan", "search", "gate"]
    pieces = [event.data["text"] for event in events if event.name == "report"]
    assert len(pieces) > 1
    assert "".join(pieces) == ANSWER
    assert (events[0].name, events[-1].name) == ("run", "done")
    assert events[-1].data["final_answer"] == ANSWER


@pytest.mark.contract("H1")
def test_events_go_on_after_any_event_a_reader_has_seen(served: Running) -> None:
    run_id = served.job()
    whole = served.events(run_id)
    ids = [event.id for event in whole]
    assert len(set(ids)) == len(ids)
    for seen in range(1, len(whole)):
        assert served.events(run_id, last=ids[seen - 1]) == whole[seen:]
    done = served.client.get(f"/runs/{run_id}/events", headers={"Last-Event-ID": ids[-1]})
    assert done.status_code == 204
    assert served.events(run_id, last="nonsense") == whole


@pytest.mark.contract("H1", "W8")
def test_a_report_comes_in_every_format(served: Running) -> None:
    run_id = served.job()
    served.events(run_id)
    for one in FORMATS:
        answer = served.client.get(f"/runs/{run_id}/report{one.suffix}")
        assert answer.status_code == 200, one.suffix
        assert answer.headers["content-type"] == one.media_type
        assert answer.content
    assert SENTENCE in served.client.get(f"/runs/{run_id}/report.md").text
    assert (
        "sandbox"
        in served.client.get(f"/runs/{run_id}/report.html").headers["content-security-policy"]
    )
    assert served.client.get(f"/runs/{run_id}/report.exe").status_code == 404


@pytest.mark.contract("H1", "R10")
def test_a_run_is_cancelled_and_resumed(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake) as served:
        run_id = served.job()
        assert served.client.delete(f"/runs/{run_id}").json()["status"] == "cancelled"
        assert served.events(run_id)[-1].data["status"] == "cancelled"
        fake.holds = False
        assert served.post(f"/runs/{run_id}/resume").status_code == 202
        assert served.events(run_id)[-1].name == "done"
        assert served.client.delete(f"/runs/{run_id}").status_code == 409


@pytest.mark.contract("H1", "R10")
def test_a_run_is_forked_with_other_settings(served: Running) -> None:
    run_id = served.job()
    served.events(run_id)
    answer = served.post(f"/runs/{run_id}/fork", {"from": "gate", "novelty_threshold": 9})
    assert answer.status_code == 202
    found = served.client.get(f"/runs/{answer.json()['run_id']}").json()
    assert found["run"]["forked_from"] == run_id
    assert found["settings"]["novelty_threshold"] == 9
    assert served.post(f"/runs/{run_id}/fork", {"from": "nothing"}).status_code == 409


@pytest.mark.contract("H1")
def test_the_same_idempotency_key_begins_one_run(served: Running) -> None:
    body = {**TASK, "async": True}
    both = [
        served.post("/run", body, headers={"Idempotency-Key": "one"}).json()["run_id"]
        for _ in range(2)
    ]
    assert both[0] == both[1]
    assert served.post("/run", body).json()["run_id"] != both[0]


@pytest.mark.contract("H1", "R11")
def test_search_and_estimate_need_no_run(served: Running) -> None:
    before = len(served.client.get("/runs").json()["runs"])
    found = served.client.get("/search", params={"q": "refunds", "k": 3}).json()
    assert (len(found["hits"]), found["cached"]) == (3, True)
    foreseen = served.post("/estimate", {**TASK, "tier": "simple"}).json()
    assert foreseen["tier"] == "simple"
    assert foreseen["seconds"]["high"] >= foreseen["seconds"]["low"] > 0
    assert len(served.client.get("/runs").json()["runs"]) == before


@pytest.mark.contract("H3", "R4")
def test_how_a_run_ended_says_the_status(tmp_path: Path) -> None:
    fake = FakeService(failure=BadInput("the folder is gone"))
    with running(tmp_path, fake) as served:
        refused = served.post("/run", TASK)
        assert (refused.status_code, refused.json()["type"]) == (422, "invalid")
        assert "the folder is gone" in refused.json()["message"]
        fake.failure = ZeroDivisionError("by zero")
        failed = served.post("/run", TASK)
        assert (failed.status_code, failed.json()["type"]) == (500, "run_failed")
        assert served.events(failed.json()["run_id"])[-1].name == "stopped"
        fake.failure, fake.reached = None, False
        lost = served.post("/run", TASK)
        assert (lost.status_code, lost.json()["retryable"]) == (502, True)


@pytest.mark.contract("H3")
def test_a_run_that_takes_too_long_goes_on_without_the_caller(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake, serve_wait_s=0.2) as served:
        late = served.post("/run", TASK)
        assert late.status_code == 504
        served.go(fake)
        assert served.events(late.json()["run_id"])[-1].name == "done"


@pytest.mark.contract("H3", "H4")
def test_more_runs_than_the_service_takes_on_are_told_when_to_come_back(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake, serve_max_runs=2) as served:
        held = [served.job(), served.job()]
        full = served.post("/run", TASK)
        assert (full.status_code, full.json()["type"]) == (429, "too_many_requests")
        assert int(full.headers["retry-after"]) >= 1
        fake.holds = False
        served.go(fake, many=0)  # whoever has not come yet is not held
        for run_id in held:
            served.events(run_id)
        assert served.post("/run", TASK).status_code == 200


@pytest.mark.contract("H1")
def test_many_slow_readers_hold_up_nobody(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake) as served:
        run_id = served.job()
        streams = [served.client.stream("GET", f"/runs/{run_id}/events") for _ in range(50)]
        opened = [stream.__enter__() for stream in streams]
        assert {one.status_code for one in opened} == {200}
        served.go(fake)  # nobody reads, and the run ends all the same
        assert served.events(run_id)[-1].name == "done"
        feeds = served.service.desk.feeds
        assert len(feeds._feeds) <= 1
        assert {list(events_in(one.iter_lines()))[-1].name for one in opened} == {"done"}
        for stream in streams:
            stream.__exit__(None, None, None)


@pytest.mark.contract("H1")
def test_a_silent_stream_shows_that_it_is_alive(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake, serve_heartbeat_s=0.05) as served:
        run_id = served.job()
        with served.client.stream("GET", f"/runs/{run_id}/events") as stream:
            assert any(line.startswith(":") for line in stream.iter_lines())
        served.go(fake)


@pytest.mark.contract("O1")
def test_metrics_have_their_names_and_count(tmp_path: Path) -> None:
    with running(tmp_path, FakeService()) as served:
        served.post("/run", TASK)
        served.events(served.job())
        told = served.client.get("/metrics").text
    for line in (
        'research_loop_duration_seconds_count{stop_reason="sufficient"} 2.0',
        "iterations_per_request_sum 2.0",
        "cache_hits_total 2.0",
        'gate_verdicts_total{verdict="accepted"} 2.0',
        'claim_verdicts_total{verdict="quoted"} 2.0',
        "runs_in_progress 0.0",
    ):
        assert line in told
    assert "search_failures_total" in told
    assert "model_tokens_total" in told
    assert "model_cost_dollars_total" in told


@pytest.mark.contract("H1")
def test_ready_looks_at_what_runs_need(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    with running(tmp_path / "data", FakeService(), docs=(docs,)) as served:
        assert served.client.get("/health").json()["status"] == "ok"
        ready = served.client.get("/ready")
        assert ready.status_code == 200
        for asked in ("/health", "/ready"):  # by a balancer
            head = served.client.head(asked)
            assert (head.status_code, head.content) == (200, b"")
        assert {one["name"] for one in ready.json()["checks"]} == {
            "store",
            "disk",
            "search",
            "model",
        }
        docs.rmdir()
        gone = served.client.get("/ready")
        assert (gone.status_code, gone.json()["ready"]) == (503, False)


@pytest.mark.contract("H1", "X3")
def test_the_reference_is_whole_and_asks_nobody_else(served: Running) -> None:
    spec = served.client.get("/openapi.json").json()
    page = served.client.get("/docs")
    for path in spec["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert "http://" not in page.text.replace("http://www.w3.org", "")
    assert "https://" not in page.text
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    json.dumps(spec)
