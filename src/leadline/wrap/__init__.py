"""Policy round any search, written once: every wrapper takes a `Find` and returns one.

No wrapper knows a provider. Time and chance are handed in. `kit/web.py` puts them together, from
the inside out: `of`, `metered`, `paced`, `retried`, `breaker`, `cached` for each provider, then
`fallback` over all of them, then `filtered` and `floored`. What came of a search, its batch says.
"""

from leadline.wrap.beside import beside
from leadline.wrap.breaker import breaker
from leadline.wrap.cached import cached
from leadline.wrap.fallback import fallback
from leadline.wrap.filtered import filtered
from leadline.wrap.find import of
from leadline.wrap.floored import floored
from leadline.wrap.metered import metered
from leadline.wrap.paced import Pace, paced
from leadline.wrap.retried import retried

__all__ = [
    "Pace",
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
]
