"""What a run thinks with: the models of its settings, each in its role, or none at all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.errors import BadInput, StoreBroken
from leadline.kit.documents import embedder, kept_reader
from leadline.kit.stores import open_book
from leadline.ports import Judge, Model, Pilot, Reasoner, Run
from leadline.settings import Settings, limits
from leadline.types import AgentResponse, Call, Limits, Tier
from leadline.values import replace

if TYPE_CHECKING:
    import httpx2

    from leadline.models.choice import Choice
    from leadline.models.kept import CallBook
    from leadline.models.opening import Till, Wanted
    from leadline.models.roles import Role
    from leadline.purse import Price
    from leadline.research.revise import Editing
    from leadline.write.ask_model import Ways

log = logging.getLogger(__name__)
THINKING: tuple[Role, ...] = ("planner", "producer", "compressor")


@dataclass(frozen=True)
class Minds:
    """The reasoner of a run, the one without a model behind it, and where calls are paid."""

    reasoner: Reasoner
    plain: Reasoner
    till: Till | None = None
    bill: Callable[[], tuple[Call, ...]] = tuple
    judge: Judge | None = None  # the evaluator's word on claims in doubt
    editing: Editing | None = None  # who scores the report, and who mends it
    pilot: Pilot | None = None  # steers a run of agent mode


def uses_model(settings: Settings) -> bool:
    """Whether a run with these settings asks a model."""
    if settings.no_model:
        return False
    from leadline.models.roles import any_set

    return any_set(settings)


def reasoner_name(settings: Settings) -> str:
    """Which reasoner will answer with these settings."""
    from leadline.write.extractive import ExtractiveReasoner

    if not uses_model(settings):
        return ExtractiveReasoner.name
    names = [settings.model, settings.planner_model, settings.producer_model]
    return " + ".join(dict.fromkeys(name for name in names if name)) or ExtractiveReasoner.name


async def decide(settings: Settings, web: bool) -> tuple[Settings, Choice]:
    """The settings with a model where one can be found, and why it is that one.

    Where only documents are searched nothing is looked for: that would open a socket.
    """
    from leadline.models.choice import NO_MODEL, Choice

    if settings.no_model:
        return settings, Choice("", "no model is to be used; leave out no_model to use one")
    from leadline.models.roles import any_to_choose, choose, keys_from

    if uses_model(settings):
        return settings, Choice(reasoner_name(settings), "it is set")
    if not web:
        return settings, Choice("", "documents alone need none; name one with --model to use it")
    if not await any_to_choose(keys_from(settings)):
        return settings, NO_MODEL
    from leadline.models.opening import open_client

    async with open_client() as client:
        choice = await choose(settings, keys_from(settings), client)
    return settings.but(model=choice.model), choice


def unasked(settings: Settings, web: bool) -> Settings:
    """The settings with the model that a key stands for; nobody is asked, so no local one."""
    if settings.no_model or uses_model(settings) or not web:
        return settings
    from leadline.models.roles import by_key, keys_from

    return settings.but(model=by_key(keys_from(settings)))


def price(settings: Settings) -> Price | None:
    """What the tokens of the model that writes cost; None where there is no model."""
    if not uses_model(settings):
        return None
    from leadline.models.prices import own_prices, price_of
    from leadline.models.roles import wanted_for

    wanted = wanted_for(settings, "producer")
    return price_of(wanted.named[0], own_prices(settings.prices)) if wanted else None


def check_models(settings: Settings) -> None:
    """See before a run that what is said of its models can be right; `BadInput` says what not."""
    if settings.prompts:  # also where they are not asked with: the folder may be mistyped
        from leadline.prompts import check

        check(settings.prompts)
    if not uses_model(settings):
        return
    from leadline.models.prices import check_prices, own_prices, price_of
    from leadline.models.providers import key_of
    from leadline.models.roles import ROLES, keys_from, wanted_for

    own, keys = own_prices(settings.prices), keys_from(settings)
    wanted = [wanted_for(settings, role) for role in ROLES]
    named = {one.label: one for each in wanted if each for one in each.named}
    for one in named.values():
        key_of(one, keys)
    if settings.max_cost:
        check_prices({label: price_of(one, own) for label, one in named.items()}, settings.max_cost)


def check_agent(settings: Settings) -> None:
    """Agent mode needs a model that writes; `BadInput` where there is none."""
    if not settings.agent:
        return
    from leadline.models.roles import wanted_for

    if not uses_model(settings) or wanted_for(settings, "producer") is None:
        raise BadInput(
            "agent mode needs a language model, and there is none: name one with --model "
            "PROVIDER:NAME or RESEARCH_MODEL, or leave out --agent"
        )


async def open_minds(settings: Settings, run: Run | None, stack: AsyncExitStack) -> Minds:
    """What a run with these settings thinks with. Raises `BadInput` for what cannot be right."""
    from leadline.write.extractive import ExtractiveReasoner

    reader = kept_reader(settings, stack)
    plain = ExtractiveReasoner(embedder(), reader)
    if run is None or not uses_model(settings):
        return Minds(plain, plain)
    from leadline.write.ask_model import Ways
    from leadline.write.by_model import ModelReasoner

    check_models(settings)
    check_agent(settings)
    cast = _Cast(settings, run, stack)
    models: dict[str, Model] = {}
    for role in THINKING:
        if (model := await cast.open(role)) is not None:
            models[role] = model
    ways = Ways(
        today=run.started,
        salt=str(run.seed),
        prompts=settings.prompts,
        seconds=_limits(settings).max_execution_time_s,
        temperature=cast.temperature,
    )
    plans = cast.plans()
    thinker = ModelReasoner(models, plain, embedder(), ways, plans=plans, reader=reader)
    reasoner = thinker if models else plain
    critic = await cast.open("evaluator")
    return Minds(
        reasoner,
        plain,
        cast.till,
        cast.book.calls,
        _judge(critic if settings.evaluator_model else None, ways, examined=cast.can_judge()),
        _editing(settings, critic, models.get("producer"), ways),
        _pilot(settings, models.get("producer"), ways),
    )


def _judge(critic: Model | None, ways: Ways, *, examined: bool) -> Judge | None:
    """The model that is asked about single claims: the evaluator's, where one is named for it.

    The model that wrote a claim is no judge of it, and would be asked up to thirty times.
    """
    from leadline.write.judging import ModelJudge

    if critic is None:
        return None
    return ModelJudge(critic, ways, examined=examined)


def _editing(
    settings: Settings, critic: Model | None, producer: Model | None, ways: Ways
) -> Editing | None:
    """One model scores and another mends; nothing is revised where either is lacking."""
    from leadline.research.revise import Editing
    from leadline.write.evaluating import ModelEvaluator, ModelReviser

    if not settings.revise or critic is None or producer is None:
        return None
    return Editing(settings.revise, ModelEvaluator(critic, ways), ModelReviser(producer, ways))


def _pilot(settings: Settings, producer: Model | None, ways: Ways) -> Pilot | None:
    """The model that steers, in agent mode: the one that writes."""
    if not settings.agent or producer is None:
        return None
    from leadline.write.pilot import ModelPilot

    return ModelPilot(producer, ways)


def _limits(settings: Settings) -> Limits:
    """Tokens and money do not depend on the tier; the time is that of the usual one."""
    return limits(settings, settings.tier or Tier.STANDARD)


class _Cast:
    """Opens the model of each role over one client, one purse and one book."""

    def __init__(self, settings: Settings, run: Run, stack: AsyncExitStack) -> None:
        from leadline.models.opening import Till, open_client
        from leadline.models.prices import own_prices
        from leadline.models.profiles import FILE_NAME, read_profiles
        from leadline.models.roles import keys_from
        from leadline.purse import Purse

        self._settings = settings
        self._profiles = read_profiles(settings.data_dir / FILE_NAME)
        self._keys = keys_from(settings)
        own = own_prices(settings.prices)
        self.book: CallBook = open_book(settings, run.id)
        self._client: httpx2.AsyncClient = open_client()
        stack.callback(self._end)
        stack.push_async_callback(self._client.aclose)
        purse = Purse(_limits(settings))
        purse.recall(self.book.spent())
        self.till: Till = Till(purse, own, self.book)
        self._windows: dict[str, int] = {}

    def temperature(self, role: str, default: float) -> float:
        from leadline.models.roles import ROLES, temperature_of

        known = {str(one): one for one in ROLES}
        return temperature_of(self._settings, known[role], default)

    def plans(self) -> bool:
        """Whether a model adds to the queries that rules make, and reflects."""
        from leadline.models.roles import plans

        return plans(self._settings, self._profiles)

    def can_judge(self) -> bool:
        """Whether the evaluator passed its examination by `leadline doctor`."""
        from leadline.models.judge_exam import BAR
        from leadline.models.roles import wanted_for

        wanted = wanted_for(self._settings, "evaluator")
        profile = self._profiles.get(wanted.named[0].label) if wanted else None
        return profile is not None and (profile.judges or 0.0) >= BAR

    async def open(self, role: Role) -> Model | None:
        """The model that plays a role, asked each thing once; None where none does."""
        from leadline.models.kept import KeptModel, Size
        from leadline.models.opening import open_model

        wanted = self._sized(role)
        if wanted is None:
            return None
        model = await open_model(
            wanted,
            self._client,
            role=role,
            keys=self._keys,
            till=self.till,
        )
        self._windows[_place(wanted)] = model.window
        size = Size(model.window, model.chars_per_token)
        await asyncio.to_thread(self.book.note_size, role, size)
        return KeptModel(model, role, self.book)

    def _sized(self, role: Role) -> Wanted | None:
        """What the settings say, with what an earlier life of the run found out."""
        from leadline.models.roles import wanted_for

        wanted = wanted_for(self._settings, role, profiles=self._profiles)
        if wanted is None:
            return None
        if size := self.book.size(role):
            return replace(wanted, window=size.window, chars_per_token=size.chars_per_token)
        return replace(wanted, window=wanted.window or self._windows.get(_place(wanted), 0))

    def _end(self) -> None:
        """What was learnt about the models is for the next run; then the book is closed.

        A disk that is full now is no reason to lose the report, which is made.
        """
        from leadline.models.profiles import FILE_NAME, change_profiles, learnt

        calls = self.book.calls()
        try:
            path = self._settings.data_dir / FILE_NAME
            change_profiles(path, lambda kept: learnt(kept, calls))
        except StoreBroken as error:
            log.warning("what was learnt about the models is not kept: %s", error)
        self.book.close()


def _place(wanted: Wanted) -> str:
    return f"{wanted.model} {wanted.base_url}"


def billed(response: AgentResponse, calls: tuple[Call, ...]) -> AgentResponse:
    """The response with every call that was paid for, also those that a deadline cut short."""
    if len(calls) <= len(response.calls):
        return response
    usage = replace(
        response.usage,
        calls=len(calls),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        cost=sum(call.cost for call in calls),
    )
    return replace(response, calls=calls, usage=usage)
