"""When does the launcher set up, and when is a set-up finished? Real environments, from packages of a few bytes."""

from __future__ import annotations

import ensurepip
import hashlib
import io
import os
import re
import signal
import socket
import subprocess
import tarfile
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE
from tests.launcher.conftest import ANY, SAMPLE, Project, said, wheel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


class SilentIndex:
    """A package index that takes a connection and never answers: a set-up that lasts as long as a test wants."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.called = threading.Event()
        self.connections: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            self.called.set()

    def settings(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/simple"
        return {"PIP_INDEX_URL": url, "UV_DEFAULT_INDEX": url}

    def close(self) -> None:
        with suppress(OSError):  # closed before
            self.listener.shutdown(socket.SHUT_RDWR)
        for open_socket in (self.listener, *self.connections):
            open_socket.close()


@pytest.fixture
def index() -> Iterator[SilentIndex]:
    with closing(SilentIndex()) as silent:
        yield silent


def lock_of_pip() -> str:
    """The lock of the newer pip: here, it is the one that Python brings."""
    path = Path(ensurepip.__file__).parent / "_bundled" / f"pip-{ensurepip.version()}-py3-none-any.whl"
    return f"pip @ {path.as_uri()} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


UNREACHED = f"unreached==1.0 --hash=sha256:{'0' * 64}\n"


@pytest.mark.slow
def test_the_first_use_sets_up_and_runs_the_command_in_the_callers_folder(project: Project, tmp_path: Path) -> None:
    packed = {"PYTHONPATH": ""}  # pip from the wheel that Python brings
    project.lock(lock_of_pip(), "requirements-pip.lock")
    status, out, err = project.run("search", "vacuum full", folder=tmp_path, environment=packed)
    answer = said(out)
    assert status == 1, "the exit code is the command's own"
    assert answer["arguments"] == ["search", "vacuum full"]
    assert answer["folder"] == str(tmp_path)
    assert answer["prefix"] == os.path.realpath(project.root / ".venv")
    assert answer["packages"] == ["crumb"]
    assert "Setting up" in err
    assert "Ready after" in err
    assert ("fetching a newer pip" in err) == ("lock with a newer pip:" in err) == ("with uv:" not in err)
    assert packages_of(project) == {"crumb-1.0.dist-info"}, "the newer pip is not installed"


def test_what_is_added_later_comes_with_the_newer_pip_that_is_there(launcher: ModuleType, tmp_path: Path) -> None:
    def steps() -> dict[str, list[str]]:
        return dict(launcher.installers(str(tmp_path), [SAMPLE])["a newer pip"])

    assert "--require-hashes" in steps()["fetching a newer pip"]
    (tmp_path / "pip").mkdir()
    assert "fetching a newer pip" not in steps()


@pytest.mark.slow
def test_where_a_newer_pip_does_not_work_that_of_python_replaces_what_stands_in_the_place_of_the_environment(
    any_project: Project, tmp_path: Path
) -> None:
    (any_project.root / ".venv").write_text("not a folder")
    any_project.lock(wheel(tmp_path, "pip"), "requirements-pip.lock")  # it has no program
    path = {"PATH": str(any_project.root)}  # no uv
    status, out, err = any_project.run("why", environment=path)
    assert (status, said(out)["packages"]) == (0, ["crumb"])
    assert re.findall("lock with (.*):", err) == ["a newer pip", "pip"]
    assert not (any_project.root / ".venv" / "pip").exists(), "nothing of it is left"


def test_the_second_use_says_and_does_nothing_of_its_own(finished: Project) -> None:
    before = finished.stamp.stat().st_mtime_ns
    assert finished.run("why")[2] == ""
    assert finished.stamp.stat().st_mtime_ns == before


def test_what_doctor_says_of_a_lost_package_brings_it(finished: Project) -> None:
    """That is `rm -f .venv/installed && ./breadcrumb check --help`."""
    for file in (finished.root / ".venv").glob("lib/python3*/site-packages/crumb.py"):
        file.unlink()
    assert said(finished.run("check", "--help")[1])["packages"] == []
    finished.stamp.unlink()
    _, out, err = finished.run("check", "--help")
    assert (said(out)["packages"], "Setting up" in err) == (["crumb"], True)


def test_test_adds_its_own_lock_and_the_commands_still_find_theirs(finished: Project) -> None:
    status, out, err = finished.run("test", "-k", "robots")
    assert status == 1
    assert said(out)["arguments"] == ["-k", "robots"]
    assert said(out)["packages"] == ["crumb", "crumb_test"]
    assert "Setting up" in err
    assert finished.run("why")[2] == "", "an environment with the tests' packages serves the commands too"


@ANY
def test_a_project_that_was_moved_is_set_up_anew(finished: Project, tmp_path: Path) -> None:
    moved = Project(finished.root.rename(tmp_path / "elsewhere"), finished.environment)
    _, out, err = moved.run("why")
    assert "Setting up" in err
    assert said(out)["prefix"] == os.path.realpath(moved.root / ".venv")


@pytest.mark.slow
def test_it_works_through_a_link_and_no_folder_of_the_callers_stands_in_for_a_room(
    any_project: Project, tmp_path: Path, pip: Path
) -> None:
    links, folder = tmp_path / "links", tmp_path / "elsewhere"
    links.mkdir()
    (links / "breadcrumb").symlink_to(any_project.root / "breadcrumb")
    (folder / "commands").mkdir(parents=True)
    (folder / "commands" / "__init__.py").write_text("raise ImportError('the wrong room')")
    _, out, _ = Project(links, any_project.environment).run(
        "why", folder=folder, environment={"PYTHONPATH": os.pathsep.join(map(str, (folder, pip)))}
    )
    assert said(out)["room"] == str(any_project.root / "commands" / "__init__.py")


@pytest.mark.slow
def test_ctrl_c_leaves_no_finished_environment_and_the_second_try_is_clean(
    project: Project, index: SilentIndex
) -> None:
    good = (project.root / "requirements.lock").read_text()
    project.lock(UNREACHED)
    with project.start("why", environment=index.settings()) as process:
        assert index.called.wait(PATIENCE)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGINT
    assert "Set-up interrupted" in err
    assert not project.stamp.exists()
    project.lock(good)
    status, out, _ = project.run("why")
    assert (status, said(out)["packages"]) == (0, ["crumb"])


def environments(project: Project) -> list[str]:
    return sorted(path.name for path in (project.root / ".venvs").iterdir())


def test_an_interrupted_set_up_leaves_the_environment_in_use_as_it_was(finished: Project, index: SilentIndex) -> None:
    good = (finished.root / "requirements.lock").read_text()
    before = os.path.realpath(finished.root / ".venv")
    finished.lock(UNREACHED)
    with finished.start("why", environment=index.settings()) as process:
        assert index.called.wait(PATIENCE)
        os.killpg(process.pid, signal.SIGKILL)  # nothing of it can clear anything away
        process.wait()
    assert os.path.realpath(finished.root / ".venv") == before
    finished.lock(good)
    status, out, err = finished.run("why")
    assert (status, said(out)["prefix"], err) == (0, before, ""), "it is whole, so nothing is set up"


@pytest.mark.slow
def test_what_runs_goes_on_in_its_environment_while_another_takes_its_place(finished: Project, tmp_path: Path) -> None:
    """A demo imports late, and starts programs of its environment."""
    (finished.root / "commands" / "__main__.py").write_text(LATE)
    before = os.path.realpath(finished.root / ".venv")
    with finished.start("demo") as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline() == "started\n"
        finished.lock(wheel(tmp_path, "crumb", "2.0"))
        assert "Setting up" in finished.run("why")[2]
        after = os.path.realpath(finished.root / ".venv")
        assert len(environments(finished)) == 2, "that of the demo stays"
        demo.send_signal(signal.SIGUSR1)
        assert demo.stdout.readline() == f"1.0 {before}\n"
    assert after != before
    (finished.root / "commands" / "__main__.py").write_text("")
    finished.lock(wheel(tmp_path, "crumb", "3.0"))
    finished.run("why")
    assert len(environments(finished)) == 1, "what nobody uses any more is taken away"


LATE = """
import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: None)
if sys.argv[1] == "demo":
    print("started", flush=True)
    signal.pause()
    import crumb
    print(crumb.VERSION, sys.prefix, flush=True)
    signal.pause()
"""


def test_the_programs_of_an_environment_work_from_where_they_are(finished: Project) -> None:
    program = finished.root / ".venv" / "bin" / "crumb"
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{os.path.realpath(finished.root / '.venv')}\n"


def packages_of(project: Project) -> set[str]:
    return {path.name for path in project.root.glob(".venv/lib/*/site-packages/*.dist-info")}


def test_an_environment_keeps_nothing_that_no_lock_names(finished: Project) -> None:
    assert packages_of(finished) == {"crumb-1.0.dist-info"}, "neither pip nor the setuptools that Python brings"


def test_an_extra_that_cannot_be_added_leaves_nothing_of_its_installer(finished: Project) -> None:
    finished.lock(f"missing @ file:///missing-1.0-py3-none-any.whl --hash=sha256:{'0' * 64}\n", SAMPLE)
    assert finished.run("plan")[0] == 125
    assert packages_of(finished) == {"crumb-1.0.dist-info"}
    assert finished.run("why")[2] == "", "commands without the extra go on as before"


SETUP = """
import pathlib, setuptools
pathlib.Path(MARK).touch()
setuptools.setup(name="crumb", version="1.0", py_modules=[])
"""


@pytest.mark.slow
def test_a_package_that_comes_as_source_alone_is_refused_and_its_code_never_runs(
    project: Project, tmp_path: Path
) -> None:
    mark, source = tmp_path / "its code ran", tmp_path / "crumb-1.0.tar.gz"
    script = f"MARK = {str(mark)!r}\n{SETUP}".encode()
    with tarfile.open(source, "w:gz") as archive:
        for name, text in (("setup.py", script), ("PKG-INFO", b"Metadata-Version: 2.1\nName: crumb\nVersion: 1.0\n")):
            entry = tarfile.TarInfo(f"crumb-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    project.lock(f"crumb==1.0 --hash=sha256:{hashlib.sha256(source.read_bytes()).hexdigest()}\n")
    here = dict.fromkeys(("PIP_FIND_LINKS", "UV_FIND_LINKS"), str(tmp_path)) | {"PIP_NO_INDEX": "1", "UV_NO_INDEX": "1"}
    status, _, err = project.run("why", environment=here)
    assert status == 125
    assert "A package has no ready file for this Python" in err
    assert not mark.exists()


def test_a_changed_lock_is_installed_and_replaces_what_an_earlier_breadcrumb_made_in_place(
    finished: Project, tmp_path: Path
) -> None:
    link = finished.root / ".venv"
    old = link.resolve()
    link.unlink()
    old.rename(link)
    (finished.root / ".venvs" / "2.link").symlink_to("nowhere")  # what a power cut may leave
    finished.lock(wheel(tmp_path, "crumb", "2.0"))
    status, _, err = finished.run("why")
    assert (status, "Setting up" in err) == (0, True)
    assert packages_of(finished) == {"crumb-2.0.dist-info"}
    assert link.is_symlink()
    assert len(environments(finished)) == 1


def test_a_set_up_that_is_silent_shows_in_a_log_that_it_lives(project: Project, index: SilentIndex) -> None:
    text = (project.root / "breadcrumb").read_text()
    (project.root / "breadcrumb").write_text(text.replace("SIGN_SECONDS = 15", "SIGN_SECONDS = 0.1"))
    project.lock(UNREACHED)
    with project.start("why", environment=index.settings()) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "at work for" in line)
    assert re.match(r"    \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, at work for \d+ s: ", line)


@pytest.mark.slow
def test_a_second_launcher_waits_even_for_the_orphan_of_one_that_was_killed(
    finished: Project, index: SilentIndex, tmp_path: Path
) -> None:
    finished.lock(UNREACHED)
    with finished.start("why", environment=index.settings()) as first:
        assert index.called.wait(PATIENCE)
        first.kill()  # the launcher alone: its installer lives on
        first.wait()
        finished.lock(wheel(tmp_path, "crumb", "2.0"))
        with finished.start("why") as second:
            assert second.stderr is not None
            assert "waiting for it to end" in second.stderr.readline()
            assert second.poll() is None
            index.close()
            out, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0
    assert said(out)["packages"] == ["crumb"]


@ANY
def test_a_signal_reaches_the_command_itself(finished: Project) -> None:
    main = finished.root / "commands" / "__main__.py"
    main.write_text("import time\nprint('started', flush=True)\ntime.sleep(1000)\n")
    with finished.start("serve") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == -signal.SIGTERM


def test_the_launcher_is_a_program() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([root / "breadcrumb", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Breadcrumb 0.")
