"""Every command has plain sentences for mistakes, exit codes, arguments after --, and quiet ends."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import LIGHT
from commands.__main__ import main
from commands.frame.command import run_and_wait
from tests.child import INTERRUPTED, PATIENCE
from tests.forks import forked

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb
    from tests.forks import ForkServer

ROOT = Path(__file__).resolve().parents[3]
COMMON = "What all commands have in common"  # a heading of docs/commands.md
NOBODY = 65534  # a user without rights
HOST = "http://bakery.localhost:8400"
ARGUMENTS = {
    "demo": [], "index": [], "search": ["rye"], "serve": ["--port", "0"], "why": [f"{HOST}/"], "robots": ["-", "/"],
    "submit": [f"{HOST}/"], "forget": [f"{HOST}/"], "block": [f"{HOST}/"], "release": [f"{HOST}/"], "suggest": [],
    "report": [], "audit": [],
    "plan": [f"{HOST}/"], "compare": [f"{HOST}/"],
    "cluster": ["--master", "processes[1]", "--store", "store", f"{HOST}/"],
    "farm": [f"{HOST}/"], "reparse": [], "check": [], "lab": [], "import": ["site.warc.gz"],
    "export": ["--warc", "out"], "slides": ["--to", "out"], "tune": ["--clicks"], "mcp": [],
}  # fmt: skip
NEED_DATA = ["index", "search", "why", "forget", "release", "report", "check"]
NEED_DATA += [name for name in ("reparse", "slides", "suggest", "tune") if name in LIGHT]  # of extensions
NEED_DATA += ["export"] * ("import" in LIGHT)  # --warc comes with it


def as_nobody(words: list[str]) -> int:
    """Run a command as root, so that everything it needs is imported, and another as a user without rights."""
    split = words.index("|")
    main(words[:split])
    print("as nobody:", flush=True)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    return main(words[split + 1 :])


def a_plain_sentence(text: str) -> bool:
    return "Traceback" not in text and len(text.splitlines()) == 1 and text.startswith("breadcrumb ")


@pytest.mark.parametrize("name", LIGHT)
def test_help_has_an_example_and_the_exit_codes(empty: Breadcrumb, name: str) -> None:
    done = empty.run(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"example: breadcrumb {name} " in done.out
    assert "exit codes: 0 " in done.out
    assert all(len(line) <= 110 for line in done.out.splitlines())


@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["--nonsense"], "--nonsense", id="an option that there is not"),
        pytest.param(["-s", "DATA_DR=x"], "did you mean DATA_DIR?", id="a setting that there is not"),
        pytest.param(["-s", "DATA_DIR"], "NAME=VALUE", id="a setting without a value"),
        pytest.param(["-sqlite"], "Put -- before a value that starts with a dash", id="a word taken for a setting"),
        pytest.param(["-s", "MAX_DEPTH=deep"], "must be a whole number", id="a value of the wrong type"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(empty: Breadcrumb, name: str, words: list[str], said: str) -> None:
    done = empty.run(name, *words, *ARGUMENTS[name])
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert a_plain_sentence(done.err)


@pytest.mark.parametrize("name", NEED_DATA)
def test_a_missing_data_folder_is_told_and_not_made(empty: Breadcrumb, name: str) -> None:
    done = empty.run(name, *ARGUMENTS[name])
    assert (done.code, done.out) == (2, "")
    assert "./breadcrumb crawl site" in done.err
    assert a_plain_sentence(done.err)
    assert not empty.data.exists()


@pytest.mark.parametrize("name", [*NEED_DATA, "submit", "block"])
def test_a_data_folder_that_is_a_file_is_told(empty: Breadcrumb, name: str) -> None:
    empty.data.write_text("bread")
    done = empty.run(name, *ARGUMENTS[name])
    assert (done.code, done.out) == (2, "")
    assert a_plain_sentence(done.err)
    assert empty.data.read_text() == "bread"


@pytest.mark.parametrize("name", ["index", "why", "submit", "forget", "block", "report"])
def test_a_database_that_is_none_is_told(empty: Breadcrumb, name: str) -> None:
    empty.data.mkdir()
    (empty.data / "crawl.sqlite3").write_text("This is no database. " * 100)
    done = empty.run(name, *ARGUMENTS[name])
    assert (done.code, done.out) == (2, "")
    assert a_plain_sentence(done.err)


@pytest.mark.parametrize("name", ["search", "why"])
def test_a_damaged_index_is_told_with_its_cure(bakery: Breadcrumb, name: str) -> None:
    for segment in (bakery.data / "index").rglob("*.seg"):
        segment.write_bytes(b"bread")
    done = bakery.run(name, *ARGUMENTS[name])
    assert done.code == 2
    assert "--rebuild" in done.err
    assert a_plain_sentence(done.err)
    assert bakery.run("index", "--rebuild").code == 0
    assert bakery.run(name, *ARGUMENTS[name]).code == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user, who has no rights")
@pytest.mark.parametrize("mode", [pytest.param(0o700, id="not even to look"), pytest.param(0o755, id="to read only")])
@pytest.mark.parametrize("name", ["index", "search", "why", "submit", "forget", "block", "report"])
def test_a_folder_without_rights_is_told(forks: ForkServer, crawled: Breadcrumb, name: str, mode: int) -> None:
    if name in {"search", "why"}:
        crawled.run("index")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to other users
        Path(folder).chmod(0o755)
        data = Path(folder) / "data"
        shutil.copytree(crawled.data, data)
        for path in data.rglob("*"):
            path.chmod(0o755)  # as an earlier version left them
        data.chmod(mode)
        as_root, as_other = ([name, "-s", f"DATA_DIR={place}", *ARGUMENTS[name]] for place in (crawled.data, data))
        done = forked(forks, *as_root, "|", *as_other, entry=f"{__name__}:{as_nobody.__name__}")
    assert "Traceback" not in done.stderr
    out = done.stdout.partition("as nobody:")[2].strip()
    if mode == 0o755 and done.returncode == 0:
        assert out  # what only reads may well work
    else:
        assert (done.returncode, out) == (2, "")
        assert a_plain_sentence(done.stderr)


def test_a_reader_that_has_seen_enough_ends_a_command_quietly(bakery: Breadcrumb) -> None:
    with bakery.start("robots", "-", *(f"/{number}" for number in range(20_000))) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("User-agent: *\nDisallow: /1\n")
        process.stdin.close()
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE) == 0


def test_ctrl_c_ends_a_command_quietly(empty: Breadcrumb, tmp_path: Path) -> None:
    pipe = tmp_path / "robots.txt"
    os.mkfifo(pipe)
    with empty.start("robots", str(pipe), "/") as process:
        writing = os.open(pipe, os.O_WRONLY)  # opens when the command opens it to read
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        os.close(writing)
    assert process.returncode in INTERRUPTED
    assert (out, err) == ("", "")


@pytest.mark.slow
def test_a_terminal_gets_colours_and_a_pipe_does_not(forks: ForkServer, bakery: Breadcrumb) -> None:
    plain = bakery.run("search", "rye").out
    line = forked_line(forks, bakery, "search", "rye")
    coloured = _in_a_terminal(line, {})
    assert "\x1b[1mRye\x1b[0m" in coloured
    milliseconds = re.compile(r"\d+ ms")
    unmarked = re.sub(r"\x1b\[\d*m", "", coloured).replace("\r\n", "\n")
    assert milliseconds.sub("", unmarked) == milliseconds.sub("", plain)
    assert "\x1b" not in _in_a_terminal(line, {"NO_COLOR": "1"})


def test_a_narrow_terminal_gets_narrow_lines_and_a_pipe_does_not(
    forks: ForkServer, bakery: Breadcrumb, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("search", "sourdough", "--explain")
    line = forked_line(forks, bakery, *words)
    narrow = re.sub(r"\x1b\[\d*m", "", _in_a_terminal(line, {"COLUMNS": "40"})).splitlines()
    assert max(len(line) for line in narrow if "http" not in line) <= 40
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, bakery.run(*words).out.splitlines())) > 60


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_the_letters_is_no_error(bakery: Breadcrumb, encoding: str) -> None:
    done = subprocess.run(
        bakery.command("search", "食パン"), env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def forked_line(forks: ForkServer, place: Breadcrumb, *words: str) -> list[str | Path]:
    """The line with which a shell runs a command in a fork."""
    _, program, *rest = place.command(*words)
    return [*forks.calling(Path(program)), *rest]


def _in_a_terminal(command: list[str | Path], environment: dict[str, str]) -> str:
    master, slave = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(command, stdout=slave, check=True, env=kept | {"TERM": "xterm"} | environment)
    assert done.returncode == 0
    os.close(slave)
    pieces = []
    try:
        while piece := os.read(master, 65536):
            pieces.append(piece)
    except OSError:
        pass  # the other end is closed, and everything is read
    finally:
        os.close(master)
    return b"".join(pieces).decode()


@pytest.mark.parametrize("name", LIGHT)
def test_every_option_stands_in_the_documentation(empty: Breadcrumb, name: str) -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    common, section = (text.partition(f"\n## {each}\n")[2].partition("\n## ")[0] for each in (COMMON, name))
    for option in set(re.findall(r"--[a-z-]+", empty.run(name, "--help").out.partition("options:")[2])) - {"--help"}:
        assert option in section or f"`{option} " in common


@pytest.mark.parametrize(("ending", "code"), [("exit 3", 3), ("kill -INT $$", 130), ("kill -KILL $$", 137)])
def test_a_process_that_a_signal_ends_has_the_exit_code_that_shells_give_it(ending: str, code: int) -> None:
    assert run_and_wait(["/bin/sh", "-c", ending]) == code
