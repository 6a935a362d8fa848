"""`leadline experiment`: one factor, everything else held, measured run by run and judged."""

from __future__ import annotations

from leadline.experiment.conduct import Conducted, conduct
from leadline.experiment.spec import Spec, load_spec

__all__ = ["Conducted", "Spec", "conduct", "load_spec"]
