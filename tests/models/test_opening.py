"""A model by its name: provider, address, key, price, window, role (L1, L2, L4, L5)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import BadInput
from leadline.fields.models import OTHER_NAMES, ModelFields
from leadline.fields.secret import SecretText
from leadline.models.keys import read_keys
from leadline.models.opening import Till, Wanted, open_client, open_model
from leadline.models.prices import check_prices, listed, own_prices, price_of
from leadline.models.profiles import Profile
from leadline.models.providers import PROVIDERS, take_apart
from leadline.models.roles import ROLES, choose, keys_from, plans, temperature_of, wanted_for
from leadline.models.window import CLOUD_WINDOW, OLLAMA_WINDOW, UNKNOWN_WINDOW, find_window
from leadline.purse import FREE, UNKNOWN, Price
from leadline.types import Ask


def labels(text: str, base_url: str = "") -> list[tuple[str, str]]:
    return [(one.label, one.base_url) for one in take_apart(text, base_url)]


# ── names ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1")
@pytest.mark.parametrize(
    ("text", "base_url", "expected"),
    [
        ("ollama:qwen3:8b", "", [("ollama:qwen3:8b", "http://localhost:11434")]),
        ("OpenAI:gpt-5-mini", "", [("openai:gpt-5-mini", "https://api.openai.com/v1")]),
        ("openai:m", "http://box:8000/v1/", [("openai:m", "http://box:8000/v1")]),
        ("qwen3:8b", "http://box/v1", [("endpoint:qwen3:8b", "http://box/v1")]),
        ("vllm:a/b@http://box:1/v1", "", [("vllm:a/b", "http://box:1/v1")]),
        (
            "anthropic:claude-x | ollama:qwen3",
            "",
            [
                ("anthropic:claude-x", "https://api.anthropic.com"),
                ("ollama:qwen3", "http://localhost:11434"),
            ],
        ),
        (
            "openai:a|openai:b|google:c",
            "http://box/v1",
            [
                ("openai:a", "http://box/v1"),
                ("openai:b", "http://box/v1"),
                ("google:c", "https://generativelanguage.googleapis.com"),
            ],
        ),
    ],
)
def test_a_name_is_taken_apart(text: str, base_url: str, expected: list[tuple[str, str]]) -> None:
    assert labels(text, base_url) == expected


@pytest.mark.contract("L1")
@pytest.mark.parametrize(
    ("text", "base_url", "said"),
    [
        ("qwen3", "", "names no provider.*ollama:qwen3"),
        ("", "", "no model is named"),
        (" | ", "", "no model is named"),
        ("openai:m", "ftp://box", "must start with http"),
        ("endpoint:m", "", "needs an address"),
    ],
)
def test_a_name_that_cannot_be_right_is_refused(text: str, base_url: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        take_apart(text, base_url)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_name_is_taken_apart_or_refused(text: str, base_url: str) -> None:
    try:
        named = take_apart(text, base_url)
    except BadInput:
        return
    assert named
    assert all(one.model and one.base_url.startswith("http") for one in named)


# ── keys ────────────────────────────────────────────────────────────────────────────────────


def opened(wanted: Wanted, **keys: str) -> httpx2.Request:
    """The request that a model with these keys sends."""
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        message = {"message": {"content": "ok"}, "finish_reason": "stop"}
        return httpx2.Response(200, json={"choices": [message], "message": {"content": "ok"}})

    async def ask() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            model = await open_model(wanted, client, keys=lambda name: keys.get(name, ""))
            await model.complete(Ask("", "hi", max_tokens=5))

    asyncio.run(ask())
    return seen[-1]


@pytest.mark.contract("L1")
def test_a_cloud_model_without_its_key_is_refused_with_the_name_of_the_variable() -> None:
    with pytest.raises(BadInput, match="RESEARCH_ANTHROPIC_API_KEY"):
        opened(Wanted("anthropic:claude-haiku-4-5"), openai_api_key="k")


@pytest.mark.contract("L1", "X2")
def test_each_provider_gets_its_own_key_and_a_local_server_none() -> None:
    keys = {"openai_api_key": "k1", "mistral_api_key": "k2"}
    sent = opened(Wanted("mistral:m", window=9999), **keys)
    assert sent.headers["authorization"] == "Bearer k2"
    assert sent.url.host == "api.mistral.ai"
    assert "authorization" not in opened(Wanted("ollama:m", window=9999), **keys).headers
    own = opened(Wanted("m", "http://box/v1", window=9999), model_api_key="k3", **keys)
    assert own.headers["authorization"] == "Bearer k3"


@pytest.mark.contract("L1", "X2")
def test_a_file_of_keys_must_be_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('openai_api_key = " sk-1 "\n', "utf-8")
    file.chmod(0o644)
    with pytest.raises(BadInput, match="chmod 600"):
        read_keys(file)
    file.chmod(0o600)
    assert read_keys(file) == {"openai_api_key": "sk-1"}
    assert "sk-1" not in repr(read_keys(file))


@pytest.mark.contract("X2")
@pytest.mark.parametrize("text", ['openai_api_key = "sk-1', "sk-1", "openai_api_key = 5"])
def test_a_broken_file_of_keys_is_refused_without_showing_them(tmp_path: Path, text: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    with pytest.raises(BadInput) as refused:
        read_keys(file)
    assert "sk-1" not in str(refused.value)
    with pytest.raises(BadInput, match="cannot read"):
        read_keys(tmp_path / "nowhere")
    with pytest.raises(BadInput):
        read_keys(tmp_path)


# ── prices ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L4")
def test_prices_are_the_users_then_the_tables_and_a_local_model_is_free() -> None:
    known, local, nobody = (
        take_apart(name)[0] for name in ("openai:gpt-4o", "ollama:x", "openai:zz")
    )
    assert price_of(known, {}) == Price(2.5, 10.0)
    assert price_of(known, {"gpt-4o": Price(1, 2)}) == Price(1, 2)
    assert price_of(known, {"openai:gpt-4o": Price(3, 4), "gpt-4o": Price(1, 2)}) == Price(3, 4)
    assert price_of(local, {}) == FREE
    assert price_of(nobody, {}) == UNKNOWN
    assert price_of(take_apart("openai:zz@http://127.0.0.1:9/v1")[0], {}) == FREE


@pytest.mark.contract("L4")
def test_own_prices_are_read_and_wrong_ones_refused() -> None:
    assert own_prices(["openai:x=0.25/2", "a=b=1/2"]) == {
        "openai:x": Price(0.25, 2.0),
        "a=b": Price(1.0, 2.0),
    }
    for wrong in ("x", "x=1", "=1/2", "x=a/b", "x=-1/2", "x=nan/1", "x=1/inf"):
        with pytest.raises(BadInput, match="MODEL=PROMPT/ANSWER"):
            own_prices([wrong])


@pytest.mark.contract("L4")
def test_a_ceiling_on_money_needs_prices() -> None:
    check_prices({"openai:zz": UNKNOWN}, 0.0)
    check_prices({"ollama:x": FREE}, 1.0)
    with pytest.raises(BadInput, match="openai:zz"):
        check_prices({"openai:zz": UNKNOWN, "ollama:x": FREE}, 1.0)


# ── windows ─────────────────────────────────────────────────────────────────────────────────


def window(name: str, replies: dict[str, Any]) -> int:
    def answer(request: httpx2.Request) -> httpx2.Response:
        body = replies.get(request.url.path)
        return httpx2.Response(404) if body is None else httpx2.Response(200, json=body)

    async def find() -> int:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            return await find_window(take_apart(name)[0], client)

    return asyncio.run(find())


@pytest.mark.contract("L5")
@pytest.mark.parametrize(
    ("name", "replies", "expected"),
    [
        ("ollama:q", {"/api/show": {"model_info": {"qwen3.context_length": 4096}}}, 4096),
        ("ollama:q", {"/api/show": {"model_info": {"q.context_length": 262144}}}, OLLAMA_WINDOW),
        ("ollama:q", {"/api/show": {"model_info": None}}, UNKNOWN_WINDOW),
        ("ollama:q", {}, UNKNOWN_WINDOW),
        ("vllm:q", {"/v1/models": {"data": [{"id": "q", "max_model_len": 32768}]}}, 32768),
        (
            "vllm:q",
            {"/v1/models": {"data": [{"id": "p", "max_model_len": 1}, {"id": "q"}]}},
            UNKNOWN_WINDOW,
        ),
        ("llamacpp:q", {"/props": {"default_generation_settings": {"n_ctx": 5120}}}, 5120),
        (
            "openai:q@http://box/v1",
            {"/v1/models": {"data": [{"id": "q", "max_model_len": 4096}]}},
            4096,
        ),
        ("openai:q@http://box/v1", {}, UNKNOWN_WINDOW),
        ("openai:gpt-4@http://box/v1", {}, 8192),
        ("lmstudio:q", {"/api/v0/models/q": {"loaded_context_length": 6144}}, 6144),
        ("vllm:q", {"/v1/models": ["nonsense"]}, UNKNOWN_WINDOW),
        ("vllm:q", {"/v1/models": {"data": [{"id": "q", "max_model_len": 10}]}}, 1024),
    ],
)
def test_the_window_is_asked_of_the_server(name: str, replies: Any, expected: int) -> None:
    assert window(name, replies) == expected


@pytest.mark.contract("L5")
def test_the_window_of_a_cloud_model_is_looked_up() -> None:
    assert window("openai:gpt-4", {}) == 8192
    assert window("anthropic:claude-haiku-4-5", {}) == CLOUD_WINDOW
    assert window("openai:zz", {}) == 32_768
    assert listed(take_apart("openai:zz")[0]).window == 0


def test_a_server_that_does_not_answer_leaves_the_guess() -> None:
    async def find() -> int:
        async with open_client() as client:
            return await find_window(take_apart("vllm:q@http://127.0.0.1:9/v1")[0], client)

    assert asyncio.run(find()) == UNKNOWN_WINDOW


# ── roles ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1")
def test_one_model_plays_every_role_but_those_that_need_their_own() -> None:
    fields = ModelFields(model="ollama:qwen3", model_base_url="http://box:1", model_window=9000)
    roles = {role: wanted_for(fields, role) for role in ROLES}
    assert roles["planner"] == Wanted("ollama:qwen3", "http://box:1", window=9000)
    assert roles["planner"] == roles["producer"] == roles["evaluator"]
    assert roles["compressor"] is roles["vision"] is None


@pytest.mark.contract("L1", "L5")
def test_a_role_may_have_its_own_model_and_everything_with_it() -> None:
    fields = ModelFields(
        model="ollama:qwen3",
        model_base_url="http://box:1",
        model_window=9000,
        model_temperature=0.9,
        evaluator_model="openai:gpt-5",
        evaluator_timeout_s=7,
        evaluator_temperature=0.0,
        evaluator_keep_alive="1h",
        vision_model="ollama:llava",
    )
    assert wanted_for(fields, "evaluator") == Wanted("openai:gpt-5", timeout_s=7, keep_alive="1h")
    assert wanted_for(fields, "vision") == Wanted("ollama:llava")
    assert temperature_of(fields, "evaluator", 0.5) == 0.0
    assert temperature_of(fields, "planner", 0.5) == 0.9
    assert temperature_of(ModelFields(), "planner", 0.5) == 0.5


@pytest.mark.contract("L5")
def test_what_was_learnt_about_a_model_fills_what_the_settings_leave_open() -> None:
    profiles = {"ollama:qwen3": Profile(3.1, 4096)}
    fields = ModelFields(model="ollama:qwen3")
    wanted = wanted_for(fields, "planner", profiles=profiles)
    assert wanted == Wanted("ollama:qwen3", window=4096, chars_per_token=3.1)
    fields = ModelFields(model="ollama:qwen3", model_window=9000, chars_per_token=4.0)
    wanted = wanted_for(fields, "planner", profiles=profiles)
    assert wanted == Wanted("ollama:qwen3", window=9000, chars_per_token=4.0)


@pytest.mark.contract("L8", "P1")
@pytest.mark.parametrize(
    ("given", "able"),
    [
        ({"model": "ollama:qwen2.5:1.5b"}, False),
        ({"model": "ollama:llama3.2:3b-instruct-q4_K_M"}, False),
        ({"model": "openrouter:meta-llama/llama-3.1-8b-instruct"}, True),
        ({"model": "openai:gpt-4.1-mini"}, True),
        ({"model": "ollama:qwen2.5:1.5b", "model_plans": "always"}, True),
        ({"model": "openai:gpt-4.1", "model_plans": "never"}, False),
        ({"model": "openai:gpt-4.1", "planner_model": "ollama:qwen2.5:1.5b"}, True),
        ({"producer_model": "openai:gpt-4.1"}, False),
    ],
)
def test_a_small_model_does_not_plan_unless_it_is_told_to(
    given: dict[str, Any], able: bool
) -> None:
    assert plans(ModelFields(**given), {}) is able


@pytest.mark.contract("L6", "L8")
def test_what_the_doctor_found_counts_more_than_a_model_s_size() -> None:
    large = {"openai:gpt-4.1": Profile(plans=False)}
    assert not plans(ModelFields(model="openai:gpt-4.1"), large)
    assert plans(ModelFields(model="ollama:qwen3:1.7b"), {"ollama:qwen3:1.7b": Profile(plans=True)})


@pytest.mark.contract("L2")
def test_with_no_model_set_a_key_then_ollama_then_none() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        models = [{"name": "nomic-embed-text:latest"}, {"name": "qwen3:8b"}]
        return httpx2.Response(200, json={"models": models})

    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("nobody here")

    async def chosen(fields: ModelFields, serve: Any = answer) -> tuple[str, str]:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(serve)) as client:
            choice = await choose(fields, keys_from(fields), client)
            return choice.model, choice.why

    assert asyncio.run(chosen(ModelFields(model="ollama:x")))[0] == "ollama:x"
    with_key = ModelFields(anthropic_api_key=SecretText("k"))
    model, why = asyncio.run(chosen(with_key))
    assert model.startswith("anthropic:")
    assert "RESEARCH_MODEL" in why
    assert asyncio.run(chosen(ModelFields()))[0] == "ollama:qwen3:8b"
    assert asyncio.run(chosen(ModelFields(), refuse))[0] == ""


@pytest.mark.contract("X2")
def test_keys_come_from_the_settings_and_then_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('openai_api_key = "file"\ngroq_api_key = "file"\n', "utf-8")
    file.chmod(0o600)
    fields = ModelFields(openai_api_key=SecretText("sk-of-mine"), keys_file=file)
    keys = keys_from(fields)
    assert [keys(name) for name in ("openai_api_key", "groq_api_key", "nonsense")] == [
        "sk-of-mine",
        "file",
        "",
    ]
    assert "sk-of-mine" not in repr(fields)
    assert "sk-of-mine" not in str(fields.values())


def test_every_provider_with_a_key_has_a_setting_for_it() -> None:
    keys = {one.key for one in PROVIDERS.values() if one.key}
    assert keys <= set(ModelFields.declared)
    assert set(OTHER_NAMES.values()) == keys | {"openai_base_url"}


@pytest.mark.contract("L4", "L5")
def test_an_opened_model_is_metered_and_knows_its_window() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        assert body["options"]["num_ctx"] == 9000
        return httpx2.Response(200, json={"message": {"content": "ok"}, "prompt_eval_count": 7})

    till = Till()

    async def ask() -> int:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            model = await open_model(Wanted("ollama:q", window=9000), client, till=till)
            await model.complete(Ask("", "hi", max_tokens=5))
            return model.window

    assert asyncio.run(ask()) == 9000
    assert till.purse.spent.prompt_tokens == 7
