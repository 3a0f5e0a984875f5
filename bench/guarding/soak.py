"""Is the robot polite for ten thousand pages? A crawl of many hosts with delays, audited by the server's own log.

    bench/guard soak [--pages 10000] [--hosts 50] [--delay 0.5] [--keep FOLDER] [--json]

The hosts are names on loopback, of eight kinds by turns. They have rules, Crawl-delays, sitemaps, a redirected or
missing robots.txt, pages with status 429 or slow responses; two more hosts are dead. For each host `./breadcrumb audit`
must prove from the log that robots.txt came first and the delay was kept. It must prove that no disallowed URL was
requested, and no URL twice. Every page must be stored, a host that requested a pause must have got it, and the URLs of
the dead hosts must still be waiting. Exit code 0: all of it held.
"""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.harness.program import parser_of, show
from tests.durability.hosts.access_log import LEEWAY, TOO_MANY, audit_faults, missed_pauses
from tests.durability.hosts.host import HostKind, PlayedHost, hosts_of
from tests.durability.hosts.server import HostServer
from tests.own_commands import breadcrumb, crawl_to_the_end

ANSWER_SECONDS = 15  # the robot's timeout for a response: on a busy machine one may come late
WAIT_SECONDS = 10  # its wait for URLs that are not due; those of the dead hosts are not due for longer


def crawl_hosts(server: HostServer, hosts: list[PlayedHost], delay: float, data: Path) -> float:
    """Crawl all hosts to the end; return how many seconds that took."""
    settings = {
        "DOWNLOAD_DELAY": delay + LEEWAY,
        "DOWNLOAD_TIMEOUT": ANSWER_SECONDS,
        "WAIT_SECONDS": WAIT_SECONDS,
        "CONCURRENT_REQUESTS": len(hosts),
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,  # else one may be sent while a 429 is on its way
        # All hosts are this machine, so the limit for other people's servers does not apply.
        "REQUESTS_PER_MINUTE": 0,
        "INDEX_FOLLOW": 0,
    }
    began = time.monotonic()
    crawl_to_the_end(",".join(f"http://{host.name}:{server.port}/" for host in hosts), data, **settings)
    return time.monotonic() - began


def soak(pages: int, count: int, delay: float, folder: Path) -> dict[str, Any]:
    """Crawl, audit, and return the whole report."""
    hosts = list(hosts_of(count, pages, delay))
    hosts = [PlayedHost(host.name, host.kind, host.pages, host.delay and host.delay + LEEWAY) for host in hosts]
    with HostServer(hosts) as server:
        seconds = crawl_hosts(server, hosts, delay, folder / "data")
    report = json.loads(breadcrumb("report", "--json", DATA_DIR=folder / "data").stdout)
    faults: list[str] = []
    for host in hosts:
        accesses = server.of(host)
        faults += audit_faults(host, server.port, accesses, delay, folder)
        faults += missed_pauses(host, accesses)
    stored, waiting, dead = report["pages"]["stored"], report["urls"]["queued"], sum(host.kind.dead for host in hosts)
    if stored != pages:
        faults.append(f"{stored} pages are stored, and there are {pages}")
    if waiting != dead:
        faults.append(f"{waiting} URLs wait, and {dead} hosts are dead")
    return {
        "hosts": count,
        "dead": dead,
        "pages": stored,
        "seconds": round(seconds, 1),
        "requests": len(server.log),
        "pauses": sum(access.status == TOO_MANY for access in server.log),
        "disallowed": report["suppressed"].get("robots", 0),
        "delays": sorted({delay, *(round(host.delay - LEEWAY, 3) for host in hosts if host.delay)}),
        "faults": faults,
        "kinds": {kind.value: sum(host.kind is kind for host in hosts) for kind in HostKind},
    }


def main() -> int:
    """Soak, and print."""
    parser = parser_of(__doc__, pages=10_000, hosts=50)
    parser.add_argument("--delay", type=float, default=0.5, metavar="S", help="seconds between two requests (0.5)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="an empty folder, where logs and data stay")
    options = parser.parse_args()
    with ExitStack() as opened:
        folder = options.keep or Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-soak-")))
        folder.mkdir(parents=True, exist_ok=True)
        found = soak(options.pages, options.hosts, options.delay, folder)
    show(found, options)
    return int(bool(found["faults"]))
