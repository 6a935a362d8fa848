"""Chat clients that exist: the `openai` client from PyPI, unchanged, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openai import APIError, AuthenticationError, NotFoundError, OpenAI, UnprocessableEntityError
from service_rig import SENTENCE, WEB, FakeService, Running, running

from leadline.render.linked import linked
from leadline.store.keyring import Keyring


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("chat"), FakeService()) as found:
        yield found


def _client(served: Running, key: str = "any") -> OpenAI:
    return OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0)


LINK = f"[[1]]({WEB}#:~:text="


@pytest.mark.contract("H6")
def test_the_openai_client_gets_an_answer_whose_citations_are_links(served: Running) -> None:
    with _client(served) as client:
        answer = client.chat.completions.create(
            model="leadline-deep",
            temperature=0.2,
            messages=[
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Hello!"},
                {"role": "user", "content": [{"type": "text", "text": "Who approves refunds?"}]},
            ],
        )
    said = answer.choices[0].message.content
    assert said is not None
    assert said.startswith(f"{SENTENCE} {LINK}")
    assert "[1] **Handbook**" in said
    assert (answer.choices[0].finish_reason, answer.model) == ("stop", "leadline-deep")
    assert answer.usage is not None
    assert answer.usage.total_tokens == 12
    run = served.client.get(f"/runs/{answer.id}").json()
    assert (run["run"]["task"], run["settings"]["tier"]) == ("Who approves refunds?", "deep")


@pytest.mark.contract("H6")
def test_the_openai_client_streams_the_same_answer(served: Running) -> None:
    with _client(served) as client:
        stream = client.chat.completions.create(
            model="leadline",
            messages=[{"role": "user", "content": "Who approves refunds?"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
    pieces = [one.choices[0].delta.content or "" for one in chunks if one.choices]
    assert len([piece for piece in pieces if piece]) > 1
    assert "".join(pieces) == linked(FakeService().response("x", "x"))
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 5


@pytest.mark.contract("H6")
def test_tiers_are_listed_as_models(served: Running) -> None:
    with _client(served) as client:
        names = [one.id for one in client.models.list()]
        assert names == ["leadline", "leadline-simple", "leadline-standard", "leadline-deep"]
        assert client.models.retrieve("leadline-simple").owned_by == "leadline"
        with pytest.raises(NotFoundError, match="there are leadline, leadline-simple") as missing:
            client.chat.completions.create(
                model="gpt-5", messages=[{"role": "user", "content": "x"}]
            )
    assert missing.value.code == "model_not_found"


@pytest.mark.contract("H6", "H3")
def test_errors_are_those_the_client_knows(tmp_path: Path) -> None:
    fake = FakeService(failure=ZeroDivisionError("by zero"))
    key = Keyring(tmp_path).create("anna")[0]
    with running(tmp_path, fake, serve_require_keys=True) as served:
        with _client(served, "wrong") as client, pytest.raises(AuthenticationError):
            client.models.list()
        with _client(served, key) as client:
            with pytest.raises(UnprocessableEntityError, match="no message of the user"):
                client.chat.completions.create(
                    model="leadline", messages=[{"role": "system", "content": "x"}]
                )
            stream = client.chat.completions.create(
                model="leadline", messages=[{"role": "user", "content": "why?"}], stream=True
            )
            with pytest.raises(APIError, match="failed"):
                list(stream)


def test_what_looks_like_a_citation_in_code_is_left_alone() -> None:
    from leadline.values import replace

    response = FakeService().response("x", "x")
    told = linked(replace(response, final_answer="See `a[1]` and [2] and [9]. [1]"))
    assert told.startswith(f"See `a[1]` and [2] and [9]. {LINK}")


def test_an_odd_address_cannot_break_out_of_its_link() -> None:
    from leadline.values import replace

    response = FakeService().response("x", "x")
    odd = replace(response.sources[0], location="https://a.example/x) [b](javascript:c")
    told = linked(replace(response, final_answer="Said. [1]", sources=(odd,), claims=()))
    link = told.splitlines()[0]
    assert link == "Said. [[1]](https://a.example/x%29%20%5Bb%5D%28javascript:c)"
