"""The values that flow through a run, and the glossary of the project.

    query     words sent to a search provider, with the intent behind them
    hit       one search result
    batch     the hits of one query
    source    a document or web page that hits of this run come from; `[1]`, `[2]` … never change
    page      the whole text of a source, kept as a snapshot under the hash of its content
    passage   a span of a page, with the offsets that prove it
    claim     a sentence of the report that cites passages
    verdict   what verification says of a claim
    knowledge the rolling summary of what was accepted
    note      something remembered from an earlier run
    run       one durable execution; a step is one recorded row of it

Every value is frozen and made of tuples and plain types, so that it can be compared, hashed and
written to the journal as JSON. Behaviour lives elsewhere.
"""

from __future__ import annotations

from leadline.types.acting import Figure, Move, SoFar, Told
from leadline.types.asking import (
    Plan,
    Query,
)
from leadline.types.calling import BY_RULE, Ask, Call, Completion, Made, Tool, ToolCall, Turn
from leadline.types.compacting import Compaction, Gist
from leadline.types.estimating import Estimate, Off, Sources, Spread
from leadline.types.finding import (
    Asked,
    Batch,
    Hit,
    Loss,
    Page,
    Passage,
    Skip,
    Source,
    Variant,
)
from leadline.types.following import Earlier
from leadline.types.grading import (
    Grade,
    Issue,
    Patch,
    Patches,
    Quality,
    Revision,
    Round,
    Scores,
    Sentence,
)
from leadline.types.guarding import Doors, Injection, Seen
from leadline.types.judging import (
    GateVerdict,
    Knowledge,
    Novelty,
    Reflection,
)
from leadline.types.kinds import (
    ChunkerName,
    GateName,
    PolicyName,
    SkipKind,
    SourceKind,
    Stop,
    StopRuleName,
    TaskType,
    Tier,
    Verdict,
    content_id,
)
from leadline.types.spending import Limits, Usage
from leadline.types.state import Rules, State
from leadline.types.writing import (
    AgentResponse,
    Checked,
    Citation,
    Claim,
    Details,
    Dispute,
    Draft,
    Ground,
    Opinion,
    Quote,
)

__all__ = [
    "BY_RULE",
    "AgentResponse",
    "Ask",
    "Asked",
    "Batch",
    "Call",
    "Checked",
    "ChunkerName",
    "Citation",
    "Claim",
    "Compaction",
    "Completion",
    "Details",
    "Dispute",
    "Doors",
    "Draft",
    "Earlier",
    "Estimate",
    "Figure",
    "GateName",
    "GateVerdict",
    "Gist",
    "Grade",
    "Ground",
    "Hit",
    "Injection",
    "Issue",
    "Knowledge",
    "Limits",
    "Loss",
    "Made",
    "Move",
    "Novelty",
    "Off",
    "Opinion",
    "Page",
    "Passage",
    "Patch",
    "Patches",
    "Plan",
    "PolicyName",
    "Quality",
    "Query",
    "Quote",
    "Reflection",
    "Revision",
    "Round",
    "Rules",
    "Scores",
    "Seen",
    "Sentence",
    "Skip",
    "SkipKind",
    "SoFar",
    "Source",
    "SourceKind",
    "Sources",
    "Spread",
    "State",
    "Stop",
    "StopRuleName",
    "TaskType",
    "Tier",
    "Told",
    "Tool",
    "ToolCall",
    "Turn",
    "Usage",
    "Variant",
    "Verdict",
    "content_id",
]
