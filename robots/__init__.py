"""May we? Pure answers to that one question: octets, headers and clocks in, verdicts with their reasons out.

`parse` reads a robots.txt, `page_controls` the wishes that come with a page, `read_answer` says what an answer
to GET /robots.txt means, `Standing` what all answers so far mean together, and `origin_of` whose file it is;
`parting` says why two readings of a file differ, `lint` what its owner would want to know, and `notice` what ours
would. Nothing here touches a network, a disk or a clock. The protocol is advisory: it tells a robot with manners what
is wanted and protects nothing.
"""

from __future__ import annotations

from robots.advice.finding import Finding
from robots.availability import (
    DENIALS,
    MAX_REDIRECTS,
    Access,
    Availability,
    no_answer,
    read_answer,
)
from robots.dialect import Dialect
from robots.encoding import to_utf8
from robots.file import RobotsFile, parse
from robots.lint import lint
from robots.notice import Notice, notice
from robots.origin import origin_of, robots_url
from robots.page.controls import PageControls, controls_from, page_controls, renewed
from robots.page.wish import X_ROBOTS_TAG, Wish, wishes_from
from robots.parting import Parting, parting, parting_on_denial
from robots.rules.lines import MAX_ROBOTS_BYTES
from robots.rules.pace import Rate
from robots.standing import Copy, Standing
from robots.verdict import Verdict

__all__ = [
    "DENIALS",
    "MAX_REDIRECTS",
    "MAX_ROBOTS_BYTES",
    "X_ROBOTS_TAG",
    "Access",
    "Availability",
    "Copy",
    "Dialect",
    "Finding",
    "Notice",
    "PageControls",
    "Parting",
    "Rate",
    "RobotsFile",
    "Standing",
    "Verdict",
    "Wish",
    "controls_from",
    "lint",
    "no_answer",
    "notice",
    "origin_of",
    "page_controls",
    "parse",
    "parting",
    "parting_on_denial",
    "read_answer",
    "renewed",
    "robots_url",
    "to_utf8",
    "wishes_from",
]
