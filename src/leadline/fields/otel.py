"""Settings of traces for OpenTelemetry; off unless an address is given."""

from __future__ import annotations

from pydantic import BaseModel, Field, SecretStr

from leadline.fields.addresses import Address


class OtelFields(BaseModel, defer_build=True):
    """Where traces go. None of these is stored with a run."""

    otel_endpoint: Address = Field(
        default="",
        max_length=500,
        description="OTLP collector (HTTP) that gets a trace of each run; unset, nothing is sent.",
    )
    otel_headers: SecretStr = Field(
        default=SecretStr(""),
        description="Headers for that collector: name=value, separated by commas.",
    )
    otel_content: bool = Field(
        default=False,
        description="Send questions, queries, addresses and the answer with the traces too.",
    )
