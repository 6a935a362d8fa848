"""The bodies of requests and answers; OpenAPI is made of them.

The body of `POST /run` has every setting that a request may change, with its own bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from leadline.fields.setting import Setting
from leadline.fields.web import DAY, DOMAIN
from leadline.ports import RunInfo, RunStatus
from leadline.search.registry import PROVIDERS
from leadline.service.asked import MODEL_SHAPE, open_settings
from leadline.settings import MAX_TASK_CHARS, Settings
from leadline.types import Tier

RUN_ID = r"^[0-9A-Za-z_-]{1,64}$"
# What `check_task` asks for, as OpenAPI can say it; the check itself has the better words.
TASK_SHAPE = r"^[^\x00]*[\p{L}\p{N}][^\x00]*$"
Task = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_TASK_CHARS,
        description="The question to research.",
        json_schema_extra={"pattern": TASK_SHAPE},
    ),
]
Switch = Annotated[bool, Field(strict=True)]


class Body(BaseModel):
    """A request's body: what it does not know it refuses."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ErrorResponse(BaseModel):
    """What every failed request gets."""

    type: str = Field(description="One word for what was wrong.")
    message: str = Field(description="What was wanted, what was got, what to do.")
    retryable: bool = Field(description="Whether the same request may succeed later.")
    run_id: str | None = Field(default=None, description="The run that is kept, if there is one.")
    error: dict[str, Any] | None = Field(
        default=None, description="The same for clients of the OpenAI interface; under /v1 alone."
    )


def _own(name: str) -> tuple[Any, Any]:
    """A setting as a field of a request: its own type and bounds, and it may be left out.

    Numbers and switches are taken as they are written, never out of text; what words may be, the
    reference says and `asked.settled` checks.
    """
    field = Settings.declared[name]
    kind = _bounded(field) | None
    if name == "seed":  # what every JSON reader can hold
        kind = Annotated[int, Field(ge=0, le=2**53 - 1)] | None
    if field.kind is int:
        kind = Annotated[kind, BeforeValidator(_number)]
    strict = True if field.kind in (bool, float) else None
    extra = _SHAPES.get(name)
    return kind, Field(
        default=None, strict=strict, description=field.description, json_schema_extra=extra
    )


def _bounded(field: Setting) -> Any:
    """The type of a setting with its bounds as pydantic has them."""
    kind = Annotated[float, Field(allow_inf_nan=False)] if field.kind is float else field.kind
    for one in field.bounds:
        said = {"ge": one.ge, "gt": one.gt, "le": one.le, "pattern": one.pattern or None}
        said |= {"min_length": one.min_length, "max_length": one.max_length}
        held: dict[str, Any] = {word: value for word, value in said.items() if value is not None}
        kind = Annotated[kind, Field(**held)]
        if one.check is not None:
            kind = Annotated[kind, AfterValidator(one.check)]
    return kind


def _number(value: object) -> object:
    """JSON's 2 and 2.0 are whole numbers; "2" and true are not."""
    if isinstance(value, bool | str):
        raise ValueError("must be a whole number")
    return value


def _shape(**told: Any) -> Callable[[dict[str, Any]], None]:
    """Says more of a setting's words than its type does."""

    def tell(schema: dict[str, Any]) -> None:
        for one in schema["anyOf"]:
            if "items" in one:
                one["items"] |= told
            elif one.get("type") == "string":
                one.update(told)

    return tell


_SHAPES: dict[str, Callable[[dict[str, Any]], None]] = {
    "search_providers": _shape(enum=list(PROVIDERS)),
    **{name: _shape(pattern=DAY) for name in ("since", "until")},
    **{name: _shape(pattern=DOMAIN) for name in open_settings() if name.endswith("_domains")},
    **{
        name: _shape(pattern=MODEL_SHAPE)
        for name in open_settings()
        if Settings.declared[name].kind is str and name.endswith("model")
    },
}


_OPTIONS: dict[str, Any] = {name: _own(name) for name in open_settings()}


class Options(Body):
    """The settings that a request may change; what is left out is as the service has it."""

    def options(self) -> dict[str, Any]:
        """The settings that were given, by name."""
        given = {name: getattr(self, name) for name in _OPTIONS if name in self.model_fields_set}
        tier = getattr(self, "complexity_tier", None)
        if tier is not None:
            given["tier"] = tier
        return {name: value for name, value in given.items() if value is not None}


Settable = create_model("Settable", __base__=Options, **_OPTIONS)


class RunRequest(Settable):
    """`POST /run`."""

    task: Task
    complexity_tier: Tier | None = Field(
        default=None, description="How much the question may cost; wins over `tier`."
    )
    stream: Switch = Field(default=False, description="Answer with server-sent events.")
    async_: Switch = Field(
        default=False, alias="async", description="Answer at once with the id of the run."
    )


class SimpleRequest(Body):
    """`POST /run-simple`: a question and nothing else."""

    task: Task


class EstimateRequest(Settable):
    """`POST /estimate`."""

    task: Task
    complexity_tier: Tier | None = Field(default=None, description="Wins over `tier`.")


class ForkRequest(Settable):
    """`POST /runs/{id}/fork`."""

    step: str = Field(
        min_length=1,
        max_length=60,
        description="First step to do anew, such as write.",
        alias="from",
    )


class AskRequest(Body):
    """`POST /runs/{id}/ask`."""

    question: Task
    update: Switch = Field(default=False, description="Write the report anew with what is found.")


class Job(BaseModel):
    """A run that was begun."""

    run_id: str
    status: RunStatus
    links: dict[str, str] = Field(description="Where to look: run, events, report.")


class RunItem(BaseModel):
    """A run as a list shows it."""

    id: str
    task: str
    status: RunStatus
    created_at: datetime
    updated_at: datetime
    stop_reason: str
    steps: int
    reason: str
    forked_from: str

    @classmethod
    def of(cls, info: RunInfo) -> RunItem:
        return cls(**{name: getattr(info, name) for name in cls.model_fields})


class RunList(BaseModel):
    """`GET /runs`."""

    runs: list[RunItem]


class RunDetail(BaseModel):
    """`GET /runs/{id}`: the run, its searches, and its response where it has one."""

    run: RunItem
    settings: dict[str, Any]
    searches: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    response: dict[str, Any] | None = Field(description="An AgentResponse, once finished.")


class Health(BaseModel):
    """`GET /health`: the process answers."""

    status: Literal["ok"] = "ok"
    version: str


class Check(BaseModel):
    """One thing that a service needs."""

    name: str
    ok: bool
    detail: str


class Ready(BaseModel):
    """`GET /ready`: whether runs can be begun."""

    ready: bool
    checks: list[Check]
    running: int


class SearchAnswer(BaseModel):
    """`GET /search`: the hits of one query, as the loop would get them."""

    query: str
    provider: str
    cached: bool
    hits: list[dict[str, Any]]
    notes: list[dict[str, Any]]


def job_of(info: RunInfo) -> Job:
    """A begun run with where to look."""
    base = f"/runs/{info.id}"
    links = {"run": base, "events": f"{base}/events", "report": f"{base}/report.md"}
    return Job(run_id=info.id, status=info.status, links=links)
