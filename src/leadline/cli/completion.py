"""`leadline completion`: the script that teaches a shell to complete our commands and options."""

from __future__ import annotations

import click

from leadline.cli.common import say

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  leadline completion bash >> ~/.bashrc
    zsh:   leadline completion zsh >> ~/.zshrc
    fish:  leadline completion fish > ~/.config/fish/completions/leadline.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    root = ctx.find_root().command
    say(kind(root, {}, "leadline", "_LEADLINE_COMPLETE").source() + "\n")
