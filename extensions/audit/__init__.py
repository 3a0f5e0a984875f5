"""Was the robot polite? `audit` proves it from the log of a crawl, or from the access log of a server.

`claims.py` has what is proved: permission, delay, requests a minute, one request for each page. `/inside/owner` shows
an access log as the owner of a site sees it, and `/inside/etiquette` how the crawl behaved. `demo --judge` grades any
robot by the log of the practice web.
"""

from __future__ import annotations

from extension_points import CommandOptions, InsideView, extends


@extends
def inside_views() -> list[InsideView]:
    """Add what the owner of a site sees, and the guidelines for operators of robots."""
    from extensions.audit.etiquette.page import etiquette_view
    from extensions.audit.owner_side.page import owner_view

    owner = "The access log of a crawled site next to the crawl, and robots that use robots.txt as a guide."
    etiquette = "Each guideline for operators of robots, with the evidence of this crawl for or against it."
    return [
        InsideView("/inside/owner", "The site owner", owner, owner_view, after="/inside/robots", station="robots.txt"),
        InsideView("/inside/etiquette", "Etiquette", etiquette, etiquette_view, after="/inside/owner"),
    ]


@extends
def command_options(command: str) -> list[CommandOptions]:
    """Grade robots by the log of the practice web: `demo --judge`."""
    if command != "demo":
        return []
    from extensions.audit.judge.command import add_arguments, run

    return [CommandOptions(add_arguments, run)]
