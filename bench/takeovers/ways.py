"""What does a cluster cost beside one process and beside a farm? The same polite crawl in each way, one by one.

Hosts have a delay of their own, so that politeness binds and not the cores: what a way takes longer is its own start,
its copies and its waiting. So a machine with few cores shows what many machines would do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.cost import measure_command
from bench.environment import our_command
from bench.hosts.host import HostKind, PlayedHost
from bench.hosts.server import HostServer
from tests.cluster.standalone import standalone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class WayCost:
    """One way to crawl the hosts: seconds on the clock, CPU seconds of all that it started itself, pages."""

    way: str
    seconds: float
    cpu: float
    pages: int


def polite_settings(delay: float) -> dict[str, object]:
    """Return the settings of a crawl of hosts on loopback that keeps to a delay in seconds, and to nothing else."""
    return {
        "DOWNLOAD_DELAY": delay,
        "LOOPBACK_CONCURRENCY": 1,
        # All hosts are this machine, so what is for one address or for a stranger's patience does not apply.
        "CONCURRENT_REQUESTS_PER_ADDRESS": 0,
        "REQUESTS_PER_MINUTE": 0,
        "WAIT_SECONDS": 0,
        "PROBE_AFTER": 0,
        "MAX_CRAWL_DELAY": max(1.0, 2 * delay),
    }


def overhead(hosts: int, pages: int, delay: float, stage: int, *, spark: bool) -> list[WayCost]:
    """Crawl in two parts with one process, a farm, the cluster by processes, and the one by Spark."""
    ways: dict[str, Callable[[Path, str], list[str]]] = {
        "crawl": lambda folder, seeds: our_command(
            "crawl", "site", "-a", f"seeds={seeds}", DATA_DIR=folder / "data", **polite_settings(delay)
        ),
        "farm -n 2": lambda folder, seeds: our_command(
            "farm", "-n", "2", seeds, DATA_DIR=folder / "data", **polite_settings(delay)
        ),
        "cluster, processes[2]": lambda folder, seeds: _cluster(folder, seeds, "processes[2]", 2, stage, delay, {}),
    }
    found = [_measured(way, make, hosts, pages) for way, make in ways.items()]
    if spark:
        found += _on_spark([("cluster, 2 executors", 2)], 2, hosts, pages, delay, stage)
    return found


def scaling(hosts: int, pages: int, delay: float, stage: int) -> list[WayCost]:
    """Crawl in four parts with one executor, and with two."""
    return _on_spark([("1 executor", 1), ("2 executors", 2)], 4, hosts, pages, delay, stage)


def _on_spark(
    ways: Sequence[tuple[str, int]], parts: int, hosts: int, pages: int, delay: float, stage: int
) -> list[WayCost]:
    found = []
    for way, workers in ways:
        with TemporaryDirectory(prefix="bench-cluster-") as name, standalone(Path(name), workers) as spark:
            settings = spark.settings()

            def make(
                folder: Path, seeds: str, master: str = spark.master, conf: Mapping[str, str] = settings
            ) -> list[str]:
                return _cluster(folder, seeds, master, parts, stage, delay, conf)

            found.append(_measured(way, make, hosts, pages))
    return found


def _cluster(
    folder: Path, seeds: str, master: str, parts: int, stage: int, delay: float, conf: Mapping[str, str]
) -> list[str]:
    words = ["--master", master, "--store", str(folder / "store"), "--parts", str(parts), "--stage", str(stage)]
    words += [word for pair in conf.items() for word in ("--conf", "=".join(pair))]
    return our_command("cluster", *words, seeds, **polite_settings(delay))


def _measured(way: str, make: Callable[[Path, str], list[str]], hosts: int, pages: int) -> WayCost:
    played = [PlayedHost(f"s{number}.localhost", HostKind.FREE, pages) for number in range(hosts)]
    with TemporaryDirectory(prefix="bench-cluster-") as name, HostServer(played) as server:
        seeds = ",".join(f"http://{host.name}:{server.port}/" for host in played)
        began = time.monotonic()
        cost, _ = measure_command(make(Path(name), seeds), cwd=Path(name))
        took = time.monotonic() - began
        # Besides it asks for robots.txt and for what may be there, and for a few pages once more.
        asked = len({(access.host, access.path) for access in server.log if access.status == HTTPStatus.OK})
    if asked != hosts * pages:
        raise SystemExit(f"{way}: {asked} pages were asked for, and there are {hosts * pages}")
    return WayCost(way, round(took, 1), round(cost.cpu, 1), asked)
