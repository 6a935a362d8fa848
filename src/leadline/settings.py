"""Every setting there is, and the only code that reads the environment or `leadline.toml`.

A value comes from the default, then the file, then a `RESEARCH_*` variable, then the flag or the
request; later wins. A wrong one is refused here, before anything is spent.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leadline.bounds import allowed
from leadline.errors import BadInput
from leadline.types import Limits, PolicyName, Rules, Tier

CONFIG_NAME = "leadline.toml"
PREFIX = "RESEARCH_"
MAX_TASK_CHARS = 20_000

Gate = Literal["none", "heuristic", "semantic"]
SearchMode = Literal["hybrid", "bm25"]
LogLevel = Literal["debug", "info", "warning", "error"]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]

# Other names under which a setting may stand in the environment.
_OTHER_NAMES = {"HARNESS_CHUNK_BUDGET": "chunk_budget"}
# Where things lie and how loudly they are told does not change a report.
_NOT_OF_THE_RUN = frozenset({"data_dir", "log_level"})


def default_data_dir(env: Mapping[str, str] = os.environ) -> Path:
    """Where the platform keeps a program's data."""
    shared = Path(env.get("XDG_DATA_HOME", ""))
    if shared.is_absolute():
        return shared / "leadline"
    try:
        return Path(env.get("HOME") or Path.home()) / ".local" / "share" / "leadline"
    except RuntimeError as error:
        raise BadInput(f"{error}; say where to keep data with RESEARCH_DATA_DIR") from error


class Settings(BaseModel):
    """All settings, frozen. Make one with `load`, or by keyword in code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Folder for everything that runs leave behind: runs, indexes, logs.",
    )
    docs: tuple[Path, ...] = Field(
        default=(), description="Folders to search; with these alone no socket is opened."
    )
    tier: Tier | None = Field(
        default=None, description="How much a question may cost; unset, the planner decides."
    )
    max_iters: int | None = Field(
        default=None, ge=1, le=100, description="Iterations of search and reflection."
    )
    max_queries: int | None = Field(
        default=None, ge=1, le=1000, description="Searches a run may make."
    )
    max_sources: int | None = Field(
        default=None, ge=1, le=1000, description="Sources a run may take up."
    )
    max_execution_time_s: Seconds | None = Field(
        default=None, description="Seconds after which a run stops and writes what it has."
    )
    token_budget: int = Field(
        default=0, ge=0, description="Tokens a run may spend on models; 0 sets no ceiling."
    )
    policy: PolicyName = Field(
        default="reflective", description="How searches follow one another and when they end."
    )
    gate: Gate = Field(
        default="semantic", description="How the novelty of a batch of results is scored."
    )
    novelty_threshold: float = Field(
        default=3.0,
        ge=0,
        le=10,
        allow_inf_nan=False,
        description="Novelty score, of 10, below which a batch is discarded.",
    )
    novelty_epsilon: float = Field(
        default=0.15,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Probability that a batch below the threshold is let through all the same.",
    )
    knowledge_max_chars: int = Field(
        default=1500, ge=200, le=100_000, description="Length of the rolling summary of findings."
    )
    searches_per_task: int = Field(
        default=2,
        ge=1,
        le=50,
        description="Searches under `fixed`, and batches that pass the gate unjudged.",
    )
    max_search_rounds: int = Field(
        default=5, ge=1, le=100, description="Rounds of one search each under `saturation`."
    )
    queries_per_round: int = Field(
        default=2, ge=1, le=50, description="Searches at the same time under `reflective`."
    )
    results_per_search: int = Field(default=10, ge=1, le=50, description="Results of one search.")
    url_enrich_count: int | None = Field(
        default=None, ge=0, le=50, description="Whole pages read after the searches."
    )
    chunk_budget: int = Field(
        default=12_000,
        ge=500,
        le=1_000_000,
        description="Characters the chunker may take from one page.",
    )
    page_max_chars: int = Field(
        default=8000,
        ge=500,
        le=1_000_000,
        description="Characters of one page that may reach the writer.",
    )
    context_chars: int = Field(
        default=60_000,
        ge=1000,
        le=10_000_000,
        description="Characters of passages that may reach the writer in all.",
    )
    search_mode: SearchMode = Field(
        default="hybrid", description="Rank documents by words and embeddings, or by words alone."
    )
    min_score: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="Score below which a hit is left out."
    )
    seed: int = Field(
        default=0, ge=0, le=2**63 - 1, description="Seed of everything random in a run."
    )
    index_max_file_mb: float = Field(
        default=20.0,
        gt=0,
        allow_inf_nan=False,
        description="Size in megabytes above which a file is not indexed.",
    )
    log_level: LogLevel = Field(default="info", description="How much the log file is told.")

    def public(self) -> dict[str, Any]:
        """What is stored with a run, as JSON: everything that can change its report."""
        return self.model_dump(mode="json", exclude=set(_NOT_OF_THE_RUN))

    @classmethod
    def restore(cls, stored: Mapping[str, Any], now: Settings) -> Self:
        """The settings of a stored run, with today's folder and log level."""
        known = {name: value for name, value in stored.items() if name in cls.model_fields}
        return cls(**known | {name: getattr(now, name) for name in _NOT_OF_THE_RUN})


# ── by tier ─────────────────────────────────────────────────────────────────────────────────

BY_TIER: dict[str, dict[Tier, int]] = {
    "max_iters": {Tier.SIMPLE: 2, Tier.STANDARD: 5, Tier.DEEP: 10},
    "max_queries": {Tier.SIMPLE: 3, Tier.STANDARD: 10, Tier.DEEP: 15},
    "max_sources": {Tier.SIMPLE: 5, Tier.STANDARD: 15, Tier.DEEP: 20},
    "max_execution_time_s": {Tier.SIMPLE: 60, Tier.STANDARD: 90, Tier.DEEP: 120},
    "url_enrich_count": {Tier.SIMPLE: 2, Tier.STANDARD: 2, Tier.DEEP: 4},
}


def limits(settings: Settings, tier: Tier) -> Limits:
    """The ceilings of a run of this tier; what the user set wins over the tier."""
    return Limits(
        max_iters=_or_tier(settings, "max_iters", tier),
        max_queries=_or_tier(settings, "max_queries", tier),
        max_sources=_or_tier(settings, "max_sources", tier),
        max_execution_time_s=float(_or_tier(settings, "max_execution_time_s", tier)),
        token_budget=settings.token_budget,
    )


def rules(settings: Settings, tier: Tier) -> Rules:
    """The numbers that the steps and policies of a run of this tier go by."""
    return Rules(
        policy=settings.policy,
        gate=settings.gate,
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
    )


def _or_tier(settings: Settings, name: str, tier: Tier) -> int:
    given: int | None = getattr(settings, name)
    return BY_TIER[name][tier] if given is None else given


# ── loading ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Layer:
    """Values of one origin; `where` says in an error where a value was given."""

    values: dict[str, Any]
    where: dict[str, str]
    strict: bool = False  # a file has types of its own; a variable or a flag is only text


def load(
    config: Path | None = None,
    env: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    flags: bool = False,
) -> Settings:
    """Settings from all four origins; a wrong value is `BadInput` that names it and its origin.

    `config` names a file that must exist; without it `leadline.toml` of the current folder is read
    where there is one. `overrides` are the options of a request; with `flags`, of a command.
    """
    variables = os.environ if env is None else env
    layers = (
        _from_file(config),
        _from_environment(variables),
        _from_request(overrides or {}, flags),
    )
    merged: dict[str, Any] = {}
    for layer in layers:
        merged |= _checked(layer)
    if "data_dir" not in merged:
        merged["data_dir"] = default_data_dir(variables)
    return Settings(**merged)


def _from_file(config: Path | None) -> _Layer:
    path = config if config is not None else Path(CONFIG_NAME)
    if config is None and not path.is_file():
        return _Layer({}, {})
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read the settings file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not valid TOML: {error}") from error
    values: dict[str, Any] = {}
    for key, value in _flat(tables):
        name = key.replace(".", "_")
        _refuse_unknown(name, f"`{key}` in {path}", list(Settings.model_fields))
        if name in values:
            raise BadInput(f"{path} sets {name} twice, once of them as `{key}`")
        values[name] = _beside(path, name, value)
    return _Layer(values, dict.fromkeys(values, f"in {path}"), strict=True)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _beside(path: Path, name: str, value: object) -> object:
    """A relative path in a file means relative to the file."""
    if isinstance(value, list):
        return [_beside(path, name, one) for one in value]
    if name in ("data_dir", "docs") and isinstance(value, str) and not value.startswith("~"):
        return str(path.parent / value)
    return value


def _from_environment(env: Mapping[str, str]) -> _Layer:
    names = {PREFIX + name.upper(): name for name in Settings.model_fields} | _OTHER_NAMES
    values: dict[str, Any] = {}
    where: dict[str, str] = {}
    # The RESEARCH_ name comes last so that it wins over an older name for the same setting.
    for variable in sorted(env):
        if variable.startswith(PREFIX):
            _refuse_unknown(variable, f"the variable {variable}", list(names))
        if variable not in names or not env[variable].strip():
            continue
        name, text = names[variable], env[variable].strip()
        values[name] = text.split(os.pathsep) if name == "docs" else text
        where[name] = f"in the variable {variable}"
    return _Layer(values, where)


def _from_request(overrides: Mapping[str, object], flags: bool) -> _Layer:
    given = {name: value for name, value in overrides.items() if value is not None}
    for name in given:
        _refuse_unknown(name, f"the option {name}", list(Settings.model_fields))
    where = {name: f"with {flag_of(name)}" if flags else f"as {name}=" for name in given}
    return _Layer(given, where)


def flag_of(name: str) -> str:
    """The command line's name for a setting."""
    return {"max_execution_time_s": "--max-time"}.get(name, "--" + name.replace("_", "-"))


def _refuse_unknown(name: str, said: str, known: list[str]) -> None:
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise BadInput(f"unknown setting: {said}{hint} (all settings: docs/reference/settings.md)")


def _checked(layer: _Layer) -> dict[str, Any]:
    try:
        if layer.strict:
            text = json.dumps(layer.values, default=str)
            valid = Settings.model_validate_json(text, strict=True)
        else:
            valid = Settings.model_validate(layer.values)
    except ValidationError as error:
        raise BadInput(_said(layer, error)) from None
    return {
        name: _absolute(getattr(valid, name), f"{name}, given {layer.where[name]},")
        for name in valid.model_fields_set
    }


def _absolute(value: Any, said: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_absolute(one, said) for one in value)
    if not isinstance(value, Path):
        return value
    if "\0" in str(value):
        raise BadInput(f"{said} is no path: {str(value)!r}")
    try:
        return Path(os.path.abspath(value.expanduser()))  # noqa: PTH100 - keeps symlinks as given
    except RuntimeError as error:
        raise BadInput(f"{said} names a user who is not known here: {value}") from error


def _said(layer: _Layer, error: ValidationError) -> str:
    wrong = list(dict.fromkeys(str(part["loc"][0]) for part in error.errors(include_url=False)))
    fields = Settings.model_fields
    return "\n".join(
        f"{name} must be {allowed(fields[name])}; "
        f"got {_shown(layer.values[name])} {layer.where[name]}"
        for name in wrong
    )


def _shown(value: object) -> str:
    text = repr(value)
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
        raise BadInput("the question is not valid UTF-8 text")
    return asked
