"""A clean environment in which the wheel is installed: it shares the packages that this one needs."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACE = """
import sys
from pathlib import Path
sys.path.insert(0, "package")
import backend
for name, content in backend.package().items():  # what the wheel has, as pip places it
    (Path(sys.argv[1]) / name).parent.mkdir(parents=True, exist_ok=True)
    (Path(sys.argv[1]) / name).write_bytes(content)
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of the environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    inside = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    done = subprocess.run(
        [sys.executable, "-c", PLACE, folder / "env" / inside], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (folder / "env" / inside / "shared.pth").write_text(sysconfig.get_path("purelib"))
    return python
