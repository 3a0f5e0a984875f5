"""How does one read the sites without their names? As copies below `/~NAME/`, with every link led back there.

They are for people alone: `X-Robots-Tag: noindex` on each, and the directory's robots.txt shuts them to robots.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demo.answer import Answer

_ROOTED = re.compile(rb'((?:href|src)=")/(?!/)')
_NAMED = re.compile(rb"http://([a-z]+)\.localhost:([0-9]+)/?")
_ROOTED_LOCATION = re.compile(r"/(?!/)")


def reading_copy(answer: Answer, name: str, port: int, names: tuple[str, ...]) -> Answer:
    """Return `answer` of the site `name` with its links kept below `/~NAME/`, and closed to robots."""
    known = {site.encode() for site in names}

    def led_back(match: re.Match[bytes]) -> bytes:
        ours = match[1] in known and int(match[2]) == port
        return b"/~%s/" % match[1] if ours else match[0]

    headers = []
    for key, value in answer.headers:
        if key == "Location":
            moved = _NAMED.sub(led_back, value.encode()).decode()
            value = f"/~{name}{moved}" if _ROOTED_LOCATION.match(moved) and moved == value else moved  # noqa: PLW2901 - the same header
        if key != "X-Robots-Tag":
            headers.append((key, value))
    body = answer.body
    if answer.type.startswith("text/html"):
        body = _NAMED.sub(led_back, _ROOTED.sub(rb"\1/~%s/" % name.encode(), body))
    return replace(answer, body=body, headers=(*headers, ("X-Robots-Tag", "noindex")))
