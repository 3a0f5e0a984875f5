"""How does a gateway in a test, or a server of a script, start as a process? It prints its URL, and serves."""

from __future__ import annotations

from pathlib import Path

from gateway import create_app, serve


def over_folder(words: list[str]) -> None:
    """Serve a data folder on a free port of a host, until the process is stopped."""
    folder, host = words
    serve(create_app(Path(folder)), host, 0, ready=say)


def by_script(words: list[str]) -> None:
    """Run a script; GATE is a port of the test, to which it connects."""
    script, gate = words
    exec(script, {"say": say, "GATE": int(gate)})


def say(address: str) -> None:
    print(address, flush=True)
