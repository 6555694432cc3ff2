"""Waiting as ``wait`` and ``send --wait`` do it: the bounds, the wait itself, its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Reply

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_mux.model import LaunchRecord


def within_bounds(
    ctx: click.Context, option: click.Parameter, seconds: float | None
) -> float | None:
    """A timeout within its bounds; nothing is clamped in silence (A7)."""
    from tongs_agents.waiting import MAX_SECONDS

    if seconds is None or 0 < seconds <= MAX_SECONDS:
        return seconds
    raise click.BadParameter(f"{seconds:g} is not in the range from over 0 to {MAX_SECONDS:g}")


def waited(
    services: Services,
    record: LaunchRecord,
    until: str,
    timeout: float | None,
    *,
    after: Reply | None = None,
) -> Reply:
    """Wait for the launch; ``after`` is the send's reply that the answer adds to.

    A wait that fails after a send still says what was sent: its failure holds
    the send's reply too. Raises what ``waiting.wait`` raises, without a send.
    """
    from tongs_agents.errors import AgentsError
    from tongs_agents.outcomes import failure_of
    from tongs_agents.shapes import waited_shape
    from tongs_agents.waiting import DEFAULT_SECONDS, asked, wait

    seconds = DEFAULT_SECONDS if timeout is None else timeout
    word = asked(until, seconds)
    sent: dict[str, Any] = {} if after is None else dict(after.document)
    try:
        done = wait(record.launch_id, lambda: services.watch.for_wait(record), word, seconds)
    except AgentsError as error:
        if after is None:
            raise
        failure = failure_of(error)
        document = {**sent, **failure.to_json()}
        text = (*after.text, f"{failure.outcome}: {failure.error}")
        return after._replace(document=document, text=text, exit_code=failure.exit_code)
    answer = waited_shape(done)
    words = f"{done.status} after {done.waited_s:.1f} s"
    if after is not None:
        return after._replace(document={**sent, **answer}, text=(*after.text, words))
    return Reply(answer, (words,))


__all__ = ["waited", "within_bounds"]
