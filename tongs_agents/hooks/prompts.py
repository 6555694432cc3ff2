"""What a prompt event says of its prompt: whose it is, and the hashes of its text."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:  # Python 3.11
    from _sha256 import sha256  # type: ignore[import-not-found]

_NO_PERSON = ("<task-notification", "<cross-session-message")
_OPEN = '<pasted_content id="'
_MAX_ID = 64

MAX_SENT = 64 * 1024
"""Longest prompt, in characters, that a send may know by what stays of it: none is longer."""


def is_person(prompt: str) -> bool:
    """False for what the harness itself, or another session, has said (A90)."""
    return not prompt.lstrip().startswith(_NO_PERSON)


def unwrapped(harness: str, prompt: str) -> str | None:
    """What is inside the harness's own wrapping, None where the prompt is not wrapped.

    Claude Code wraps what was pasted; only a wrapping of the whole prompt is
    its own, the same words inside a text are text.
    """
    text = prompt.lstrip("\n")
    if harness != "claude" or not text.startswith(_OPEN):
        return None
    name, sign, rest = text[len(_OPEN) :].partition('">')
    end = f'</pasted_content id="{name}">'
    body = rest.rstrip()
    if not sign or len(name) > _MAX_ID or not body.endswith(end):
        return None
    return body[: -len(end)]


def hexdigest(data: bytes) -> str:
    """Hex SHA-256."""
    return str(sha256(data).hexdigest())


def digest(text: str) -> str:
    """The hash of ``text`` as ``send`` normalises it: LF, no newline at the end."""
    body = text.replace("\r\n", "\n").rstrip("\n")
    return hexdigest(body.encode("utf-8", "surrogatepass"))


def digests(harness: str, prompt: str) -> tuple[str, ...]:
    """Every hash by which a send may know this prompt as its own, the likeliest first.

    The last is of what stays where a harness alters what nobody sees.

    A newline behind the opening tag may be the wrapping's or the text's.
    """
    inner = unwrapped(harness, prompt)
    texts = [prompt] if inner is None else [inner.removeprefix("\n"), inner, prompt]
    if len(texts[0]) > MAX_SENT:
        return tuple(dict.fromkeys(map(digest, texts)))
    # here: only a prompt needs it, and no other event has to pay for it
    from tongs_mux.squeeze import squeezed

    form = hexdigest(squeezed(texts[0]).encode("utf-8", "replace"))
    return tuple(dict.fromkeys([*map(digest, texts), form]))


__all__ = ["MAX_SENT", "digest", "digests", "hexdigest", "is_person", "unwrapped"]
