"""Storage of each kind for the tests of the store: a folder, and an S3 server that all of them share."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

import pytest

from tests.extensions.machines.s3_server import BUCKET, S3Server, missing, s3_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def running_s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    if lacking := missing():
        pytest.skip(lacking)
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def s3(running_s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """The server as this test finds it: a client here reaches it, and it refuses nothing."""
    for name, value in running_s3.environment.items():
        monkeypatch.setenv(name, value)
    yield running_s3
    running_s3.behave()


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty place for a store, by its URI."""
    if request.param == "folder":
        return str(tmp_path / "store")
    request.getfixturevalue("s3")
    return f"s3://{BUCKET}/{os.getpid()}-{secrets.token_hex(4)}"
