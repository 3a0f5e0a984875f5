"""May we? Pure answers to that one question: octets, headers and clocks in, verdicts with their reasons out.

- `parse` reads a robots.txt, and `page_controls` the directives that come with a page.
- `read_answer` says what one response to GET /robots.txt means, and `AccessState` what all mean together.
- `inquire` requests the file of an origin through the caller's fetcher, and `RobotsRecord` stores its state.
- `origin_of` says whose file it is.
- `disagreement_on_url` says why two readings of a file differ.
- `lint` reports what the owner of the file should know, and `notice` what the operator of the crawl should know.

Nothing here touches a network, a disk or a clock. The protocol is advisory: a polite robot follows it, and it protects
nothing.
"""

from __future__ import annotations

from robots.access_state import MISSPELT, AccessState, Copy, Notice, RobotsRecord, Unreachable, notice
from robots.availability import DENIALS, MAX_REDIRECTS, Access, Availability, HttpResponse, no_answer, read_answer
from robots.crawl_delay import Rate
from robots.dialect import Dialect
from robots.disagreement import Disagreement, disagreement_on_denial, disagreement_on_url
from robots.file import RobotsFile, parse
from robots.group import product_token
from robots.inquiry import (
    HostRestsError,
    Inquiry,
    RobotsCache,
    RobotsFetcher,
    RobotsRequest,
    RobotsResponse,
    RobotsStep,
    inquire,
)
from robots.lines import MAX_ROBOTS_BYTES, to_utf8
from robots.lint import Finding, lint
from robots.origin import is_host_of, origin_of, robots_url
from robots.page_controls import (
    X_ROBOTS_TAG,
    PageControls,
    Wish,
    controls_from,
    page_controls,
    renewed_controls,
    wishes_from,
)
from robots.verdict import Verdict

__all__ = [
    "DENIALS",
    "MAX_REDIRECTS",
    "MAX_ROBOTS_BYTES",
    "MISSPELT",
    "X_ROBOTS_TAG",
    "Access",
    "AccessState",
    "Availability",
    "Copy",
    "Dialect",
    "Disagreement",
    "Finding",
    "HostRestsError",
    "HttpResponse",
    "Inquiry",
    "Notice",
    "PageControls",
    "Rate",
    "RobotsCache",
    "RobotsFetcher",
    "RobotsFile",
    "RobotsRecord",
    "RobotsRequest",
    "RobotsResponse",
    "RobotsStep",
    "Unreachable",
    "Verdict",
    "Wish",
    "controls_from",
    "disagreement_on_denial",
    "disagreement_on_url",
    "inquire",
    "is_host_of",
    "lint",
    "no_answer",
    "notice",
    "origin_of",
    "page_controls",
    "parse",
    "product_token",
    "read_answer",
    "renewed_controls",
    "robots_url",
    "to_utf8",
    "wishes_from",
]
