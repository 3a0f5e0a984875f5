"""Every way to start a command starts that of the project, and imports Scrapy only if needed."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands import LIGHT, NEED_SCRAPY
from commands.__main__ import main, overview
from tests.child import PATIENCE
from tests.commands.conftest import ROOT, Breadcrumb, environment
from tests.forks import forked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.conftest import Ended
    from tests.forks import ForkServer

HOST = "http://bakery.localhost:8400"
DECOYS = ("robots", "crawldb", "search", "settings", "indexer", "commands")


@pytest.fixture
def decoys(tmp_path: Path) -> Path:
    """A folder whose modules bear our names, and end whoever imports them."""
    folder = tmp_path / "decoys"
    folder.mkdir()
    for name in DECOYS:
        (folder / f"{name}.py").write_text("raise SystemExit('a decoy was imported')")
    return folder


def launcher() -> Any:
    loader = SourceFileLoader("launcher", str(ROOT / "breadcrumb"))
    spec = spec_from_loader("launcher", loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("start", [[str(ROOT / "commands")], ["-P", "-m", "commands"]])
def test_no_package_of_the_same_name_wins(bakery: Breadcrumb, decoys: Path, start: list[str]) -> None:
    path = {"PYTHONPATH": f"{ROOT}:{decoys}" if "-m" in start else str(decoys)}
    done = subprocess.run(
        [sys.executable, *start, "search", "rye", "--json", "-s", f"DATA_DIR={bakery.data}"],
        cwd=decoys, env=environment() | path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["total"] == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists the threads of a process")
def test_no_threads_begin_for_products_of_matrices() -> None:
    program = (
        "import os; from commands.__main__ import main; main([]); import numpy; print(os.listdir('/proc/self/task'))"
    )
    environ = {name: value for name, value in environment().items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, check=True)
    assert done.stdout.splitlines()[-1].count(b",") == 0


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_without_a_command_there_is_the_list(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 0
    out = capsys.readouterr().out
    for name in (*LIGHT, *NEED_SCRAPY):
        assert f"\n  {name} " in out


def test_the_launcher_lists_the_same_commands_with_the_same_words() -> None:
    out = overview()
    for name, summary in launcher().commands().items():
        assert name == "test" or f"  {name:<8} {summary}" in out


@pytest.mark.parametrize(
    "words", [["search", "rye"], ["why", f"{HOST}/rye.html"], ["robots", "robots.txt", "/"], ["report"]],
)  # fmt: skip
def test_the_quick_ones_import_neither_scrapy_nor_flask_nor_rich(bakery: Breadcrumb, words: list[str]) -> None:
    (bakery.folder / "robots.txt").write_text("User-agent: *\n")
    imported = imported_by(bakery, words)
    assert "argparse" in imported
    assert imported.isdisjoint({"scrapy", "twisted", "flask", "rich", "tldextract", "py3langid", "scipy", "bs4"})


def test_a_search_imports_nothing_for_misspelt_words_policies_dates_or_masked_arrays(bakery: Breadcrumb) -> None:
    imported = imported_by(bakery, ["search", "rye"])
    assert "numpy" in imported
    assert imported & {"rapidfuzz", "frontier", "email.utils", "numpy.ma"} == set()


def imported_by(bakery: Breadcrumb, words: list[str]) -> set[str]:
    name, *rest = bakery.command(*words)
    done = subprocess.run(
        [name, "-X", "importtime", *rest], cwd=bakery.folder, capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_other_names_are_scrapy_s(in_scrapy: Callable[..., Ended]) -> None:
    done = in_scrapy("list")
    assert (done.code, done.out) == (0, "site\n")
    assert in_scrapy("nonsense").code == 2


def test_scrapy_has_its_own_commands_and_our_crawl_and_no_other(forks: ForkServer) -> None:
    done = forked(forks, "scrapy", entry="scrapy.cmdline:execute")
    listed = set(re.findall(r"^  (\w+) ", done.stdout, re.MULTILINE))
    assert listed >= {"crawl", "list", "check", "shell", "fetch"}
    assert listed & set(LIGHT) == {"check"}, "Scrapy's own, which checks the contracts of spiders"
    assert "the index follows along" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [["report"], ["index", "--until-closed"]], ids=" ".join)
def test_what_a_shell_has_closed_is_no_fault(bakery: Breadcrumb, words: list[str], closed: str) -> None:
    line = " ".join(map(shlex.quote, bakery.command(*words)))
    done = subprocess.run(
        ["sh", "-c", f"{line} {closed}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("buffered", [True, False])
def test_an_output_that_takes_nothing_is_no_fault_of_the_data_folder(bakery: Breadcrumb, *, buffered: bool) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            bakery.command("report"), stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "" if buffered else "1"}, check=False, timeout=PATIENCE,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "breadcrumb report: standard output can't be written: No space left on device\n"


def test_ctrl_c_while_modules_are_imported_is_confirmed(tmp_path: Path) -> None:
    words = [sys.executable, "-v", "-m", "commands", "crawl", "site", "-s", f"DATA_DIR={tmp_path}"]
    with subprocess.Popen(words, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:  # `-v` names each module that is imported
            if line.startswith("import 'twisted'"):
                process.send_signal(signal.SIGINT)
                break
        assert "breadcrumb crawl: stopped while it was starting\n" in process.stderr.read()
    assert process.returncode == 130
