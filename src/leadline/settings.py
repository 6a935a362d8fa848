"""Every setting there is, and the only code that reads the environment or `leadline.toml`.

A value comes from the default, then the file, then a `RESEARCH_*` variable, then the flag or the
request; later wins. A wrong one is refused here, before anything is spent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Self, get_origin

from leadline.errors import BadInput
from leadline.fields.addresses import bare
from leadline.fields.checking import fitting
from leadline.fields.files import absolute, beside, flat
from leadline.fields.flags import flag_of
from leadline.fields.guard import GuardFields
from leadline.fields.images import ImageFields
from leadline.fields.memory import MemoryFields
from leadline.fields.models import OTHER_NAMES as MODEL_NAMES
from leadline.fields.models import ModelFields
from leadline.fields.otel import OtelFields
from leadline.fields.own import OwnNames, is_key, own_value, providers_in, refuse_unknown
from leadline.fields.queue import QueueFields
from leadline.fields.run import RunFields
from leadline.fields.secret import SecretText
from leadline.fields.serve import ServeFields
from leadline.fields.setting import setting
from leadline.fields.trust import ConfigFile, TrustedFiles, log_left_out, open_config
from leadline.fields.web import WebFields
from leadline.types import Doors, Limits, Rules, Tier

CONFIG_NAME = "leadline.toml"
PREFIX = "RESEARCH_"
MAX_TASK_CHARS = 20_000

LogLevel = Literal["debug", "info", "warning", "error"]

# Other names under which a setting may stand in the environment.
_OTHER_NAMES = {"HARNESS_CHUNK_BUDGET": "chunk_budget"} | MODEL_NAMES
_PATHS = frozenset({"data_dir", "docs", "prompts", "keys_file", "image_folders", "serve_folders"})
# Where things lie and how loudly they are told does not change a report.
_NOT_OF_THE_RUN = frozenset(
    {
        "data_dir",
        "log_level",
        "keys_file",
        "search_concurrency",
        "search_per_second",
        *ServeFields.declared,
        *QueueFields.declared,
        *OtelFields.declared,
    }
)


def calm_math() -> None:
    """One thread for numpy's products, unless the user says otherwise; before numpy is loaded.

    Ours are small: on two cores a question took 4.2 s of processor time with threads, 2.8 without.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def default_data_dir(env: Mapping[str, str] = os.environ) -> Path:
    """Where the platform keeps a program's data."""
    shared = Path(env.get("XDG_DATA_HOME", ""))
    if shared.is_absolute():
        return shared / "leadline"
    try:
        return Path(env.get("HOME") or Path.home()) / ".local" / "share" / "leadline"
    except RuntimeError as error:
        raise BadInput(f"{error}; say where to keep data with RESEARCH_DATA_DIR") from error


class Settings(
    GuardFields,
    ImageFields,
    MemoryFields,
    ModelFields,
    WebFields,
    OtelFields,
    QueueFields,
    RunFields,
    ServeFields,
):
    """All settings, frozen. Make one with `load`, or by keyword in code."""

    data_dir: Path = setting(
        default_factory=default_data_dir,
        needs_trust="yes",
        description="Folder for everything that runs leave behind: runs, indexes, logs.",
    )
    log_level: LogLevel = setting(default="info", description="How much the log file is told.")

    @property
    def own(self) -> Mapping[str, str | SecretText]:
        """What search providers of the user's own take. Of the machine, as their code is."""
        given: Mapping[str, str | SecretText] = self.__dict__.get("_own", {})
        return given

    def with_own(self, own: Mapping[str, str | SecretText]) -> Self:
        """The same with these values for providers of the user's own."""
        return self._of(self.__dict__ | {"_own": dict(own)})

    def values(self) -> dict[str, object]:
        """Every setting by name, and those of the user's own providers."""
        return {**super().values(), **self.own}

    def public(self) -> dict[str, Any]:
        """What is stored with a run, as JSON: everything that can change its report."""
        left_out = _of_the_machine()
        return {name: _plain(getattr(self, name)) for name in self.declared if name not in left_out}

    @classmethod
    def restore(cls, stored: Mapping[str, Any], now: Settings) -> Self:
        """The settings of a stored run, with today's folder, log level and keys."""
        held, other = {name: getattr(now, name) for name in _of_the_machine()}, {}
        for name, value in stored.items():
            if name in held or name not in cls.declared:
                continue
            # Mostly it is as it is now, the secret in its address too: nothing to check again.
            if value == _plain(today := getattr(now, name)):
                held[name] = today
            else:
                other[name] = value
        return cls._of(held | cls._fitting(other)).with_own(now.own)


def is_secret(name: str) -> bool:
    """Whether a setting is a key, which is never stored or shown."""
    one = Settings.declared.get(name)
    return is_key(name) if one is None else isinstance(one.default, SecretText)


def _of_the_machine() -> frozenset[str]:
    """What is not stored with a run: where things lie, how loudly they are told, and keys."""
    return _NOT_OF_THE_RUN | {name for name in Settings.declared if is_secret(name)}


def _plain(value: object) -> Any:
    """A value as JSON has it; what is secret in an address is left out."""
    if isinstance(value, tuple):
        return [str(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return bare(str(value)) if isinstance(value, str | Path) else value


# ── by tier ─────────────────────────────────────────────────────────────────────────────────

BY_TIER: dict[str, dict[Tier, int]] = {
    "max_iters": {Tier.SIMPLE: 2, Tier.STANDARD: 5, Tier.DEEP: 10},
    "max_queries": {Tier.SIMPLE: 3, Tier.STANDARD: 10, Tier.DEEP: 15},
    "max_sources": {Tier.SIMPLE: 5, Tier.STANDARD: 15, Tier.DEEP: 20},
    "max_execution_time_s": {Tier.SIMPLE: 60, Tier.STANDARD: 90, Tier.DEEP: 120},
    "url_enrich_count": {Tier.SIMPLE: 2, Tier.STANDARD: 5, Tier.DEEP: 8},
    "agent_max_steps": {Tier.SIMPLE: 6, Tier.STANDARD: 12, Tier.DEEP: 20},
}


# A model takes longer over a report than quoting does, a local one most of all.
_MODEL_REPORT = {"report_s": 60.0, "report_share": 0.4}


def doors(settings: Settings) -> Doors | None:
    """What is done with orders in text from outside; None where nothing is scanned."""
    if not settings.scan:
        return None
    return Doors(
        results=settings.scan_results,
        pages=settings.scan_pages,
        documents=settings.scan_documents,
        images=settings.scan_images,
        memory=settings.scan_memory,
    )


def limits(settings: Settings, tier: Tier) -> Limits:
    """The ceilings of a run of this tier; what the user set wins over the tier."""
    return Limits(
        max_iters=_or_tier(settings, "max_iters", tier),
        max_queries=_or_tier(settings, "max_queries", tier),
        max_sources=_or_tier(settings, "max_sources", tier),
        max_execution_time_s=float(_or_tier(settings, "max_execution_time_s", tier)),
        token_budget=settings.token_budget,
        max_cost=settings.max_cost,
        **(_MODEL_REPORT if settings.writes_with_model else {}),
    )


def rules(settings: Settings, tier: Tier) -> Rules:
    """The numbers that the steps and policies of a run of this tier go by."""
    return Rules(
        policy=settings.policy,
        gate=settings.gate,
        stop_rule=settings.stop_rule,
        novelty_threshold=settings.novelty_threshold,
        novelty_epsilon=settings.novelty_epsilon,
        knowledge_max_chars=settings.knowledge_max_chars,
        searches_per_task=settings.searches_per_task,
        max_search_rounds=settings.max_search_rounds,
        queries_per_round=settings.queries_per_round,
        results_per_search=settings.results_per_search,
        url_enrich_count=_or_tier(settings, "url_enrich_count", tier),
        chunk_budget=settings.chunk_budget,
        page_max_chars=settings.page_max_chars,
        context_chars=settings.context_chars,
        domain_quota=settings.domain_quota,
        subtasks=settings.subtasks,
        compact_tokens=settings.compact_tokens,
        compact_keep=settings.compact_keep,
    )


def agent_steps(settings: Settings, tier: Tier) -> int:
    """Moves that a model may make in a run that it steers, its answer included."""
    return _or_tier(settings, "agent_max_steps", tier)


def _or_tier(settings: Settings, name: str, tier: Tier) -> int:
    given: int | None = getattr(settings, name)
    return BY_TIER[name][tier] if given is None else given


# ── loading ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Layer:
    """Values of one origin; `where` says in an error where a value was given."""

    values: dict[str, Any]
    where: dict[str, str]
    strict: bool = False  # a file has types of its own; a variable or a flag is only text
    own: Mapping[str, str | SecretText] = field(default_factory=dict)


def load(
    config: Path | None = None,
    env: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    flags: bool = False,
    tell: Callable[[ConfigFile], None] = log_left_out,
) -> Settings:
    """Settings from all four origins; a wrong value is `BadInput` that names it and its origin.

    `config` names a file that must exist; without it `leadline.toml` of the current folder is read
    where there is one, and counts as far as it is trusted. `overrides` are the options of a
    request; with `flags`, of a command. `tell` is given the file that is in use.
    """
    variables = os.environ if env is None else env
    known = Settings.declared
    file = open_config(config, Path(CONFIG_NAME), lambda: trusted_files(variables), known)
    text = variables.get(f"{PREFIX}SEARCH_PROVIDERS", "")
    named = OwnNames(providers_in(file.tables, text, overrides or {}), _declared_by)
    if not file.trusted:
        file = file.without_own(named, known)
    layers = (
        _of_tables(file.tables, file.path, named),
        _from_environment(variables, named),
        _from_request(overrides or {}, flags),
    )
    merged: dict[str, Any] = {}
    own: dict[str, str | SecretText] = {}
    for layer in layers:
        merged |= _checked(layer)
        own |= layer.own
    if file.found:
        tell(file)
    if "data_dir" not in merged:
        merged["data_dir"] = default_data_dir(variables)
    return Settings(**merged).with_own(own) if own else Settings(**merged)


def _declared_by(providers: list[str]) -> tuple[str, ...]:
    from leadline.search.registry import own_settings  # loads code that hardly anybody has

    return own_settings(providers)


def changed(settings: Settings, overrides: Mapping[str, object], flags: bool = False) -> Settings:
    """`settings` with some of them changed; a wrong value is `BadInput` as in `load`."""
    return settings.but(**_checked(_from_request(overrides, flags)))


def trusted_files(env: Mapping[str, str] = os.environ) -> TrustedFiles:
    """The settings files that the user of this machine has trusted."""
    return TrustedFiles.of(env)


def given_in(tables: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The settings in tables of another file, as strictly checked as those of `leadline.toml`."""
    return _checked(_of_tables(tables, path, OwnNames((), tuple)))


def _of_tables(tables: Mapping[str, Any], path: Path, named: OwnNames) -> _Layer:
    values: dict[str, Any] = {}
    own: dict[str, str | SecretText] = {}
    for key, value in flat(tables):
        name = key.replace(".", "_")
        if name not in Settings.declared:
            refuse_unknown(name, f"`{key}` in {path}", (*Settings.declared, *named.names))
            own[name] = own_value(name, value, f"in {path}")
        elif name in values:
            raise BadInput(f"{path} sets {name} twice, once of them as `{key}`")
        else:
            values[name] = beside(path, value) if name in _PATHS else value
    return _Layer(values, dict.fromkeys(values, f"in {path}"), strict=True, own=own)


def _from_environment(env: Mapping[str, str], named: OwnNames) -> _Layer:
    names = {PREFIX + name.upper(): name for name in Settings.declared} | _OTHER_NAMES
    values: dict[str, Any] = {}
    where: dict[str, str] = {}
    own: dict[str, str | SecretText] = {}
    # The RESEARCH_ name comes last so that it wins over an older name for the same setting.
    for variable in sorted(env):
        said = f"in the variable {variable}"
        if variable.startswith(PREFIX) and variable not in names:
            theirs = {PREFIX + name.upper(): name for name in named.names}
            refuse_unknown(variable, f"the variable {variable}", (*names, *theirs))
            if env[variable].strip():
                own[theirs[variable]] = own_value(theirs[variable], env[variable], said)
        elif variable in names and env[variable].strip():
            name, text = names[variable], env[variable].strip()
            values[name] = _split(name, text)
            where[name] = said
    return _Layer(values, where, own=own)


def _split(name: str, text: str) -> object:
    """A variable that holds a list: paths as in PATH, anything else with commas."""
    if name in ("docs", "image_folders", "serve_folders"):
        return text.split(os.pathsep)
    if get_origin(Settings.declared[name].kind) is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _from_request(overrides: Mapping[str, object], flags: bool) -> _Layer:
    given = {name: value for name, value in overrides.items() if value is not None}
    for name in given:
        refuse_unknown(name, f"the option {name}", Settings.declared)
    where = {name: f"with {flag_of(name)}" if flags else f"as {name}=" for name in given}
    return _Layer(given, where)


def _checked(layer: _Layer) -> dict[str, Any]:
    values, wrong = fitting(Settings.declared, layer.values, layer.strict)
    if wrong:
        raise BadInput("\n".join(_said(layer, name, wanted) for name, wanted in wrong.items()))
    return {
        name: absolute(value, f"{name}, given {layer.where[name]},")
        for name, value in values.items()
    }


def _said(layer: _Layer, name: str, wanted: str) -> str:
    return f"{name} {wanted}; got {_shown(name, layer.values[name])} {layer.where[name]}"


def _shown(name: str, value: object) -> str:
    text = "a value that is not shown" if is_secret(name) else repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


# ── the task ────────────────────────────────────────────────────────────────────────────────


def check_task(task: str) -> str:
    """The task as it will be asked, or `BadInput` when there is nothing in it that can be."""
    asked = task.strip()
    if not asked or not any(character.isalnum() for character in asked):
        raise BadInput('the question is empty; ask something, for example: leadline "What is …?"')
    if len(asked) > MAX_TASK_CHARS:
        raise BadInput(
            f"the question has {len(asked):,} characters, at most {MAX_TASK_CHARS:,} are allowed; "
            "put long material into a file and search it with --docs"
        )
    if any("\ud800" <= character <= "\udfff" for character in asked) or "\0" in asked:
        raise BadInput("the question is not valid UTF-8 text, or has a NUL in it")
    return asked
