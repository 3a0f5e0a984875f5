"""Did a robot keep to what each host asks for? `./breadcrumb audit` says so from the server's log, a host at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from bench.hosts.host import RETRY_AFTER, Host

if TYPE_CHECKING:
    from bench.hosts.server import Access, Server

ROOT = Path(__file__).resolve().parents[2]
# On a busy machine a request is sent or noted late, and the one after it not: so the robot is asked for this much
# more, in seconds, than the log has to prove.
LEEWAY = 0.25
TOO_MANY = 429


def breadcrumb(*words: str) -> subprocess.CompletedProcess[str]:
    """Run one of our commands."""
    command = [sys.executable, str(ROOT / "commands"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def audited(server: Server, host: Host, delay: float, folder: Path) -> list[str]:
    """Return what the audit of one host finds; `delay` is the robot's own, in seconds."""
    log, robots = folder / f"{host.name}.log", folder / f"{host.name}.txt"
    log.write_text("".join(f"{access.line()}\n" for access in server.of(host)))
    robots.write_text(host.robots(server.port))
    kept = max(delay, host.delay - LEEWAY)
    words = ("--robots", str(robots), "--delay", f"{kept:g}", "--json", "-s", f"DATA_DIR={folder / 'none'}")
    done = breadcrumb("audit", str(log), *words)
    if done.returncode == 0:
        return []
    if not done.stdout:
        return [f"{host.name}: {done.stderr.strip()}"]
    found = json.loads(done.stdout)
    faults = [f"{host.name}: {doubt}" for doubt in found["doubts"]]
    for claim in found["claims"]:
        if claim["proof"] not in {"proved", "not asked"}:
            faults.append(f"{host.name} ({host.kind.value}), {claim['claim']}: {claim['proof']}, {claim['reason']}")
            faults += (f"    {sample['url']}: {sample['wrong']}" for sample in claim["samples"])
    return faults


def without_pause(host: Host, accesses: list[Access]) -> list[str]:
    """Return the requests that came while a host had asked for a pause."""
    return [
        f"{host.name}: {later.path} was asked for {later.start - busy.end:.2f} s after a 429"
        for busy, later in pairwise(accesses)
        if busy.status == TOO_MANY and later.start < busy.end + RETRY_AFTER - LEEWAY
    ]
