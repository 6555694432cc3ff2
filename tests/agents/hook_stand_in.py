"""A stand-in for a harness: the claimed process, which runs what it is told as hooks.

A request is one JSON line on standard input: ``argv``, and optionally ``payload``
(a file), ``env`` (changes), ``closed`` (descriptors), ``cwd``,
``times`` (so many at once).
The answer is one line: for each, code, output and errors.
"""

import json
import os
import subprocess
import sys


def start(request):
    def close():
        for fd in request.get("closed", ()):
            os.close(fd)

    changes = request.get("env", {})
    env = {name: value for name, value in os.environ.items() if changes.get(name, "") is not None}
    env.update({name: value for name, value in changes.items() if value is not None})
    return subprocess.Popen(
        request["argv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=request.get("cwd"),
        preexec_fn=close if request.get("closed") else None,  # noqa: PLW1509 - one thread only
    )


def finish(process, payload):
    output, errors = process.communicate(payload)
    return [process.returncode, output.decode("latin-1"), errors.decode("latin-1")]


def main():
    for line in sys.stdin:
        request = json.loads(line)
        payload = b""
        if request.get("payload"):
            with open(request["payload"], "rb") as file:
                payload = file.read()
        started = [start(request) for _ in range(request.get("times", 1))]
        answer = [finish(process, payload) for process in started]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
