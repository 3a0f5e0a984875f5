"""What does a crawl say that can't render as its settings want?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from extension_points import call_extensions
from extensions.rendering import RenderingRecorder, settings
from extensions.rendering.browser import NAMES, RenderingLimits
from spiders.setting_values import SettingError
from tests.advice import commands_in
from tests.commands.test_start import launcher

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put one folder on the PATH, with a program that is called like the browser."""
    program = tmp_path / NAMES[0]
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def recorders(**given: object) -> list[RenderingRecorder]:
    chosen = Settings({"WARC_SIZE": 1} | settings() | {"RENDER_SANDBOX": False} | given)
    found = call_extensions("crawl_recorders", settings=chosen)
    return [each for each in found if isinstance(each, RenderingRecorder)]


def test_no_page_is_rendered_unless_it_is_asked_for(path: Path) -> None:
    path.unlink()
    assert recorders() == []


def test_the_settings_of_a_crawl_that_renders(path: Path) -> None:
    [recorder] = recorders(RENDER="auto", RENDER_SITES="cdn.example.org, API.example.org:8080", RENDER_SECONDS=3)
    assert recorder.sites == {"cdn.example.org", "api.example.org:8080"}
    assert recorder.limits == RenderingLimits(str(path), 3.0, sandbox=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"RENDER": "sometimes"}, "RENDER='sometimes': choose never, auto or always"),
        ({"RENDER": "auto", "RENDER_SECONDS": 0}, "RENDER_SECONDS=0: no page could be rendered; RENDER=never"),
        ({"RENDER": "auto", "RENDER_SECONDS": -1}, "must not be negative"),
        (
            {"RENDER": "auto", "RENDER_SITES": "https://cdn.example.org/"},
            "give the host of a site, such as cdn.example",
        ),
        ({"RENDER": "auto", "RENDER_SITES": "a b"}, "give the host of a site"),
    ],
)
@pytest.mark.usefixtures("path")
def test_an_invalid_setting_is_refused_with_what_would_work(given: dict[str, object], said: str) -> None:
    with pytest.raises(SettingError, match=said.replace("(", r"\(")):
        recorders(**given)


def test_without_a_browser_it_says_which_names_were_looked_for(path: Path) -> None:
    path.unlink()
    with pytest.raises(SettingError, match=r"RENDER=always needs Chromium, and none of chromium, .* install chromium"):
        recorders(RENDER="always")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has no sandbox")
@pytest.mark.usefixtures("path")
def test_root_has_to_say_that_there_is_no_sandbox() -> None:
    with pytest.raises(SettingError, match="RENDER_SANDBOX=no"):
        recorders(RENDER="auto", RENDER_SANDBOX=True)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("render", ["auto", "always"])
def test_without_the_extra_it_says_which_command_adds_it(monkeypatch: pytest.MonkeyPatch, render: str) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(SettingError) as refused:
        recorders(RENDER=render)
    [(name, *words)] = commands_in(str(refused.value))
    assert any("rendering" in lock for lock in launcher().needed(name, tuple(words)))
