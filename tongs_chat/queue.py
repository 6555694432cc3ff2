"""The queue of peer messages: who takes one has it alone, by lease, until it was read (A66).

The hook, the server that waits and the Stop hook all take by the one function here. What
was handed over is marked afterwards; a holder that dies before that gives it back by
dying. Imports nothing but ``_sqlite3``: the hook reads it too.
"""

import _sqlite3 as sql

from tongs_chat import digest, limits
from tongs_chat.database import Database
from tongs_chat.delivery import is_recent
from tongs_chat.errors import StoreBusy
from tongs_chat.letter import Letter


class _Waiting(Letter):
    """A letter in the queue, with who holds it."""

    __slots__ = (
        "chain",
        "hand_overs",
        "holder_pid",
        "holder_token",
        "in_flight",
        "leased_at",
        "sender_id",
        "state",
    )

    def __init__(
        self,
        letter: tuple[int, str, str, str, str, int, float],
        state: str,
        in_flight: int,
        holder_pid: int | None,
        holder_token: str | None,
        leased_at: float | None,
        chain: int,
        sender_id: int,
        hand_overs: int,
    ) -> None:
        super().__init__(*letter)
        self.state = state
        self.in_flight = in_flight
        self.holder_pid = holder_pid
        self.holder_token = holder_token
        self.leased_at = leased_at
        self.chain = chain
        self.sender_id = sender_id
        self.hand_overs = hand_overs


class Holder:
    """Who holds a lease: a process, by pid and start token."""

    __slots__ = ("pid", "token")

    def __init__(self, pid: int, token: str) -> None:
        self.pid = pid
        self.token = token

    def alive(self, _pid: int, _token: str) -> bool | None:
        """Whether another holder lives; None where that can't be looked up, as here."""
        return None

    def has(self, letter: _Waiting) -> bool:
        """True where this one holds the letter."""
        return (letter.holder_pid, letter.holder_token) == (self.pid, self.token)


class Wanted:
    """What a reader would take: see the arguments."""

    __slots__ = ("counts", "live_runs", "most", "ready", "room", "run_id", "sender")

    def __init__(
        self,
        *,
        most: int = limits.PEER_PART,
        room: int | None = None,
        ready: bool = True,
        sender: str | None = None,
        run_id: str | None = None,
        live_runs: tuple[str, ...] = (),
        counts: bool = True,
    ) -> None:
        """``most``: characters of a part. ``room``: bytes of an injection that must hold the whole
        message instead (``ready`` as ``digest`` has it). ``sender``: only of this launch.
        ``run_id``: for this subagent; without it, what is for a run of ``live_runs`` is left
        to that. ``counts``: False for what starts a turn (A51).
        """
        self.most = most
        self.room = room
        self.ready = ready
        self.sender = sender
        self.run_id = run_id
        self.live_runs = live_runs
        self.counts = counts

    def is_for(self, letter: Letter) -> bool:
        """True where the letter is among what is wanted, whoever holds it."""
        if self.sender not in (None, letter.launch_id):
            return False
        if self.run_id is not None:
            return letter.run_id == self.run_id
        return letter.run_id not in self.live_runs


_PATIENCE = 10
"""So many times the file's lock is waited for, to mark what was handed over."""

_ASKED = (
    "SELECT q.id, q.kind, s.launch_id, q.handle, q.title, q.length, q.ts, q.reply_to, q.run_id,"
    " q.sender_run, q.sender_name, q.handed, q.state, q.in_flight, q.holder_pid, q.holder_token,"
    " q.leased_at, q.chain, q.sender_id, q.hand_overs"
    " FROM peer_messages AS q JOIN participants AS s ON s.id = q.sender_id"
    " WHERE q.target_id = ? AND q.state IN ('queued', 'leased') ORDER BY q.id"
)


def waiting(connection: sql.Connection, me: int) -> list[Letter]:
    """What waits for ``me``, the oldest first, without its text."""
    return [*_rows(connection, me)]


def _rows(connection: sql.Connection, me: int) -> list[_Waiting]:
    return [_Waiting(row[:12], *row[12:]) for row in connection.execute(_ASKED, (me,))]


def waiting_count(connection: sql.Connection, who: int) -> int:
    """How many wait for ``who``, those that somebody holds included (9.23)."""
    (count,) = connection.execute(
        "SELECT count(*) FROM peer_messages WHERE target_id = ? AND state IN ('queued', 'leased')",
        (who,),
    ).fetchone()
    return int(count)


def take(
    database: Database, holder: Holder, wanted: Wanted, *, now: float
) -> tuple[Letter | None, str]:
    """Take the oldest wanted message, or the next part of one begun, for this holder alone.

    Give it to ``mark`` after the hand-over, or to ``give_back``. Returns None
    with ``""`` where nothing waits, else with why: ``turn-full`` (A53), ``loop``
    (A76), ``too-large`` for ``room``; none overtakes one that is too large.
    """
    with database.write() as connection:
        letters = _living(connection, database.me, holder, now)
        begun = [
            it
            for it in letters
            if it.state == "leased" and holder.has(it) and not it.in_flight and wanted.is_for(it)
        ]
        if begun and wanted.room is None:
            return _continued(connection, begun[0], wanted), ""
        queued = [it for it in letters if it.state == "queued" and wanted.is_for(it)]
        free = [it for it in queued if not _is_loop(connection, database.me, it)]
        if not free:
            return None, "loop" if queued else ""
        if wanted.counts and _taken(connection, database.me) >= limits.PER_TURN:
            return None, "turn-full"
        return _begun(connection, database.me, free[0], holder, wanted, now)


def _living(connection: sql.Connection, me: int, holder: Holder, now: float) -> list[_Waiting]:
    """What waits, once the leases of the dead have ended."""
    letters = _rows(connection, me)
    dead = [it for it in letters if it.state == "leased" and not _is_held(it, holder, now)]
    for it in dead:
        connection.execute(
            "UPDATE peer_messages SET state = 'queued', holder_pid = NULL, holder_token = NULL,"
            " leased_at = NULL, handed = 0, in_flight = 0 WHERE id = ?",
            (it.id,),
        )
    return _rows(connection, me) if dead else letters


def _is_held(letter: _Waiting, holder: Holder, now: float) -> bool:
    if holder.has(letter):
        return True
    alive = None
    if letter.holder_pid is not None and letter.holder_token is not None:
        alive = holder.alive(letter.holder_pid, letter.holder_token)
    return is_recent(letter.leased_at, now, limits.LEASE_SECONDS) if alive is None else alive


def _is_loop(connection: sql.Connection, me: int, letter: _Waiting) -> bool:
    """True while nobody has prompted either side since an answer too many (A76)."""
    if letter.chain < limits.CHAIN:
        return False
    (prompted,) = connection.execute(
        "SELECT max(coalesce(prompted_at, 0)) FROM delivery WHERE participant_id IN (?, ?)",
        (me, letter.sender_id),
    ).fetchone()
    return bool(prompted <= letter.ts)


def _taken(connection: sql.Connection, me: int) -> int:
    (taken,) = connection.execute(
        "SELECT turn_taken FROM delivery WHERE participant_id = ?", (me,)
    ).fetchone()
    return int(taken)


def _text(connection: sql.Connection, letter: Letter, most: int) -> str:
    (text,) = connection.execute(
        "SELECT substr(body, ?, ?) FROM peer_messages WHERE id = ?",
        (letter.handed + 1, most, letter.id),
    ).fetchone()
    return str(text)


def _continued(connection: sql.Connection, letter: _Waiting, wanted: Wanted) -> Letter:
    connection.execute("UPDATE peer_messages SET in_flight = 1 WHERE id = ?", (letter.id,))
    letter.text = _text(connection, letter, wanted.most)
    letter.again = letter.hand_overs > 1
    return letter


def _begun(
    connection: sql.Connection,
    me: int,
    letter: _Waiting,
    holder: Holder,
    wanted: Wanted,
    now: float,
) -> tuple[Letter | None, str]:
    # A byte holds no more than a character: what is longer than the room need not be read.
    if wanted.room is not None and letter.length > wanted.room:
        return None, "too-large"
    letter.text = _text(connection, letter, wanted.most if wanted.room is None else letter.length)
    letter.again = letter.hand_overs > 0
    if wanted.room is not None:
        section = digest.letter(letter, ready=wanted.ready)
        if digest.size(section) > wanted.room:
            return None, "too-large"
    connection.execute(
        "UPDATE peer_messages SET state = 'leased', holder_pid = ?, holder_token = ?,"
        " leased_at = ?, in_flight = 1, hand_overs = hand_overs + 1 WHERE id = ?",
        (holder.pid, holder.token, now, letter.id),
    )
    if wanted.counts:
        connection.execute(
            "UPDATE delivery SET turn_taken = turn_taken + 1 WHERE participant_id = ?", (me,)
        )
    return letter, ""


def _is_still_held(connection: sql.Connection, letter: Letter, holder: Holder) -> bool:
    row = connection.execute(
        "SELECT 1 FROM peer_messages WHERE id = ? AND state = 'leased' AND in_flight = 1"
        " AND holder_pid = ? AND holder_token = ?",
        (letter.id, holder.pid, holder.token),
    ).fetchone()
    return row is not None


def mark(database: Database, letter: Letter, holder: Holder, *, now: float) -> bool:
    """The part was handed over; after the last one the message is read.

    False where the lease was lost meanwhile: it will be handed over again. More
    patient than others: what is not marked comes twice. Raises StoreBusy at last.
    """
    for _ in range(_PATIENCE - 1):
        try:
            return _mark(database, letter, holder, now)
        except StoreBusy:
            continue
    return _mark(database, letter, holder, now)


def _mark(database: Database, letter: Letter, holder: Holder, now: float) -> bool:
    handed = letter.handed + len(letter.text)
    with database.write() as connection:
        if not _is_still_held(connection, letter, holder):
            return False
        if letter.more:
            connection.execute(
                "UPDATE peer_messages SET handed = ?, in_flight = 0, leased_at = ? WHERE id = ?",
                (handed, now, letter.id),
            )
        else:
            connection.execute(
                "UPDATE peer_messages SET state = 'read', handed = ?, in_flight = 0, ended_at = ?,"
                " holder_pid = NULL, holder_token = NULL WHERE id = ?",
                (handed, now, letter.id),
            )
    return True


def give_back(database: Database, letter: Letter, holder: Holder, *, counts: bool = True) -> bool:
    """The part was surely not handed over: it waits again, as if never taken.

    A later part stays with its holder. ``counts`` as it was taken. False where
    the lease was lost meanwhile.
    """
    with database.write() as connection:
        if not _is_still_held(connection, letter, holder):
            return False
        if letter.handed:
            connection.execute("UPDATE peer_messages SET in_flight = 0 WHERE id = ?", (letter.id,))
            return True
        connection.execute(
            "UPDATE peer_messages SET state = 'queued', in_flight = 0, holder_pid = NULL,"
            " holder_token = NULL, leased_at = NULL, hand_overs = hand_overs - 1 WHERE id = ?",
            (letter.id,),
        )
        if counts:
            connection.execute(
                "UPDATE delivery SET turn_taken = max(turn_taken - 1, 0) WHERE participant_id = ?",
                (database.me,),
            )
    return True


__all__ = ["Holder", "Wanted", "give_back", "mark", "take", "waiting", "waiting_count"]
