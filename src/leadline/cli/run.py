"""`leadline "question"`: ask, watch, and get the report."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import (
    common_of,
    common_options,
    note,
    refuse_idle_provider,
    say,
    settings_from,
)
from leadline.cli.doors import doors
from leadline.cli.index import prepare_documents
from leadline.cli.output import Output, output_from, output_options
from leadline.cli.watch import carry_out, say_resumed

if TYPE_CHECKING:
    from leadline.cli.review import TerminalReview
    from leadline.session import Session
    from leadline.settings import Settings

EXAMPLES = [
    ('leadline "How does TLS 1.3 resume a session?"', "ask the web, with no key"),
    ('leadline "Who may approve a refund?" --docs handbook/', "ask a folder"),
    ('leadline "…" --docs a/ -o report.html -o report.pdf', "the report in files"),
    ('leadline "…" --docs a/ --json | jq .stop_reason', "for another program"),
    ("cat question.txt | leadline - --docs a/", "the question from a pipe"),
    ('leadline "…" --docs a/ --tier deep --max-time 300', "look longer"),
    ('leadline "…" --docs a/ --resume', "go on after an interruption"),
    ("leadline runs list", "what was asked before"),
]


_WHERE = frozenset(
    ["docs", "web", "search_providers", "refresh", "memory", "memory_project", "reader"]
)
_SHOWN = frozenset(
    [
        "files",
        "as_json",
        "quiet",
        "trace",
        "long",
        "estimate",
        "review_plan",
        "config",
        "data_dir",
        "verbose",
        "debug",
        "help",
    ]
)


class Question(click.Command):
    """A command whose many options stand in three groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {
            "Where to look": [],
            "How it works, and what it may cost": [],
            "What is shown": [],
        }
        where, how, shown = groups.values()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record:
                group = where if param.name in _WHERE else shown if param.name in _SHOWN else how
                group.append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


@click.command(cls=Question, context_settings={"max_content_width": 100})
@click.argument("question")
@click.option("--docs", multiple=True, metavar="PATH", help="Folder or file to search; repeatable.")
@click.option("--web/--no-web", default=None, help="Search the web; else where no docs are given.")
@click.option(
    "--provider",
    "search_providers",
    multiple=True,
    metavar="NAME",
    help="Search provider; repeatable, the next takes over where one fails.",
)
@click.option("--refresh", is_flag=True, default=None, help="Search anew, not from the cache.")
@output_options
@click.option("--model", metavar="PROVIDER:NAME", help="Language model, such as ollama:qwen3.")
@click.option(
    "--agent", is_flag=True, default=None, help="Let the model decide what to look up, by tools."
)
@click.option("--no-model", is_flag=True, default=None, help="Use none: quote, nothing else.")
@click.option("--max-cost", metavar="USD", help="Money a run may spend on models; 0 no ceiling.")
@click.option(
    "--max-tokens", "token_budget", metavar="N", help="Tokens a run may spend; 0 no ceiling."
)
@click.option("--prompts", metavar="DIR", help="Folder of prompts that take the place of ours.")
@click.option("--memory/--no-memory", default=None, help="Begin from what earlier runs proved; on.")
@click.option("--project", "memory_project", metavar="NAME", help="Whose memory; default.")
@click.option("--tier", metavar="simple|standard|deep", help="How much it may cost; else planned.")
@click.option("--policy", metavar="fixed|saturation|reflective", help="When searching ends.")
@click.option("--gate", metavar="none|heuristic|semantic|model", help="How novelty is scored.")
@click.option("--long", is_flag=True, default=None, help="Further passages below the answer.")
@click.option("--reader", metavar="on|off|FILE", help="The learned reader that ranks passages; on.")
@click.option("--revise", metavar="N", help="Rounds of scoring and mending the report, 0–3; 0.")
@click.option("--seed", metavar="N", help="Seed of everything random; 0.")
@click.option("--max-iters", metavar="N", help="Iterations; simple 2, standard 5, deep 10.")
@click.option("--max-queries", metavar="N", help="Searches; simple 3, standard 10, deep 15.")
@click.option("--max-sources", metavar="N", help="Sources; simple 5, standard 15, deep 20.")
@click.option(
    "--max-time",
    "max_execution_time_s",
    metavar="SECONDS",
    help="Time in all; simple 60, standard 90, deep 120.",
)
@click.option("--subtasks", metavar="auto|off", help="Take a compound task apart; auto.")
@click.option(
    "--review-plan", is_flag=True, default=None, help="Show the plan first, to change or leave it."
)
@click.option("--estimate", is_flag=True, help="Say what it would take; nothing is asked or spent.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the last run of this question; a finished one is shown.",
)
@common_options
@click.pass_context
def run(ctx: click.Context, /, question: str, **given: Any) -> None:
    """Research a QUESTION and print the report; "-" reads it from stdin.

    The word `run` may be left out: leadline "question" --docs PATH
    """
    from leadline.settings import check_task

    task = check_task(_from_stdin() if question == "-" else question)
    output = output_from(given)
    resume, only_estimate = given.pop("resume"), given.pop("estimate")
    several = {name: given.pop(name) or None for name in ("docs", "search_providers")}
    if given["model"] and given["no_model"] is None:
        given["no_model"] = False  # a flag wins over the variable
    settings = settings_from(common_of(given), **several, **given)
    refuse_idle_provider(settings, several["search_providers"])
    if not settings.docs:
        _refuse_mistyped(ctx, task)
        if given["web"] is None:
            _ask_about_lone_word(task)
    if only_estimate:
        _say_estimate(task, settings, output)
        return
    if not output.quiet:
        _tell_what_leaves(settings)
    way, review = doors(ctx.obj), _reviewer(settings)
    prepare_documents(settings, way.prepare, output)

    async def begin(session: Session) -> str:
        begun = await session.resumable(task) if resume else ""
        if not begun:
            return await session.start(task)
        await say_resumed(session, begun, output)
        await session.engine.resume(begun)
        return begun

    ctx.exit(carry_out(settings, output, begin, way.open_session, review))


def _reviewer(settings: Settings) -> TerminalReview | None:
    """Whoever is to see the plan, if it is to be seen."""
    if not settings.review_plan:
        return None
    from leadline.cli.review import at_hand
    from leadline.errors import BadInput

    found = at_hand()
    if found is None:
        raise BadInput(
            "a plan can be reviewed at a terminal only, and this is none; "
            "leave out --review-plan (review_plan in the settings)"
        )
    return found


def _say_estimate(task: str, settings: Settings, output: Output) -> None:
    from leadline.errors import BadInput
    from leadline.render.estimate import estimate_json, estimate_text
    from leadline.session import estimate

    for docs in settings.docs:
        if not docs.exists():
            raise BadInput(f"there is no folder or file {docs}")
    foreseen = estimate(task, settings=settings)
    say(estimate_json(foreseen) if output.json else estimate_text(foreseen))


def _from_stdin() -> str:
    """The question from a pipe; of what is too long no more is read than shows that it is."""
    from leadline.errors import BadInput
    from leadline.settings import MAX_TASK_CHARS

    most = MAX_TASK_CHARS * 4  # bytes; no character has more
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:
        raise BadInput(
            f"the question on stdin has more than {MAX_TASK_CHARS:,} characters, which is the "
            "most that is allowed; put long material into a file and search it with --docs"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput("the question on stdin is not valid UTF-8 text") from error


def _refuse_mistyped(ctx: click.Context, task: str) -> None:
    """A lone word that is nearly a command is no question; nothing should be searched for it."""
    word = task.strip()
    if len(word.split()) > 1:
        return
    import difflib

    from leadline.errors import BadInput

    parent = ctx.parent.command if ctx.parent else None
    commands = list(parent.commands) if isinstance(parent, click.Group) else []
    near = difflib.get_close_matches(word, commands, n=1, cutoff=0.7)
    if near:
        raise BadInput(
            f"{word!r} is no command; did you mean leadline {near[0]}? "
            f"To search for the word itself: leadline run {word} --web"
        )


def _ask_about_lone_word(task: str) -> None:
    """One word is seldom a question: nothing is searched for it unless that is meant."""
    from leadline.errors import BadInput

    word = task.strip()
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", word):
        return
    how = f"put a question in quotes, or search for the word itself: leadline run {word} --web"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(f"{word!r} is one word and no command; {how}")
    if not click.confirm(f"Search the web for the one word {word!r}?", err=True):
        raise BadInput(how)


def _tell_what_leaves(settings: Settings) -> None:
    """Before the first search of the web with this data folder: what is sent, and to whom."""
    from leadline.kit import uses_web

    told = settings.data_dir / "told-what-leaves"
    if not uses_web(settings) or told.exists():
        return
    note(
        f"leadline: this searches the web: words of your question go to "
        f"{', '.join(settings.search_providers)}, and the pages found are fetched from their "
        "sites. A model on another machine, if you name one, gets the question and what was "
        "found. With --docs PATH alone and no such model nothing leaves this machine. "
        "(Said once.)"
    )
    told.touch()
