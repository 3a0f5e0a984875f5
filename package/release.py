"""Make what a release publishes: a wheel and a source archive of breadcrumb-search and of breadcrumb-robots.

    python3 package/release.py FOLDER

writes the four files and SHA256SUMS into FOLDER. Each is built twice: from this folder, and from the source
archive that this gave, under another umask. The bytes must be the same. setuptools and hatchling come from
requirements-release.lock, into an environment that is removed at the end.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECTS = (HERE.parent, HERE / "robots_wheel")
LOCK = HERE / "requirements-release.lock"
BUILD = """
import sys, tomllib
from importlib import import_module
from pathlib import Path
system = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["build-system"]
sys.path[:0] = [str(Path(folder).resolve()) for folder in system.get("backend-path", [])]
backend = import_module(system["build-backend"])
folder = sys.argv[1]
backend.build_wheel(folder)
backend.build_sdist(folder)
"""  # as pip reads pyproject.toml (PEP 517)


class ReleaseError(Exception):
    """A release can't be made. The message says why."""


def build(python: Path, project: Path, folder: Path, *, umask: int) -> tuple[Path, Path]:
    """Build a project into a new folder, and return the paths of its wheel and of its source archive."""
    folder.mkdir()
    _run(python, "-I", "-B", "-c", BUILD, folder, at=project, umask=umask)
    [wheel], [archive] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def build_twice(python: Path, project: Path, folder: Path) -> tuple[Path, Path]:
    """Build a project, then its source archive, and compare; return the paths of wheel and archive.

    Raises ReleaseError if the bytes differ.
    """
    made = build(python, project, folder / project.name, umask=0o022)
    with tarfile.open(made[1]) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / made[1].name.removesuffix(".tar.gz")
    again = build(python, unpacked, folder / f"{project.name}-again", umask=0o077)
    for one, other in zip(made, again, strict=True):
        if one.read_bytes() != other.read_bytes():
            raise ReleaseError(f"{one.name}: two builds have different bytes")
    return made


def make_release(python: Path, folder: Path) -> list[str]:
    """Write the files into a folder, and return their lines of SHA256SUMS. Raises ReleaseError.

    `python` is that of an environment with the packages of LOCK.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as temporary:
        for path in (each for project in PROJECTS for each in build_twice(python, project, Path(temporary))):
            content = path.read_bytes()
            (folder / path.name).write_bytes(content)
            lines.append(f"{sha256(content).hexdigest()}  {path.name}")
    (folder / "SHA256SUMS").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return lines


def _run(*command: str | Path, at: Path = HERE, umask: int = -1) -> str:
    done = subprocess.run(command, cwd=at, umask=umask, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{command[0]} in {at} ended with exit code {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def main() -> int:
    """Make a release into the folder that the argument names, and return the exit code."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):  # noqa: PLR2004 - the program's name, and one word
        print(__doc__)
        return 0 if {"-h", "--help"} & set(sys.argv) else 2
    folder = Path(sys.argv[1]).resolve()
    try:
        with tempfile.TemporaryDirectory() as environment:
            python = Path(environment) / "bin" / "python"
            _run(sys.executable, "-m", "venv", environment)
            _run(python, "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", LOCK)
            lines = make_release(python, folder)
    except (ReleaseError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(*lines, f"{folder} has {len(lines)} files. Each was built twice, with the same bytes.", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
