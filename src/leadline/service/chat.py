"""The OpenAI interface: chat clients that exist ask here unchanged; tiers are the models.

The last message of the user is the question. Citations come as Markdown links.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import StreamingResponse

from leadline.errors import LeadlineError
from leadline.render.linked import linked
from leadline.render.words import unreached
from leadline.service.desk import Desk
from leadline.service.docs import EVENTS, STREAM, errors
from leadline.service.feed import BEAT
from leadline.service.guard import shaped
from leadline.service.refusals import Refused, refusal
from leadline.service.routes_runs import AtDesk, By
from leadline.service.told import pieces
from leadline.service.wire import TASK_SHAPE, Switch
from leadline.settings import MAX_TASK_CHARS
from leadline.types import AgentResponse, Tier

router = APIRouter(prefix="/v1", tags=["chat"])

# The name a client chooses, and the tier that it means; None: the planner chooses.
MODELS: dict[str, Tier | None] = {
    "leadline": None,
    **{f"leadline-{tier.value}": tier for tier in Tier},
}
BEAT_S = 5.0


# A message of the user that says something, as OpenAPI can tell it.
_SAID = {"type": "string", "pattern": TASK_SHAPE, "maxLength": MAX_TASK_CHARS}
_SPOKEN = {
    "type": "object",
    "required": ["type", "text"],
    "properties": {"type": {"const": "text"}, "text": _SAID},
}
_QUESTION = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {
        "role": {"const": "user"},
        "content": {"anyOf": [_SAID, {"type": "array", "contains": _SPOKEN}]},
    },
}


class Part(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(max_length=40)
    text: str = ""


class Message(BaseModel):
    """One turn of a chat."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None

    def said(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream is to tell beside the answer."""

    model_config = ConfigDict(extra="ignore")

    include_usage: Switch | None = False


class ChatRequest(BaseModel):
    """A request as chat clients send it; what has no meaning here is passed over."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(max_length=200, json_schema_extra={"enum": list(MODELS)})
    messages: Annotated[
        list[Message],
        Field(min_length=1, max_length=1000, json_schema_extra={"contains": _QUESTION}),
    ]
    stream: Switch | None = False
    stream_options: StreamOptions | None = None

    def question(self) -> str:
        for one in reversed(self.messages):
            said = one.said()
            if one.role == "user" and any(letter.isalnum() for letter in said):
                return said
        raise Refused(422, "there is no message of the user with a question in it")


class Spoken(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str


class Choice(BaseModel):
    index: int = 0
    message: Spoken
    finish_reason: Literal["stop"] = "stop"


class ChatUsage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatAnswer(BaseModel):
    """A whole answer, as chat clients read it."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: ChatUsage


class ModelCard(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["leadline"] = "leadline"


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelCard]


@router.get("/models", summary="The tiers, as models", responses=errors(401, 403, 500))
async def models() -> ModelList:
    """`leadline` lets the planner choose how much a question may cost."""
    return ModelList(data=[ModelCard(id=name) for name in MODELS])


@router.get("/models/{model}", summary="One of them", responses=errors(401, 403, 404, 422, 500))
async def model_card(model: str) -> ModelCard:
    """A tier by its name."""
    _tier(model)
    return ModelCard(id=model)


@router.post(
    "/chat/completions",
    summary="Ask as chat clients do",
    response_model=ChatAnswer,
    responses={
        200: {"content": EVENTS},
        **errors(400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504),
    },
)
async def chat(asked: ChatRequest, desk: AtDesk, caller: By) -> Response:
    """The last message of the user is researched; earlier ones are not read."""
    tier = _tier(asked.model)
    options = {"tier": tier} if tier else {}
    run_id = await desk.start(caller, asked.question(), options)
    if asked.stream:
        usage = bool(asked.stream_options and asked.stream_options.include_usage)
        chunks = _chunks(desk, run_id, asked.model, usage)
        return StreamingResponse(chunks, media_type=STREAM, headers={"x-run-id": run_id})
    response = await _reached(desk, run_id)
    whole = ChatAnswer(
        id=run_id,
        created=int(time.time()),
        model=asked.model,
        choices=[Choice(message=Spoken(content=linked(response)))],
        usage=_usage(response),
    )
    return Response(
        whole.model_dump_json(), media_type="application/json", headers={"x-run-id": run_id}
    )


def _tier(model: str) -> Tier | None:
    if model not in MODELS:
        known = ", ".join(MODELS)
        raise Refused(404, f"no model is called so; there are {known}", type="model_not_found")
    return MODELS[model]


def _usage(response: AgentResponse) -> ChatUsage:
    used = response.usage
    return ChatUsage(
        prompt_tokens=used.prompt_tokens,
        completion_tokens=used.completion_tokens,
        total_tokens=used.prompt_tokens + used.completion_tokens,
    )


async def _reached(desk: Desk, run_id: str) -> AgentResponse:
    response = await desk.response(run_id)
    if not response.reached:
        raise Refused(502, unreached(response), 30.0, run_id=run_id)
    return response


async def _chunks(desk: Desk, run_id: str, model: str, usage: bool) -> AsyncIterator[bytes]:
    """The answer piece by piece; while it is searched for, comments keep the line open."""
    head = {"id": run_id, "object": "chat.completion.chunk", "created": int(time.time())}

    def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({**head, "model": model, "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for _ in desk.waiting(run_id, BEAT_S):
            yield BEAT
        response = await _reached(desk, run_id)
    except LeadlineError as error:
        yield _data(shaped(refusal(error), "/v1/"))
        return
    for piece in pieces(linked(response)):
        yield chunk({"content": piece})
    yield chunk({}, "stop")
    if usage:
        used = _usage(response).model_dump()
        yield _data({**head, "model": model, "choices": [], "usage": used})
    yield b"data: [DONE]\n\n"


def _data(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()
