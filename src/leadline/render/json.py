"""An `AgentResponse` as JSON: every field, keys in the order of the type."""

from __future__ import annotations

import json

from leadline.codec import dumped
from leadline.render.safe import encodable
from leadline.types import AgentResponse


def as_json(response: AgentResponse) -> str:
    """One indented object, ending in one newline. Text in any script stays readable."""
    return encodable(json.dumps(dumped(response), ensure_ascii=False, indent=2)) + "\n"
