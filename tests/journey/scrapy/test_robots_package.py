"""Is breadcrumb-robots a package that people can install? Its archive, and an environment where nothing else is."""

from __future__ import annotations

import doctest
import sys
import tarfile
from pathlib import Path

import pytest

from tests.child import run_elsewhere

FOLDER = Path(__file__).resolve().parents[3] / "package" / "robots_wheel"


@pytest.mark.slow
def test_the_source_archive_is_a_project_of_its_own(released: Path) -> None:
    """That it makes the same wheel, the release has checked."""
    with tarfile.open(released / "breadcrumb_robots-0.1.0.tar.gz") as archive:
        assert "breadcrumb_robots-0.1.0/backend.py" not in archive.getnames()


@pytest.mark.slow
def test_where_nothing_else_is_installed_its_readme_holds_and_its_types_are_known(
    released: Path, pip: Path, tmp_path: Path
) -> None:
    own = tmp_path / "environment" / "bin" / "python"
    run_elsewhere(sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment")
    [unpacked] = pip.glob("ensurepip/_bundled/pip-*")
    [wheel] = released.glob("breadcrumb_robots-*.whl")
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
