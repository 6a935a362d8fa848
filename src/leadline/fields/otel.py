"""Settings of traces for OpenTelemetry; off unless an address is given."""

from __future__ import annotations

from leadline.fields.addresses import Address
from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Fields, setting


class OtelFields(Fields):
    """Where traces go. None of these is stored with a run."""

    otel_endpoint: Address = setting(
        default="",
        max_length=500,
        needs_trust="yes",
        description="OTLP collector (HTTP) that gets a trace of each run; unset, nothing is sent.",
    )
    otel_headers: SecretText = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="Headers for that collector: name=value, separated by commas.",
    )
    otel_content: bool = setting(
        default=False,
        description="Send questions, queries, addresses and the answer with the traces too.",
    )
