"""Every error as an `ErrorResponse` with the right status; nothing of a traceback leaves here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from leadline.errors import (
    BadInput,
    BudgetSpent,
    LeadlineError,
    ReasonerFailed,
    RunNotFound,
    RunRefused,
    RunStopped,
    SourceLost,
    StoreBroken,
)
from leadline.types import Stop

_TYPES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    431: "too_large",
    500: "internal",
    501: "not_implemented",
    502: "source_failed",
    503: "unavailable",
    504: "timeout",
}
_STATUS: dict[type[LeadlineError], int] = {BadInput: 422, RunNotFound: 404, StoreBroken: 503}
_RETRYABLE = frozenset({429, 502, 503, 504})


class Refused(LeadlineError):
    """A request that is answered with an error: the status, what is said, when to try again."""

    def __init__(
        self, status: int, message: str, retry_after: float = 0.0, type: str = "", run_id: str = ""
    ) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.retry_after, self.type, self.run_id = retry_after, type, run_id

    @property
    def retryable(self) -> bool:
        return self.status in _RETRYABLE

    def body(self) -> dict[str, Any]:
        """`ErrorResponse` as JSON."""
        kind = self.type or _TYPES.get(self.status, "error")
        told = {"type": kind, "message": self.message, "retryable": self.retryable}
        return told | ({"run_id": self.run_id} if self.run_id else {})

    def headers(self) -> dict[str, str]:
        """What the status asks for beside the body."""
        told = {}
        if self.retry_after or self.status in (429, 503):
            told["retry-after"] = str(max(1, math.ceil(self.retry_after)))
        if self.status == HTTPStatus.UNAUTHORIZED:
            told["www-authenticate"] = "Bearer"
        return told


def refusal(error: LeadlineError) -> Refused:
    """What a caller is told of one of our own errors."""
    if isinstance(error, Refused):
        return error
    status, kind, wait_s = 500, "", 0.0
    if isinstance(error, RunStopped) and not isinstance(error, RunRefused):
        status = {"cancelled": 409, "interrupted": 503}.get(error.status, 500)
        kind = "run_failed" if status == 500 else ""
    elif isinstance(error, BudgetSpent):
        status = 504 if error.stop is Stop.MAX_TIME else 409
    elif isinstance(error, SourceLost | ReasonerFailed):
        late = isinstance(error, ReasonerFailed) and error.type == "timeout"
        status, wait_s = 504 if late else 502, error.retry_after
    else:
        status = next((code for one, code in _STATUS.items() if isinstance(error, one)), 500)
    return Refused(status, str(error), wait_s, kind, getattr(error, "run_id", ""))


def unfit(errors: Iterable[Mapping[str, Any]]) -> Refused:
    """What is wrong with a request, by field. What was given is not repeated: it may be a key."""
    told: list[str] = []
    for one in errors:
        place = ".".join(str(part) for part in one.get("loc", ()) if part not in ("body", "query"))
        said = str(one.get("msg", "is not valid"))
        if one.get("type") == "json_invalid":
            return Refused(400, "the request is not valid JSON", type="bad_request")
        if one.get("type") == "extra_forbidden":
            said = "is no setting that a request may change; see /docs"
        told.append(f"{place}: {said}" if place else said)
    return Refused(422, "; ".join(dict.fromkeys(told)) or "the request is not valid")
