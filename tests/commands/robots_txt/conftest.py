"""Two robots.txt files: a plain one, and one with two groups, a delay and a misspelt field."""

from pathlib import Path

import pytest

TEXT = b"User-agent: *\nAllow: /\nDisallow: /ovens/\n"
MIXED = b"""\
User-agent: *
Allow: /
Disallow: /ovens/
Disalow: /mill/
Crawl-delay: 10

User-agent: Crumb
Disallow: /admin/
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(MIXED)
    return path
