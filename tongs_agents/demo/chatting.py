"""The scenes of chat: granted by a person, a mention, an answer, and a grant taken back."""

from __future__ import annotations

from tongs_agents.demo.at_terminal import answered
from tongs_agents.demo.play import Play
from tongs_agents.demo.stage import SceneFailed

_QUESTION = "Type the handle to grant it:"


def granted(play: Play) -> str:
    """a person grants both of them chat, by typing each handle on a terminal"""
    early = play.calls("worker", "chat_inbox", {}, force=True)
    if early.get("reason") != "not-granted":
        raise SceneFailed(f"before any grant, chat_inbox answered {early}")
    for launch, handle in ((play.lead, "lead"), (play.launch, "worker")):
        answered(play.stage, ("chat", "grant", launch), _QUESTION, handle)
    play.proof = play.stage.audited("grant", chat=True)
    play.stage.wait(
        lambda: (
            {x["state"] for x in play.stage.quietly("chat", "grants").json["grants"]} == {"active"}
        ),
        "the tools of both, listed by their clients",
    )
    return "@lead and @worker; until then chat_inbox was refused"


def mention(play: Play) -> str:
    """the worker mentions the lead, which reads it and answers in the thread"""
    posted = play.calls(
        "worker", "chat_post", {"channel": "general", "body": "@lead the build is green"}
    )
    if posted.get("mentioned") != ["lead"]:
        raise SceneFailed(f"chat_post answered {posted}")
    page = play.calls("lead", "chat_read", {"channel": "general", "mark_read": True})
    if [(x["author"], x["id"]) for x in page.get("messages", [])] != [("worker", posted["id"])]:
        raise SceneFailed(f"chat_read answered {page}")
    play.calls(
        "lead", "chat_post", {"channel": "general", "body": "thanks", "thread": posted["id"]}
    )
    said = play.stage.ok("chat", "read", "general").json["messages"]
    if [(x["author"], x["thread"]) for x in said] != [
        ("worker", posted["id"]),
        ("lead", posted["id"]),
    ]:
        raise SceneFailed(f"the person reads {said}")
    play.proof = play.stage.audited("send")
    return "each under its own handle, which no tool can name; you read along with `chat read`"


def revoked(play: Play) -> str:
    """refused: the worker, once its grant was taken back"""
    play.stage.ok("chat", "revoke", "@worker")
    late = play.calls("worker", "chat_post", {"channel": "general", "body": "hello?"}, force=True)
    if late.get("reason") != "not-granted":
        raise SceneFailed(f"chat_post answered {late}")
    play.proof = play.stage.audited("chat-post", chat=True)
    return "its next call was refused, and nothing was posted"


__all__ = ["granted", "mention", "revoked"]
