"""JSON by the interpreter's own C parts: ``import json`` would cost half of Python's start."""

from _json import encode_basestring_ascii, make_scanner

_BLANK = " \t\n\r"


class _Decoder:
    """What the scanner asks of its decoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> object:
    """The value that ``text`` is. Raises ValueError, RecursionError."""
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        value, end = make_scanner(_Decoder())(text, start)  # type: ignore[arg-type]
    except (StopIteration, SystemError):  # the latter where json.decoder was never imported
        raise ValueError("this is no JSON") from None
    if text[end:].strip(_BLANK):
        raise ValueError(f"there is more after the value, at {end}")
    return value


def dumps(value: object) -> str:
    """``value`` in ASCII. Raises TypeError for what a record does not hold."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join([dumps(item) for item in value]) + "]"
    if isinstance(value, dict):
        pairs = [f"{dumps(str(key))}: {dumps(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    raise TypeError(type(value).__name__)


__all__ = ["dumps", "loads"]
