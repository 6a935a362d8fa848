"""Responses that every format must carry: many scripts, tables, code, long URLs, hostile text."""

from __future__ import annotations

from leadline.types import (
    AgentResponse,
    Citation,
    Claim,
    GateVerdict,
    Loss,
    Plan,
    Query,
    Quote,
    Stop,
    Usage,
    Verdict,
)

LONG_URL = "https://archive.example/" + "very-long-path/" * 20 + "?q=a,b&c=d-e"
CHINESE = "深度研究需要证据。"
JAPANESE = "測深索は船から水深を測る道具です。"
ARABIC = "حبل القياس أداة لقياس عمق الماء."

ANSWER = f"""## What a leadline is

A leadline is a **weighted rope** that measures depth. [1] It brings up a sample of the \
ground, held by tallow in the lead's hollow foot. [1][2]

## In other languages

- {CHINESE} [3]
- {JAPANESE} [4]
- {ARABIC} [5]

## Marks on the line

| Fathoms | Mark | Said |
|--------:|:-----|------|
| 2 | two strips of leather | by the mark two |
| 3 | three strips | *by the mark three* |
| 5 | white rag `calico` | by the mark five |

> The marks could be told apart in the dark, by touch. [2]

```python
def depth(fathoms: float) -> float:
    return fathoms * 1.8288  # metres <b>&amp;
```

1. Swing the lead forward. [2]
2. Let it sink, and read the mark.
"""


def _claim(text: str, source: int, before: str = "", after: str = "") -> Claim:
    quote = Quote(source, text, f"page{source}", 10, 10 + len(text), before, after)
    return Claim(text, (source,), Verdict.QUOTED, 1.0, quote)


RICH = AgentResponse(
    run_id="261116-065948-58a0bd",
    task="What is a leadline, and how was it used to measure depth?",
    summary=ANSWER,
    final_answer=ANSWER,
    sources=(
        Citation(
            1,
            "Sounding line",
            "web",
            "https://sea.example/wiki/Sounding_line",
            "Ann Mariner",
            "2024-03-01",
            "2026-11-16T06:59:50+00:00",
        ),
        Citation(2, "The Seaman's Handbook & Guide", "document", "books/seaman.epub"),
        Citation(3, "深度研究", "web", LONG_URL, "王小明", "2025", "2026-11-16T07:00:00+00:00"),
        Citation(4, "測深索", "web", "https://ja.example/測深索", "", "", "2026-11-16"),
        Citation(5, "حبل القياس", "document", "عربي/ملف.md"),
    ),
    claims=(
        _claim(
            "A leadline is a **weighted rope** that measures depth.",
            1,
            "Long before echo sounders, pilots needed to know the water under the keel.",
            "The rope was marked at every second or third fathom.",
        ),
        Claim(
            "It brings up a sample of the ground, held by tallow in the lead's hollow foot.",
            (1, 2),
            Verdict.SOURCED,
            0.71,
            Quote(2, "tallow in the hollow of the lead brings up the ground", "page2", 4, 56),
            judge="",
        ),
        _claim(CHINESE, 3, "没有证据就没有结论。", "每一句话都要有出处。"),
        _claim(JAPANESE, 4),
        _claim(ARABIC, 5),
        _claim("The marks could be told apart in the dark, by touch.", 2),
        _claim("Swing the lead forward.", 2),
    ),
    confidence=0.8,
    gaps=("when echo sounders replaced it",),
    stop_reason=Stop.MAX_TIME,
    degraded=False,
    usage=Usage(searches=6, pages=4),
    dropped=(Claim("Leadlines were invented in 1700.", (2,), Verdict.CONTRADICTED),),
    verdicts=(
        GateVerdict("leadline definition", 10, 3, True, "first", hits=8),
        GateVerdict("sounding line depth", 7.4, 3, True, "first", hits=10, repeated=0.26),
        GateVerdict("lead tallow sample", 5.1, 3, True, "novel", hits=9, repeated=0.49),
        GateVerdict("測深索", 6.2, 3, True, "novel", hits=4, repeated=0.38),
        GateVerdict("leadline fathom marks", 2.4, 3, False, "discarded", hits=10, repeated=0.76),
        GateVerdict("echo sounder", 3.3, 3, True, "novel", hits=7, repeated=0.67),
    ),
    error_log=(Loss("read", "https://lost.example/a", "the server answered 503"),),
    plan=Plan(
        (Query("leadline definition"),),
        knowledge_gaps=("what a leadline is", "how depth was measured"),
    ),
    diagnosis="The queries are diverse.",
    started="2026-11-16T06:59:48+00:00",
)

EVIL = "<img src=x onerror=alert(1)>"
EVIL_ANSWER = (
    f'# {EVIL}\n\n<script>alert(1)</script> said <b onclick="x()">this</b>. [1]\n\n'
    "[click](javascript:alert(1)) [data](data:text/html,x) ![pixel](https://spy.example/p.png) "
    "[ok](https://fine.example/) [2]\n\n"
    f"{'W' * 10_000} [1]\n\n[9] is unknown. \x1b[2J\x00\ue0001\ue001 "
    '#import "x" $sum$ <label> @ref\n'
)
HOSTILE = AgentResponse(
    run_id=EVIL,
    task=EVIL,
    summary=EVIL_ANSWER,
    final_answer=EVIL_ANSWER,
    sources=(
        Citation(1, f'"{EVIL}</title><script>1</script>', "web", "javascript:alert(1)", EVIL, EVIL),
        Citation(2, "W" * 10_000, "web", 'https://x.example/"onmouseover="alert(1)', "{}\\%&#$_~^"),
    ),
    claims=(
        Claim(
            '<script>alert(1)</script> said <b onclick="x()">this</b>.',
            (1,),
            Verdict.QUOTED,
            1.0,
            Quote(1, EVIL, "p", 0, 28, "]]></style><script>", "--></span></button>" + EVIL),
        ),
    ),
    confidence=0.0,
    gaps=(EVIL, "\u202eevil"),
    stop_reason=Stop.ERROR,
    degraded=True,
    usage=Usage(),
    dropped=(Claim(EVIL, (1,), Verdict.CONTRADICTED, why=EVIL),),
    verdicts=(GateVerdict(EVIL, float("nan"), 3, False, "failed"),),
    diagnosis=EVIL,
    error_log=(Loss(EVIL, EVIL, EVIL),),
    plan=Plan((Query(EVIL),), knowledge_gaps=(EVIL,), language='en"><script>'),
    started=EVIL,
)
