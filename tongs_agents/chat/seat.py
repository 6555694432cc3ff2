"""An agent's own seat in chat: its identity verified, its grant looked up, at every use (2.13)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from tongs_agents.chat.audit import audit_of
from tongs_agents.chat.waking import again
from tongs_agents.errors import AgentsError, Refused
from tongs_agents.mcp_server.actor import named_in
from tongs_agents.mcp_server.caller import Caller, at_start, caller_of
from tongs_chat import delivery, grants, roles
from tongs_chat.database import Database
from tongs_chat.errors import ChatError, GrantError, NoStore, StoreBusy
from tongs_chat.validity import is_for, require
from tongs_mux.errors import MuxError

if TYPE_CHECKING:
    from tongs_agents.mcp_server.tool import Presence
    from tongs_agents.services import Services


@dataclass
class Seat:
    """The seat of the launch that this server belongs to. Its methods may run side by side."""

    services: Services
    _lock: Lock = field(default_factory=Lock)
    _asked: bool = False
    _caller: Caller | None = None
    _granted: bool = False

    @property
    def launch_id(self) -> str | None:
        """The launch that the environment names; a call has verified it."""
        return named_in(self.services.environ)

    def presence(self) -> Presence:
        """Whether the chat tools are listed: ``absent`` for ever without an identity (3.7).

        The identity is asked once, and as long as nobody answers again (A95);
        the grant each time.
        """
        with self._lock:
            if not self._asked:
                self._caller = self._identity()
                self._asked = True
        if self._caller is None:
            return "absent"
        self._granted = self._is_granted(self._caller)
        if not self._granted:
            return "hidden"
        self._retry(self._caller)
        return "listed"

    def _identity(self) -> Caller | None:
        try:
            return at_start(lambda: caller_of(self.services.afresh()))
        except (Refused, MuxError):
            return None

    def _is_granted(self, caller: Caller) -> bool:
        try:
            with self._database(caller) as database:
                grant = grants.of_launch(database, caller.launch_id)
        except StoreBusy:
            return self._granted  # who can't ask just now keeps what was last known
        except (GrantError, NoStore):
            return False
        pid, token = _process(caller)
        return grant is not None and is_for(grant, pid, token)

    def _retry(self, caller: Caller) -> None:
        """Try a wake of this launch's own again that was put off, unless that is off (A67)."""
        with suppress(ChatError, MuxError, AgentsError):
            anew = self.services.afresh()
            if anew.config.chat.retry_wakes:
                with self._database(caller) as database:
                    grant = grants.of_launch(database, caller.launch_id)
                    if grant is not None:
                        again(anew, database, grant, audit_of(anew))

    def take(self) -> Database:
        """A connection of this launch's, for one call.

        Raises:
            Refused: the identity does not hold now.
            GrantError: there is no grant, it was revoked, or is another process's.
            StoreError: the file can't be used.
        """
        caller = caller_of(self.services.afresh())
        try:
            database = self._database(caller)
        except NoStore:
            raise GrantError(
                f"launch {caller.launch_id} has no chat grant",
                hint=f"a person can grant it: `tongs-agents chat grant {caller.launch_id}`",
            ) from None
        try:
            grant = grants.of_launch(database, caller.launch_id)
            require(grant, caller.launch_id, *_process(caller))
        except BaseException:
            database.close()
            raise
        return database

    def was_listed(self) -> None:
        """The client has been shown the tools: they are not pending any more (2.14, 3.13)."""
        if self._caller is None:
            return
        try:
            with self._database(self._caller) as database:
                delivery.listed(database, now=self.services.clock())
        except (GrantError, NoStore, StoreBusy):
            return  # the next listing says it again

    def _database(self, caller: Caller) -> Database:
        return Database(str(self.services.places.chat_db), roles.AGENT, caller.launch_id)


def _process(caller: Caller) -> tuple[int, str | None]:
    claim = caller.record.claim
    if claim is None:
        raise GrantError(f"launch {caller.launch_id} is not claimed")
    return claim.process.pid, claim.process.start_token


__all__ = ["Seat"]
