"""A world for the stories: a private tmux server, real launches in it, people and strangers.

Nothing here is the product's: what is typed is read in the programs' own journals,
what was refused in the audit log, and panes in tmux itself.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.waiting import wait_for
from tongs_agents.config import Profile, load
from tongs_agents.errors import AgentsError
from tongs_agents.harness.inherited import cleaned
from tongs_agents.launches import Starter, is_wrapper, reader_of
from tongs_agents.multiplexers import BackendFactory
from tongs_agents.outcomes import Failure, failure_of
from tongs_agents.paths import Places
from tongs_agents.sessions import SessionStore
from tongs_agents.watching import Watch
from tongs_mux.acts import Act, Actor
from tongs_mux.audit import AuditLog
from tongs_mux.audit_lines import lines
from tongs_mux.backend import Backend
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.backends.tmux_server import DEADLINE
from tongs_mux.claims import LaunchStore
from tongs_mux.control import Controller
from tongs_mux.errors import MuxError
from tongs_mux.files import private_dir
from tongs_mux.model import LaunchRecord, PaneRef, Receipt
from tongs_mux.opening import Plan
from tongs_mux.process import system_processes
from tongs_mux.send import Pauses
from tongs_mux.text import sha256

PERSON = Actor("cli")
SCRIPTED = str(Path(sys.executable).with_name("tongs-agents-scripted"))
RAW = (sys.executable, "-I", "-S", str(Path(__file__).with_name("raw.py")))
START, END, ENTER = b"\x1b[200~", b"\x1b[201~", b"\r"
LOOKS, GAP = 0.011, 0.012
QUICK = Pauses(between_looks=LOOKS, before_enter=GAP, echo=10.0, settle=5.0, step=0.01)
"""Short deliberate waits, told apart by their length: `Rig.during` acts in one of them."""
UNTYPED = "never-typed-never-logged"


def pasted(text: str) -> bytes:
    """What a program reads of one good send."""
    return START + text.encode() + END + ENTER


def failed(act: Callable[..., object], *arguments: object) -> Failure:
    """How ``act`` fails, as every edge of the product reports it."""
    with pytest.raises((MuxError, AgentsError)) as raised:
        act(*arguments)
    return failure_of(raised.value)


def judge(error: BaseException) -> tuple[str, int]:
    found = failure_of(error)
    return found.outcome, found.exit_code


@dataclass(frozen=True)
class Journal:
    """What a program in a pane wrote about itself: RAW's and the scripted agent's are alike."""

    path: Path

    def facts(self, event: str) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
        facts = [json.loads(line) for line in whole.splitlines()]
        return [fact for fact in facts if fact["event"] == event]

    def wait(self, event: str, count: int = 1) -> dict[str, Any]:
        return wait_for(
            lambda: self.facts(event)[count - 1 : count], deadline=20, what=f"{count} {event}"
        )[0]

    def typed(self) -> bytes:
        """Every byte that reached the program, in order."""
        return bytes.fromhex("".join(fact["hex"] for fact in self.facts("bytes")))

    def submitted(self) -> list[bytes]:
        """The prompts that were submitted by an Enter."""
        return [
            bytes.fromhex(fact["hex"]) if "hex" in fact else fact["text"].encode()
            for fact in self.facts("submit")
            if fact.get("way") != "argument"
        ]

    def wait_typed(self, expected: bytes) -> None:
        """The program has read exactly ``expected``, from its start."""
        try:
            wait_for(lambda: len(self.typed()) >= len(expected), deadline=20)
        finally:
            assert self.typed() == expected


@dataclass(frozen=True)
class Agent:
    """A launch, and what can be known of the program in it without the product."""

    rig: Rig
    record: LaunchRecord
    journal: Journal

    @property
    def id(self) -> str:
        return self.record.launch_id

    @property
    def pane(self) -> str:
        assert self.record.pane is not None
        return self.record.pane.pane_id

    @property
    def pid(self) -> int:
        assert self.record.claim is not None
        return self.record.claim.process.pid

    def send(self, text: str, control: Controller | None = None) -> Receipt:
        control = control or self.rig.control
        record = self.record
        return control.send(record, text, reader_of(record), PERSON, wrapper=is_wrapper(record))

    def state(self) -> str:
        return self.rig.control.verify(self.record).verdict.state

    def composer(self) -> str:
        reader = reader_of(self.record)
        sight = self.rig.control.sight(self.record, reader, wrapper=is_wrapper(self.record))
        return sight.reading.composer

    def wait_composer(self, state: str) -> None:
        wait_for(lambda: self.composer() == state, deadline=20, what=f"composer {state}")

    def screen(self) -> str:
        return self.rig.tmux("capture-pane", "-p", "-t", self.pane)

    def wait_screen(self, text: str) -> None:
        wait_for(lambda: text in self.screen(), deadline=20, what=f"{text!r} on the screen")

    def wait_dialog(self) -> None:
        self.wait_screen("Do you want to proceed?")

    def press(self, *keys: str) -> None:
        """A person's keys, by their tmux names."""
        self.rig.tmux("send-keys", "-t", self.pane, *keys)

    def type(self, text: str) -> None:
        """A person's letters."""
        self.rig.tmux("send-keys", "-t", self.pane, "-l", text)

    def set(self, option: str, value: str) -> None:
        self.rig.tmux("set-option", "-w", "-t", self.pane, option, value)

    def scroll(self) -> None:
        """A person reads back in the pane."""
        self.rig.tmux("copy-mode", "-t", self.pane)

    def synchronize(self) -> None:
        """Keys go to every pane that is beside it."""
        self.set("synchronize-panes", "on")

    def kill_pane(self) -> None:
        """A person closes the pane."""
        self.rig.tmux("kill-pane", "-t", self.pane)

    def wait_dead(self) -> None:
        """With ``remain-on-exit``: the program has ended and its pane stays."""
        ask = ("display-message", "-p", "-t", self.pane, "#{pane_dead}")
        wait_for(lambda: self.rig.tmux(*ask) == "1\n", what="a dead pane")

    def gone(self) -> bool:
        return not alive(self.pid)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Inside, not one byte reaches the program: the next is a key pressed afterwards."""
        before = self.journal.typed()
        yield
        self.type("~")
        self.journal.wait_typed(before + b"~")

    def refused(
        self, reason: str, text: str = UNTYPED, control: Controller | None = None
    ) -> Failure:
        """A send that must be refused: 5, this reason, nothing begun, and audited so."""
        found = failed(lambda: self.send(text, control))
        assert (found.exit_code, found.reason) == (5, reason), found
        assert (found.outcome, found.uncertain, found.effect) == ("refused", False, None)
        line = self.rig.audit()[-1]
        expected = {
            "phase": "outcome",
            "action": "send",
            "target": self.id,
            "outcome": "refused",
            "exit_code": 5,
            "reason": reason,
            "bytes": len(text.encode()),
            "sha256": sha256(text.encode()),
        }
        assert {name: line.get(name) for name in expected} == expected
        if not control:
            assert "act" not in line, "a refusal that began"
        if len(text) > 8:  # shorter ones could stand there by chance
            assert text not in self.rig.audit_text()
        return found


def alive(pid: int) -> bool:
    """True for a process that runs; one that waits to be reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Rig:
    """One tmux server's socket, places of its own, and a config that grows by profiles."""

    hangs = 0.3
    """Deadline of a call where the server is known to be silent, in seconds."""

    def __init__(self, directory: Path, socket: str, *, session: str = "agents") -> None:
        directory.mkdir(exist_ok=True)
        self.directory = directory
        self.socket = socket
        self.session = session
        self.environ: dict[str, str] = cleaned(os.environ)
        self.places = Places(directory / "config.toml", directory / "state", directory / "run")
        private_dir(self.places.state_dir)
        private_dir(self.places.runtime_dir)
        self._profiles: dict[str, dict[str, object]] = {}
        self._sections: dict[str, dict[str, object]] = {}
        self._write_config()
        self.control = self.controller()

    @property
    def where(self) -> PaneRef:
        """The workspace session, and no pane yet."""
        return PaneRef("tmux", self.session, "", self.socket)

    def controller(self) -> Controller:
        """A controller that shares nothing with another but the files."""
        processes = system_processes()
        return Controller(
            store=LaunchStore(self.places.launches),
            backends=BackendFactory(processes, self.environ),
            audit=AuditLog(self.places.control_audit, clock=time.time),
            processes=processes,
            runtime=self.places.runtime_dir,
            pauses=QUICK,
            judge=judge,
        )

    def starter(self, control: Controller | None = None) -> Starter:
        used = control or self.control
        sessions = SessionStore(self.places.sessions)
        return Starter(
            control=used,
            watch=Watch(used, sessions, self.places.runtime_dir, time.time),
            places=self.places,
            config=load(self.places.config, home=self.directory),
            environ=self.environ,
            uid=os.getuid(),
            home=self.directory,
            cwd=self.directory,
            random_hex=secrets.token_hex,
        )

    # -- profiles and launches

    def profile(self, command: tuple[str, ...], **keys: object) -> Profile:
        """One more profile in the config file, as it is read from there."""
        name = f"p{len(self._profiles)}"
        self._profiles[name] = {"command": list(command), **keys}
        self._write_config()
        return load(self.places.config, home=self.directory).profiles[name]

    def reprofile(self, name: str, **keys: object) -> None:
        """Change what a profile says by now."""
        self._profiles[name].update(keys)
        self._write_config()

    def forget_profile(self, name: str) -> None:
        """Take a profile out of the config."""
        del self._profiles[name]
        self._write_config()

    def settings(self, section: str, **keys: object) -> None:
        """Change what a section of the config says; None takes a key away."""
        merged = {**self._sections.get(section, {}), **keys}
        self._sections[section] = {key: it for key, it in merged.items() if it is not None}
        self._write_config()

    def _write_config(self) -> None:
        tables: dict[str, Mapping[str, object]] = {
            "workspace": {"multiplexer": "tmux", "session": self.session, "socket": self.socket}
        }
        tables |= self._sections
        tables |= {f"profiles.{name}": table for name, table in self._profiles.items()}
        text = "".join(
            f"[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
            for name, table in tables.items()
        )
        self.places.config.write_text(text, encoding="utf-8")

    def start(
        self, *options: str, raw: bool = False, wait: bool = True, prompt: str | None = None,
        **keys: object,
    ) -> Agent:  # fmt: skip
        """Spawn the scripted agent, or RAW, with its options; ready unless not waited for."""
        log = self.log()
        if raw:
            profile = self.profile((*RAW, "--log", str(log), *options), multiline=True, **keys)
        else:
            profile = self.profile((SCRIPTED, "--log", str(log), *options), **keys)
        agent = self.spawn(profile, log, prompt=prompt)
        if wait:
            agent.journal.wait("ready")
            if not raw and prompt is None:
                agent.wait_composer("empty")
        return agent

    def surprising(self) -> Agent:
        """An agent that opens a permission dialog as soon as a paste has arrived."""
        agent = self.start("--dialog-on-paste", "--", "hello")
        agent.journal.wait("turn-end")  # its dialog waits for no turn
        agent.wait_composer("empty")
        return agent

    def log(self) -> Path:
        return self.directory / f"log-{secrets.token_hex(3)}.jsonl"

    def spawn(self, profile: Profile, log: Path, *, prompt: str | None = None) -> Agent:
        return self.agent(self.starter().spawn(profile, PERSON, prompt=prompt).record, log)

    def agent(self, record: LaunchRecord, log: Path) -> Agent:
        """A launch with the journal of its program."""
        return Agent(self, record, Journal(log))

    def shell(self, script: str, **keys: object) -> Agent:
        """Spawn ``bash -c SCRIPT``, in which ``$AGENT`` is a scripted agent with its journal."""
        log = self.log()
        command = ("bash", "--norc", "-c", script)
        env = Verbatim.table({"AGENT": SCRIPTED, "TONGS_SCRIPTED_LOG": str(log)})
        return self.spawn(self.profile(command, env=env, **keys), log)

    def pending(self) -> Agent:
        """A launch whose pane is open and on record, and whose launcher never claims it."""
        starter = self.starter()
        record = LaunchRecord(
            launch_id=secrets.token_hex(6),
            created_at=time.time(),
            argv=("sleep", "1000"),
            cwd=str(self.directory),
            labels={"profile": "p", "harness": "other"},
            places={
                "config": str(self.places.config),
                "state_dir": str(self.places.state_dir),
                "runtime_dir": str(self.places.runtime_dir),
            },
        )
        plan = Plan(record, self.session, record.argv, "p", True, self.environ)
        control = self.control
        with Act(control.audit, control.judge, "spawn", PERSON, record) as act:
            record, _ = starter._opener().open(plan, control.backends(self.where), act)
        return self.agent(record, Path("/dev/null"))

    def stranger(self, *where: str, options: tuple[str, ...] = ()) -> tuple[str, Journal]:
        """RAW in a pane that is nobody's launch; ``where`` is the tmux verb with its target."""
        journal = Journal(self.log())
        words = [*where, "-P", "-F", "#{pane_id}", "--", *RAW, "--log", str(journal.path), *options]
        pane = self.tmux(*words).strip()
        journal.wait("ready")
        return pane, journal

    # -- what is there

    def tmux(self, *words: str, check: bool = True) -> str:
        ran = subprocess.run(
            ["tmux", "-u", "-S", self.socket, *words],
            encoding="utf-8",
            capture_output=True,
            timeout=20,
            env=self.environ,
        )
        assert not check or ran.returncode == 0, ran.stderr
        return ran.stdout

    def panes(self) -> list[str]:
        return self.tmux("list-panes", "-a", "-F", "#{pane_id}").split()

    def rename_session(self, name: str) -> None:
        """A person gives the workspace session another name."""
        self.tmux("rename-session", "-t", f"={self.session}", name)

    def leave_mode(self, pane: str) -> None:
        """The person has read enough, in whatever mode."""
        self.tmux("copy-mode", "-q", "-t", pane)
        assert self.tmux("display-message", "-p", "-t", pane, "#{pane_in_mode}") == "0\n"

    def server_pid(self) -> int:
        return int(self.tmux("display-message", "-p", "#{pid}"))

    def kill_server(self) -> None:
        pid = self.server_pid()
        self.tmux("kill-server")
        wait_for(lambda: not alive(pid), what="the end of the server")

    def audit_text(self) -> str:
        return "\n".join(lines(self.places.control_audit))

    def audit(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines(self.places.control_audit)]

    # -- other times and moments

    def during(
        self, *, looks: Callable[[], object] | None = None, gap: Callable[[], object] | None = None
    ) -> Controller:
        """A controller in whose pause between the looks, or before Enter, something happens."""

        def pause(seconds: float) -> None:
            act = {LOOKS: looks, GAP: gap}.get(seconds)
            if act is None:
                time.sleep(seconds)
            else:
                act()

        return replace(self.control, pause=pause)

    def at(self, moment: str, act: Callable[[], object], deadline: float = DEADLINE) -> Controller:
        """A controller for which ``act`` happens once, at the last moment before an act.

        ``moment`` is a method of the backend; ``deadline`` is that of each call.
        """

        coming = [moment]

        def now(name: str) -> None:
            if name in coming:
                coming.remove(name)
                act()

        def late(pane: PaneRef) -> Backend:
            backend = self.backend(pane, deadline=deadline)
            for name in ("paste", "enter", "focus", "close"):
                setattr(backend, name, _preceded(partial(now, name), getattr(backend, name)))
            return backend

        return replace(self.control, backends=late)

    def backend(self, pane: PaneRef, **more: Any) -> Backend:
        """A backend of the pane's server, with other arguments than the product's."""
        return self.backends_of(TmuxBackend, **more)(pane)

    def moves(self, agent: Agent, other: Agent) -> list[tuple[str, ...]]:
        """Commands after each of which the agent's pane is elsewhere, and still the agent's."""
        self.tmux("new-session", "-d", "-s", "elsewhere", "sleep", "1000")
        return [
            ("join-pane", "-d", "-s", agent.pane, "-t", "elsewhere:"),
            ("swap-pane", "-d", "-s", agent.pane, "-t", other.pane),
            ("swap-pane", "-d", "-s", agent.pane, "-t", other.pane),
            ("break-pane", "-d", "-s", agent.pane),
            ("rename-session", "-t", "=elsewhere", self.session + "-2"),
            ("resize-window", "-t", agent.pane, "-x", "60", "-y", "15"),
        ]

    def command(self, *words: str) -> None:
        """One command of the multiplexer, by hand."""
        self.tmux(*words)

    def hasty(self, seconds: float, tmux_bin: str = "tmux") -> Controller:
        """A controller that waits for tmux, or what stands for it, no longer than this."""
        backends = self.backends_of(TmuxBackend, deadline=seconds, tmux_bin=tmux_bin)
        return replace(self.control, backends=backends)

    def backends_of(self, kind: type[TmuxBackend], **more: Any) -> Callable[[PaneRef], Backend]:
        """Backends of another kind, or with other arguments."""
        settings = {"processes": self.control.processes, "environ": self.environ, **more}

        def backends(pane: PaneRef) -> Backend:
            assert pane.socket is not None
            return kind(pane.socket, **settings)

        return backends

    def stops(self) -> Stop:
        """The means to stop the server from answering anybody."""
        return Stop(psutil.Process(self.server_pid()))

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Inside, the server runs and answers nobody."""
        stop = self.stops()
        stop.now()
        try:
            yield
        finally:
            stop.over()

    def later(self, seconds: float) -> Controller:
        """A controller whose clock is ahead."""
        return replace(self.control, clock=lambda: time.time() + seconds)


def _preceded(now: Callable[[], None], act: Callable[..., Any]) -> Callable[..., Any]:
    def both(*arguments: object) -> Any:
        now()
        return act(*arguments)

    return both


@dataclass(frozen=True)
class Stop:
    """A server that is to be stopped, and to go on."""

    server: psutil.Process

    def now(self) -> None:
        self.server.suspend()
        wait_for(lambda: self.server.status() == psutil.STATUS_STOPPED, what="a stopped server")

    def over(self) -> None:
        self.server.resume()


class Client:
    """A person at a terminal: `tmux attach`, in a pane of a second private server."""

    def __init__(self, rig: Rig, socket: str) -> None:
        self._outer = ["tmux", "-u", "-S", socket]
        attach = ["env", "-u", "TMUX", "tmux", "-u", "-S", rig.socket, "attach", "-t", rig.session]
        size = ["-x", "120", "-y", "40"]
        subprocess.run([*self._outer, "new-session", "-d", *size, *attach], check=True)
        wait_for(lambda: rig.tmux("list-clients").strip(), what="an attached client")

    def shows(self, rig: Rig) -> str:
        """The pane that this person looks at and types into."""
        return rig.tmux("list-clients", "-F", "#{pane_id}").strip()

    def type(self, text: str) -> None:
        """Letters, as they come from a keyboard."""
        subprocess.run([*self._outer, "send-keys", "-l", "--", text], check=True, timeout=20)


class Verbatim(str):
    """A value that is TOML already."""

    @classmethod
    def table(cls, values: Mapping[str, str]) -> Verbatim:
        """An inline table."""
        return cls(
            "{ " + ", ".join(f"{key} = {_toml(value)}" for key, value in values.items()) + " }"
        )


def _toml(value: object) -> str:
    return str(value) if isinstance(value, Verbatim) else json.dumps(value, ensure_ascii=False)
