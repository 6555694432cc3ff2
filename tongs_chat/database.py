"""The one constructor of a connection to the chat file, and its transactions.

Every connection has a role: what it may do is decided by the table in ``roles``. Imports
nothing but ``_sqlite3``: the hook reads it too.
"""

import _sqlite3 as sql

from tongs_chat import limits, place, roles
from tongs_chat.authorizer import authorizer, triggers
from tongs_chat.errors import (
    ChatError,
    GrantError,
    NoStore,
    NotPermitted,
    SchemaTooNew,
    SchemaTooOld,
    StoreBusy,
    StoreDamaged,
    StoreError,
)
from tongs_chat.schema import APPLICATION_ID, MAINTAINER_ID, VERSION

_GONE = "all chat was purged, and every grant with it"


class Database:
    """One connection in one role; for one thread.

    ``me`` is the participant that it is bound to: the launch's own, or the
    maintainer. All reading and writing is in ``read`` and ``write`` blocks;
    their connection is ``sql``.
    """

    __slots__ = ("_busy", "_launch_id", "_seen", "me", "path", "role", "sql")

    def __init__(
        self, path: str, role: str, launch_id: str | None = None, *, busy: float | None = None
    ) -> None:
        """Open the file that is there; nothing is ever created here.

        ``launch_id`` is needed by a role that is bound to a launch, and says
        who posts for a waker (None: the maintainer). ``busy`` is how long a
        transaction waits for others.

        Raises:
            NoStore: there is no file.
            StoreRefused: it is not private to its user.
            StoreDamaged, SchemaTooNew, SchemaTooOld: it can't be used as it is.
            GrantError: the launch has no grant.
            StoreBusy, StoreError: SQLite says so.
        """
        if role in roles.BOUND and launch_id is None:
            raise ValueError(f"{role} is bound to a launch")
        if busy is None:
            busy = limits.HOOK_BUSY_SECONDS if role == roles.HOOK else limits.BUSY_SECONDS
        self.path = path
        self.role = role
        self._launch_id = launch_id
        self._busy = busy
        self._open()

    def _open(self) -> None:
        self._seen: tuple[int, int] | None = None
        seen = place.check_file(self.path)
        mode = "ro" if self.role == roles.READER else "rw"
        try:
            self.sql = sql.connect(
                f"file:{_quoted(self.path)}?mode={mode}",
                uri=True,
                timeout=self._busy,
                isolation_level=None,
            )
        except sql.Error as error:
            raise self._translated(error) from error
        try:
            if place.identity(self.path) != seen:
                raise StoreBusy(f"{self.path} was replaced just now", hint="try again")
            self._prepare()
            self._seen = seen
        except sql.Error as error:
            self.sql.close()
            raise self._translated(error) from error
        except BaseException:
            self.sql.close()
            raise

    def _prepare(self) -> None:
        """Check whose file it is, find out who we are, bind the rows, then the columns."""
        run = self.sql.execute
        check_header(self.sql, self.path)
        # A post that was acknowledged survives a power cut; what a hook notes need not.
        run(f"PRAGMA synchronous = {'NORMAL' if self.role == roles.HOOK else 'FULL'}")
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA recursive_triggers = ON")
        run("PRAGMA trusted_schema = OFF")
        run("PRAGMA temp_store = MEMORY")
        self.me = self._participant()
        for statement in triggers(self.role, self.me):
            run(statement)
        self.sql.set_authorizer(authorizer(self.role))

    def _participant(self) -> int:
        if self._launch_id is None:
            return MAINTAINER_ID
        row = self.sql.execute(
            "SELECT participant_id FROM grants WHERE launch_id = ?", (self._launch_id,)
        ).fetchone()
        if row is None:
            raise not_granted(self._launch_id)
        return int(row[0])

    def close(self) -> None:
        """End the connection; may be called twice."""
        self.sql.close()

    def __enter__(self) -> "Database":  # noqa: PYI034 - Self would need typing at run time
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> "Transaction":
        """A block that sees one state of the file, and writes nothing."""
        return Transaction(self, "BEGIN")

    def write(self) -> "Transaction":
        """A block that is written whole, or not at all where it ends with an exception."""
        return Transaction(self, "BEGIN IMMEDIATE")

    def begin(self, statement: str) -> None:
        """Begin a transaction on the file that the path names now (A78).

        Raises:
            GrantError: the file was purged.
            StoreBusy: others held it for too long.
        """
        if self._seen is None or self._seen != place.identity(self.path):
            self._reopen()
        if self._began(statement):
            return
        # Purged while we waited for the lock: what the path names now may be a new file.
        self._reopen()
        if not self._began(statement):
            raise GrantError(_GONE, hint="a person can grant chat again")

    def _began(self, statement: str) -> bool:
        """Begin; False, with nothing begun, where this file is not the chat file any more."""
        current = False
        try:
            self.sql.execute(statement)
            (purged,) = self.sql.execute("SELECT purged FROM meta").fetchone()
            current = not purged and place.identity(self.path) == self._seen
        except sql.Error as error:
            raise self._translated(error) from error
        finally:
            if not current and self.sql.in_transaction:
                self.sql.execute("ROLLBACK")
        return current

    def _reopen(self) -> None:
        self.sql.close()
        try:
            self._open()
        except NoStore:
            raise GrantError(_GONE, hint="a person can grant chat again") from None

    def _translated(self, error: sql.Error) -> ChatError:
        """What SQLite said, in our words."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        text = str(error)
        if code in (sql.SQLITE_BUSY, sql.SQLITE_LOCKED):
            return StoreBusy(
                "the chat file is in use by another process; nothing was written", hint="try again"
            )
        if code == sql.SQLITE_AUTH or "own row of" in text or "not authorized" in text:
            return NotPermitted(f"role {self.role}: {text}", role=self.role)
        if code in (sql.SQLITE_CORRUPT, sql.SQLITE_NOTADB):
            return damaged(self.path, text)
        return StoreError(f"{self.path}: {text}", hint="look at the disk and the file's mode")

    def failed(self, error: sql.Error) -> ChatError:
        """For ``Transaction``: what an error inside of a block is reported as."""
        return self._translated(error)


class Transaction:
    """A block of reading or writing; entering it gives the connection."""

    __slots__ = ("_database", "_statement")

    def __init__(self, database: Database, statement: str) -> None:
        self._database = database
        self._statement = statement

    def __enter__(self) -> sql.Connection:
        self._database.begin(self._statement)
        return self._database.sql

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        connection = self._database.sql
        try:
            if error is None:
                connection.execute("COMMIT")
        except sql.Error as failure:
            raise self._database.failed(failure) from failure
        finally:
            # Some errors have ended the transaction already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        if isinstance(error, sql.Error):
            raise self._database.failed(error) from error


def check_header(connection: sql.Connection, path: str) -> None:
    """Whether this is a chat file of our version. Raises sql.Error too.

    Raises:
        StoreDamaged, SchemaTooNew, SchemaTooOld: it is not.
    """
    (ours,) = connection.execute("PRAGMA application_id").fetchone()
    if ours != APPLICATION_ID:
        raise damaged(path, "it is a database of something else")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise SchemaTooNew(
            f"{path} has schema {version}, this version knows {VERSION}",
            hint="update tongs-agents, and restart the agents that were started with the old one",
        )
    if version < VERSION:
        raise SchemaTooOld(
            f"{path} has schema {version}, this version needs {VERSION}",
            hint="any chat command of a person brings it up to date",
        )


def damaged(path: str, what: str) -> StoreDamaged:
    """The error for a file that is not whole, or not ours."""
    return StoreDamaged(
        f"{path} can't be used: {what}",
        hint="it was left as it is; move it aside, and the next grant begins a new one",
    )


def not_granted(launch_id: str) -> GrantError:
    """The error for a launch without a grant."""
    return GrantError(
        f"launch {launch_id} has no chat grant",
        hint="a person can grant it",
    )


def _quoted(path: str) -> str:
    """``path`` as part of a file URI."""
    for char, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        path = path.replace(char, code)
    return path


__all__ = ["Database", "Transaction", "check_header", "damaged", "not_granted"]
