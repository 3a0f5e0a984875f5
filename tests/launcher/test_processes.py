"""Do several processes report what one would? And is a test reported that ends its process?"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, chdir
from functools import partial
from pathlib import Path

import pytest

from tests.child import PATIENCE, child, end_of_own_fork, own_fork, wait_until
from tests.forks import PROGRAM, ForkServer

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
import os
from pathlib import Path
import pytest
from tests import processes, skipped

pytest_addoption = lambda parser: (processes.add_option(parser), skipped.add_option(parser))

def pytest_configure(config):
    config.pluginmanager.register(processes)
    config.pluginmanager.register(skipped.SkippedTests(config))

@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    yield tmp_path_factory.mktemp("shared")
    with Path("ended").open("a") as ended:
        ended.write(f"{os.getpid()}\\n")
"""
TESTS = """
import os, signal, time, pytest

def test_that_passes(shared):
    assert shared.is_dir()

def test_that_fails(shared, tmp_path):
    print("its output", list(tmp_path.iterdir()))
    assert 1 == 2

def test_that_is_skipped():
    pytest.skip("for a reason")

@pytest.fixture
def broken():
    yield
    1 / 0

def test_whose_fixture_fails(broken):
    pass
"""
SUICIDE = "import os\ndef test_that_kills():\n    os.kill(os.getpid(), 9)\n"
TURNS = "import pytest\n@pytest.mark.slow\ndef test_that_is_slow():\n    pass\ndef test_that_is_quick():\n    pass\n"
LEAVES_A_FORK = """
import os, time

def test_that_leaves_a_fork_behind():
    if pid := os.fork():
        open("left", "w").write(str(pid))
    else:
        time.sleep(600)
        os._exit(0)
"""
HANGS_AT_ITS_END = """
import pytest, time

@pytest.fixture
def endless():
    yield
    time.sleep(600)

def test_that_is_well(endless):
    pass
"""
ENDLESS_PROGRAM = "import time\nprint('waits', flush=True)\ntime.sleep(600)\n"
ENDLESS = "import time\ndef test_that_waits(shared):\n    print('waits', flush=True)\n    time.sleep(100)\n"


def words(*given: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-rA", "--rootdir=.", *given]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "yes")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    return tmp_path


def outcome(project: Path, *given: str) -> tuple[int, str, set[str]]:
    """Return the exit code, the last line without its time, and the lines of the summary."""
    done = subprocess.run(words(*given), cwd=project, capture_output=True, text=True, check=False)
    *_, last = lines = done.stdout.splitlines() or [done.stderr]
    found = {line for line in lines if re.match("(PASSED|FAILED|SKIPPED|ERROR|!|its output)", line)}
    return done.returncode, re.sub(r" in [\d.]+s.*", "", last), found


def test_they_report_what_one_process_would(project: Path) -> None:
    for name in "abc":
        (project / f"test_{name}.py").write_text(TESTS)
    alone = outcome(project)
    assert alone[:2] == (1, "3 failed, 6 passed, 3 skipped, 3 errors")
    (project / "ended").unlink()
    assert outcome(project, "--processes=2") == alone
    ended = (project / "ended").read_text().split()
    assert 1 <= len(ended) == len(set(ended)) <= 2, "what a session shares was ended once in each process"


def test_a_test_that_ends_its_process_is_named(project: Path) -> None:
    (project / "test_a.py").write_text(SUICIDE)
    for name in "bcde":
        (project / f"test_{name}.py").write_text(TESTS)
    code, last, lines = outcome(project, "--processes=2")
    (said,) = [line for line in lines if "a process ended with -9 in test_a.py::test_that_kills" in line]
    missing = int(re.findall(r"(\d+) tests did not end", said)[0])
    assert code == 1
    assert "failed" in last, "the other process went on"
    assert sum(int(number) for number in re.findall(r"(\d+) (?:failed|passed|skipped)", last)) == 1 + 4 * 4 - missing


def test_what_a_test_leaves_behind_is_not_waited_for(project: Path) -> None:
    (project / "test_a.py").write_text(LEAVES_A_FORK)
    (project / "test_b.py").write_text(TESTS)
    try:
        with child(words("--processes=2"), cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            assert run.wait(PATIENCE) == 1
    finally:
        os.kill(int((project / "left").read_text()), signal.SIGKILL)


def test_a_process_that_says_nothing_for_long_is_ended_and_its_test_is_named(project: Path) -> None:
    (project / "test_a.py").write_text(HANGS_AT_ITS_END)
    (project / "test_b.py").write_text(TESTS)
    done = subprocess.run(
        words("--processes=2", "--silence=3"), cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "a process ended with -6 in test_a.py::test_that_is_well; " in done.stdout
    assert " in endless" in done.stderr, "where it was"


def test_ctrl_c_ends_all_of_them_and_what_they_share(project: Path) -> None:
    (project / "test_a.py").write_text(ENDLESS)
    with child(words("--processes=2", "-s"), cwd=project) as run:
        assert run.stdout is not None
        next(line for line in run.stdout if "waits" in line)
        run.send_signal(signal.SIGINT)
        printed, _ = run.communicate()
    assert (run.returncode, "KeyboardInterrupt" in printed) == (2, True)
    assert (project / "ended").exists()


def test_what_was_skipped_runs_next_and_no_other_file_is_read(project: Path) -> None:
    for name in "ab":
        (project / f"test_{name}.py").write_text(TESTS.replace('pytest.skip("for a reason")', "pass") * (name == "a"))
    (project / "test_c.py").write_text("import pytest\n@pytest.mark.slow\ndef test_that_is_slow():\n    pass\n")
    (project / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    assert outcome(project, "--quick", "--processes=2")[1] == "1 failed, 3 passed, 1 skipped, 1 error"
    (project / "test_b.py").write_text("raise RuntimeError('it was read')")
    assert outcome(project, "--skipped-before")[:2] == (0, "1 passed")


def test_slow_tests_take_turns_by_their_files_and_the_others_do_not(project: Path) -> None:
    for name in "abcdef":
        (project / f"test_{name}.py").write_text(TURNS)
    (project / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    turns = [outcome(project, "--turn", f"{turn}/3")[2] for turn in range(4)]
    assert turns[3] == turns[0]
    slow, quick = ({f"PASSED test_{name}.py::test_that_is_{kind}" for name in "abcdef"} for kind in ("slow", "quick"))
    assert [ran & quick for ran in turns] == [quick] * 4
    assert sorted(test for ran in turns[:3] for test in ran & slow) == sorted(slow), "each in one turn"
    assert all(ran & slow for ran in turns)


def test_a_fork_server_ends_at_once_while_fellows_of_it_and_their_commands_go_on(
    forks: ForkServer, tmp_path: Path
) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS_PROGRAM)
    model = forks.door
    with ExitStack() as third, ExitStack() as second, ExitStack() as first:  # which is the first to end
        for name, block in (("first", first), ("second", second), ("third", third)):
            (tmp_path / name).mkdir()
            server = block.enter_context(ForkServer(tmp_path / name, None, model))
            assert server.start(str(tmp_path / "endless.py"), entry=PROGRAM).first_line() == "waits"
            model = tmp_path / "first" / "door"


def test_what_a_fork_server_has_started_ends_with_a_process_of_the_tests_that_is_killed(
    forks: ForkServer, tmp_path: Path
) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS_PROGRAM)
    pid = tmp_path / "pid"

    def start_and_die() -> None:
        with ForkServer(tmp_path, None, forks.door) as server:
            command = server.start(str(tmp_path / "endless.py"), entry=PROGRAM)
            command.first_line()
            pid.write_text(str(command.pid))
            os.kill(os.getpid(), signal.SIGKILL)

    assert end_of_own_fork(start_and_die) == -signal.SIGKILL
    wait_until(lambda: not is_there(int(pid.read_text())))


def test_a_fork_server_whose_input_something_holds_open_is_killed_also_when_its_model_has_ended(
    forks: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.forks.PATIENCE", 1.0)
    for name in ("model", "server"):
        (tmp_path / name).mkdir()
    with ExitStack() as left, ExitStack() as server:
        with ForkServer(tmp_path / "model", None, forks.door) as model:
            server.enter_context(ForkServer(tmp_path / "server", None, model.door))
        left.enter_context(own_fork(partial(time.sleep, 600)))
        with pytest.raises(RuntimeError, match="did not end"):
            server.close()


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_a_fork_server_whose_model_ends_before_it_forks_imports_everything_itself(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with chdir(tmp_path), socket.socket(socket.AF_UNIX) as model:  # an address shorter than a path
        model.bind("door")
        model.listen()

        def end() -> None:
            model.accept()[0].close()

        ending = threading.Thread(target=end, daemon=True)
        ending.start()
        with ForkServer(tmp_path / "server", None, tmp_path / "door") as server:
            done = server.start("search", "--help")
            out, _ = done.communicate()
        ending.join()
    assert (done.returncode, "breadcrumb search" in out) == (0, True)
