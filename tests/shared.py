"""What do the processes of the tests make once, for all of them? Folders that take seconds to make."""

from __future__ import annotations

import ensurepip
import fcntl
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.child import run_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

RELEASE = Path(__file__).resolve().parents[1] / "package"
MAKE_RELEASE = "import sys; from pathlib import Path; import release; release.make_release(*map(Path, sys.argv[1:]))"


def made_once(factory: pytest.TempPathFactory, worker_id: str, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first process to need it fills; the others wait for that. Tests only read it."""
    base = factory.getbasetemp() if worker_id == "master" else factory.getbasetemp().parent
    folder, whole = base / name, base / f"{name}.whole"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed to make it
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder


def unpack_pip(folder: Path) -> None:
    """Copy Python's own package `ensurepip`, with the wheel of pip as a folder: there, compiled files stay."""
    package = Path(ensurepip.__file__).parent
    name = f"pip-{ensurepip.version()}-py3-none-any.whl"
    shutil.copytree(package, folder / "ensurepip", ignore=shutil.ignore_patterns("_bundled", "__pycache__"))
    with zipfile.ZipFile(package / "_bundled" / name) as wheel_of_pip:
        wheel_of_pip.extractall(folder / "ensurepip" / "_bundled" / name)


def build_release(folder: Path, pip: Path) -> None:
    """Make an environment `builder`, and beside it `files`: both wheels and both source archives, with SHA256SUMS."""
    [unpacked] = pip.glob("ensurepip/_bundled/pip-*")
    python = folder / "builder" / "bin" / "python"
    run_elsewhere(sys.executable, "-m", "venv", "--without-pip", folder / "builder")
    words = ("install", "--quiet", "--no-compile", "--disable-pip-version-check", "--require-hashes")
    run_elsewhere(python, unpacked / "pip", *words, "--requirement", RELEASE / "requirements-release.lock")
    run_elsewhere(sys.executable, "-c", MAKE_RELEASE, python, folder / "files", cwd=RELEASE)


def install_wheel(folder: Path, pip: Path, released: Path) -> None:
    """Make an environment with the wheel of a release. What it depends on comes from the environment of the tests."""
    python = folder / "bin" / "python"
    run_elsewhere(sys.executable, "-m", "venv", "--without-pip", folder)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run_elsewhere(python, "-c", ask).stdout.strip())
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    [unpacked], [wheel] = pip.glob("ensurepip/_bundled/pip-*"), released.glob("breadcrumb_search-*.whl")
    run_elsewhere(python, unpacked / "pip", "install", "--quiet", "--no-deps", "--no-compile", wheel)
