"""What is installed in the environment of somebody else? What requirements.lock names, our add-on, and a scrapyd."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from tests.child import run_elsewhere
from tests.journey.scrapy.shop import shop  # noqa: F401 - a fixture
from tests.shared import made_once

SCRAPYD = ("scrapyd==1.6.0", "scrapyd-client==2.0.3", "setuptools>=77,<81")  # it needs pkg_resources


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory, worker_id: str, pip: Path, released: Path) -> Path:
    """Its Python, beside which its programs are."""

    def make(folder: Path) -> None:
        own = folder / "bin" / "python"
        run_elsewhere(sys.executable, "-m", "venv", "--without-pip", folder)
        ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(run_elsewhere(own, "-c", ask).stdout.strip())
        (packages / "requirements.pth").write_text(sysconfig.get_path("purelib"))
        [unpacked] = pip.glob("ensurepip/_bundled/pip-*")
        [addon] = released.glob("breadcrumb_robots-*.whl")
        for wanted in (SCRAPYD, ("--no-deps", addon)):
            run_elsewhere(own, unpacked / "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)

    return made_once(tmp_path_factory, worker_id, "environment", make) / "bin" / "python"
