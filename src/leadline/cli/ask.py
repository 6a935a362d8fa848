"""`leadline ask`: a question on a finished run, answered from what that run read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, settings_from
from leadline.cli.doors import doors
from leadline.cli.output import output_from, output_options
from leadline.cli.run import run
from leadline.cli.runs import find_run
from leadline.cli.watch import carry_out

if TYPE_CHECKING:
    from leadline.session import Session


@click.command(context_settings={"max_content_width": 100})
@click.argument("run_id", metavar="ID")
@click.argument("question")
@click.option(
    "--update", is_flag=True, help="Print that run's report anew with the findings; it stays too."
)
@output_options
@common_options
@click.pass_context
def ask(ctx: click.Context, /, run_id: str, question: str, update: bool, **given: Any) -> None:
    """Ask a QUESTION on a finished run: the pages that it read answer first.

    Only what they lack is searched for, with the settings of that run. Sources keep their numbers.
    """
    from leadline.settings import check_task

    asked = check_task(question)
    output = output_from(given)
    settings = settings_from(common_of(given))
    changes = {name: value for name, value in given.items() if value not in (None, ())}

    async def begin(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        return await session.ask(found.id, asked, changes, update=update, flags=True)

    ctx.exit(carry_out(settings, output, begin, doors(ctx.obj).open_session))


# What can be chosen when a question is asked can be changed for one that follows.
_OTHERS = {param.name for param in ask.params}
_OTHERS |= {"resume", "estimate", "review_plan", "agent", "subtasks"}
ask.params[3:3] = [param for param in run.params if param.name not in _OTHERS]
