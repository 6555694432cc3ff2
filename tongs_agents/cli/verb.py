"""A verb: authorised in one place, then run, then printed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import click

from tongs_agents.cli import printing
from tongs_agents.cli.reply import Reply

if TYPE_CHECKING:
    from tongs_agents.services import Services

Inside = Literal["refused", "own-launch", "open"]
"""What a verb does inside an agent's process tree; ``own-launch``: of that launch alone."""


class App:
    """One run of the program: what its verbs are given. ``as_json`` is known once it is parsed."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    @cached_property
    def services(self) -> Services:
        """The services of this process."""
        from tongs_agents.services import Services  # here: --help needs none

        return Services.of_process()


class Verb(click.Command):
    """A command with an example and ``--json``, closed to agents unless it says otherwise.

    Its callback returns a Reply, an exit code where it has printed by itself,
    or raises. ``usage_hint`` is said of a wrong usage besides ``--help``.
    """

    def __init__(
        self,
        *args: Any,
        example: str,
        inside: Inside = "refused",
        json: bool = True,
        usage_hint: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.usage_hint = usage_hint
        self.inside = inside
        self.json = json
        if json:
            words = "One JSON document on standard output."
            self.params.append(click.Option(["--json", "as_json"], is_flag=True, help=words))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, as it is typed."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}$ {line}\n")

    def invoke(self, ctx: click.Context) -> int:
        """Authorise, run, print; returns the exit code."""
        app = ctx.ensure_object(App)
        if self.json:
            app.as_json = ctx.params.pop("as_json")
        if self.inside != "open":
            self._authorise(ctx, app.services)
        answer = super().invoke(ctx)
        if isinstance(answer, Reply):
            return _print(answer, as_json=app.as_json)
        return int(answer or 0)

    def _authorise(self, ctx: click.Context, services: Services) -> None:
        """Raises Refused ``inside-agent``, audited, where an agent may not do this (A65)."""
        agent = services.agent_around()
        if agent is None:
            return
        # here: outside of any agent, which is nearly always, none of it is needed
        from tongs_agents.errors import Refused
        from tongs_mux.audit import AuditEntry
        from tongs_mux.ids import is_launch_id

        target = _target(ctx, services)
        if self.inside == "own-launch" and target == agent:
            return
        words = ctx.command_path.split()[1:]
        entry = AuditEntry(
            actor=f"cli:{agent}", caller=agent if is_launch_id(agent) else None,
            action="-".join(words), target=target,
            outcome="refused", exit_code=5, reason="inside-agent",
        )  # fmt: skip
        services.auditing().outcome(None, entry)
        where = f"launch {agent}" if entry.caller else "an agent's process tree"
        raise Refused(
            f"`{' '.join(words)}` is not open to agents, and this is inside {where}",
            reason="inside-agent",
            hint="do it outside of any agent's pane",
        )


def _target(ctx: click.Context, services: Services) -> str | None:
    """Id of the launch that the verb is about, None where it names none that exists."""
    from tongs_agents.cli.target import resolve
    from tongs_mux.errors import MuxError

    given = ctx.params.get("launch")
    if given is None:
        return None
    try:
        return resolve(services, given).launch_id
    except MuxError:
        return None


def _print(reply: Reply, *, as_json: bool) -> int:
    if as_json:
        printing.document(reply.document)
    else:
        printing.lines(reply.text)
    for text in reply.notes:
        printing.note(text)
    return reply.exit_code


__all__ = ["App", "Inside", "Verb"]
