"""Policy round any search, written once: every wrapper takes a `Find` and returns one.

No wrapper knows a provider. Time and chance are handed in. `kit.py` puts them together, from the
inside out: `of`, `paced`, `retried`, `breaker`, `cached`, `metered` for each provider, then
`fallback` over all of them, then `filtered` and `floored`.
"""

from leadline.wrap.beside import beside
from leadline.wrap.breaker import breaker
from leadline.wrap.cached import cached
from leadline.wrap.fallback import fallback
from leadline.wrap.filtered import filtered
from leadline.wrap.find import of
from leadline.wrap.floored import floored
from leadline.wrap.metered import Meter, Tally, metered
from leadline.wrap.retried import retried
from leadline.wrap.throttled import Pace, paced, throttled

__all__ = [
    "Meter",
    "Pace",
    "Tally",
    "beside",
    "breaker",
    "cached",
    "fallback",
    "filtered",
    "floored",
    "metered",
    "of",
    "paced",
    "retried",
    "throttled",
]
