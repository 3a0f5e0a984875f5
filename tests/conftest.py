"""What holds for every test? Its folder is in memory, nothing is due by the clock, and the long ones come first."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import shutil
import signal
import socket
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from crawldb.database import MIGRATIONS, CrawlDatabase
from frontier.job import CrawlJob
from frontier.session import Session
from tests import processes, skipped
from tests.durability.recording import LIBRARY, NoShim, build_shim
from tests.forks import PROGRAM, Bench, ForkServer, forked, is_open
from tests.samples import SEED
from tests.shared import build_release, install_wheel, made_once, unpack_pip
from tests.skipped import SkippedTests
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEMORY = Path("/dev/shm")  # where Linux has a disk in memory
REASON = "reason.txt"  # why there is no shim
ROOM = 2 << 30  # bytes: ten times the size of all test folders together
BENCH = Path(__file__).resolve().parents[1] / "bench"
FIRST_PORT = 2000  # four digits, as in the documentation, and below those that systems give out
LONG = ("in_a_browser", "machines", "journey", "launcher", "docs", "bench")  # folders: views, clusters, crawls, set-ups

# On a busy machine the first example may take a second. A test that hangs is ended by pytest-timeout.
# The same code gives the same result, as with hypothesis under CI; --hypothesis-profile=explore searches further.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("explore", settings.get_profile("patient"), derandomize=False, max_examples=2_000)
settings.load_profile("patient")

# Commits would write to the disk thousands of times, and no test can cut the power. Tests of durability replay the
# calls instead (tests/durability), and the test of a full disk mounts one. TMPDIR is for child processes.
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


# The tests do not use the settings of the person who runs them.
for name in [name for name in os.environ if name.startswith("BREADCRUMB_")]:
    del os.environ[name]
os.environ["BREADCRUMB_SETTINGS"] = os.devnull
os.umask(0o077)  # test data folders are private, like those of commands

# A shell starts background jobs with Ctrl-C ignored, and child processes of the tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    processes.add_option(parser)
    skipped.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SkippedTests(config))
    config.pluginmanager.register(processes)
    if config.option.processes > 1:  # Scrapy's module looks at each module that is there, three times: so it is first
        import_module("scrapy.core.downloader.contextfactory")


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without a look for garbage: what is imported and collected stays, and no later look visits it."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)  # after pytest-randomly: among the long ones and among the others chance decides
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several processes, run the long tests first, or one process would still run them at the end."""
    if config.option.processes > 1:
        items.sort(
            key=lambda item: min((LONG.index(part) for part in item.path.parts if part in LONG), default=len(LONG))
        )


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """The name of this process among those that run tests; "master" where it is the only one."""
    return str(getattr(request.config, "workerinput", {"workerid": "master"})["workerid"])


@pytest.fixture(scope="session")
def ports(worker_id: str) -> Iterator[int]:
    """Free ports, with the next three free as well. Each process of the tests has a thousand of its own."""
    worker = 0 if worker_id == "master" else int(worker_id.removeprefix("gw"))
    tried = (FIRST_PORT + 1000 * worker + number % 1000 for number in itertools.count(4 * os.getpid(), 4))
    return filter(is_free_with_the_next_three, tried)


def is_free_with_the_next_three(port: int) -> bool:
    try:
        for one in range(port, port + 4):
            socket.create_server(("127.0.0.1", one)).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the compiled shim of tests/durability, or with a text that says why there is none."""
    return made_once(tmp_path_factory, worker_id, "shim", compile_shim)


def compile_shim(folder: Path) -> None:
    try:
        build_shim(folder)
    except NoShim as reason:
        (folder / REASON).write_text(str(reason))


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory, worker_id: str, shim: Path) -> Iterator[ForkServer]:
    """A process that has imported everything, into which the shim is loaded."""
    made: list[ForkServer] = []
    library = None if (shim / REASON).exists() else shim / LIBRARY
    with contextlib.ExitStack() as servers:

        def start(folder: Path, model: Path | None = None) -> None:
            made.append(servers.enter_context(ForkServer(folder, library, model)))

        first = made_once(tmp_path_factory, worker_id, "forks", start) / "door"
        if not made:  # another process of the tests has started it
            start(tmp_path_factory.mktemp("forks"), first if is_open(first) else None)
        yield made[0]


@pytest.fixture(scope="session")
def forks(fork_server: ForkServer) -> ForkServer:
    """A process that has imported everything; its forks run the commands of a test to their end."""
    return fork_server.without_the_shim()


@pytest.fixture(scope="session")
def recorded_forks(fork_server: ForkServer, shim: Path) -> ForkServer:
    """Forks whose calls are counted and recorded, and whose clock may be wrong; skip where there is no shim."""
    if not fork_server.preloaded:
        pytest.skip((shim / REASON).read_text())
    return fork_server


@pytest.fixture(scope="session")
def bench(forks: ForkServer) -> Bench:
    """Run a program of bench/ to its end in a fork, by its name and its words."""
    return lambda name, *words: forked(forks, str(BENCH / name), *words, entry=PROGRAM)


@pytest.fixture(scope="session")
def pip(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder whose `ensurepip` has pip unpacked and compiled: to compile it takes longer than most installations."""
    return made_once(tmp_path_factory, worker_id, "pip", unpack_pip)


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, worker_id: str, pip: Path) -> Path:
    """What a release has: both wheels, both source archives, SHA256SUMS."""
    return made_once(tmp_path_factory, worker_id, "release", lambda folder: build_release(folder, pip)) / "files"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str, pip: Path, released: Path) -> Path:
    """An environment with the wheel."""
    return made_once(tmp_path_factory, worker_id, "wheel", lambda folder: install_wheel(folder, pip, released))


@pytest.fixture(scope="session")
def practice_crawl(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str, ports: Iterator[int], forks: ForkServer
) -> Path:
    """The data folder `demo-PORT` of a demo that has crawled once; beside it, what that printed is in `printed`."""

    def make(folder: Path) -> None:
        words = ("demo", "--once", "--port", str(next(ports)))
        done = forked(forks, *words, environment={"BREADCRUMB_DATA_DIR": str(folder)})
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "printed").write_text(done.stdout)

    [crawled] = made_once(tmp_path_factory, worker_id, "practice", make).glob("demo-*")
    return crawled


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="session")
def empty_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an empty crawl database. To copy it takes a tenth of the time of making the tables."""
    folder = tmp_path_factory.mktemp("empty") / "data"
    CrawlDatabase(folder).close()
    return folder


@pytest.fixture
def open_session(data_dir: Path, empty_crawl: Path) -> Iterator[Callable[..., Session]]:
    """Open a session as a crawl does; at the end, close open ones as a killed process would."""
    opened: list[Session] = []

    def begin(*seeds: str, **plan: object) -> Session:
        if not data_dir.exists():
            shutil.copytree(empty_crawl, data_dir)
        session = Session(data_dir, CrawlJob(tuple(map(canonicalize, seeds)) or (SEED,), **plan))  # type: ignore[arg-type]  # a dict of several types
        opened.append(session)
        return session

    yield begin
    for session in opened:
        session.database.close()
        session._lock.release()


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    return open_session()


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """A Breadcrumb with a schema one step further; returns its version."""
    steps = sorted(MIGRATIONS.glob("*.sql"))
    newer = tmp_path / "migrations"
    newer.mkdir()
    for step in steps:
        (newer / step.name).write_text(step.read_text())
    version = int(steps[-1].name[:4]) + 1
    (newer / f"{version:04}_mood.sql").write_text(
        "ALTER TABLE site ADD COLUMN mood TEXT;\nUPDATE site SET mood = 'new';"
    )
    monkeypatch.setattr("crawldb.database.MIGRATIONS", newer)
    return version
