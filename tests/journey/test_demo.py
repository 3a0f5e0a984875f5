"""The demo: what the practice web's truth says is what a crawl finds out, the first time and the second."""

import socket
import subprocess
import sys
from pathlib import Path

from tests.journey.conftest import COMMANDS


def demo(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(COMMANDS), "demo", "-s", f"DATA_DIR={tmp_path}", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def test_the_crawl_finds_out_what_is_true_and_so_does_the_second(tmp_path: Path) -> None:
    port = str(free_port())
    first = demo(tmp_path, "--once", "--port", port)
    assert (first.returncode, first.stderr) == (0, "")
    assert "All is as the practice web's truth says" in first.stdout
    second = demo(tmp_path, "--once", "--port", port)
    assert (second.returncode, second.stderr) == (0, "")
    assert " 0 pages fetched" in second.stdout


def test_a_port_in_use_is_told_with_one_that_may_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = demo(tmp_path, "--once", "--port", str(port))
    assert done.returncode == 2
    assert f"--port {port + 10}" in done.stderr
    assert "Traceback" not in done.stderr


def test_another_port_has_a_folder_of_its_own(tmp_path: Path) -> None:
    port = free_port()
    demo(tmp_path, "--once", "--port", str(port))
    assert [folder.name for folder in tmp_path.iterdir()] == [f"demo-{port}"]


def test_a_port_that_is_none_is_refused(tmp_path: Path) -> None:
    done = demo(tmp_path, "--once", "--port", "70000")
    assert done.returncode == 2
    assert "70000" in done.stderr
