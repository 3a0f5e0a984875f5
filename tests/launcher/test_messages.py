"""What does the launcher say when it cannot go on? What was given, what is wrong, what would work."""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE
from tests.launcher.conftest import ANY, ROOT, Project, make_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

NEVER_STARTED = 125
CLOSED_PORT = "http://127.0.0.1:9/simple"  # "discard": nobody answers there


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command_without_a_set_up(
    pip_project: Project, launcher: ModuleType, arguments: list[str]
) -> None:
    status, out, err = pip_project.run(*arguments)
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(launcher.commands())
    assert not pip_project.stamp.parent.exists()


@pytest.mark.parametrize("arguments", [[], ["--version"]])
def test_a_reader_of_the_help_may_leave_early(pip_project: Project, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    line = [sys.executable, str(pip_project.root / "breadcrumb"), *arguments]
    done = subprocess.run(line, env=pip_project.environment, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_help_that_cannot_be_written_is_said(pip_project: Project) -> None:
    line = [sys.executable, str(pip_project.root / "breadcrumb"), "--version"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(line, env=pip_project.environment, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
    assert b"standard output can't be written" in done.stderr


@ANY
@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_takes_no_file_of_the_launcher(finished: Project, closed: str) -> None:
    line = f'"{sys.executable}" "{finished.root / "breadcrumb"}" search {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", line], env=finished.environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    wrong = subprocess.run(["/bin/sh", "-c", line.replace("search", "serach")], env=finished.environment, check=False)
    assert wrong.returncode == 2


@ANY
def test_help_with_a_command_is_that_commands_help(finished: Project) -> None:
    _, out, _ = finished.run("help", "search")
    assert json.loads(out)["arguments"] == ["search", "--help"]


def test_the_version_is_the_projects(pip_project: Project) -> None:
    status, out, _ = pip_project.run("--version")
    assert (status, out) == (0, "Breadcrumb 0.1.0\n")


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ("serach", "did you mean search?"),
        ("", "there are demo, crawl,"),
        ("--quick", "there are demo, crawl,"),
    ],
)
def test_an_unknown_command_is_named_with_the_closest_before_any_set_up(
    pip_project: Project, given: str, advice: str
) -> None:
    status, out, err = pip_project.run(given)
    assert (status, out) == (2, "")
    assert f"no command {given!r}; {advice}" in err
    assert not pip_project.stamp.parent.exists()


def test_the_list_of_commands_is_that_of_the_commands_room(launcher: ModuleType) -> None:
    room = importlib.import_module("commands")
    assert set(launcher.commands()) == {*room.COMMANDS, "test"}


@pytest.mark.slow
def test_an_unreachable_index_is_said_and_nothing_half_made_is_used(project: Project) -> None:
    project.lock(f"unreached==1.0 --hash=sha256:{'0' * 64}\n")
    status, out, err = project.run("why", environment={"PIP_INDEX_URL": CLOSED_PORT, "UV_DEFAULT_INDEX": CLOSED_PORT})
    assert (status, out) == (NEVER_STARTED, "")
    assert "pip failed:" in err, "pip is tried too where uv fails: it may know a mirror that uv does not"
    assert "The packages could not be fetched. Try again with a network" in err
    assert not project.stamp.exists()


@pytest.mark.slow
def test_a_file_that_is_not_the_locked_one_is_refused(project: Project) -> None:
    lock = project.root / "requirements.lock"
    line, _, digest = lock.read_text().strip().rpartition(":")
    lock.write_text(f"{line}:{digest[::-1]}\n")
    status, _, err = project.run("why")
    assert status == NEVER_STARTED
    assert "A file is not the one that was locked" in err


def test_a_python_without_venv_is_told_which_package_brings_it(pip_project: Project, tmp_path: Path) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError('as Debian ships it')\n")
    status, _, err = pip_project.run("why", environment={"PYTHONPATH": str(tmp_path)})
    assert status == NEVER_STARTED
    assert "comes without its venv module" in err
    assert "apt install python3-venv" in err


def test_a_python_that_is_too_old_is_told_what_is_new_enough(pip_project: Project) -> None:
    launcher = pip_project.root / "breadcrumb"
    launcher.write_text(launcher.read_text().replace("OLDEST = (3, 11)", "OLDEST = (3, 99)"))
    status, _, err = pip_project.run("why")
    assert status == NEVER_STARTED
    assert "Python 3.99 or newer is needed" in err
    assert sys.executable in err
    assert not pip_project.stamp.parent.exists()


def test_the_launcher_is_readable_to_an_old_python() -> None:
    source = (ROOT / "breadcrumb").read_text()
    tree = ast.parse(source, feature_version=(3, 7))  # the oldest grammar that `ast` checks
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "__future__"]


def oldest_on_the_path() -> list[str]:
    names = [f"python3.{minor}" for minor in range(6, 11)]
    works = [name for name in names if shutil.which(name)]
    return [name for name in works if subprocess.run([name, "-V"], capture_output=True, check=False).returncode == 0]


@pytest.mark.slow
def test_an_old_python_runs_the_launcher() -> None:
    names = oldest_on_the_path()
    if not names:
        pytest.skip("no Python from 3.6 to 3.10 on the PATH")
    for name in names:
        done = subprocess.run([name, ROOT / "breadcrumb"], capture_output=True, text=True, check=True)
        assert "usage: breadcrumb COMMAND" in done.stdout


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def refused(project: Project) -> str:
    """Return what the launcher says to a user who may read the project's folder and write nothing there."""
    for path in (project.root.parent, *project.root.parent.rglob("*")):  # whatever umask the tests have
        if not path.is_symlink():
            path.chmod(0o755)
    for path in project.root.glob("home"):
        path.chmod(0o000 if os.geteuid() else 0o700)
    project.root.chmod(0o555)
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    pythons = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    try:
        for python in filter(os.path.exists, pythons):
            try:
                done = subprocess.run(
                    [python, project.root / "breadcrumb", "why"],
                    user=user, env=project.environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
                )  # fmt: skip
            except PermissionError:
                continue  # root's own Python: not for other users
            assert done.returncode == NEVER_STARTED
            return done.stderr
    finally:
        for path in (project.root, *project.root.glob("home")):
            path.chmod(0o755)
    pytest.skip("no Python that a user without rights can start")


def test_a_folder_without_write_rights_is_said(shared_folder: Path) -> None:
    said = refused(make_project(shared_folder / "project", shared_folder / "packages", "pip"))
    assert f"Permission denied: '{shared_folder}/project/.venv.lock'" in said
    assert "Make the project's folder yours" in said


@pytest.mark.parametrize(
    ("python", "fault"),
    [("home/python3", "Permission denied"), ("gone/python3", "No such file or directory")],
    ids=["in another user's home", "gone"],
)
def test_a_python_that_cannot_be_run_is_said_where_no_other_environment_can_be_made(
    shared_folder: Path, python: str, fault: str
) -> None:
    project = make_project(shared_folder / "project", shared_folder / "packages", "pip")
    (project.root / "home").mkdir()
    (project.root / "home" / "python3").touch()
    (project.root / ".venv" / "bin").mkdir(parents=True)
    (project.root / ".venv" / "bin" / "python").symlink_to(project.root / python)
    locked = (project.root / "requirements.lock").read_text()
    stamp = f"{project.root}/.venv with {project.root / python}\n{locked}# end of requirements.lock\n"
    project.stamp.write_text(stamp)
    said = refused(project)
    assert f"The Python of .venv can't be run: {project.root / python}: {fault}." in said
    assert "Nor can a new .venv be made: Permission denied.\nThis may not be written by you. Make" in said


@ANY
def test_an_environment_whose_python_is_gone_is_made_afresh(finished: Project, tmp_path: Path) -> None:
    python = finished.stamp.parent / "bin" / "python"
    python.unlink()
    python.symlink_to(tmp_path / "python3")
    _, _, locked = finished.stamp.read_text().partition("\n")
    finished.stamp.write_text(f"{finished.root}/.venv with {tmp_path}/python3\n{locked}")
    status, out, err = finished.run("why")
    assert (status, json.loads(out)["arguments"]) == (0, ["why"]), err
    assert "Setting up Breadcrumb" in err


@pytest.mark.parametrize(
    ("printed", "advice"),
    [
        pytest.param("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
                     "The disk is full", id="pip on a full disk"),
        pytest.param("cause: failed to write to file: No space left on device (os error 28)",
                     "The disk is full", id="uv on a full disk"),
        pytest.param("[Errno 122] Disk quota exceeded: '/srv/breadcrumb/.venv/installed.new'",
                     "The disk is full", id="a full quota"),
        pytest.param("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution",
                     "could not be fetched", id="pip without a network"),
        pytest.param("cause: failed to lookup address information: nodename nor servname provided, or not known",
                     "could not be fetched", id="uv without a network on macOS"),
        pytest.param("ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407'))",
                     "HTTPS_PROXY", id="a proxy that wants a password"),
        pytest.param("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
                     "not the one that was locked", id="pip and a changed file"),
        pytest.param("Hash mismatch for `crumb==1.0`", "not the one that was locked", id="uv and a changed file"),
        pytest.param("[Errno 30] Read-only file system: '/srv/breadcrumb/.venv.lock'",
                     "Make the project's folder yours", id="a file system mounted for reading"),
        pytest.param("ERROR: No matching distribution found for lxml==6.1.3", "no ready file", id="a new Python"),
        pytest.param("Segmentation fault", "", id="what nobody foresaw gets no advice"),
    ],
)  # fmt: skip
def test_each_failure_has_its_remedy(launcher: ModuleType, printed: str, advice: str) -> None:
    remedy = launcher.remedy(printed)
    assert advice in remedy if advice else remedy == ""
