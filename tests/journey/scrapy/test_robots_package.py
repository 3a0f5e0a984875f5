"""Is breadcrumb-robots a package that people can install? Two builds, and an environment where nothing else is."""

from __future__ import annotations

import doctest
import os
import sys
import tarfile
from pathlib import Path

import pytest

from tests.child import run_elsewhere

FOLDER = Path(__file__).resolve().parents[3] / "package" / "robots_wheel"
BUILD = "import sys, backend; backend.build_sdist(sys.argv[1]); backend.build_wheel(sys.argv[1])"
PLAIN = "import sys; from hatchling import build; build.build_wheel(sys.argv[1])"


def built(python: Path, folder: Path, umask: int) -> dict[str, bytes]:
    """Build both archives as pip does, and return them by name."""
    folder.mkdir()
    before = os.umask(umask)
    try:
        run_elsewhere(python, "-c", BUILD, folder, cwd=FOLDER)
    finally:
        os.umask(before)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def archives(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("built")
    first, second = (built(python, place / name, umask) for name, umask in (("one", 0o022), ("two", 0o077)))
    assert sorted(first) == ["breadcrumb_robots-0.1.0-py3-none-any.whl", "breadcrumb_robots-0.1.0.tar.gz"]
    assert first == second, "two builds have the same bytes"
    return place / "one"


@pytest.mark.slow
def test_the_source_archive_is_a_project_of_its_own_and_makes_the_same_wheel(
    python: Path, archives: Path, tmp_path: Path
) -> None:
    with tarfile.open(archives / "breadcrumb_robots-0.1.0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    project = tmp_path / "breadcrumb_robots-0.1.0"
    assert not (project / "backend.py").exists()
    run_elsewhere(python, "-c", PLAIN, tmp_path, cwd=project)
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.read_bytes() == (archives / wheel.name).read_bytes()


@pytest.mark.slow
def test_where_nothing_else_is_installed_its_readme_holds_and_its_types_are_known(
    archives: Path, pip: Path, tmp_path: Path
) -> None:
    own = tmp_path / "environment" / "bin" / "python"
    run_elsewhere(sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment")
    [unpacked] = pip.glob("ensurepip/_bundled/pip-*")
    [wheel] = archives.glob("*.whl")
    run_elsewhere(own, unpacked / "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
    readme = FOLDER / "README.md"
    assert len(doctest.DocTestParser().get_examples(readme.read_text())) >= 5
    done = run_elsewhere(own, "-I", "-m", "doctest", readme)
    assert done.stdout == ""
    assert "No module named 'scrapy'" in run_elsewhere(own, "-c", "import breadcrumb_robots.scrapy", code=1).stderr
    use = tmp_path / "use.py"
    use.write_text("import breadcrumb_robots\nreveal_type(breadcrumb_robots.parse(b'').decide('a', 'b').allowed)\n")
    words = ("-m", "mypy", "--strict", "--python-executable", own, "--cache-dir", tmp_path / "cache", use)
    assert 'Revealed type is "bool"' in run_elsewhere(sys.executable, *words, cwd=tmp_path).stdout
