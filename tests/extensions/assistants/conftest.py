"""The bakery of the gateway's tests, and the answers that an assistant gets of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.assistants.tools import CrawlTools
from gateway import GatewaySettings, create_app
from tests.gateway.conftest import *  # noqa: F403 - fixtures are found by name

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tools(bakery: Path) -> CrawlTools:
    return CrawlTools(create_app(bakery, GatewaySettings()), "https://search.example/")
