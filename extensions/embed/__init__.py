"""How does another site get a search box? A page there loads `embed.js`, an element that asks this gateway or a folder.

EMBED_ORIGINS names the origins whose pages may ask. The element is embed.js; origins.py lets its requests through.
`export --static` writes a folder with an index that the element searches without a server (static/).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from extension_points import ExportFormat, extends

if TYPE_CHECKING:
    from argparse import Namespace

    from flask import Blueprint

    from commands.frame.command_settings import CommandSettings
    from spiders.setting_values import ReadableSettings


@extends
def settings() -> dict[str, object]:
    """Add EMBED_ORIGINS: whose pages may search here."""
    return {"EMBED_ORIGINS": []}


@extends
def settings_chosen(settings: ReadableSettings) -> None:
    """Let the pages of these origins search, and no others. Raises SettingError."""
    given = settings.getlist("EMBED_ORIGINS")
    if given or f"{__name__}.origins" in sys.modules:  # it imports Flask; the settings before may have named some
        from extensions.embed.origins import allow

        allow(given)


@extends
def views() -> list[Blueprint]:
    """Add `/embed.js`."""
    from extensions.embed.origins import embed_views

    return [embed_views]


@extends
def export_formats() -> list[ExportFormat]:
    """Add `export --static`."""

    def write(arguments: Namespace, settings: CommandSettings) -> int:
        from extensions.embed.static.export import export_static

        return export_static(arguments, settings)

    help_of_place = "the URL of the folder of --static on the crawled site, so that links to its pages are relative"
    options = {"--served-at": {"metavar": "URL", "help": help_of_place}}
    summary = "an index that <breadcrumb-search> searches without a server"
    return [ExportFormat("--static", summary, write, metavar="FOLDER", options=options)]
