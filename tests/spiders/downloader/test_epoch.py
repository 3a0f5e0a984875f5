"""A process whose term is over sends nothing more: it ends where it would have sent, or where it waits."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.frame.parent_watch import take_term
from crawldb.clock import boot_clock
from spiders.downloader.epoch import EPOCH_OVER, OWN_EPOCH, OwnEpoch
from tests.child import PATIENCE, child

ROOT = Path(__file__).resolve().parents[3]
ROUNDING = 1e-6  # seconds
TETHERED = [sys.executable, "-P", str(ROOT / "commands" / "frame" / "parent_watch.py")]


def in_a_process(what: str) -> int:
    imports = "from crawldb.clock import boot_clock; from spiders.downloader.epoch import OWN_EPOCH"
    program = f"{imports}; {what}; OWN_EPOCH.check()"
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False, timeout=PATIENCE).returncode


def test_where_the_deadline_has_passed_the_process_ends_before_it_sends() -> None:
    assert in_a_process("OWN_EPOCH.deadline = boot_clock() - 0.001") == EPOCH_OVER
    assert in_a_process("OWN_EPOCH.deadline = boot_clock() + 1000") == 0
    assert OwnEpoch().left() == float("inf"), "outside of a cluster there is none"


def test_the_clock_goes_on_as_that_of_the_system_does() -> None:
    real = [time.monotonic()]
    clock = [boot_clock()]
    real.append(time.monotonic())
    time.sleep(0.01)
    real.append(time.monotonic())
    clock.append(boot_clock())
    real.append(time.monotonic())
    most, least = real[3] - real[0], real[2] - real[1]  # on a busy machine, time passes between two looks
    assert least - ROUNDING <= clock[1] - clock[0] <= most + ROUNDING


def test_what_is_told_of_a_term_is_taken_from_the_front_of_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OWN_EPOCH, "deadline", OWN_EPOCH.deadline)
    monkeypatch.setattr(OWN_EPOCH, "after_abandoned", False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    words = ["crawl", "site", "--until=3"]
    assert (take_term(words), words) == (False, ["crawl", "site", "--until=3"])
    words = ["--until=12.5", "--after-abandoned", "crawl", "site"]
    assert (take_term(words), words) == (True, ["crawl", "site"])
    assert (OWN_EPOCH.deadline, OWN_EPOCH.after_abandoned) == (12.5, True)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


def test_a_command_of_a_term_lives_as_long_as_it_is_renewed_and_its_starter_is_there(empty: Path) -> None:
    line = [*TETHERED, f"--until={boot_clock() + PATIENCE}", "index", "--until-closed", "-s", f"DATA_DIR={empty}"]
    with child(line, stdin=subprocess.PIPE) as waits:
        assert waits.stdin is not None
        waits.stdin.write(f"{boot_clock() + PATIENCE}\n{boot_clock()}")
        waits.stdin.flush()
        assert waits.poll() is None, "half of a line is no deadline yet"
        waits.stdin.write("\n")
        waits.stdin.flush()
        assert waits.wait(PATIENCE) == EPOCH_OVER
    with child(line, stdin=subprocess.PIPE) as left:
        assert left.stdin is not None
        left.stdin.close()
        assert left.wait(PATIENCE) == EPOCH_OVER
