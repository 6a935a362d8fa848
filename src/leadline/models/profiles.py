"""What was learnt about each model, kept between runs: how it counts, what it can hold.

Within a run nothing here changes, so that the same run makes the same prompts again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leadline.errors import StoreBroken
from leadline.text.tokens import PLAIN_CHARS_PER_TOKEN, calibrated
from leadline.types import Call
from leadline.values import field_names, replace

Profiles = Mapping[str, "Profile"]  # by the name of the model
FILE_NAME = "models.json"  # in the data folder
LEAST_LETTERS = 2000  # a shorter prompt is mostly what the server puts around it


@dataclass(frozen=True)
class Profile:
    """One model. A `window` of 0 was not measured. Without `schema` it keeps to JSON better when
    it is told the shape in words; without `tools` it calls them so. `plans` says whether it was
    found able to plan, `judges` how well it tells right claims from wrong; None, nobody looked."""

    chars_per_token: float = PLAIN_CHARS_PER_TOKEN
    window: int = 0
    schema: bool = True
    tools: bool = True
    plans: bool | None = None
    judges: float | None = None


def learnt(before: Mapping[str, Profile], calls: Iterable[Call]) -> dict[str, Profile]:
    """The profiles after these calls: each tells how its model counts."""
    profiles = dict(before)
    for call in calls:
        if call.letters < LEAST_LETTERS or call.error:
            continue
        old = profiles.get(call.model, Profile())
        scale = calibrated(old.chars_per_token, call.letters, call.prompt_tokens)
        profiles[call.model] = replace(old, chars_per_token=round(scale, 3))
    return profiles


def read_profiles(path: Path) -> dict[str, Profile]:
    """What is kept; a file that is missing or broken is as good as none."""
    try:
        table = json.loads(path.read_text("utf-8"))
        return {str(name): _profile(values) for name, values in table.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def write_profiles(path: Path, profiles: Mapping[str, Profile]) -> None:
    """Keep them; whoever reads meanwhile sees the old ones or the new ones."""
    text = json.dumps({name: asdict(one) for name, one in sorted(profiles.items())}, indent=2)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(text + "\n", "utf-8")
        scratch.replace(path)
    except OSError as error:
        raise StoreBroken(f"cannot write {path}: {error.strerror}") from error


def change_profiles(path: Path, change: Callable[[dict[str, Profile]], Profiles]) -> None:
    """Keep what `change` makes of those that are kept now; of two who do so one waits, so that
    neither undoes the other's. Raises `StoreBroken`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        door = path.with_name(f".{path.name}.lock").open("wb")
    except OSError as error:
        raise StoreBroken(f"cannot write {path}: {error.strerror}") from error
    with door:
        fcntl.flock(door, fcntl.LOCK_EX)
        before = read_profiles(path)
        after = change(before)
        if after != before:
            write_profiles(path, after)


def _profile(values: Mapping[str, Any]) -> Profile:
    known = set(field_names(Profile))
    profile = Profile(**{name: value for name, value in values.items() if name in known})
    scale, window = float(profile.chars_per_token), int(profile.window)
    if not 1 <= scale <= 8 or window < 0:
        raise ValueError(f"no model counts like that: {profile}")
    plans = profile.plans if isinstance(profile.plans, bool) else None
    return Profile(scale, window, profile.schema is not False, profile.tools is not False, plans)
