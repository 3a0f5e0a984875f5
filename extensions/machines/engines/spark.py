"""How do tasks run on other machines? As one Spark job a stage, whose shuffle brings each task the letters to its part.

Spark does what it is good at: it finds room for tasks, runs one again whose machine was lost, and carries letters from
files of the store to tasks without their ever being together in one memory. It decides nothing of a crawl. Two tasks
of one part can't both count, whatever it does (store/terms.py): speculation would only waste them, and is off.

A task finds Breadcrumb where the driver has it: under the same path, in the same environment. What it says at its end
comes by an accumulator, so that nothing is lost of a job that Spark gives up.
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
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from extensions.machines.driving.driver import EndedTurn, EngineError
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.engines.processes import failed, heard_of
from extensions.machines.engines.spark_words import SparkWords, reason
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import objects_at
from extensions.machines.tasks.messages import LostMessages, read_messages
from spiders.own_settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from crawldb.parts.mailbox import SentMessage
    from extensions.machines.engines.staged import Heard, PartTask
    from extensions.machines.store.outcomes import MessageFile

Result = TypeVar("Result")
ANSWER_SECONDS = 5.0  # how long a master may take to take a connection
LOOK_SECONDS = 20.0  # between two looks at what is at work
STARTING_SECONDS = 60.0  # that executors may take to start, also on a busy machine
JOIN_SECONDS = 0.25  # between two looks at what talks to Java in a thread of its own
ATTEMPTS = 3  # of a task in one stage: what takes so many machines with it may be the reason
DEFAULTS = {
    "spark.app.name": "Breadcrumb",
    "spark.speculation": "false",
    # Above ATTEMPTS, which a task sees to by itself: at its own limit Spark would end all the others.
    "spark.task.maxFailures": str(2 * ATTEMPTS),
    "spark.locality.wait": "0",  # a task is where a slot is: its folder comes from the store
    "spark.ui.enabled": "false",  # it would listen on every address of this machine
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",  # what goes wrong with a task is told by us, in a line
    "spark.pyspark.python": sys.executable,
    "spark.executorEnv.PYTHONPATH": str(ROOT),
}
SHUFFLED = "spark.sql.shuffle.partitions"  # 200 unless it is set: minutes for tables that are joined again and again
PIECES_OF_A_SLOT = 4  # of each table, so that slots end together
STANDALONE = re.compile(r"spark://(?P<addresses>[^/,]+:\d+(,[^/,]+:\d+)*)")
OTHERS = re.compile(r"yarn|k8s://.+|local(\[(\*|[1-9]\d*)(, *\d+)?\])?")
NO_JAVA = (
    "Spark needs Java 17 or newer, and there is none on the PATH and no JAVA_HOME: apt install openjdk-17-jre-headless "
    "(Debian, Ubuntu); brew install openjdk@17 (macOS). --master 'processes[4]' crawls on this machine without it"
)


def check_can_run(master: str) -> None:
    """Raise `EngineError` where Spark can't begin: it would try for minutes and end with a page of Java."""
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
    """Which partition of the shuffle a part has."""

    places: Mapping[int, int]

    def __call__(self, part: int) -> int:
        return self.places[part]


class _Lists:
    """How accumulators add up what tasks say (pyspark.accumulators.AccumulatorParam, an extra's class)."""

    def zero(self, _: object) -> list[Any]:
        """Return what is nothing."""
        return []

    def addInPlace(self, one: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802  the name is Spark's
        """Return both."""
        one.extend(more)
        return one


def _aside(job: Callable[[], Result], look: Callable[[], object] = bool) -> Result:
    """Return what a job brings, or raise what it raises; call `look` while it lasts.

    It has a thread of its own, so Ctrl-C finds this one waiting: in the middle of a talk with Java it would make pages
    of traceback. Spark sets a handler for Ctrl-C only if it begins in the main thread; that one talks to Java as well.
    """
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(job())
        except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
            done.set_exception(error)

    Thread(target=run, daemon=True).start()  # a pool's thread would be waited for when Python ends
    while not wait([done], JOIN_SECONDS).done:
        look()
    return done.result()


def idleness_message(executors: int, seconds: float) -> str:
    """Return what a person should know where no task has been at work for so long; "" where that is as it should be."""
    if executors:
        return ""  # between two stages, or about to get the next task
    if seconds < STARTING_SECONDS:
        return f"waiting for executors, which take up to {STARTING_SECONDS:.0f} s to start"
    return (
        f"no executor has started for {seconds:.0f} s: has the master workers with the cores and the memory asked for?"
    )


class SparkTasks:
    """Runs the tasks of each stage as one job of a session, which lasts as long as this."""

    def __init__(self, master: str, conf: Mapping[str, str], tell: Callable[[str], None]) -> None:
        """Start the session. Raises `EngineError` where Spark does not, with its reason."""
        check_can_run(master)
        import pyspark
        from py4j.protocol import Py4JError
        from pyspark.java_gateway import launch_gateway

        properties = DEFAULTS | dict(conf)
        os.environ["PYSPARK_PYTHON"] = properties["spark.pyspark.python"]  # the property alone is for spark-submit
        told = pyspark.SparkConf().setMaster(master).setAll(list(properties.items()))
        self._words = SparkWords(conf)
        streams = self._words.streams()
        try:
            self._context = _aside(lambda: pyspark.SparkContext(conf=told, gateway=launch_gateway(told, streams)))
        except (Py4JError, RuntimeError, OSError) as error:
            why = reason(error, self._words.error())
            self._words.close()
            raise EngineError(f"--master {master}: Spark could not begin: {why}") from error
        self._is_local = master.startswith("local")
        self._job: Thread | None = None
        self._heard: Any = None  # the accumulator of the stage: of which part what was said
        self._read = 0  # of it
        self._open: set[int] = set()  # parts of which nothing was heard
        self._fault = ""
        self._ended_by_us = False
        self._tell = tell
        self._look_at = 0.0  # when it is time to see whether anything is at work
        self._idle_since = 0.0  # when a task was last seen at work

    def begin(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        """Begin the tasks of a stage, each with the letters to its part."""
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
        """Yield what was heard since this was last asked."""
        if self._job is None:
            return
        if self._open:
            self._tell_if_idle()
        is_over = not self._job.is_alive()  # asked before: what comes after is read when it is asked again
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
        """Say that nothing goes on, if so: Spark waits for executors without a word and without an end."""
        now = monotonic()
        if now < self._look_at or self._is_local:
            return
        self._look_at = now + LOOK_SECONDS
        tracker = self._context.statusTracker()
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        if any(stage.numActiveTasks for stage in stages if stage is not None):
            self._idle_since = now
        elif told := idleness_message(self._executors(), now - self._idle_since):
            self._tell(told)

    def _watch(self) -> None:
        """Begin to look whether anything is at work."""
        self._idle_since = monotonic()
        self._look_at = self._idle_since + LOOK_SECONDS

    def _executors(self) -> int:
        """Return how many executors have started and live; Spark counts this process with them."""
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
        """Return what a job over tables brings. Raises `EngineError` where Spark fails, and what the job raises."""
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
        """Kill what is under way."""
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
    """Run a task where an executor has a slot; say how it ended."""
    from pyspark import TaskContext

    context = TaskContext.get()
    attempts = context.attemptNumber() if context else 0
    if attempts >= ATTEMPTS:
        heard.add([(task.part, failed(task, f"{attempts} executors were lost while they had it"))])
    else:
        heard.add([(task.part, heard_of(task, (letter for _, letter in rows)))])
    yield task.part
