"""How do several processes run the tests? One collects them, and its forks take file after file from a pipe.

To import and collect all tests takes longer than most of them run, so that is done once (`--processes N`). A fork runs
the tests of a file one after another: what a module or the session shares is made in as few processes as possible.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import warnings
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NoReturn

import pytest

from tests.child import end_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBER_BYTES = 4  # of a file's number in the pipe, which holds at least 4,096 of them
MOST_SILENCE = 450.0  # seconds: pytest-timeout ends a test after 300, but not what hangs while that is being ended
TO_END = 60.0  # seconds for a process that was asked to end, or that has run all its tests
LAST = None  # what a process sends after its last test. What it has left behind may keep its pipe open.


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, metavar="N", help="run the tests in N processes")
    parser.addoption(
        "--silence",
        type=float,
        default=MOST_SILENCE,
        metavar="SECONDS",
        help="end one of the processes that reports nothing for so long, and say in which test",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the collected tests in forks, and report each of them here. Without `--processes`, leave it to pytest."""
    option = session.config.option
    if option.processes < 2 or option.collectonly or session.testsfailed:
        return None
    files = [list(tests) for _, tests in groupby(session.items, key=lambda item: item.path)]
    queue, entrance = os.pipe()
    os.write(entrance, b"".join(number.to_bytes(NUMBER_BYTES) for number in range(len(files))))
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # those of the forks are below it
    if reporter := session.config.pluginmanager.getplugin("terminalreporter"):
        reporter.showfspath = False  # tests of several files end by turns
    sys.stdout.flush()
    forks: dict[Connection, int] = {}
    for number in range(option.processes):
        ours, its = Pipe(duplex=False)
        pid = fork()
        if not pid:
            os.close(entrance)
            Fork(session, its, number).run(files, queue)
        its.close()
        forks[ours] = pid
    os.close(entrance)
    os.close(queue)
    Reports(session, forks).until_the_end()
    return True


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 counts numpy's threads, which survive a fork
        return os.fork()


class Reports:
    """Reports each test as if it had run here, until all forks have ended."""

    def __init__(self, session: pytest.Session, forks: dict[Connection, int]) -> None:
        self.session, self.forks = session, forks
        self.lines = list(forks)  # those of the forks that have not ended
        self.heard = dict.fromkeys(forks, time.monotonic())
        self.began: dict[Connection, str] = {}  # the test that a fork runs
        self.shown = 0
        self.faults: list[str] = []

    def until_the_end(self) -> None:
        """Raises session.Failed at the first failure if pytest is to stop there, and if a fork did not end well."""
        session = self.session
        try:
            while self.lines:
                for line in wait(self.lines, 1):
                    assert isinstance(line, Connection)
                    self.hear(line)
                for line in list(self.lines):
                    if time.monotonic() - self.heard[line] > session.config.option.silence:
                        self.end(line, 0)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        finally:
            for line in self.lines:
                os.kill(self.forks[line], signal.SIGINT)
            for line in self.lines:
                end_of(self.forks[line], TO_END)
        if self.faults:
            missing = len(session.items) - self.shown
            session.shouldfail = f"{'; '.join(self.faults)}; {missing} tests did not end"  # pytest prints it last
            raise session.Failed(session.shouldfail)

    def hear(self, line: Connection) -> None:
        """Take in what a fork reports: the name of a test, its reports, or that it was the last."""
        self.heard[line] = time.monotonic()
        try:
            news = line.recv()
        except EOFError:
            news = LAST
        if news is LAST:
            self.end(line, TO_END)
        elif isinstance(news, str):
            self.began[line] = news
        else:
            show(self.session, news)
            self.shown += 1
            del self.began[line]

    def end(self, line: Connection, seconds: float) -> None:
        """Wait so long for the end of a fork, then kill it."""
        self.lines.remove(line)
        if code := end_of(self.forks[line], seconds):
            self.faults.append(f"a process ended with {code} in {self.began.get(line, 'no test')}")


def show(session: pytest.Session, reports: Sequence[dict[str, object]]) -> None:
    """Call the hooks that pytest calls for one test."""
    config, hook = session.config, session.config.hook
    restored = [hook.pytest_report_from_serializable(config=config, data=data) for data in reports]
    test = {"nodeid": restored[0].nodeid, "location": restored[0].location}
    hook.pytest_runtest_logstart(**test)
    for one in restored:
        hook.pytest_runtest_logreport(report=one)
    hook.pytest_runtest_logfinish(**test)


class Writer:
    """Stands where a process has its terminal reporter: pytest-timeout writes the stacks of a hanging test there."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._tw = reporter._tw


class Fork:
    """A process that runs tests: a plugin in it, which sends the reports of each test when it has ended."""

    def __init__(self, session: pytest.Session, line: Connection, number: int) -> None:
        self.session, self.config, self.line = session, session.config, line
        self.reports: list[dict[str, object]] = []
        self.config.workerinput = {"workerid": f"gw{number}"}  # type: ignore[attr-defined]  # as pytest-xdist has it
        factory = self.config._tmp_path_factory  # type: ignore[attr-defined]  # a private name
        factory._basetemp = factory.getbasetemp() / f"process-{number}"
        factory._basetemp.mkdir()
        manager = self.config.pluginmanager
        if reporter := manager.unregister(name="terminalreporter"):
            manager.register(Writer(reporter), "terminalreporter")
        capture = manager.getplugin("capturemanager")
        capture.stop_global_capturing()  # into a file that all forks would share
        capture.start_global_capturing()
        manager.register(self)

    def run(self, files: Sequence[Sequence[pytest.Item]], queue: int) -> NoReturn:
        """Run tests until none is left, and end this process."""
        code = 1
        try:
            self.run_tests(tests_of(files, queue))
            code = 0
        except KeyboardInterrupt:
            code = 128 + signal.SIGINT
        except BaseException:  # noqa: BLE001 - this is where the process ends
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)

    def run_tests(self, tests: Iterator[pytest.Item]) -> None:
        item = next(tests, None)
        try:
            while item and not self.session.shouldfail and not self.session.shouldstop:
                following = next(tests, None)
                self.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                item = following
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the processes that the tests share are still to be ended
            self.session._setupstate.teardown_exact(None)
            self.config._ensure_unconfigure()  # with a last look for what nobody closed
            self.line.send(LAST)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.line.send(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_runtest_logfinish(self) -> None:
        self.line.send(self.reports)
        self.reports = []


def tests_of(files: Sequence[Sequence[pytest.Item]], queue: int) -> Iterator[pytest.Item]:
    """Yield the tests of each file whose number this process reads from the pipe."""
    while number := os.read(queue, NUMBER_BYTES):
        yield from files[int.from_bytes(number)]
