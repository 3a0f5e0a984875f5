"""How is a crawl on a cluster killed again and again while it runs? One crawl of some hosts, checked at its end."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.machines.store.objects import StoreError
from tests.durability.hosts.access_log import LEEWAY
from tests.durability.hosts.host import HostKind, PlayedHost
from tests.durability.hosts.server import HostServer
from tests.durability.recording import build_shim
from tests.extensions.machines.takeovers.judges import committed, faults_of_the_logs, faults_of_the_store, truth
from tests.extensions.machines.takeovers.processes import Role, below, send
from tests.own_commands import our_command

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from tests.extensions.machines.standalone import Standalone
    from tests.forks import Fork, ForkServer

    Driver = subprocess.Popen[bytes] | Fork

PATIENCE = 300.0  # seconds without a page, after which a crawl hangs
LOOK_SECONDS = 0.1
DONE = 0
MOST_AGAIN = 5  # times that the same command is given again where nobody was killed
MINUTES_OFF = 20  # that a clock on the wall may be wrong by


class Victim(Enum):
    """What is killed, and how."""

    TASK = "a task, with kill -9"
    CRAWL = "the crawl of a task, with kill -9"
    DRIVER = "the driver, with kill -9; then the same command"
    FROZEN = "a task stopped and the driver killed; the task wakes up when others have its part"
    CLOCK = "the driver; the next machine's clock is minutes off"
    EXECUTOR = "Spark's executor, with kill -9"
    WORKER = "Spark's worker, with kill -9; then another is started"

    def told(self, *, on_spark: bool) -> str:
        """Return what is killed and how, where tasks are run by processes or by Spark."""
        return self.value + ", on Spark" * (on_spark and not self.needs_spark)

    @property
    def ends_the_driver(self) -> bool:
        """Whether another driver has to go on."""
        return self in {Victim.DRIVER, Victim.FROZEN, Victim.CLOCK}

    @property
    def needs_spark(self) -> bool:
        """Whether there is no such thing without Spark."""
        return self in {Victim.EXECUTOR, Victim.WORKER}


@dataclass(frozen=True, slots=True)
class Setting:
    """How a trial's crawl is: hosts with so many pages each, and the seconds of delay, stage and lease."""

    hosts: int = 4
    pages: int = 20
    delay: float = 0.4
    parts: int = 3
    stage: int = 3
    lease: float = 2.0
    pause: tuple[float, float] = (1.0, 5.0)  # seconds between two kills


@dataclass(slots=True)
class TrialResult:
    """What was done in one trial, and what was wrong."""

    victim: str
    kills: int = 0
    again: int = 0  # times that a driver ended by itself, and the same command was given again
    seconds: float = 0.0
    requests: int = 0
    late: float = 0.0  # seconds for which one of them lay in the kernel at most before the server was awake
    misjudged: int = 0  # requests that would seem too early by a clock that the server reads when it is awake
    pages: int = 0
    faults: list[str] = field(default_factory=list)


def polite_settings(delay: float) -> dict[str, object]:
    """Return the settings of a crawl of hosts on loopback that keeps to a delay in seconds, and to nothing else."""
    return {
        "DOWNLOAD_DELAY": delay,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        # All hosts are this machine, so what is for a stranger's patience does not apply.
        "REQUESTS_PER_MINUTE": 0,
        "WAIT_SECONDS": 0,
        "PROBE_AFTER": 0,
        "MAX_CRAWL_DELAY": max(1.0, 2 * delay),
    }


class Trial:
    """One crawl by one driver after the other, until it is complete. `spark`: on that cluster, else by processes.

    With `forks`, what starts is a fork, which takes a tenth of the CPU of a start of Python.
    """

    def __init__(
        self,
        setting: Setting,
        folder: Path,
        chance: Random,
        spark: Standalone | None = None,
        forks: ForkServer | None = None,
    ) -> None:
        self._setting = setting
        self.folder = folder
        self._chance = chance
        self._spark = spark
        self._forks = forks
        self.store = str(folder / "store")
        names = [f"s{number}.localhost" for number in range(setting.hosts)]
        self.hosts = [
            PlayedHost(name, HostKind.DELAY, setting.pages, setting.delay + LEEWAY, neighbour=neighbour)
            for name, neighbour in zip(names, names[1:] + names[:1], strict=True)
        ]
        self.server = HostServer(self.hosts)
        self.before: list[tuple[float, set[str]]] = []
        self._frozen: list[int] = []
        self._starts = 0
        self._shim = folder
        self.under: tuple[str, ...] = ()  # the words that a driver's command stands after

    def run(self, victim: Victim, kills: int) -> TrialResult:
        """Crawl, kill at most so many times, crawl to the end, and judge."""
        result, began = TrialResult(victim.told(on_spark=self._spark is not None)), time.monotonic()
        if victim is Victim.CLOCK:
            self._shim = build_shim(self.folder)
        with self.server:
            driver = self._start()
            try:
                while driver.poll() is None and result.kills < kills:
                    self._wait(driver, self._chance.uniform(*self._setting.pause))
                    if driver.poll() is None and self._kill(victim, driver):
                        result.kills += 1
                        self._note()
                        if victim.ends_the_driver:
                            driver = self._next(victim, driver)
                self._finish(driver, result)
            finally:
                self._end(self._latest)
            self._judge(result)
        result.seconds = round(time.monotonic() - began, 1)
        return result

    def _finish(self, driver: Driver, result: TrialResult) -> None:
        """Let a driver end; where it could not go on, give the same command again."""
        self._until_it_ends(driver)
        while driver.returncode not in {None, DONE} and result.again < MOST_AGAIN:
            # On a busy machine it may be late with its sign of life; it says so, and what to do.
            result.again += 1
            driver = self._start()
            self._until_it_ends(driver)
        if driver.returncode != DONE:
            result.faults.append(f"the driver ended with {driver.returncode}: {self._said()}")

    def _judge(self, result: TrialResult) -> None:
        """Compare what the store holds with the hosts, and what these saw with what they asked for."""
        pages = truth(self.hosts, self.server.port)
        result.pages, result.requests = len(pages), len(self.server.log)
        result.late = round(max((access.late for access in self.server.log), default=0.0), 3)
        noted = [sorted(one.start + one.late for one in self.server.of(host)) for host in self.hosts]
        gaps = (later - before for times in noted for before, later in pairwise(times))
        result.misjudged = sum(gap < self._setting.delay for gap in gaps)
        result.faults += faults_of_the_store(self.store, pages)
        result.faults += faults_of_the_logs(self.hosts, self.server, self._setting.delay, self.before)

    def _start(self, wrong_by: int = 0, master: Sequence[str] = ()) -> Driver:
        """Start a driver whose clock on the wall, and that of its tasks, is wrong by so many seconds."""
        setting = self._setting
        words = ["--store", self.store, "--stage", str(setting.stage), "--lease", f"{setting.lease:g}", "--no-jobs"]
        if master:
            words += master
        elif self._spark is None:
            words += ["--master", "processes[2]"]
        else:
            quick = dict.fromkeys(("spark.network.timeoutInterval", "spark.executor.heartbeatInterval"), "3s")
            quick["spark.network.timeout"] = "12s"
            words += ["--master", self._spark.master]
            words += [word for pair in (self._spark.settings() | quick).items() for word in ("--conf", "=".join(pair))]
        seeds = ",".join(f"http://{host.name}:{self.server.port}/" for host in self.hosts)
        words += ["--parts", str(setting.parts), seeds]
        command = our_command("cluster", *words, **polite_settings(setting.delay + LEEWAY))
        self._starts += 1
        clock = {"LD_PRELOAD": str(self._shim), "CRASH_CLOCK": str(wrong_by)} if wrong_by else {}
        told = self.folder / f"driver-{self._starts}.log"
        if self._forks:
            _, _, *line = command
            self._latest: Driver = self._forks.start(*line, said=str(told), printed=str(told), folder=str(self.folder))
            return self._latest
        with told.open("wb") as log:
            self._latest = subprocess.Popen(
                [*self.under, *command],
                cwd=self.folder,
                env=os.environ | clock,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self._latest

    def _kill(self, victim: Victim, driver: Driver) -> bool:
        """Kill one; return whether there was one."""
        if self._spark is not None and victim.needs_spark:
            return self._kill_of_spark(victim, self._spark)
        if victim in {Victim.DRIVER, Victim.CLOCK}:
            return send(driver.pid, signal.SIGKILL)
        candidates = self._processes(driver, Role.CRAWL if victim is Victim.CRAWL else Role.TASK)
        if not candidates:
            return False
        chosen = self._chance.choice(candidates)
        if victim is not Victim.FROZEN:
            return send(chosen, signal.SIGKILL)
        self._frozen = [process for process in (chosen, *below(chosen)) if send(process, signal.SIGSTOP)]
        return send(driver.pid, signal.SIGKILL)

    @staticmethod
    def _kill_of_spark(victim: Victim, spark: Standalone) -> bool:
        if not spark.executors():
            return False
        if victim is Victim.EXECUTOR:
            return bool(spark.kill_executor())
        spark.kill_worker()
        spark.start_workers(1)
        return True

    def _processes(self, driver: Driver, role: Role) -> list[int]:
        roots = [driver.pid] if self._spark is None else self._spark.executors()
        found = [(process, of) for root in roots for process, of in below(root).items()]
        if role is Role.CRAWL:
            return [process for process, of in found if of is role]
        # A task is what has a crawl under way.
        return [process for process, of in found if of is role and Role.CRAWL in below(process).values()]

    def _next(self, victim: Victim, driver: Driver) -> Driver:
        """Start the next driver; what was frozen wakes up when the next one has been at work for a while."""
        driver.wait()
        wrong_by = self._chance.randint(-MINUTES_OFF, MINUTES_OFF) * 60 if victim is Victim.CLOCK else 0
        following = self._start(wrong_by)
        if victim is Victim.FROZEN:
            self._wait(following, 3 * self._setting.lease)
            for process in self._frozen:
                send(process, signal.SIGCONT)
        return following

    def _note(self) -> None:
        """Remember what is committed now: it must not be asked for again."""
        with tempfile.TemporaryDirectory() as name:
            try:
                pages = set(committed(self.store, Path(name)))
            except StoreError:  # the driver was killed before it had made the store: nothing is committed
                return
        self.before.append((time.time(), pages))

    def _until_it_ends(self, driver: Driver) -> None:
        asked, since = len(self.server.log), time.monotonic()
        while driver.poll() is None:
            time.sleep(LOOK_SECONDS)
            if len(self.server.log) != asked:
                asked, since = len(self.server.log), time.monotonic()
            if time.monotonic() - since > PATIENCE:
                return

    @staticmethod
    def _wait(driver: Driver, seconds: float) -> None:
        until = time.monotonic() + seconds
        while driver.poll() is None and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)

    def _end(self, driver: Driver) -> None:
        left = [driver.pid, *below(driver.pid)] if driver.poll() is None else []
        for process in left:
            send(process, signal.SIGKILL)
        driver.wait()

    def _said(self) -> str:
        log = self.folder / f"driver-{self._starts}.log"
        return " | ".join(log.read_text("utf-8", "replace").splitlines()[-5:])
