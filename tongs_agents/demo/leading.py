"""The scenes of a lead and its worker: one agent starts, prompts and waits for another over MCP."""

from __future__ import annotations

from tongs_agents.demo.play import Play
from tongs_agents.demo.stage import SceneFailed


def lead(play: Play) -> str:
    """start an agent in a pane that claims its launch"""
    reply = play.stage.ok("spawn", "lead")
    play.lead, play.lead_pane = reply.json["launch_id"], reply.json["pane"]["pane_id"]
    if reply.json["state"] != "running":
        raise SceneFailed(f"it is {reply.json['state']}")
    play.proof = play.stage.audited("spawn")
    status = play.stage.ok("agent-status", play.lead, "--why").json
    return f"launch {play.lead} in pane {play.lead_pane}, {len(status['evidence'])} checks passed"


def worker(play: Play) -> str:
    """that agent starts a worker through agents_spawn, once its person says yes"""
    reply = play.leads("agents_spawn", {"profile": "worker"})
    if not reply["ok"] or reply["state"] != "running":
        raise SceneFailed(f"agents_spawn answered {reply}")
    play.launch, play.pane = reply["launch_id"], reply["pane"]["pane_id"]
    found = {x["launch_id"]: x for x in play.stage.ok("list").json["launches"]}
    if found[play.launch]["spawned_by"] != play.lead:
        raise SceneFailed(f"the list says {found[play.launch]}")
    return f"launch {play.launch} in pane {play.pane} of the same session, spawned by {play.lead}"


def prompt(play: Play) -> str:
    """it prompts its worker through agents_send: the same bytes arrive"""
    play.ready(play.launch)
    text = "Reply with [[text:hello from the scripted agent]]"
    reply = play.leads("agents_send", {"launch_id": "{{launch_id}}", "text": text})
    if reply.get("receipt") != "submitted":
        raise SceneFailed(f"agents_send answered {reply}")
    play.arrived(text)
    return f"{play.proof['bytes']} bytes, sha256 {play.proof['sha256'][:12]}… on both sides"


def wait(play: Play) -> str:
    """it waits through agents_wait: its worker's hooks say when the turn is over"""
    sent = play.stage.ok("send", play.launch, "[[slow:4:a longer answer]]").json
    if sent["receipt"] != "submitted":
        raise SceneFailed(f"the agent did not say that it took the prompt: {sent}")
    busy = play.stage.ok("agent-status", play.launch).json["status"]
    reply = play.leads("agents_wait", {"launch_id": play.launch}, approve=False)
    if (busy, reply.get("status")) != ("working", "done"):
        raise SceneFailed(f"it was {busy}, then agents_wait answered {reply}")
    return f"working, and done after {reply['waited_s']:.1f} s, without a question to anybody"


def closed_profile(play: Play) -> str:
    """refused: it starts a profile that nobody opened to agents"""
    before = play.stage.ok("list").json["launches"]
    reply = play.leads("agents_spawn", {"profile": "stranger"})
    if (reply["ok"], reply.get("reason")) != (False, "not-opted-in"):
        raise SceneFailed(f"agents_spawn answered {reply}")
    if len(play.stage.ok("list").json["launches"]) != len(before):
        raise SceneFailed("a launch was started all the same")
    return "nothing was started; a yes of its person does not widen what the config allows"


__all__ = ["closed_profile", "lead", "prompt", "wait", "worker"]
