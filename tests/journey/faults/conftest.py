"""Forks whose calls are counted and recorded, for tests that kill a command at one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.durability.recording import NoShim, build_shim
from tests.forks import ForkServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def recorded_forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """Forks whose calls are counted and recorded; skip where nothing can be recorded."""
    folder = tmp_path_factory.mktemp("recorded")
    try:
        shim = build_shim(folder)
    except NoShim as reason:
        pytest.skip(str(reason))
    with ForkServer(folder, shim) as server:
        yield server
