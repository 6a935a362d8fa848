"""The seams: what the loop asks of the world, as Protocols that adapters satisfy by shape.

An adapter translates and nothing else; retries, caches and limits are wrappers put around it by
`kit`. A stand-in for each port is in `leadline.fakes`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from leadline.types import (
    Ask,
    Batch,
    Completion,
    Draft,
    Grade,
    Hit,
    Issue,
    Kept,
    Knowledge,
    Limits,
    Loss,
    Move,
    Novelty,
    Observation,
    Opinion,
    Page,
    Passage,
    Patches,
    Plan,
    Query,
    Recall,
    Reflection,
    Sentence,
    SoFar,
    State,
    Tier,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

T = TypeVar("T")
A = TypeVar("A")


class Reasoner(Protocol):
    """What thinks. The loop cannot tell a language model from the extractive reasoner."""

    name: str

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan: ...

    async def plan_query(self, state: State) -> Reflection:
        """One new query at most, towards what is still missing."""

    async def reflect(self, state: State) -> Reflection: ...

    async def compress(
        self, task: str, knowledge: Knowledge, hits: Sequence[Hit], max_chars: int
    ) -> Knowledge: ...

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        """How new the findings are, for the gate that asks a model."""

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft: ...


class Model(Protocol):
    """A language model. Raises `ReasonerFailed` when it gives nothing, `BudgetSpent` before a call
    that would pass a limit."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int:
        """Tokens that a prompt and its answer may take together."""

    @property
    def chars_per_token(self) -> float:
        """How many characters of plain English this model makes one token of."""

    async def complete(self, ask: Ask) -> Completion: ...

    def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        """The answer piece by piece as it is written; last of all, the whole `Completion`.

        Close it (`contextlib.aclosing`) when you stop before its end: the model stops too.
        """


class Searcher(Protocol):
    """Finds. Raises `SourceLost` when it cannot; an empty tuple means there is nothing."""

    name: str

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]: ...


Find = Callable[[Query, int], Awaitable[Batch]]
"""One search as the wrappers pass it on: the batch says how it went. Raises `SourceLost`."""


class Cache(Protocol):
    """Keeps the answers of searches. One call at a time makes an answer that many want."""

    async def once(
        self,
        provider: str,
        query: str,
        params: Mapping[str, str | int],
        make: Callable[[], Awaitable[tuple[Hit, ...]]],
    ) -> tuple[tuple[Hit, ...], bool]:
        """The hits, and whether they were here already. What `make` raises is never kept."""


class Fetcher(Protocol):
    """Brings the whole page a hit points at. Raises `SourceLost`."""

    async def fetch(self, hit: Hit) -> Page: ...


class Sight(Protocol):
    """Says what an image shows: its text, its data, its layout, for the task that names it.

    Raises `SourceLost` when nothing can be made of the image, `ReasonerFailed` as a model does.
    """

    async def see(self, image: bytes, task: str, today: datetime) -> str: ...


Look = Callable[[str, str, datetime], Awaitable[str]]
"""What the image at a path shows, for a task, on a day. Raises `SourceLost`."""


class Reader(Protocol):
    """Turns the bytes of one format into text. Raises `SourceLost` for what it cannot read."""

    suffixes: tuple[str, ...]

    def read(self, data: bytes, name: str) -> Page: ...


class Embedder(Protocol):
    """Texts to unit vectors, one row a text."""

    name: str
    dim: int

    def embed(self, texts: Sequence[str]) -> Matrix: ...


class PassageReader(Protocol):
    """A learned reader: vectors of texts, and whether a text answers a question."""

    name: str

    def embed(self, texts: Sequence[str]) -> Matrix: ...

    def score_answers(self, question: str, texts: Sequence[str]) -> Matrix:
        """One number a text, "heading: text"; the higher, the better it answers."""


class Memory(Protocol):
    """What earlier runs found. Neither raises: what went wrong is told in what it returns."""

    async def recall(self, task: str, today: datetime) -> Recall: ...

    async def remember(self, observation: Observation) -> Kept: ...


class Judge(Protocol):
    """A language model's word on what code cannot tell. Raises `ReasonerFailed`, `BudgetSpent`."""

    name: str
    examined: bool  # only then its verdicts count

    async def judge(self, task: str, claims: Mapping[str, Sequence[str]]) -> tuple[Opinion, ...]:
        """An opinion of each claim, in an answer to `task`: whether its sentences say it."""

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        """`claim` as the evidence has it, in `text`; "" when it says nothing of it."""

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        """So many further items, one a line with its `[n]`."""


class Evaluator(Protocol):
    """A language model's opinion of a whole report: five scores, and what fails, each item by the
    number of a sentence, 0 where something is missing. Raises `ReasonerFailed`, `BudgetSpent`."""

    async def evaluate(self, task: str, sentences: Sequence[Sentence]) -> Grade: ...


class Reviser(Protocol):
    """What mends the sentences that failed items name. Raises as a model does."""

    async def revise(
        self,
        task: str,
        sentences: Sequence[Sentence],
        issues: Sequence[Issue],
        passages: Sequence[Passage],
    ) -> Patches: ...


class Pilot(Protocol):
    """A language model that steers a run by calling tools until it can answer.

    It does not raise: a move without calls and without an answer says why in `made`.
    """

    name: str

    async def decide(self, so_far: SoFar) -> Move: ...


@dataclass(frozen=True)
class Helm:
    """What a run that a model steers needs beside its kit: the model, and what it may search.

    `steps` are the moves that it may make, the answer included.
    """

    pilot: Pilot
    steps: Mapping[Tier, int]
    docs: Find | None = None
    web: Find | None = None


@dataclass(frozen=True)
class Row:
    """One finished step: the journal, the event stream and the trace are made of these."""

    seq: int
    name: str
    started_at: datetime
    finished_at: datetime
    elapsed: float  # active seconds of the run when the step had finished
    value: Any  # the step's result as JSON
    error: str = ""
    child: str = ""  # the child run whose step it was; "" for the run itself
    what: str = ""  # the page, search or image that was lost


Begun = Callable[[], Awaitable[T]]  # a step under way: call it and wait, once, for its result


class Run(Protocol):
    """Do once, write down, read back after a crash.

    Time, ids and randomness come from here, so that the same inputs give the same report. What a
    step returns is decoded from its journal row, also the first time, so a resumed run cannot
    differ from an undisturbed one. The result type is the annotated return type of `do`. Steps are
    told apart by the order in which they are asked for (not awaited), so that order may depend on
    nothing but the results of earlier steps, `elapsed` and `dice`.

    `SourceLost`, `BudgetSpent` and `ReasonerFailed` are outcomes: written down and raised again
    on replay. Any other error ends the run without a row, so that a resumed run tries again.
    """

    id: str
    started: datetime
    seed: int

    @property
    def elapsed(self) -> float:
        """Active seconds as of the last finished step; the same again when replayed."""

    def limit(self, limits: Limits) -> None:
        """From now on steps end in time for the reserve, and last steps at the deadline."""

    async def step(self, name: str, do: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run `do(*args)` once ever. Raises `BudgetSpent` when the time for it ran out."""

    async def last_step(self, name: str, do: Callable[..., Awaitable[T]], *args: Any) -> T:
        """A step of writing the report: it may use the time kept back, and always starts."""

    async def each(
        self, name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A]
    ) -> list[T | Loss]:
        """One step an item, at the same time; results in the order of the items.

        An item that is lost, or that time ran out for, is a `Loss`; the others keep their results.
        """

    def begin_step(self, name: str, do: Callable[..., Awaitable[T]], *args: Any) -> Begun[T]:
        """`step`, begun now and waited for later: other steps go on meanwhile."""

    def begin_each(
        self, name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A]
    ) -> Begun[list[T | Loss]]:
        """`each`, begun now and waited for later: for pages, which are waited for a few seconds
        even when the report is wanted now."""

    async def aside(self, name: str, do: Callable[..., Awaitable[T]], *args: Any) -> T:
        """A step that waits for a person: its seconds are not the run's."""

    def child(self, name: str) -> Run:
        """The run of that name within this one, always the same.

        Its steps are told apart by its own order, so that children may go on at the same time;
        they are written among this run's rows. Time, seed and limits are this run's.
        """

    async def split(self, do: Callable[[Run, A], Awaitable[T]], items: Sequence[A]) -> list[T]:
        """`do` for each item at the same time, each with a child (`1`, `2` …) to record it in."""

    def dice(self, *key: str | int) -> Random:
        """A generator that depends on the seed, the key and which child it is alone."""


RunStatus = Literal["running", "interrupted", "queued", "finished", "failed", "cancelled"]


@dataclass(frozen=True)
class RunInfo:
    """A run as a list shows it. `reason` says why a failed one failed."""

    id: str
    task: str
    status: RunStatus
    created_at: datetime
    updated_at: datetime
    stop_reason: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    reason: str = ""
    mendable: bool = False  # it failed by what the user gave or did
    forked_from: str = ""  # the run whose first steps it took over
    owner: str = ""  # whose run it is, where a service says so

    @property
    def unfinished(self) -> bool:
        """Whether `resume` would go on with it."""
        return self.status in ("interrupted", "failed", "cancelled")


class Engine(Protocol):
    """Keeps runs: start, follow, list, cancel, resume. `store/engine.py` outside tests.

    `settings` is plain JSON and is kept with the run; its `seed` seeds the dice. An unknown id
    raises `RunNotFound`, a store that cannot be used `StoreBroken`.
    """

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        """Begin a run in this process and return its id. An id in use raises `BadInput`."""

    async def result(self, run_id: str) -> Any:
        """Wait for what the run returns. Raises `RunStopped` when it ends without a result,
        `RunRefused` where that was by what it was given."""

    def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Row]:
        """The rows after `after` as they are written, until the run stops."""

    async def rows(self, run_id: str) -> list[Row]:
        """The rows written so far, in the order in which their steps finished."""

    async def records(self, run_id: str) -> Mapping[tuple[str, int], Any]:
        """Each step as it is kept (`results.Record`), by its `results.Place`."""

    async def list(self, limit: int = 50) -> list[RunInfo]:
        """The newest runs first."""

    async def info(self, run_id: str) -> RunInfo: ...

    async def find_unfinished(self, task: str, settings: dict[str, Any]) -> RunInfo | None:
        """The newest run of this task and these settings that `resume` would go on with."""

    async def cancel(self, run_id: str) -> None:
        """Stop a run wherever it is; what it has stays. A finished one raises `BadInput`."""

    async def resume(self, run_id: str) -> None:
        """Go on with an unfinished run in this process; a finished one is left as it is.

        Raises `BadInput` when another process is at it, or its steps are of another version.
        """

    async def fork(self, run_id: str, step: str, settings: dict[str, Any], new_id: str) -> str:
        """Begin a run that takes over what another did before its first step called `step`.

        It goes on from there with `settings`; the other stays as it is. Raises `BadInput` when
        there is no such step, or the settings would have led elsewhere before it.
        """

    async def close(self) -> None:
        """Let go: runs of this process stop and can be resumed."""
