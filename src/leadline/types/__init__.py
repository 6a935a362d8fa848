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

from leadline.types.asking import (
    BY_RULE,
    Ask,
    Call,
    Completion,
    Figure,
    Made,
    Move,
    Plan,
    Query,
    SoFar,
    Told,
    Tool,
    ToolCall,
    Turn,
)
from leadline.types.finding import (
    Asked,
    Batch,
    Done,
    Door,
    Doors,
    Finding,
    Hit,
    Injection,
    Kept,
    Lead,
    Loss,
    Note,
    Observation,
    Page,
    Passage,
    Quarantined,
    Recall,
    ScanPolicy,
    Seen,
    Skip,
    Source,
    Standing,
    Variant,
)
from leadline.types.judging import (
    GateVerdict,
    Grade,
    Issue,
    Knowledge,
    Novelty,
    Patch,
    Patches,
    Quality,
    Reflection,
    Revision,
    Round,
    Scores,
    Sentence,
)
from leadline.types.kinds import (
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
from leadline.types.limits import Estimate, Limits, Off, Sources, Spread, Usage
from leadline.types.state import Compaction, Earlier, Gist, Rules, State
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
