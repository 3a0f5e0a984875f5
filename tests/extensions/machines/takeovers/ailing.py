"""How does a crawl on a cluster end if its storage fails? It says so, loses nothing, and the same command continues.

The storage fails really: a separate disk is full, a folder loses its permissions, for root too, or an S3 server is slow
or rejects requests. The tests look for the messages in the output of the drivers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager
from enum import Enum
from importlib import import_module
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from extensions.machines.store.versions import ROOMS
from spiders.own_folders import ROOT
from tests.extensions.machines.s3_server import BUCKET, missing, s3_server
from tests.extensions.machines.takeovers.trial import DONE, Trial, TrialResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.extensions.machines.takeovers.trial import Driver

# Root may write everywhere; without these capabilities (capabilities(7)) it may what the owner of a file may.
AS_OWNER = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--")
DISK_BYTES = 96 << 20
REFUSED = 2  # the exit code of a command that can't go on
LEASES_LONG = (0.5, 4.0)  # how long storage ails: less than a lease, and longer
SLOW_SECONDS = 1.0  # for each write, of a lease of 2


class Ailment(Enum):
    """What ails, and what a person must be told of it."""

    SLOW = "storage that is slow: S3, each write takes a second", ""
    FULL = "storage that is full: the disk of a folder", "make room there"
    QUOTA = "storage that is full: the quota of S3", "reached its quota"
    RIGHTS = "storage without rights: a folder, by chmod", "let the user of this process read and write there"
    FORBIDDEN = "storage without rights: S3 answers 403", "let this key or user list, read and write there"
    TWO = "a second driver on the store", "has a driver: "
    VERSION = "an executor of another version, on Spark", "has another version of Breadcrumb"

    @property
    def sentence(self) -> str:
        """Return words of the sentence that a person must read."""
        return self.value[1]

    @property
    def needs_spark(self) -> bool:
        """Whether there is no such thing without Spark."""
        return self is Ailment.VERSION

    @property
    def by_s3(self) -> bool:
        """Whether S3 plays it."""
        return self in {Ailment.SLOW, Ailment.QUOTA, Ailment.FORBIDDEN}

    @property
    def lacks(self) -> str:
        """Return what is missing here for it; "" where nothing is."""
        if self is Ailment.FULL and os.geteuid():
            return "only root can mount a disk"
        if self is Ailment.RIGHTS and not os.geteuid() and which(AS_OWNER[0]) is None:
            return "root obeys no rights without setpriv, of util-linux"
        return missing() if self.by_s3 else ""

    def told(self, *, on_spark: bool) -> str:  # noqa: ARG002  as a victim's; what ails is the same wherever
        """Return what ails."""
        return self.value[0]


class AilingTrial(Trial):
    """One crawl whose storage ails now and then, or beside which something is tried that must be refused."""

    def ail(self, ailment: Ailment, times: int) -> TrialResult:
        """Crawl, let something ail at most so many times, crawl to the end, and judge."""
        result, began = TrialResult(ailment.told(on_spark=False)), time.monotonic()
        with ExitStack() as opened:
            opened.enter_context(self.server)
            if ailment is Ailment.VERSION:
                result.faults += self._refused_version(ailment)
                result.kills += 1
                times = 0
            ails = opened.enter_context(self._storage(ailment))
            driver = self._start()
            try:
                while result.kills < times:
                    self._wait(driver, self._chance.uniform(*self._setting.pause))
                    if driver.poll() is not None or (ailment is Ailment.TWO and self._half_done()):
                        break
                    if ailment is Ailment.TWO:
                        result.faults += self._refused_second(driver.pid)
                    else:
                        ails(True)
                        self._wait(driver, self._setting.lease * self._chance.uniform(*LEASES_LONG))
                        ails(False)
                    result.kills += 1
                    self._note()
                    if driver.poll() not in {None, DONE}:
                        result.faults += self._badly_ended(driver)
                        driver = self._start()
                self._finish(driver, result)
            finally:
                self._end(self._latest)
            said = "".join(log.read_text("utf-8", "replace") for log in sorted(self.folder.glob("driver-*.log")))
            if ailment.sentence not in said:
                result.faults.append(f"nobody was told {ailment.sentence!r}")
            if "Traceback" in said:
                result.faults.append(f"a fault of ours: {said[said.index('Traceback') :][:1000]}")
            self._judge(result)
        result.seconds = round(time.monotonic() - began, 1)
        return result

    def _badly_ended(self, driver: Driver) -> Iterator[str]:
        """Yield a fault where a driver that could not go on says it by another exit code."""
        if driver.returncode != REFUSED:
            yield f"a driver whose storage ailed ended with {driver.returncode}: {self._said()}"

    def _half_done(self) -> bool:
        """Return whether the crawl may soon be over: a second driver would then rightly begin a new round."""
        return bool(self.before) and len(self.before[-1][1]) > sum(host.pages for host in self.hosts) / 2

    def _refused_second(self, first: int) -> Iterator[str]:
        second = self._start()
        second.wait()
        if second.returncode != REFUSED or f"process {first} is at work on it" not in self._said():
            yield f"a second driver ended with {second.returncode}: {self._said()}"

    def _refused_version(self, ailment: Ailment) -> Iterator[str]:
        """Let Spark's tasks find another Breadcrumb than the driver's: a copy with one line more."""
        other = self.folder / "other"
        for room in ROOMS:
            shutil.copytree(ROOT / room, other / room)
        with (other / "extensions" / "machines" / "tasks" / "messages.py").open("a") as file:
            file.write("# another version\n")
        conf = {"spark.executorEnv.PYTHONPATH": str(other), "spark.driver.bindAddress": "127.0.0.1"}
        conf["spark.driver.host"] = "127.0.0.1"
        words = [word for pair in conf.items() for word in ("--conf", "=".join(pair))]
        driver = self._start(master=("--master", "local[2]", *words))
        driver.wait()
        if driver.returncode != REFUSED or ailment.sentence not in self._said() or self.server.log:
            asked = len(self.server.log)
            yield f"an executor of another version: {driver.returncode}, {asked} requests: {self._said()}"

    @contextmanager
    def _storage(self, ailment: Ailment) -> Iterator[Callable[[bool], None]]:
        """Make the store's place; what it yields lets it ail, and be well again."""
        with ExitStack() as opened:
            if ailment.by_s3:
                server = opened.enter_context(s3_server(self.folder))
                opened.enter_context(_environment(server.environment))
                import_module("s3fs").S3FileSystem.clear_instance_cache()  # it knows the server of the trial before
                self.store = f"s3://{BUCKET}/crawl"
                yield lambda ill: server.behave(**(_conduct(ailment) if ill else {}))
            elif ailment is Ailment.FULL:
                disk = opened.enter_context(_disk(self.folder / "disk"))
                self.store = str(disk / "store")
                yield lambda ill: _fill(disk / "ballast") if ill else (disk / "ballast").unlink()
            elif ailment is Ailment.RIGHTS:
                self.under = () if os.geteuid() else AS_OWNER
                yield lambda ill: set_rights(Path(self.store), may_write=not ill)
            else:
                yield lambda _: None


def _conduct(ailment: Ailment) -> dict[str, object]:
    refusals = {Ailment.QUOTA: "full", Ailment.FORBIDDEN: "forbidden"}
    return {"refusal": refusals[ailment]} if ailment in refusals else {"seconds": SLOW_SECONDS}


@contextmanager
def _environment(names: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})


@contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            return  # it is full


def set_rights(folder: Path, *, may_write: bool) -> None:
    """Let a folder and all in it be written, or not."""
    for place, _, files in os.walk(folder):
        Path(place).chmod(0o755 if may_write else 0o555)
        for name in files:
            try:
                Path(place, name).chmod(0o644 if may_write else 0o444)
            except FileNotFoundError:
                continue  # it was removed meanwhile
