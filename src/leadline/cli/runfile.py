"""`leadline verify` and `leadline replay`: what can be done with the file of a run; a report that
anybody wrote is verified too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import note, say
from leadline.cli.exits import ANSWERED, FAILED, NOT_FOUND
from leadline.cli.output import Output, deliver, refuse_unknown, writable

if TYPE_CHECKING:
    from leadline.bundle.check import ClaimCheck, Verification
    from leadline.bundle.contents import RunFile
    from leadline.bundle.report import ReportCheck


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--docs", metavar="DIR", multiple=True, help="Where the sources of a report are.")
@click.option("-v", "each", is_flag=True, help="One line for each claim.")
@click.option("--report", metavar="FILE", help="A report you were given: is it the one in here?")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    file: str,
    docs: tuple[str, ...],
    each: bool,
    report: str | None,
    as_json: bool,
    debug: bool,
) -> None:
    """Check every claim in the FILE of a run again, or in a report that anybody wrote, offline.

    A report is Markdown with [n] marks and a list of its sources: files in the --docs folders, or
    addresses whose pages are kept here. Of a run file it exits 0 when all claims hold and 1 when
    one does not or the file was changed; of a report 0 when all are borne out (quoted, judged or
    sourced) and 3 when one is not. 2 when it is neither.
    """
    import asyncio

    from leadline.bundle.check import verify_file
    from leadline.kit import embedder
    from leadline.settings import calm_math

    calm_math()
    given = _read(report) if report else None
    data = _read(file)
    if docs or not data.startswith(_ZIP):
        ctx.exit(_of_report(data, file, docs, each, as_json))
    found = asyncio.run(verify_file(data, file, embedder()))
    same = given is None or _is_its_report(given, found.content)
    if as_json:
        say(_as_json(found, same))
    else:
        say(_as_text(found, each, same))
    ctx.exit(ANSWERED if found.passed and same else FAILED)


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the report; the suffix says the format."
)
@click.option("-q", "--quiet", is_flag=True, help="The report and nothing else.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.pass_context
def replay(ctx: click.Context, /, file: str, output: str | None, quiet: bool, debug: bool) -> None:
    """Rebuild the report from the FILE of a run, with no network, no model and no other file.

    Exits 0 when it is byte for byte the one in the file, 1 when it is not.
    """
    import asyncio

    from leadline.bundle.contents import opened
    from leadline.bundle.replay import replay as rebuild
    from leadline.errors import LeadlineError
    from leadline.settings import calm_math

    calm_math()
    if output:
        refuse_unknown(output)
    target = writable(output, "-o")
    found = opened(_read(file), file)
    if found.content is None or found.changed:
        raise LeadlineError(f"{file} was changed since it was written: {'; '.join(found.changed)}")
    rebuilt = asyncio.run(rebuild(found.content))
    if target is None:
        say(rebuilt.report_md)
    else:
        deliver(rebuilt.response, Output((target,), quiet=True))
    if not rebuilt.equal:
        note(f"leadline: the rebuilt report differs from the one in {file}: {rebuilt.differs[0]}")
    elif not quiet:
        note(f"Rebuilt from {len(found.content.records)} records; equal to the one in {file}.")
    ctx.exit(ANSWERED if rebuilt.equal else FAILED)


_ZIP = b"PK"


def _read(name: str) -> bytes:
    """The bytes of a file, unless there are more than any run file has."""
    from leadline.bundle.container import MAX_BYTES
    from leadline.errors import BadInput

    path = Path(name).expanduser()
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot read {name}: {why}") from error
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name} is not a run file: it has more than {MAX_BYTES:,} bytes")
    return data


def _is_its_report(given: bytes, content: RunFile | None) -> bool:
    if content is None:
        return False
    texts = (content.report_md, content.report_json)
    return given in [text.encode("utf-8", "surrogatepass") for text in texts]


# ── a report of anybody's ───────────────────────────────────────────────────────────────────


def _of_report(data: bytes, file: str, docs: tuple[str, ...], each: bool, as_json: bool) -> int:
    """Checks and tells; the exit code."""
    from leadline.bundle.report import check_report
    from leadline.errors import BadInput

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is neither a run file nor Markdown in UTF-8") from error
    found = check_report(text, docs)
    say(_report_json(found) if as_json else _report_text(found, each))
    return ANSWERED if found.borne_out else NOT_FOUND


def _report_text(found: ReportCheck, each: bool) -> str:
    from collections import Counter

    from leadline.render.safe import one_line

    files = {source.id: source.location for source in found.sources}
    lines: list[str] = []
    for number, claim in enumerate(found.claims, 1):
        state = claim.verdict.value.replace("_", " ")
        if each or not claim.verdict.may_ship or not claim.cited:
            why = f" ({one_line(claim.why, 300)})" if claim.why else ""
            lines.append(f"{number:>3}  {state:<12}  {one_line(claim.text, 160)}{why}")
            if claim.quote:
                place = f"{files[claim.quote.source]} {claim.quote.start}–{claim.quote.end}"
                lines.append(f"     {one_line(place, 200)}: “{one_line(claim.quote.text, 200)}”")
    counts = Counter(claim.verdict.value.replace("_", " ") for claim in found.claims)
    told = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    uncited = sum(not claim.cited for claim in found.claims)
    end = "Borne out" if found.borne_out else "NOT borne out"
    return (
        "\n".join([*lines, f"{end}: of {len(found.claims)} claims {told}; {uncited} cite nothing."])
        + "\n"
    )


def _report_json(found: ReportCheck) -> str:
    import json

    from leadline.codec import dumped
    from leadline.render.safe import encodable

    files = {source.id: source.location for source in found.sources}
    told: dict[str, Any] = {
        "borne_out": found.borne_out,
        "claims": [
            {
                "text": claim.text,
                "verdict": claim.verdict.value,
                "cited": claim.cited,
                "proved_by": claim.proved_by,
                "quote": claim.quote
                and {
                    "text": claim.quote.text,
                    "source": claim.quote.source,
                    "file": files[claim.quote.source],
                    "start": claim.quote.start,
                    "end": claim.quote.end,
                },
                "why": claim.why,
            }
            for claim in found.claims
        ],
        "sources": [dumped(source) for source in found.sources],
        "lost": found.lost,
    }
    return encodable(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"


# ── telling ─────────────────────────────────────────────────────────────────────────────────


def _as_text(found: Verification, each: bool, same: bool) -> str:
    from leadline.render.safe import one_line

    lines = [f"CHANGED  {one_line(what, 200)}" for what in found.changed]
    lines += [f"WRONG    {one_line(what, 200)}" for what in found.contradictions]
    lines += [] if same else ["WRONG    the report you were given is not the one in this file"]
    for number, check in enumerate(found.checks, 1):
        if each or not check.holds:
            lines.append(_claim_line(number, check))
    return "\n".join([*lines, _summary(found, same)]) + "\n"


def _claim_line(number: int, check: ClaimCheck) -> str:
    from leadline.render.safe import one_line

    quote = check.claim.quote
    where = f"[{quote.source}] {quote.page} {quote.start}–{quote.end}" if quote else "no quote"
    judge = check.claim.judge
    verdict = f"{check.verdict.value}, by {judge}" if judge else check.verdict.value
    state = "ok   " if check.holds else "FAILS"
    why = f" ({one_line(check.why, 200)})" if check.why else ""
    return f"{state}  {number:>3}  {verdict:<9}  {where}  {one_line(check.claim.text, 100)}{why}"


def _summary(found: Verification, same: bool) -> str:
    held = sum(check.holds for check in found.checks)
    total = len(found.checks)
    pages = len(found.content.pages) if found.content else 0
    parts = [f"{held} of {total} claims hold, checked against {pages} stored pages"]
    if not total:
        parts = ["the report makes no claim"]
    judged = sum(bool(check.claim.judge) for check in found.checks)
    if judged:
        parts.append(f"{judged} of them by the word of a model, which stands in the records")
    verdict = "Verified" if found.passed and same else "NOT verified"
    return f"{verdict}: {'; '.join(parts)}."


def _as_json(found: Verification, same: bool) -> str:
    import json

    from leadline.codec import dumped
    from leadline.render.safe import encodable

    told: dict[str, Any] = {
        "verified": found.passed and same,
        "run_id": found.content.about.id if found.content else "",
        "task": found.content.about.task if found.content else "",
        "changed": found.changed,
        "wrong": found.contradictions,
        "same_report": same,
        "claims": [
            dumped(check.claim) | {"holds": check.holds, "now": check.verdict, "wrong": check.why}
            for check in found.checks
        ],
    }
    return encodable(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"
