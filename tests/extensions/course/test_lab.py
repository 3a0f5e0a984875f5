"""A lab is one command: a folder of its own, three addresses, a shell that knows them, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import COMMANDS
from extensions.course.lab import own_site
from reports.shown_commands import COMMAND
from tests.advice import commands_in
from tests.child import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer


def lab(
    forks: ForkServer, folder: Path, port: int, typed: str = "", shell: str = "sh"
) -> subprocess.CompletedProcess[str]:
    """Open lab 3 in a folder, and type this into its shell."""
    return subprocess.run(
        [*forks.calling(COMMANDS), "lab", "3", "--port", str(port)],
        cwd=folder,
        env=os.environ | {"SHELL": shell},
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_its_shell_knows_the_folder_the_site_and_the_crawl(
    tmp_path: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    port = next(ports)
    (tmp_path / "lab-3" / "site").mkdir(parents=True)
    (tmp_path / "lab-3" / "site" / "index.html").write_text("<title>Mine</title><p>All my own words.")
    typed = "pwd\necho $site\nbreadcrumb crawl site -a seeds=$site 2> /dev/null | grep stored\nexit 3\n"
    found = lab(forks, tmp_path, port, typed)
    assert found.returncode == 0, found.stderr
    assert f"http://127.0.0.1:{port}/" in found.stdout
    said = found.stdout.partition("Type exit to leave.\n")[2].splitlines()
    assert said[:2] == [str(tmp_path / "lab-3"), f"http://127.0.0.1:{port + 2}/"]
    assert said[2].startswith("Pages: 1 stored")
    assert said[3].startswith("Lab 3 is closed. To continue in lab-3: ")
    assert commands_in(said[3]) == [["lab", "3"]], "which this test has run, in a folder that was there"
    assert not any(map(listens, range(port, port + 3)))
    assert (tmp_path / "lab-3" / "data" / "crawl.sqlite3").exists()


@pytest.mark.slow
def test_a_command_that_is_printed_runs_in_its_shell_as_it_stands(
    tmp_path: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    port = next(ports)
    said = lab(forks, tmp_path, port, "breadcrumb search words 2>&1\n").stdout.partition("Type exit to leave.\n")[2]
    command = next(iter(COMMAND.finditer(said)))[0]
    said = lab(forks, tmp_path, port, f"{command} --help\n").stdout.partition("Type exit to leave.\n")[2]
    assert said.startswith("usage: "), command


def test_a_port_that_is_taken_is_named_before_anything_is_opened(
    tmp_path: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    port = next(ports)
    with socket.create_server(("127.0.0.1", port + 1)):
        found = lab(forks, tmp_path, port)
    assert found.returncode == 2
    assert f"port {port + 1} is in use" in found.stderr
    assert not (tmp_path / "lab-3").exists()


@pytest.mark.slow
def test_a_shell_that_is_none_is_told(tmp_path: Path, ports: Iterator[int], forks: ForkServer) -> None:
    found = lab(forks, tmp_path, next(ports), shell="/nowhere/fish")
    assert found.returncode == 2
    assert "the shell /nowhere/fish can't be started" in found.stderr


def test_a_lab_that_is_killed_takes_its_search_page_with_it(
    tmp_path: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    port = next(ports)
    line = [*forks.calling(COMMANDS), "lab", "3", "--port", str(port)]
    shell = os.environ | {"SHELL": "sh"}
    with subprocess.Popen(line, cwd=tmp_path, stdin=subprocess.PIPE, env=shell, text=True) as opened:
        wait_until(lambda: listens(port + 1), opened)
        opened.send_signal(signal.SIGKILL)
    wait_until(lambda: not listens(port + 1))


def test_a_crawl_that_is_killed_amid_a_page_leaves_no_traceback_in_the_terminal(
    tmp_path: Path, ports: Iterator[int], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "long.txt").write_bytes(bytes(20_000_000))
    port = next(ports)
    with own_site(tmp_path, port):
        with socket.create_connection(("127.0.0.1", port)) as crawl:
            crawl.sendall(b"GET /long.txt HTTP/1.0\r\n\r\n")
            crawl.recv(10)
            crawl.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, as after kill -9
        wait_until(lambda: not any(each.name.endswith("(process_request_thread)") for each in threading.enumerate()))
    assert capfd.readouterr() == ("", "")
    assert "GET /long.txt" in (tmp_path / "server.log").read_text()
