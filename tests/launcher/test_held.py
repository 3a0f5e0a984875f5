"""Does a set-up spare the environment of a process that the launcher did not start?

The gateway starts a crawl that outlives it, and a program in Python may use the package without the launcher.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE, child, wait_until

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
READS = "import breadcrumb, sys; breadcrumb.canonicalize('http://a.example/'); open(sys.argv[1]).read()"
STARTED = {"a command": ("-P", str(ROOT / "commands"), "robots", "--lint"), "the Python API": ("-c", READS)}


@pytest.fixture
def environment(tmp_path: Path, launcher: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One of an earlier set-up, with the packages of this one."""
    monkeypatch.setattr(launcher, "VENVS", str(tmp_path / ".venvs"))
    monkeypatch.setattr(launcher, "VENV", str(tmp_path / ".venv"))
    folder = tmp_path / ".venvs" / "1"
    packages = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "those.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT / 'package'}\n")
    base = Path(sys.executable).resolve()
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    (folder / launcher.USED).touch()
    return folder


@pytest.mark.parametrize("words", STARTED.values(), ids=STARTED)
def test_an_environment_stays_as_long_as_a_process_that_the_launcher_did_not_start(
    words: tuple[str, ...], environment: Path, launcher: ModuleType, tmp_path: Path
) -> None:
    waits, ends = tmp_path / "robots.txt", []
    os.mkfifo(waits)

    def is_opened() -> bool:
        with suppress(OSError):  # ENXIO: nobody reads it yet
            ends.append(os.open(waits, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with child([environment / "bin" / "python", *words, waits], env=kept) as process:
        wait_until(is_opened, process)
        launcher.sweep()
        assert environment.exists()
        os.close(ends[0])
        assert process.wait(PATIENCE) == 0, process.communicate()
    launcher.sweep()
    assert not environment.exists(), "nobody uses it any more"
