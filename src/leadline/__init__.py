"""Deep research that checks every sentence.

    from leadline import run_research_sync
    response = run_research_sync("What does the retry policy do?", docs=["notes"])

What is listed in `__all__` is the public surface. It is loaded when first used, so that
`import leadline` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leadline.bundle.report import ReportCheck, check_report
    from leadline.documents import DocIndex
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
    from leadline.search.documents import read_doc, search_docs
    from leadline.session import Session, estimate, open_session, run_research, run_research_sync
    from leadline.settings import Settings
    from leadline.types import AgentResponse, Citation, Claim, Estimate, Stop, Tier, Verdict

__version__ = "0.1.0"

_HOME = {
    "AgentResponse": "types",
    "BadInput": "errors",
    "BudgetSpent": "errors",
    "Citation": "types",
    "Claim": "types",
    "DocIndex": "documents",
    "Estimate": "types",
    "LeadlineError": "errors",
    "ReasonerFailed": "errors",
    "ReportCheck": "bundle.report",
    "RunNotFound": "errors",
    "RunRefused": "errors",
    "RunStopped": "errors",
    "Session": "session",
    "Settings": "settings",
    "SourceLost": "errors",
    "Stop": "types",
    "StoreBroken": "errors",
    "Tier": "types",
    "Verdict": "types",
    "check_report": "bundle.report",
    "estimate": "session",
    "open_session": "session",
    "read_doc": "search.documents",
    "run_research": "session",
    "run_research_sync": "session",
    "search_docs": "search.documents",
}

__all__ = [
    "AgentResponse",
    "BadInput",
    "BudgetSpent",
    "Citation",
    "Claim",
    "DocIndex",
    "Estimate",
    "LeadlineError",
    "ReasonerFailed",
    "ReportCheck",
    "RunNotFound",
    "RunRefused",
    "RunStopped",
    "Session",
    "Settings",
    "SourceLost",
    "Stop",
    "StoreBroken",
    "Tier",
    "Verdict",
    "__version__",
    "check_report",
    "estimate",
    "open_session",
    "read_doc",
    "run_research",
    "run_research_sync",
    "search_docs",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'leadline' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"leadline.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
