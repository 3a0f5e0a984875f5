"""How does another site get a search box? A page there loads `/embed.js`, an element that asks this gateway.

EMBED_ORIGINS names the origins whose pages may do that. The element is embed.js; origins.py lets its requests through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from flask import Blueprint

    from spiders.setting_values import ReadableSettings


@extends
def settings() -> dict[str, object]:
    """Add EMBED_ORIGINS: whose pages may search here."""
    return {"EMBED_ORIGINS": []}


@extends
def settings_chosen(settings: ReadableSettings) -> None:
    """Let the pages of these origins search. Raises SettingError."""
    if given := settings.getlist("EMBED_ORIGINS"):
        from extensions.embed.origins import allow

        allow(given)


@extends
def views() -> list[Blueprint]:
    """Add `/embed.js`."""
    from extensions.embed.origins import embed_views

    return [embed_views]
