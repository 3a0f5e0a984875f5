"""How do several processes run the tests? One collects them, and its forks take file after file from a pipe.

To import and collect all tests takes longer than most of them run, so that is done once (`--processes N`). A fork runs
the tests of a file one after another: what a module or the session shares is made in as few processes as possible.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NUMBER_BYTES = 4  # of a file's number in the pipe, which holds at least 4,096 of them


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, metavar="N", help="run the tests in N processes")


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
    report(session, forks)
    return True


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 counts numpy's threads, which survive a fork
        return os.fork()


def report(session: pytest.Session, forks: dict[Connection, int]) -> None:
    """Report each test as if it had run here, until all forks have ended.

    Raises session.Failed at the first failure if pytest is to stop there, and if a fork did not end well.
    """
    began: dict[Connection, str] = {}  # the test that a fork runs
    lines = list(forks)
    codes: dict[Connection, int] = {}
    shown = 0
    try:
        while lines:
            for line in wait(lines):
                assert isinstance(line, Connection)
                try:
                    news = line.recv()
                except EOFError:
                    lines.remove(line)
                    codes[line] = ended(forks[line])
                    continue
                if isinstance(news, str):
                    began[line] = news
                else:
                    show(session, news)
                    shown += 1
                    del began[line]
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
    finally:
        for line in lines:
            os.kill(forks[line], signal.SIGINT)
        for line in lines:
            ended(forks[line])
    faults = [f"a process ended with {code} in {began.get(line, 'no test')}" for line, code in codes.items() if code]
    if faults:
        missing = len(session.items) - shown
        session.shouldfail = f"{'; '.join(faults)}; {missing} tests did not end"  # pytest prints it last
        raise session.Failed(session.shouldfail)


def ended(pid: int) -> int:
    """Wait for the end of a process and return its exit code; negative: the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


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
