"""What can a program read, and in which form? `/api/openapi.json` says so, also for the views of extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from flask import Blueprint


@extends
def views() -> list[Blueprint]:
    """Add the description."""
    from extensions.openapi.document import openapi_views

    return [openapi_views]
