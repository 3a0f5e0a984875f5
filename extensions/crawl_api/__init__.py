"""How does a program start a crawl of sites that are known, and follow it? Over HTTP, with the admin token.

`crawls.py` starts the process and reads what became of it, `views.py` has the views below `/api/crawls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import ApiDescription, extends

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Blueprint, Flask

    from commands.frame.command_settings import CommandSettings


@extends
def views() -> list[Blueprint]:
    """Add the views for programs."""
    from extensions.crawl_api.views import crawl_api_views

    return [crawl_api_views]


@extends
def api_descriptions() -> list[ApiDescription]:
    """Describe them."""
    from extensions.crawl_api.views import crawls_description

    return [crawls_description()]


@extends
def gateway_begins(app: Flask, data_dir: Path, settings: CommandSettings) -> None:
    """Let crawls have the settings that were given to `serve`."""
    from extensions.crawl_api.crawls import FOLDER, StartedCrawls

    app.extensions[FOLDER] = StartedCrawls(data_dir.absolute(), settings.assignments)
