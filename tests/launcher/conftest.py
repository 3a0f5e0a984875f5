"""What does the launcher need around it? Two locks of one small package each, and commands that say what they got.

Making an environment with pip takes seconds: a finished one is made once, and restored after each test. Most of that
time, Python compiles pip, which the launcher runs from the wheel that Python brings. Here, PYTHONPATH leads to that
wheel unpacked, where compiled files stay; tests of the first use take the wheel itself (test_set_up.py).
"""

from __future__ import annotations

import base64
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE, child

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = "extensions/sample/requirements-sample.lock"  # of an extension with packages of its own
COSTLY = "extensions/costly/requirements-costly.lock"  # of one for which a person is asked before
INSTALLERS = ("uv", "pip")
QUICKER = "uv" if shutil.which("uv") else "pip"
ANY = pytest.mark.parametrize("made", [QUICKER], indirect=True)  # where it makes no difference which installer it was
ECHO = """
import importlib.util, json, os, sys
packages = ("crumb", "crumb_sample", "crumb_costly", "crumb_cluster", "crumb_test", "crumb_cluster_test")
found = [name for name in packages if importlib.util.find_spec(name)]
print(json.dumps({"arguments": sys.argv[1:], "folder": os.getcwd(), "prefix": sys.prefix, "packages": found,
                  "room": importlib.util.find_spec("commands").origin}))
sys.exit(len(sys.argv) - 2)
"""


def wheel(folder: Path, name: str, version: str = "1.0", needs: str = "") -> str:
    """Write the smallest installable package; return its line for a lock file."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"import sys\nVERSION = {version!r}\ndef main():\n    print(sys.prefix)\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        + (f"Requires-Dist: {needs}\n" if needs else ""),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{file},sha256={digest},{len(text)}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return f"{name} @ {path.as_uri()} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture(scope="module")
def launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("launcher", str(ROOT / "breadcrumb"))
    spec = importlib.util.spec_from_loader("launcher", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a launcher, and the environment in which a person calls it."""

    root: Path
    environment: dict[str, str]

    @property
    def stamp(self) -> Path:
        return self.root / ".venv" / "installed"

    def lock(self, text: str, name: str = "requirements.lock") -> None:
        (self.root / name).write_text(text)

    def start(
        self, *arguments: str, folder: Path | None = None, environment: dict[str, str] | None = None
    ) -> AbstractContextManager[subprocess.Popen[str]]:
        """Start the launcher, which ends with the block."""
        return child(
            [sys.executable, str(self.root / "breadcrumb"), *arguments],
            cwd=folder or self.root,
            env=self.environment | (environment or {}),
            stdin=subprocess.DEVNULL,
        )

    def run(
        self, *arguments: str, folder: Path | None = None, environment: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of one call."""
        with self.start(*arguments, folder=folder, environment=environment) as process:
            out, err = process.communicate(timeout=PATIENCE)
            return process.returncode, out, err


def check_that_it_is_there(installer: str) -> None:
    if installer == "uv" and not shutil.which("uv"):
        pytest.skip("uv is not on the PATH")


def make_project(root: Path, packages: Path, installer: str, pip: Path | None = None) -> Project:
    (root / "commands").mkdir(parents=True)
    (root / "tests").mkdir()
    packages.mkdir()
    for name in ("breadcrumb", "pyproject.toml"):
        shutil.copy(ROOT / name, root / name)
    (root / "commands" / "__init__.py").write_text("")
    (root / "commands" / "__main__.py").write_text(ECHO)
    for listing in (ROOT / "commands" / "listing.txt", *ROOT.glob("extensions/*/listing.txt")):
        (root / listing.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(listing, root / listing.relative_to(ROOT))
    (root / "extensions" / "sample").mkdir(parents=True)
    (root / "extensions" / "costly").mkdir()
    names = (ROOT / "extensions" / "built_in.txt").read_text()
    (root / "extensions" / "built_in.txt").write_text(f"{names}sample\ncostly\n")
    (root / "extensions" / "sample" / "extra.txt").write_text("requirements-sample.lock plan -\n")
    costs = "requirements-costly.lock index --costly What it reads needs a dictionary: 120\n"
    (root / "extensions" / "costly" / "extra.txt").write_text(costs)
    (root / "tests" / "check.py").write_text(ECHO)
    # Nothing of the caller's settings may decide here; and pip is used only where no uv is on the PATH.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "PYTHON"))}
    settings = {"PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1", "PIP_RETRIES": "1", "UV_HTTP_RETRIES": "0"}
    path = os.environ["PATH"] if installer == "uv" else str(packages)
    settings |= {"PYTHONPATH": str(pip)} if pip else {}
    project = Project(root, kept | settings | {"PATH": path, "NO_PROXY": "127.0.0.1"})
    project.lock(wheel(packages, "crumb"))
    project.lock(wheel(packages, "crumb_test"), "requirements-test.lock")
    return project


@dataclass(frozen=True, slots=True)
class Finished:
    """A project that was used before, and a copy of it: an environment works only where it was made."""

    project: Project
    copy: Path


@pytest.fixture(scope="session", params=INSTALLERS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, pip: Path) -> Finished:
    check_that_it_is_there(request.param)
    folder = tmp_path_factory.mktemp("finished")
    project = make_project(folder / "a project", folder / "packages", request.param, pip)
    status, _, told = project.run("why")
    assert status == 0, told
    return Finished(project, shutil.copytree(project.root, folder / "copy", symlinks=True))


@pytest.fixture
def finished(made: Finished) -> Project:
    """One for each way to set up, that was used before."""
    shutil.rmtree(made.project.root, ignore_errors=True)
    shutil.copytree(made.copy, made.project.root, symlinks=True)
    return made.project


@pytest.fixture(params=INSTALLERS)
def project(request: pytest.FixtureRequest, tmp_path: Path, pip: Path) -> Project:
    """One for each way to set up."""
    check_that_it_is_there(request.param)
    return make_project(tmp_path / "a project", tmp_path / "packages", request.param, pip)


@pytest.fixture
def any_project(tmp_path: Path, pip: Path) -> Project:
    """Where it makes no difference which installer it is: the quicker one."""
    return make_project(tmp_path / "a project", tmp_path / "packages", QUICKER, pip)


@pytest.fixture
def pip_project(tmp_path: Path) -> Project:
    """Where the PATH has no uv, nor anything else."""
    return make_project(tmp_path / "a project", tmp_path / "packages", "pip")


def said(out: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads(out)
    return answer
