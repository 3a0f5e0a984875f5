"""How does a test come by a real OpenSearch? It starts nodes, each a process of its own that can be killed.

    .venv/bin/python -m tests.extensions.machines.opensearch.nodes --nodes 3 --port 9201

says the address, and ends with Ctrl-C.

The parts of a node come from Maven's repository, once, into a folder of caches; OneNode.java puts them together. All of
it is on loopback and in a folder of its own. A node ends with its starter: its standard input closes.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.extensions.machines.standalone import UNVERIFIED

if TYPE_CHECKING:
    from types import TracebackType

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "breadcrumb-opensearch-2.19.1"
MEGABYTES = 320  # of heap a node: with less, a bulk of ours is refused at times
PATIENCE = 120.0  # seconds until a node answers, on a busy machine


def missing() -> str:
    """Return what a node can't be had without here; empty: it can."""
    if not find_spec("opensearchpy"):
        return "OpenSearch needs its client here: ./breadcrumb cluster --yes adds it"
    tools = [tool for tool in ("java", "javac", "mvn") if not shutil.which(tool)]
    if tools and not (shutil.which("java") and (CACHE / "classes" / "OneNode.class").exists()):
        return f"OpenSearch needs {', '.join(tools)} here: apt-get install maven openjdk-17-jdk-headless"
    try:
        fetch()
    except OSError as error:
        return f"OpenSearch can't be fetched: {error}"
    return ""


def fetch() -> str:
    """Return the class path of a node; fetch and compile what is not in the cache."""
    classes, lib = CACHE / "classes", CACHE / "lib"
    path = f"{classes}:{lib}/*"
    source = HERE / "OneNode.java"
    made = classes / "OneNode.class"
    if not lib.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as aside:
            words = [
                "mvn",
                "-q",
                "-f",
                str(HERE / "pom.xml"),
                "dependency:copy-dependencies",
                f"-DoutputDirectory={aside}/lib",
            ]
            _run([*words, f"-Dproject.build.directory={aside}/target"])
            with contextlib.suppress(OSError):  # another one was quicker
                Path(aside, "lib").rename(lib)
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        _run(["javac", "-cp", f"{lib}/*", "-d", str(classes), str(source)])
    return path


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{words[0]} failed: {(done.stdout + done.stderr)[-2000:]}")


def free_ports(count: int) -> int:
    """Return the first of some free ports in a row."""
    for first in random.sample(range(19_200, 29_200), 100):  # two who look at once should not find the same
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise OSError("no free ports")


class Nodes:
    """A cluster of nodes on loopback, in a folder of its own; with one node it starts quickest. Use it in a `with`."""

    def __init__(
        self,
        count: int = 1,
        port: int = 0,
        megabytes: int = MEGABYTES,
        folder: Path | None = None,
        *,
        quick: bool = True,
    ) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="opensearch-"))
        self._path, self._count, self._megabytes, self._quick = fetch(), count, megabytes, quick
        free = free_ports(2 * count)
        self._http, self._transport = port or free, free + count
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def hosts(self) -> list[str]:
        """Host and port of each node."""
        return [f"127.0.0.1:{self._http + number}" for number in range(self._count)]

    def start(self, *numbers: int, stdin: int = subprocess.PIPE) -> None:
        """Start nodes by their numbers, from 1 on, all if none is named, and wait until the cluster answers.

        They end when `stdin` closes, which is a pipe from us if it is no other.
        """
        for number in numbers or range(1, self._count + 1):
            self._processes[number] = self._started(number, stdin)
        self.wait()

    def _started(self, number: int, stdin: int) -> subprocess.Popen[bytes]:
        quick = [*UNVERIFIED, "-XX:+UseSerialGC", *["-XX:TieredStopAtLevel=1"] * self._quick]  # what ends soon
        heap = [f"-Xms{self._megabytes}m", f"-Xmx{self._megabytes}m"]
        where = [str(number), str(self._count), str(self.folder), str(self._http), str(self._transport)]
        with (self.folder / f"node-{number}.log").open("ab") as log:
            return subprocess.Popen(
                ["java", *quick, *heap, "-cp", self._path, "OneNode", *where],
                stdin=stdin,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self) -> None:
        """Wait until all nodes that run are in the cluster, and every primary shard is there."""
        wanted, until = len(self._processes), time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for number, process in self._processes.items():
                if process.poll() is not None:
                    raise OSError(f"node {number} ended: {(self.folder / f'node-{number}.log').read_text()[-3000:]}")
            health = self.health()
            if health.get("number_of_nodes") == wanted and health.get("status") in {"green", "yellow"}:
                return
            time.sleep(0.1)
        raise OSError("the cluster does not come up")

    def health(self) -> dict[str, object]:
        """Return what a node that runs says of the cluster; nothing where none answers."""
        for number in self._processes:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                asked = http.client.HTTPConnection("127.0.0.1", self._http + number - 1, timeout=5)
                with contextlib.closing(asked):
                    asked.request("GET", "/_cluster/health")
                    return dict(json.loads(asked.getresponse().read()))
        return {}

    def cpu_seconds(self) -> float:
        """CPU time that all nodes have taken so far, where the system tells (/proc)."""
        told = [
            Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split() for one in self._processes.values()
        ]
        return sum(int(fields[11]) + int(fields[12]) for fields in told) / os.sysconf("SC_CLK_TCK")

    def kill(self, number: int) -> None:
        """Kill a node as a power cut does."""
        process = self._processes.pop(number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdin:
            process.stdin.close()

    def outlive(self) -> None:
        """Leave the nodes to whoever holds the other end of their standard input."""
        for process in self._processes.values():
            process.returncode = 0  # subprocess would complain of what goes on without us

    def stop(self) -> None:
        """End all nodes, and leave nothing behind."""
        for number in list(self._processes):
            self.kill(number)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def main() -> int:
    """Run a cluster until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--port", type=int, default=9201, help="of the first node; the others have the next ones")
    parser.add_argument("--megabytes", type=int, default=512, help="of heap for each node")
    asked = parser.parse_args()
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 2
    with Nodes(asked.nodes, asked.port, asked.megabytes) as nodes:
        print("\n".join(f"http://{host}" for host in nodes.hosts), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    raise SystemExit(main())
