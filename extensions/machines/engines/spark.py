"""Runs tasks on other machines: one Spark job a stage. Its shuffle brings each task the messages to its part.

Spark finds slots for tasks, runs a task again when its machine is lost, and carries messages from files of the store to
tasks. The messages are never all in one memory. Spark decides nothing about the crawl. Two tasks of one part can never
both commit (store/epochs.py). Speculation would only waste slots, so it is off.

A task finds Breadcrumb under the driver's path, in the same environment. Its report comes by an accumulator, so the
reports of a job that Spark gives up are not lost.

At its start Spark prints warnings about host names, libraries and its log to standard error. They go to an unnamed
file. When a job fails, the error is read from it. `--conf spark.log.level=…` prints all of it.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from extensions.machines.driving.driver import EndedTurn, EngineError
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.engines.processes import failed, heard_of
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import objects_at
from extensions.machines.tasks.messages import LostMessages, read_messages
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from crawldb.parts.mailbox import SentMessage
    from extensions.machines.engines.staged import Heard, PartTask
    from extensions.machines.store.outcomes import MessageFile

Result = TypeVar("Result")
ANSWER_SECONDS = 5.0  # how long a master may take to accept a connection
LOOK_SECONDS = 20.0  # between two checks for running tasks
STARTING_SECONDS = 60.0  # that executors may take to start, also on a busy machine
JOIN_SECONDS = 0.25  # between two checks of the thread that talks to Java
ATTEMPTS = 3  # of a task in one stage: after so many lost machines, the task may be the cause
DEFAULTS = {
    "spark.app.name": "Breadcrumb",
    "spark.speculation": "false",
    # Above ATTEMPTS, which the task itself enforces: at its own limit Spark would end all other tasks.
    "spark.task.maxFailures": str(2 * ATTEMPTS),
    "spark.locality.wait": "0",  # any slot will do: the folder comes from the store
    "spark.ui.enabled": "false",  # it would listen on every IP address of this machine
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",  # we report a task's failure ourselves, in one line
    "spark.pyspark.python": sys.executable,
    "spark.executorEnv.PYTHONPATH": str(ROOMS),
}
SHUFFLED = "spark.sql.shuffle.partitions"  # 200 by default: minutes for tables that are joined again and again
PIECES_OF_A_SLOT = 4  # of each table, so all slots end at about the same time
STANDALONE = re.compile(r"spark://(?P<addresses>[^/,]+:\d+(,[^/,]+:\d+)*)")
OTHERS = re.compile(r"yarn|k8s://.+|local(\[(\*|[1-9]\d*)(, *\d+)?\])?")
NO_JAVA = (
    "Spark needs Java 17 or newer, and there is none on the PATH and no JAVA_HOME: apt install openjdk-17-jre-headless "
    "(Debian, Ubuntu); brew install openjdk@17 (macOS). --master 'processes[4]' crawls on this machine without it"
)


def check_can_run(master: str) -> None:
    """Raise `EngineError` if Spark can't begin: it would try for minutes and end with a page of Java."""
    standalone = STANDALONE.fullmatch(master)
    if not (standalone or OTHERS.fullmatch(master)):
        raise EngineError(
            f"--master {master}: give spark://HOST:PORT (a standalone master has port 7077), yarn, k8s://HOST:PORT "
            "or local[N]; or processes[N], which crawls on this machine without Spark"
        )
    if which("java") is None and not Path(os.environ.get("JAVA_HOME", "nowhere"), "bin", "java").exists():
        raise EngineError(NO_JAVA)
    faults = [_fault_of(address) for address in standalone["addresses"].split(",")] if standalone else []
    if faults and all(faults):
        raise EngineError(
            f"--master {master}: {faults[0]}. Is the master started, and can this machine reach it? "
            "--master 'processes[4]' crawls on this machine without Spark"
        )


def _fault_of(address: str) -> str:
    host, _, port = address.rpartition(":")
    try:
        with closing(socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS)):
            return ""
    except (OSError, OverflowError) as error:
        return f"{address} does not answer ({getattr(error, 'strerror', None) or error})"


@dataclass(frozen=True, slots=True)
class _PlaceOfPart:
    """Maps a part to its partition of the shuffle."""

    places: Mapping[int, int]

    def __call__(self, part: int) -> int:
        return self.places[part]


class _Lists:
    """Joins the lists that tasks report: an AccumulatorParam of pyspark.accumulators (an extra, so no base class)."""

    def zero(self, _: object) -> list[Any]:
        """Return an empty list."""
        return []

    def addInPlace(self, one: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802  the name is Spark's
        """Return both lists, joined."""
        one.extend(more)
        return one


def _aside(job: Callable[[], Result], look: Callable[[], object] = bool) -> Result:
    """Return the result of a job, or raise its exception; call `look` while it runs.

    The job has a thread of its own, so Ctrl-C interrupts this one while it waits. In the middle of a call to Java it
    would print pages of traceback. Spark sets a handler for Ctrl-C only if it begins in the main thread; that handler
    calls Java too.
    """
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(job())
        except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
            done.set_exception(error)

    Thread(target=run, daemon=True).start()  # Python would wait for a pool's thread when it ends
    while not wait([done], JOIN_SECONDS).done:
        look()
    return done.result()


def idleness_message(executors: int, seconds: float) -> str:
    """Return the message after so many seconds without a running task; "" if that is normal."""
    if executors:
        return ""  # between two stages, or about to get the next task
    if seconds < STARTING_SECONDS:
        return f"waiting for executors, which take up to {STARTING_SECONDS:.0f} s to start"
    return f"no executor has started for {seconds:.0f} s: are there workers with the requested cores and memory?"


class SparkTasks:
    """Runs the tasks of each stage in one job of a session, which lasts as long as this object."""

    def __init__(self, master: str, conf: Mapping[str, str], tell: Callable[[str], None]) -> None:
        """Start the session. Raises `EngineError` with Spark's reason if that fails."""
        check_can_run(master)
        import pyspark
        from py4j.protocol import Py4JError
        from pyspark.java_gateway import launch_gateway

        properties = DEFAULTS | dict(conf)
        os.environ["PYSPARK_PYTHON"] = properties["spark.pyspark.python"]  # the property alone is for spark-submit
        configuration = pyspark.SparkConf().setMaster(master).setAll(list(properties.items()))
        self._words = SparkLog(conf)
        streams = self._words.streams()
        try:
            self._context = _aside(
                lambda: pyspark.SparkContext(conf=configuration, gateway=launch_gateway(configuration, streams))
            )
        except (Py4JError, RuntimeError, OSError) as error:
            why = reason(error, self._words.error())
            self._words.close()
            raise EngineError(f"--master {master}: Spark could not begin: {why}") from error
        self._is_local = master.startswith("local")
        self._job: Thread | None = None
        self._heard: Any = None  # the accumulator of the stage: pairs of a part and its report
        self._read = 0  # entries of it
        self._open: set[int] = set()  # parts without a report yet
        self._fault = ""
        self._ended_by_us = False
        self._tell = tell
        self._look_at = 0.0  # when to check next for running tasks
        self._idle_since = 0.0  # when a task was last seen running

    def begin(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        """Begin the tasks of a stage, each with the messages to its part."""
        self._heard = self._context.accumulator([], cast("Any", _Lists()))
        self._read, self._open, self._fault = 0, {task.part for task in tasks}, ""
        self._watch()
        self._job = Thread(target=self._run, args=(tasks, letters), daemon=True)
        self._job.start()

    def _run(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        from py4j.protocol import Py4JError

        places = {task.part: place for place, task in enumerate(tasks)}
        store, heard, known = tasks[0].store, self._heard, self._context.broadcast(list(tasks))
        try:
            (
                self._context.parallelize(letters, max(1, min(len(letters), self._context.defaultParallelism * 4)))
                .flatMap(lambda file: _addressed(store, file, places, heard))
                .partitionBy(len(tasks), _PlaceOfPart(places))
                .mapPartitionsWithIndex(lambda place, rows: _run_task(known.value[place], rows, heard))
                .count()
            )
        except (Py4JError, RuntimeError, OSError) as error:
            self._fault = reason(error, self._words.error())
        finally:
            known.unpersist()

    def ended(self) -> Iterator[Heard]:
        """Yield the reports since the last call."""
        if self._job is None:
            return
        if self._open:
            self._tell_if_idle()
        is_over = not self._job.is_alive()  # read first: the next call reads whatever comes later
        news = self._heard.value[self._read :]
        self._read += len(news)
        for part, heard in news:
            if part in self._open or isinstance(heard, LostMessages):
                self._open.discard(part)
                yield heard
        if is_over:
            self._job = None
            for part in sorted(self._open):
                yield EndedTurn(part, TurnEnd.FAILED, "it was ended" if self._ended_by_us else self._fault)
            self._open.clear()

    def _tell_if_idle(self) -> None:
        """Report when no task runs: Spark waits for executors without a message and without an end."""
        now = monotonic()
        if now < self._look_at or self._is_local:
            return
        self._look_at = now + LOOK_SECONDS
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        if any(stage.numActiveTasks for stage in stages if stage is not None):
            self._idle_since = now
        elif message := idleness_message(self._executors(), now - self._idle_since):
            self._tell(message)

    def _watch(self) -> None:
        """Begin to check for running tasks."""
        self._idle_since = monotonic()
        self._look_at = self._idle_since + LOOK_SECONDS

    def _executors(self) -> int:
        """Return how many executors have started and live; Spark's own count includes this process."""
        scala: Any = self._context._jsc  # noqa: SLF001 - Python has no name of its own for it
        return int(scala.sc().getExecutorMemoryStatus().size()) - 1

    def session(self) -> SparkSession:
        """Return a session for tables, on the same executors."""
        from pyspark.sql import SparkSession

        session = SparkSession(self._context)
        if not self._context.getConf().contains(SHUFFLED):
            session.conf.set(SHUFFLED, str(PIECES_OF_A_SLOT * self._context.defaultParallelism))
        return session

    def on_tables(self, job: Callable[[SparkSession], Result]) -> Result:
        """Return the result of a job over tables. Raises `EngineError` if Spark fails, and what the job raises."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self._watch()
        try:
            return _aside(lambda: job(self.session()), self._tell_if_idle)
        except (Py4JError, PySparkException) as error:
            raise EngineError(reason(error, self._words.error())) from error
        except KeyboardInterrupt:
            self._context.cancelAllJobs()
            raise

    def end_at_once(self) -> None:
        """Kill the running tasks."""
        if self._job is not None:
            self._context.cancelAllJobs()
            self._ended_by_us = True

    def close(self) -> None:
        """End the session."""
        self._context.stop()
        self._words.close()


def _addressed(
    store: str, file: MessageFile, places: Mapping[int, int], heard: Any
) -> Iterator[tuple[int, SentMessage]]:
    try:
        yield from ((letter.part, letter) for letter in read_messages(objects_at(store), file) if letter.part in places)
    except StoreError as lost:
        heard.add([(0, LostMessages(file.sender, str(lost)))])


def _run_task(task: PartTask, rows: Iterable[tuple[int, SentMessage]], heard: Any) -> Iterator[int]:
    """Run a task in the slot of an executor; report how it ended."""
    from pyspark import TaskContext

    context = TaskContext.get()
    attempts = context.attemptNumber() if context else 0
    if attempts >= ATTEMPTS:
        heard.add([(task.part, failed(task, f"{attempts} executors were lost while they had it"))])
    else:
        heard.add([(task.part, heard_of(task, (letter for _, letter in rows)))])
    yield task.part


LOG_LEVEL = "spark.log.level"
MOST = 300  # characters of Spark's message
READ_BYTES = 64 * 1024  # of the end of its output
_ERROR = re.compile(r'(?:Exception in thread "[^"]*" )?(?P<error>(?:ERROR|FATAL|[\w.]*(?:Error|Exception))\b.*)')


class SparkLog:
    """The output of Spark's Java: kept in a file, or shown if `LOG_LEVEL` is set."""

    def __init__(self, conf: Mapping[str, str]) -> None:
        self._kept = None if LOG_LEVEL in conf else TemporaryFile()  # noqa: SIM115  open as long as Java may write

    def streams(self) -> dict[str, Any]:
        """Return the streams of a process (for `subprocess.Popen`); {} leaves the streams of this one."""
        return {} if self._kept is None else {"stdout": self._kept, "stderr": self._kept}

    def error(self) -> str:
        """Return the last error that Spark printed, in one line; "" if there is none, or it was shown."""
        if self._kept is None:
            return ""
        self._kept.seek(max(0, self._kept.seek(0, 2) - READ_BYTES))
        lines = self._kept.read().decode("utf-8", "replace").splitlines()
        return next((found["error"][:MOST].strip() for line in reversed(lines) if (found := _ERROR.search(line))), "")

    def close(self) -> None:
        """Close the file."""
        if self._kept is not None:
            self._kept.close()


# Errors of a task's Python: another version (pyspark's PYTHON_VERSION_MISMATCH), and the end of a traceback.
OTHER_PYTHON = re.compile(r"Python in worker has different version: (\S+) than that in driver: (\d+\.\d+)")
RAISED = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)+(\S.*)")


def reason(error: Exception, said: str = "") -> str:
    """Return why Spark failed, without the pages of Java that follow; `said` is the last error that it printed."""
    java = getattr(error, "java_exception", None)
    text = str(java.getMessage() if java is not None else error)
    if "Java gateway process exited" in text or "UnsupportedClassVersion" in text:
        if said and "UnsupportedClassVersion" not in said:
            return said
        return "its Java ended before it began; Spark 4 needs Java 17 or newer (java -version)"
    if message := _of_python(text):
        return message
    if "Cannot run program" in text or "No module named" in text:
        found = re.search(r"Cannot run program[^\n]*|No module named[^\n]*", text)
        return f"{found[0] if found else text}: an executor has no Breadcrumb at {ROOMS} (docs/cluster.md)"
    if "Answer from Java side is empty" in text or "network" in text:
        return f"its Java has ended on this machine{f': {said}' if said else ''}"
    lost = re.search(r"Reason: ([^\n]*)", text)
    return (lost[1] if lost else text.partition("\n")[0])[:MOST]


def _of_python(text: str) -> str:
    """Return why a task's Python failed; "" if Spark reports another error, or found no Breadcrumb there."""
    if versions := OTHER_PYTHON.search(text):
        return (
            f"an executor has Python {versions[1]}, and here it is {versions[2]}: let both have the same "
            "(--conf spark.pyspark.python=PATH names it, the same path on every machine)"
        )
    raised = RAISED.search(text)
    return f"a task's Python failed: {raised[1]}"[:MOST] if raised and "No module named" not in raised[1] else ""
