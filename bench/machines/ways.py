"""How does the cost of a cluster compare with one process and a farm? The same polite crawl in each way, one by one.

Each host has its own delay, so politeness is the limit and not the cores. The extra time of a way is its start, its
copies and its waiting. So a machine with few cores shows what many machines would do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.harness.cost import CommandFailedError, measure_command
from tests.durability.hosts.host import HostKind, PlayedHost
from tests.durability.hosts.server import HostServer
from tests.extensions.machines.standalone import standalone
from tests.extensions.machines.takeovers.trial import polite_settings
from tests.own_commands import our_command
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


DELAY = 0.5  # seconds between two requests to a host
HOSTS = 8
STAGE = 60  # seconds
LIMIT, SPEEDUP = 0.15, 1.7  # extra time beyond one process's, at most; gain of a second executor, at least


@dataclass(frozen=True, slots=True)
class WayCost:
    """One way to crawl the hosts: seconds of the whole command, until its first request, and after its last.

    `cpu` is in seconds, of all processes that the command started; None: others start the workers. `fault` is why it
    failed.
    """

    way: str
    seconds: float = 0.0
    begins: float = 0.0
    ends: float = 0.0
    cpu: float | None = None
    pages: int = 0
    fault: str = ""

    @property
    def asking(self) -> float:
        """Seconds from the first request to the last: they include all stages, but no start of a session."""
        return self.seconds - self.begins - self.ends


def overhead(seconds: int, *, spark: bool) -> Iterator[WayCost]:
    """Crawl in two parts with one process, a farm, the cluster by processes, and the cluster by Spark.

    Politeness makes every way take at least `seconds`.
    """
    ways: dict[str, Callable[[Path, str], list[str]]] = {
        "crawl": lambda folder, seeds: our_command(
            "crawl", "site", "-a", f"seeds={seeds}", DATA_DIR=folder / "data", **polite_settings(DELAY)
        ),
        "farm -n 2": lambda folder, seeds: our_command(
            "farm", "-n", "2", seeds, DATA_DIR=folder / "data", **polite_settings(DELAY)
        ),
        "cluster, processes[2]": lambda folder, seeds: _cluster(folder, seeds, "processes[2]", 2, {}),
    }
    for way, make in ways.items():
        yield _measured(way, make, seconds)
    if spark:
        yield _on_spark("cluster, Spark with 2 executors", 2, 2, seconds)


def scaling(seconds: int) -> Iterator[WayCost]:
    """Crawl in four parts with one executor, which takes `seconds` by politeness alone, and with two."""
    for workers in (1, 2):
        yield _on_spark(f"4 parts, {counted(workers, 'executor')}", workers, 4, seconds // 4)


def verdicts(costs: Sequence[WayCost]) -> Iterator[tuple[str, bool]]:
    """Yield how the ways compare, each sentence with whether the aim is met."""
    first, *others = [cost for cost in costs if not cost.way.startswith("4 parts")]
    for cost in others:
        if not (first.fault or cost.fault):
            more, whole = cost.asking / first.asking - 1, cost.seconds / first.seconds - 1
            yield f"{cost.way}: {more:+.1%} from first to last request; the whole command {whole:+.1%}", more <= LIMIT
    one, two = ([cost for cost in costs if cost.way.startswith("4 parts")] or [first, first])[:2]
    if one is not two and not (one.fault or two.fault):
        faster = one.asking / two.asking
        yield f"two executors: {faster:.2f} times as fast as one from first to last request", faster >= SPEEDUP


def _on_spark(way: str, workers: int, parts: int, seconds: int) -> WayCost:
    with TemporaryDirectory(prefix="bench-cluster-") as name, standalone(Path(name), workers) as spark:
        found = _measured(
            way, lambda folder, seeds: _cluster(folder, seeds, spark.master, parts, spark.settings()), seconds
        )
    return replace(found, cpu=None)


def _cluster(folder: Path, seeds: str, master: str, parts: int, conf: Mapping[str, str]) -> list[str]:
    options = {"master": master, "store": folder / "store", "parts": parts, "stage": STAGE}
    words = ["--no-jobs", *(word for name, value in options.items() for word in (f"--{name}", str(value)))]
    words += [word for pair in conf.items() for word in ("--conf", "=".join(pair))]
    return our_command("cluster", *words, seeds, **polite_settings(DELAY))


def _measured(way: str, make: Callable[[Path, str], list[str]], seconds: int) -> WayCost:
    pages = max(1, round(seconds / DELAY))
    played = [PlayedHost(f"s{number}.localhost", HostKind.FREE, pages) for number in range(HOSTS)]
    with TemporaryDirectory(prefix="bench-cluster-") as name, HostServer(played) as server:
        seeds = ",".join(f"http://{host.name}:{server.port}/" for host in played)
        began = time.time()
        try:
            cost, _ = measure_command(make(Path(name), seeds), cwd=Path(name))
        except CommandFailedError as failed:
            return WayCost(way, fault=f"{way}: {failed}")
        ended = time.time()
        # It also requests robots.txt and optional files, and a few pages again.
        asked = len({(access.host, access.path) for access in server.log if access.status == HTTPStatus.OK})
        fault = f"{way}: {asked} pages were asked for, and there are {HOSTS * pages}" * (asked != HOSTS * pages)
        at = [access.start for access in server.log] or [ended]
    whole, begins, ends = (round(each, 1) for each in (ended - began, min(at) - began, ended - max(at)))
    return WayCost(way, whole, begins, ends, round(cost.cpu, 1), asked, fault)
