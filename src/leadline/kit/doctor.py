"""Opens a model, has it examined, and keeps what was found for later runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from leadline.errors import BadInput, ReasonerFailed
from leadline.settings import Settings
from leadline.values import replace

if TYPE_CHECKING:
    import httpx2

    from leadline.models.opening import Wanted
    from leadline.models.probe import Findings, Told
    from leadline.models.profiles import Profile
    from leadline.models.providers import Named

FURTHER = 4  # a server that says too little is tried up to so many times what it claims
LONGEST, LONGEST_PAID = 131_072, 32_768
MOST_MONEY = 0.5  # dollars, unless max_cost is set


@dataclass(frozen=True)
class Examination:
    """One model: what was found, and the profile that is kept of it."""

    found: Findings
    profile: Profile


async def examine(settings: Settings, told: Told, whole_s: float = 0.0) -> list[Examination]:
    """Examine the model that is set, and each that would take over for it.

    Raises `BadInput` when none is set, `ReasonerFailed` with what to do when one does not answer.
    """
    from leadline.models.opening import Wanted, open_client
    from leadline.models.roles import homes_of

    if not settings.model:
        raise BadInput("no model is named; name one with --model, such as ollama:qwen3")
    wanted = Wanted(
        settings.model,
        settings.model_base_url,
        timeout_s=settings.model_timeout_s,
        window=settings.model_window,
        keep_alive=settings.model_keep_alive,
        homes=homes_of(settings),
    )
    done = []
    async with open_client() as client:
        for named in wanted.named:
            told(f"{named.label} at {named.base_url}")
            found = await _examined(named, wanted, settings, client, told, whole_s)
            done.append(Examination(found, _keep(settings, named, found)))
    return done


async def _examined(
    named: Named,
    wanted: Wanted,
    settings: Settings,
    client: httpx2.AsyncClient,
    told: Told,
    whole_s: float,
) -> Findings:
    from leadline.models.judge_exam import told_apart
    from leadline.models.opening import open_one
    from leadline.models.prices import own_prices, price_of
    from leadline.models.probe import WHOLE_S, probe
    from leadline.models.probe_asks import Examined
    from leadline.models.retried import RetriedModel
    from leadline.models.roles import keys_from
    from leadline.purse import Purse
    from leadline.types import Limits

    bare = await open_one(named, wanted, client, keys_from(settings))
    price = price_of(named, own_prices(settings.prices))
    purse = Purse(Limits(max_cost=settings.max_cost or MOST_MONEY), kept=0.0)
    retried = RetriedModel(bare)
    examined = Examined(retried, purse=purse, price=price)
    try:
        found = await probe(
            examined,
            told=told,
            takes_schema=lambda: "schema" not in bare.without,
            ceiling=_ceiling(named, bare.window, paid=examined.paid),
            whole_s=whole_s or WHOLE_S,
        )
        told("judging claims")
        judges = await told_apart(examined, datetime.now(UTC), examined.clock)
        return replace(found, judges=judges)
    except ReasonerFailed as failed:
        raise ReasonerFailed(f"{failed}; {_help(failed, named)}", type=failed.type) from failed


def _ceiling(named: Named, window: int, *, paid: bool) -> int:
    """The longest prompt to try. Ollama is sent the window, so it never holds more."""
    if paid:
        return min(window, LONGEST_PAID)
    further = 1 if named.provider.speech == "ollama" else FURTHER
    return min(window * further, max(window, LONGEST))


def _keep(settings: Settings, named: Named, found: Findings) -> Profile:
    from leadline.models.advice import profile_after
    from leadline.models.profiles import FILE_NAME, Profile, change_profiles

    profile = Profile()

    def after(kept: dict[str, Profile]) -> dict[str, Profile]:
        nonlocal profile
        profile = profile_after(kept.get(named.label, Profile()), found)
        return kept | {named.label: profile}

    change_profiles(settings.data_dir / FILE_NAME, after)
    return profile


def _help(failed: ReasonerFailed, named: Named) -> str:
    """What the user can do about a model that does not answer."""
    ollama = named.provider.name == "ollama"
    if failed.type == "unreachable":
        start = "start it with: ollama serve" if ollama else "start its server"
        return f"{start}, or say where it is with --base-url"
    if failed.type == "missing" and ollama:
        return f"get it with: ollama pull {named.model}"
    if failed.type == "timeout":
        return "allow it more time with RESEARCH_MODEL_TIMEOUT_S"
    return "see docs/doctor.md"
