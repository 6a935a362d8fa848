"""An `AgentResponse` as a Markdown report.

The writer's answer comes as it is; this adds what limited it, what was left out, the sources and
how it was found. No times and no ids of runs, so that the same run gives the same bytes.
"""

from __future__ import annotations

from leadline.render.safe import code, encodable, escaped, one_line, plain
from leadline.render.words import counted, limits_met, progress
from leadline.types import AgentResponse, Citation, Claim, Loss

TITLE_CHARS = 200


def markdown(response: AgentResponse) -> str:
    """The whole report, ending in one newline."""
    parts = [
        _title(response),
        plain(response.final_answer).strip(),
        _section("What limited this answer", limits_met(response) + _losses(response.error_log)),
        _section("Left out", [_dropped(claim) for claim in response.dropped]),
        _section("Sources", [source_line(source) for source in response.sources]),
        _section("How this was found", _found(response)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def source_line(source: Citation) -> str:
    """`[1] **Title** — location`, safe to print whatever the title holds."""
    title = escaped(source.title) or "Untitled"
    return f"[{source.id}] **{title}** — {_location(source)}"


def _title(response: AgentResponse) -> str:
    if response.final_answer.lstrip().startswith("# "):
        return ""
    return "# " + escaped(one_line(response.task, TITLE_CHARS))


def _location(source: Citation) -> str:
    where = encodable(source.location)
    is_link = where.startswith(("http://", "https://"))
    clean = where.isprintable() and not any(mark in where for mark in " <>")
    return f"<{where}>" if is_link and clean else code(where)


def _dropped(claim: Claim) -> str:
    cited = "".join(f"[{number}]" for number in claim.sources)
    why = f"{claim.verdict.value} by {cited}" if cited else "no passage says it"
    return f"“{escaped(claim.text)}” — {why}"


def _losses(losses: tuple[Loss, ...]) -> list[str]:
    return [f"{escaped(loss.stage)}: {code(loss.what)}: {escaped(loss.why)}" for loss in losses]


def _found(response: AgentResponse) -> list[str]:
    lines = [escaped(line) for line in progress(response)]
    if response.claims:
        proven = counted(len(response.claims), "claim is", "claims are")
        lines.append(f"{proven} proven by a passage.")
    if response.diagnosis:
        lines.append(escaped(response.diagnosis))
    return lines


def _section(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines)
