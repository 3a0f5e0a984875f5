"""May we? Pure answers to that one question: octets, headers and clocks in, verdicts with their reasons out.

`parse` reads a robots.txt, `page_controls` the wishes that come with a page, `read_answer` says what an answer
to GET /robots.txt means, and `origin_of` says whose file that is. Nothing here touches a network, a disk or a
clock. The protocol is advisory: it tells a robot with manners what is wanted and protects nothing.
"""

from __future__ import annotations

from robots.availability import (
    MAX_REDIRECTS,
    Access,
    Availability,
    no_answer,
    read_answer,
)
from robots.dialect import Dialect
from robots.encoding import to_utf8
from robots.file import RobotsFile, parse
from robots.origin import origin_of, robots_url
from robots.page.controls import PageControls, controls_from, page_controls
from robots.rules.lines import MAX_ROBOTS_BYTES
from robots.verdict import Verdict

__all__ = [
    "MAX_REDIRECTS",
    "MAX_ROBOTS_BYTES",
    "Access",
    "Availability",
    "Dialect",
    "PageControls",
    "RobotsFile",
    "Verdict",
    "controls_from",
    "no_answer",
    "origin_of",
    "page_controls",
    "parse",
    "read_answer",
    "robots_url",
    "to_utf8",
]
