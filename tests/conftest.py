"""A crawl database in an empty folder, opened as a crawl opens it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawldb.database import MIGRATIONS
from frontier.job import CrawlJob
from frontier.session import Session
from tests.samples import SEED
from urls.canonical import canonicalize


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def open_session(data_dir: Path) -> Iterator[Callable[..., Session]]:
    """Open a session as a crawl does; what a test leaves open is closed as a killed process would leave it."""
    opened: list[Session] = []

    def begin(*seeds: str, **plan: object) -> Session:
        session = Session(data_dir, CrawlJob(tuple(map(canonicalize, seeds)) or (SEED,), **plan))  # type: ignore[arg-type]  # a dict of several types
        opened.append(session)
        return session

    yield begin
    for session in opened:
        session.database.close()
        session._lock.release()


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    return open_session()


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """A Breadcrumb whose schema has gone one step further; returns its version."""
    steps = sorted(MIGRATIONS.glob("*.sql"))
    newer = tmp_path / "migrations"
    newer.mkdir()
    for step in steps:
        (newer / step.name).write_text(step.read_text())
    version = int(steps[-1].name[:4]) + 1
    (newer / f"{version:04}_mood.sql").write_text(
        "ALTER TABLE site ADD COLUMN mood TEXT;\nUPDATE site SET mood = 'new';"
    )
    monkeypatch.setattr("crawldb.database.MIGRATIONS", newer)
    return version
