"""Was the robot polite? `audit` proves it from the log of a crawl, or from the access log of a server.

`claims.py` has what is proved: permission, delay, requests a minute, one request for each page. `/inside/owner` shows
an access log as the owner of a site sees it, and `demo --judge` grades any robot by the log of the practice web.
"""

from __future__ import annotations

from extension_points import CommandOptions, InsideView, extends


@extends
def inside_views() -> list[InsideView]:
    """Add what the owner of a site sees."""
    from extensions.audit.owner_side.page import owner_view

    shows = "The access log of a crawled site next to the crawl, and robots that use robots.txt as a guide."
    return [
        InsideView("/inside/owner", "The site owner", shows, owner_view, after="/inside/robots", station="robots.txt")
    ]


@extends
def command_options(command: str) -> list[CommandOptions]:
    """Grade robots by the log of the practice web: `demo --judge`."""
    if command != "demo":
        return []
    from extensions.audit.judge.command import add_arguments, run

    return [CommandOptions(add_arguments, run)]
