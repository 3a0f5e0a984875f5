"""How does a test have a Spark cluster? A master and workers as real processes on loopback, from pyspark's own jars.

Nothing is simulated: the processes killed here are those of a computing centre. A worker is a process that starts
executors, an executor is a process that runs tasks, and each can be killed by its number. The web pages of master and
worker can't be switched off; they take any free port on loopback.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import pytest

from tests.child import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
MEMORY = "512m"  # of an executor: Spark refuses less than 450 MB
DAEMON_MEMORY = "128m"  # of a master or a worker, which only keep lists
UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")  # a tenth of the CPU of a start
# Of a JVM that ends soon: it starts sooner, and compiles less.
QUICK = " ".join(("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *UNVERIFIED))
EXECUTOR = b"CoarseGrainedExecutorBackend"
STARTED = re.compile(r"Starting Spark master at (spark://\S+)")
REGISTERED = "Successfully registered with master"


def missing() -> str:
    """Return what a Spark cluster lacks on this machine, as a sentence; "" where nothing is missing."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed: ./breadcrumb cluster --yes adds it"
    if which("java") is None and "JAVA_HOME" not in os.environ:
        return "no Java here: install openjdk-17-jre-headless"
    return ""


@dataclass(slots=True)
class Standalone:
    """A Spark cluster of one machine. Each worker has one core and room for one executor."""

    folder: Path
    master: str = ""  # "spark://127.0.0.1:7077"
    workers: list[subprocess.Popen[str]] = field(default_factory=list)
    _started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start_master(self) -> None:
        """Start the master, and wait until it listens."""
        log = self._start("master", "master.Master", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: STARTED.search(log.read_text()), self._started[-1])
        found = STARTED.search(log.read_text())
        self.master = found[1] if found else ""

    def start_workers(self, count: int) -> None:
        """Start workers side by side, and wait until the master has them all: also in the place of killed ones."""
        logs = []
        for _ in range(count):
            name = f"worker-{len(self.workers) + 1}"
            words = ("--host", "127.0.0.1", "--cores", "1", "--memory", MEMORY, "--work-dir", str(self.folder / name))
            logs.append(self._start(name, "worker.Worker", *words, self.master))
            self.workers.append(self._started[-1])
        for log, worker in zip(logs, self.workers[-count:], strict=True):
            wait_until(lambda log=log: REGISTERED in log.read_text(), worker)  # type: ignore[misc]  # a default binds it

    def executors(self) -> list[int]:
        """Return the process numbers of the executors that live, the oldest first."""
        mine = {worker.pid for worker in self.workers}
        return sorted(process for process, parent in _java_executors() if parent in mine)

    def kill_executor(self) -> int:
        """Kill the oldest executor with SIGKILL; return its number. Its worker starts another."""
        wait_until(self.executors)
        os.kill(process := self.executors()[0], signal.SIGKILL)
        return process

    def kill_worker(self) -> int:
        """Kill the oldest worker that lives with SIGKILL; return its number. Its executor ends by itself."""
        worker = next(worker for worker in self.workers if worker.poll() is None)
        worker.kill()
        worker.wait()
        return worker.pid

    def settings(self) -> dict[str, str]:
        """Return what a session on this cluster has to set, so that it listens on loopback alone."""
        return {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": MEMORY,
            "spark.executor.memory": MEMORY,
            "spark.driver.extraJavaOptions": QUICK,
            "spark.executor.extraJavaOptions": QUICK,
            "spark.executor.cores": "1",
            "spark.ui.enabled": "false",
            "spark.executorEnv.PYTHONPATH": str(ROOT),
            "spark.pyspark.python": sys.executable,
        }

    def _start(self, name: str, of: str, *words: str) -> Path:
        package = find_spec("pyspark")
        assert package is not None, missing()
        assert package.origin is not None
        log = self.folder / f"{name}-{len(self._started)}.log"
        environment = os.environ | {
            "SPARK_DAEMON_MEMORY": DAEMON_MEMORY,
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_NO_DAEMONIZE": "1",
        }
        command = [str(Path(package.origin).parent / "bin" / "spark-class"), f"org.apache.spark.deploy.{of}"]
        with log.open("w") as file:
            process = subprocess.Popen(
                [*command, "--webui-port", "0", *words],
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                text=True,
                start_new_session=True,
            )
        self._started.append(process)
        return log

    def end(self) -> None:
        """Kill everything that was started, by its number."""
        for process in (*self.executors(), *(one.pid for one in reversed(self._started) if one.poll() is None)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for one in self._started:
            one.wait()


def _java_executors() -> Iterator[tuple[int, int]]:
    """Yield the number of each executor on this machine, and its parent's: the worker that started it."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if EXECUTOR in (process / "cmdline").read_bytes():
                # After the name in parentheses, which may hold anything: state, parent (proc(5)).
                yield int(process.name), int((process / "stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[Standalone]:
    """Start a master and workers in a folder; kill what is left of them when the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Standalone(folder)
    try:
        cluster.start_master()
        cluster.start_workers(workers)
        yield cluster
    finally:
        cluster.end()


needs_spark = pytest.mark.skipif(bool(missing()), reason=missing())
