"""How fast each search provider is asked: one pace for all runs of this process."""

from __future__ import annotations

import asyncio
import hashlib
from weakref import WeakKeyDictionary

from leadline.fields.secret import SecretText
from leadline.settings import Settings
from leadline.wrap import Pace

# What waits in an event loop is of no use in another, so each has its own.
_PACES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Pace]] = WeakKeyDictionary()


def pace_of(name: str, settings: Settings) -> Pace:
    """The pace of a provider, shared by every run that asks it at the same address.

    Its own pace holds unless the settings say another: what a paid plan or a server of one's own
    allows.
    """
    from leadline.search.registry import entry, settings_of

    own = entry(name)
    nameless = own.nameless if not settings.fetch_contact else 0.0
    concurrency = settings.search_concurrency or (1 if nameless else own.concurrency)
    per_second = settings.search_per_second or nameless or own.per_second
    values = settings.values()
    parts = [name, str(concurrency), str(per_second)]
    parts += [_plain(values[one]) for one in sorted(settings_of(name)) if one in values]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    shared = _PACES.setdefault(asyncio.get_running_loop(), {})
    return shared.setdefault(key, Pace(concurrency, per_second))


def _plain(value: object) -> str:
    """One key is one customer: with another, the provider counts anew."""
    return value.get_secret_value() if isinstance(value, SecretText) else str(value)
