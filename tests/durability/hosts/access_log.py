"""What does a server's log show of a robot? Whether it kept to what each host requests.

`./breadcrumb audit` proves it from the log, a host at a time. It does not know the pauses that a 429 requests:
missed_pauses() looks for them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.durability.hosts.host import RETRY_AFTER
from tests.own_commands import breadcrumb

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from tests.durability.hosts.host import PlayedHost

    Run = Callable[..., subprocess.CompletedProcess[str]]

# On a busy machine a request is sent or noted late, and the one after it not: so the robot is asked for this much
# more, in seconds, than the log has to prove.
LEEWAY = 0.25
TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class LoggedAccess:
    """One request: when it came and was answered, in seconds since the epoch; `status` 0: it was not."""

    start: float
    end: float
    host: str  # with its port
    path: str
    status: int
    agent: str
    late: float = 0.0  # seconds for which it lay in the kernel before the server was awake

    def line(self) -> str:
        """Return it as a line of a JSON access log."""
        took = self.end - self.start
        seen = {"end": self.end, "took": took, "host": self.host, "url": self.path, "status": self.status or None}
        return json.dumps(seen | {"agent": self.agent})


def audit_faults(
    host: PlayedHost, port: int, accesses: list[LoggedAccess], delay: float, folder: Path, run: Run = breadcrumb
) -> list[str]:
    """Return what the audit of one host finds wrong; `delay` is the robot's own, in seconds."""
    log, robots = folder / f"{host.name}.log", folder / f"{host.name}.txt"
    log.write_text("".join(f"{access.line()}\n" for access in accesses))
    robots.write_text(host.robots(port))
    kept = max(delay, host.delay - LEEWAY)
    options = ("--robots", str(robots), "--delay", f"{kept:g}", "--json")
    done = run("audit", str(log), *options, "-s", f"DATA_DIR={folder / 'none'}")
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


def missed_pauses(host: PlayedHost, accesses: list[LoggedAccess]) -> list[str]:
    """Return the requests that came while a host had asked for a pause."""
    return [
        f"{host.name}: {later.path} was asked for {later.start - busy.end:.2f} s after a 429"
        for busy, later in pairwise(accesses)
        if busy.status == TOO_MANY and later.start < busy.end + RETRY_AFTER - LEEWAY
    ]
