"""Groups whose commands are imported when they are called, not before."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from tongs_agents.cli.verb import Verb


class VerbGroup(click.Group):
    """``verbs`` maps each name to the module whose ``verb`` it is, in the order of ``--help``.

    ``elsewhere`` maps what other programs call such an act to what it is here.
    ``bare`` is the module of the verb that the group is without a command; without
    one it shows its help.
    """

    def __init__(
        self,
        *args: Any,
        verbs: Mapping[str, str],
        example: str,
        elsewhere: Mapping[str, tuple[str, ...]] | None = None,
        bare: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, callback=_bare, **kwargs)
        # bare, it shows its help, as docker and gh do; click would call that an error
        self.invoke_without_command = True
        self.no_args_is_help = False
        self.verbs = verbs
        self.bare = bare
        self.elsewhere = elsewhere or {}
        self.example = example

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, without importing anything."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None for a name that is not in the table."""
        module = self.verbs.get(cmd_name)
        if module is None:
            return None
        verb = import_module(module).verb
        if not isinstance(verb, Verb | VerbGroup):
            # a plain click command would run without being authorised
            raise TypeError(f"{module}.verb is no Verb")
        return verb

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, and suggests what is meant, or the near name without an import."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            name = error.command_name
            meant = [f"`{ctx.command_path} {words}`" for words in self.elsewhere.get(name, ())]
            if meant:
                message = f"No such command {name!r}. Here it is {' or '.join(meant)}."
                raise click.NoSuchCommand(name, message, ctx=ctx) from None
            near = self.list_commands(ctx)
            raise click.NoSuchCommand(name, possibilities=near, ctx=ctx) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, as it is typed."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}$ {line}\n")


@click.pass_context
def _bare(ctx: click.Context) -> int:
    if ctx.invoked_subcommand is not None:
        return 0
    group = ctx.command
    if isinstance(group, VerbGroup) and group.bare is not None:
        verb = import_module(group.bare).verb
        with verb.make_context(ctx.info_name, [], parent=ctx.parent) as inner:
            return int(verb.invoke(inner))
    click.echo(ctx.get_help())
    return 0


__all__ = ["VerbGroup"]
