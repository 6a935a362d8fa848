"""Who gets in, what a request may not do, and what never leaks."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from service_rig import FakeService, Running, running

from leadline.errors import BadInput
from leadline.fields.secret import SecretText
from leadline.observe.logs import configure
from leadline.service.app import Service, needs_keys
from leadline.service.asked import open_settings, settled
from leadline.service.refusals import Refused
from leadline.service.server import refuse_open_door
from leadline.settings import Settings, is_secret
from leadline.store.keyring import Keyring

TASK = {"task": "Who approves refunds?"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("doors"), FakeService()) as found:
        yield found


def _error(answer: Any, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    assert {"type", "message", "retryable"} <= set(body)
    assert "Traceback" not in answer.text
    return body


# ── keys and owners ─────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("H4")
def test_no_route_answers_without_a_key_when_bound_elsewhere(tmp_path: Path) -> None:
    with running(tmp_path, FakeService(), serve_host="0.0.0.0") as served:
        spec = served.service.app.openapi()
        asked = 0
        for path, verbs in spec["paths"].items():
            for verb in verbs:
                where = path.format(run_id="x", suffix="md", model="leadline")
                _error(served.client.request(verb.upper(), where), 401)
                _error(
                    served.client.request(
                        verb.upper(), where, headers={"Authorization": "Bearer ll_00_x"}
                    ),
                    401,
                )
                asked += 1
        assert asked >= 19
        for where in ("/docs", "/openapi.json", "/nothing"):
            _error(served.client.get(where), 401)


@pytest.mark.contract("H4")
def test_it_does_not_start_beyond_loopback_without_a_key(tmp_path: Path) -> None:
    beyond = Settings(data_dir=tmp_path, serve_host="0.0.0.0")
    assert needs_keys(beyond)
    with pytest.raises(BadInput, match="leadline keys create"):
        refuse_open_door(beyond, True)
    secret, key = Keyring(tmp_path).create("anna")
    refuse_open_door(beyond, True)
    Keyring(tmp_path).revoke(key.id)
    with pytest.raises(BadInput):
        refuse_open_door(beyond, True)
    assert not needs_keys(Settings(data_dir=tmp_path))
    assert needs_keys(Settings(data_dir=tmp_path, serve_hosts=("research.example",)))
    assert secret not in (tmp_path / "service.db").read_bytes().decode("latin-1")


@pytest.mark.contract("H4")
def test_another_owners_run_is_not_there_by_any_route(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    anna, bert = ring.create("anna")[0], ring.create("bert")[0]
    with running(tmp_path, FakeService(), key=anna, serve_require_keys=True) as served:
        run_id = served.job()
        served.events(run_id)
        theirs = {"Authorization": f"Bearer {bert}"}
        spec = served.service.app.openapi()
        bodies = {"fork": {"from": "gate"}, "ask": {"question": "why?"}, "plan": {"take": False}}
        asked = 0
        for path, verbs in spec["paths"].items():
            if "{run_id}" not in path:
                continue
            for verb in verbs:
                where = path.format(run_id=run_id, suffix="md")
                body = bodies.get(path.rsplit("/", 1)[1])
                answer = served.client.request(verb.upper(), where, json=body, headers=theirs)
                unknown = served.client.request(
                    verb.upper(), where.replace(run_id, "261116-000000-aaaaaa"), json=body
                )
                assert _error(answer, 404)["type"] == _error(unknown, 404)["type"]
                asked += 1
        assert asked >= 8
        assert served.client.get("/runs", headers=theirs).json()["runs"] == []
        assert [one["id"] for one in served.client.get("/runs").json()["runs"]] == [run_id]


@pytest.mark.contract("H4")
def test_the_same_idempotency_key_of_two_owners_is_two_runs(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    keys = [ring.create("anna")[0], ring.create("bert")[0]]
    with running(tmp_path, FakeService(), serve_require_keys=True) as served:
        begun = {
            served.post(
                "/run",
                {**TASK, "async": True},
                headers={"Authorization": f"Bearer {key}", "Idempotency-Key": "same"},
            ).json()["run_id"]
            for key in keys
        }
    assert len(begun) == 2


@pytest.mark.contract("H4", "H3")
def test_quotas_of_a_key_hold(tmp_path: Path) -> None:
    ring = Keyring(tmp_path)
    fake = FakeService(holds=True)
    one_at_a_time = ring.create("anna", concurrency=1)[0]
    with running(tmp_path, fake, key=one_at_a_time, serve_require_keys=True) as served:
        served.job()
        assert "at a time" in _error(served.post("/run", TASK), 429)["message"]
        two_a_day, key = ring.create("bert", runs_per_day=2)
        fake.holds = False
        headers = {"Authorization": f"Bearer {two_a_day}"}
        assert [served.post("/run", TASK, headers=headers).status_code for _ in range(2)] == [
            200
        ] * 2
        over = served.post("/run", TASK, headers=headers)
        _error(over, 429)
        assert 80_000 < int(over.headers["retry-after"]) <= 86_400
        ring.revoke(key.id)
        _error(served.client.get("/runs", headers=headers), 401)
        served.go(fake, many=0)


def test_yesterdays_runs_are_not_counted_today(tmp_path: Path) -> None:
    now = [10**12]
    ring = Keyring(tmp_path, lambda: now[0])
    ring.own("one", "anna")
    now[0] += 3_600_000
    ring.own("two", "anna")
    assert ring.started_today("anna") == (2, 82_800.0)
    now[0] += 83_000_000
    assert ring.started_today("anna")[0] == 1


@given(st.text(max_size=80))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_but_a_key_opens(tmp_path: Path, text: str) -> None:
    ring = Keyring(tmp_path)
    secret, key = ring.create("anna") if not ring.keys() else ("", ring.keys()[0])
    assert ring.check(text) is None
    assert ring.check(f"ll_{key.id}_{text}") is None
    if secret:
        assert ring.check(secret) == key
        assert ring.check(secret[:-1]) is None


# ── what a request may change ───────────────────────────────────────────────────────────────


@pytest.mark.contract("X2", "H1")
def test_a_request_may_change_nothing_of_the_machine() -> None:
    opened = set(open_settings())
    assert {"max_iters", "tier", "policy", "seed", "model", "max_cost", "docs"} <= opened
    for name in Settings.declared:
        if is_secret(name) or name.endswith(("_url", "_dir", "_file", "_folders", "_hosts")):
            assert name not in opened, name
    assert not {"mcp_server", "prompts", "fetch_allow_hosts", "fetch_robots", "prices"} & opened
    assert not [name for name in opened if name.startswith(("serve_", "queue_", "store_", "scan"))]


@pytest.mark.contract("X2", "H3")
@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"data_dir": "/tmp/x"}, 422),
        ({"openai_api_key": "sk-planted-secret"}, 422),
        ({"docs": ["/etc"]}, 403),
        ({"docs": ["../../etc"]}, 403),
        ({"docs": ["/\0"]}, 403),
        ({"model": "openai:x@http://attacker.example"}, 403),
        ({"model": "http://attacker.example/v1"}, 403),
        ({"search_providers": ["os:system"]}, 422),
        ({"max_iters": "2"}, 422),
        ({"max_iters": True}, 422),
        ({"max_iters": 10**400}, 422),
        ({"task": ""}, 422),
        ({"task": "?!"}, 422),
        ({"task": "\ud800"}, 422),
        ({"task": ["a"]}, 422),
        ({"stream": True, "async": True}, 400),
    ],
)
def test_what_a_request_may_not_have_is_refused(
    served: Running, options: dict[str, Any], status: int
) -> None:
    body = json.dumps({**TASK, **options}).encode("utf-8", "surrogatepass")
    answer = served.client.post("/run", content=body, headers={"content-type": "application/json"})
    _error(answer, status)
    assert "sk-planted-secret" not in answer.text


@pytest.mark.contract("X2")
def test_documents_may_be_named_only_in_allowed_folders(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    (allowed / "deep").mkdir(parents=True)
    other.mkdir()
    (allowed / "link").symlink_to(other)
    service = Settings(data_dir=tmp_path, serve_folders=(allowed,))
    (allowed / "deep" / "tides.md").write_text("The moon pulls the sea.")
    for good in (allowed / "deep", allowed / "deep" / "tides.md"):
        assert settled(service, {"docs": (good,)}).docs == (good,)
    for refused in (other, allowed / "link", allowed / ".." / "other", allowed / "gone"):
        with pytest.raises(Refused, match="not a folder or file that requests may name"):
            settled(service, {"docs": (refused,)})


@pytest.mark.contract("X2", "X5")
def test_a_request_cannot_ask_for_a_secret_by_name_and_whoever_runs_the_service_can(
    tmp_path: Path,
) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 64
    for name, text in ((".env", "x=1"), ("id_rsa", key), ("notes.txt", key), (".hid.md", "hid")):
        (tmp_path / name).write_text(text)
        with pytest.raises(Refused, match="requests may name"):
            settled(Settings(serve_folders=(tmp_path,)), {"docs": (tmp_path / name,)})
        named = Settings(docs=(tmp_path / name,))
        assert settled(named, {"docs": (tmp_path / name,)}).docs == (tmp_path / name,)


def test_a_ceiling_of_the_service_may_be_lowered_and_not_raised() -> None:
    service = Settings(max_cost=1.0, max_iters=3)
    assert settled(service, {"max_cost": 0.5, "max_iters": 3}).max_cost == 0.5
    for over in ({"max_cost": 2.0}, {"max_cost": 0.0}, {"max_iters": 4}):
        with pytest.raises(BadInput, match="at most"):
            settled(service, over)


@pytest.mark.contract("D7", "L4", "X2")
@pytest.mark.parametrize(
    ("shut", "asked"),
    [
        ({"web": False}, {"web": True}),
        ({"memory": False}, {"memory": True}),
        ({"no_model": True}, {"no_model": False}),
        ({"no_model": True}, {"model": "openai:gpt-5-mini"}),
        ({"no_model": True}, {"evaluator_model": "openai:gpt-5-mini"}),
    ],
)
def test_what_the_service_has_shut_no_request_opens(
    shut: dict[str, Any], asked: dict[str, Any]
) -> None:
    with pytest.raises(Refused) as told:
        settled(Settings(**shut), asked)
    assert told.value.status == 403
    assert settled(Settings(), asked) == Settings(**asked)
    assert settled(Settings(**shut), shut) == Settings(**shut)


def test_the_name_of_a_model_ends_where_it_seems_to() -> None:
    with pytest.raises(BadInput, match="PROVIDER:NAME"):
        settled(Settings(), {"model": "ollama:qwen3\n"})


# ── attacks ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("H3")
def test_every_failure_is_told_in_the_same_shape(served: Running) -> None:
    client = served.client
    json_type = {"content-type": "application/json"}
    _error(client.get("/nothing"), 404)
    _error(client.get("/runs/261116-000000-aaaaaa"), 404)
    assert client.put("/runs/261116-000000-aaaaaa").headers["allow"] == "DELETE, GET"
    _error(client.put("/run"), 405)
    _error(client.post("/run", content=b"{", headers=json_type), 400)
    _error(client.post("/run", content=b"[" * 100_000, headers=json_type), 400)
    _error(client.post("/run", content=b"\xff\xfe", headers=json_type), 400)
    _error(client.post("/run", content=b"task=x"), 422)
    _error(client.post("/run", content=b"x" * 300_000, headers=json_type), 413)
    _error(client.post("/run", content=iter([b"x" * 65_536] * 5), headers=json_type), 413)
    _error(client.get("/runs", params={"limit": 0}), 422)


@pytest.mark.contract("H3")
def test_a_question_longer_than_the_service_takes_is_too_large(tmp_path: Path) -> None:
    with running(tmp_path, FakeService(), serve_max_task_chars=30) as served:
        _error(served.post("/run", {"task": "why " * 10}), 413)
        assert served.post("/run", {"task": "why"}).status_code == 200


@pytest.mark.contract("X2")
@pytest.mark.parametrize(
    "path",
    [
        "/runs/..%2f..%2fetc%2fpasswd",
        "/runs/x%00y",
        "/runs/%2e%2e/report.md",
        "/runs/x/report.md%00.html",
        "/runs/x/report.../../../etc/passwd",
        "/runs/' OR 1=1 --",
        "/runs/" + "x" * 5000,
        "/v1/models/%0d%0aSet-Cookie:x",
    ],
)
def test_a_path_leads_nowhere_else(served: Running, path: str) -> None:
    answer = served.client.get(path)
    assert answer.status_code in (404, 422)
    assert "set-cookie" not in answer.headers
    _error(answer, answer.status_code)


@pytest.mark.contract("X3", "H4")
def test_pages_of_other_origins_and_other_names_are_not_answered(served: Running) -> None:
    _error(served.client.get("/runs", headers={"Host": "attacker.example"}), 403)
    # A name that begins like an address of this machine may lead a browser here all the same.
    near = {"Host": "127.attacker.example", "Origin": "http://127.attacker.example"}
    _error(served.client.get("/runs", headers=near), 403)
    _error(served.client.get("/runs", headers={"Origin": "https://attacker.example"}), 403)
    _error(served.client.get("/runs", headers={"Origin": "null"}), 403)
    own = served.client.get("/runs", headers={"Origin": served.url})
    assert own.status_code == 200
    assert "access-control-allow-origin" not in own.headers
    assert own.headers["x-content-type-options"] == "nosniff"
    assert "server" not in own.headers or "uvicorn" not in own.headers["server"]


@pytest.mark.contract("H3")
@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9e9\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00nonsense",
    ],
)
def test_broken_requests_end_in_an_error_and_nothing_else(served: Running, raw: bytes) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        answer = line.recv(65_536)
    assert b" 200 " not in answer.split(b"\r\n")[0]
    assert served.client.get("/health").status_code == 200


# ── secrets ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("X2")
def test_planted_secrets_are_in_nothing_that_a_run_leaves(tmp_path: Path) -> None:
    planted = ["brave-planted-4711", 'model"planted\\4712', "sk-planted-4713"]
    fake = FakeService(failure=ZeroDivisionError(f"GET https://x/?key={planted[0]} {planted[1]}"))
    configure(tmp_path / "data", "debug")
    key = Keyring(tmp_path / "data").create("anna")[0]
    told: list[str] = []
    with running(
        tmp_path / "data",
        fake,
        key=key,
        serve_require_keys=True,
        brave_api_key=SecretText(planted[0]),
        model_api_key=SecretText(planted[1]),
        openai_api_key=SecretText(planted[2]),
    ) as served:
        logging.getLogger("leadline.service").error("refused with %s", planted[0])
        failed = served.post("/run", TASK)
        run_id = failed.json()["run_id"]
        fake.failure = None
        done = served.post("/run", TASK).json()["run_id"]
        told += [failed.text, json.dumps([e.data for e in served.events(run_id)])]
        told += [json.dumps([e.data for e in served.events(done)])]
        paths = [f"/runs/{one}" for one in (run_id, done)]
        paths += [f"/runs/{done}/report.{suffix}" for suffix in ("md", "html", "json")]
        told += [served.client.get(path).text for path in [*paths, "/runs", "/ready", "/metrics"]]
        told += [served.client.get("/search", params={"q": "x"}, headers={"X-Key": key}).text]
        told += [served.post("/run", {**TASK, "brave_api_key": planted[2]}).text]
    for handler in list(logging.getLogger("leadline").handlers):
        handler.flush()
    for file in (tmp_path / "data").rglob("*"):
        if file.is_file():
            told.append(file.read_bytes().decode("utf-8", "replace"))
    assert any("refused with ***" in one for one in told), "the log was looked at"
    for secret in (*planted, key.split("_", 2)[2], json.dumps(planted[1])[1:-1]):
        assert not [one[:300] for one in told if secret in one], secret


def test_an_application_is_made_without_touching_the_disk(tmp_path: Path) -> None:
    Service(Settings(data_dir=tmp_path / "none"))
    assert not (tmp_path / "none").exists()
