"""Answers to GET /robots.txt, and what may be known when one comes: the tables that several tests walk through."""

from __future__ import annotations

from datetime import UTC, datetime

from robots import Access, AccessState, Availability, Copy, HttpResponse, no_answer, parse, read_answer

T = 1_795_240_800.0  # 2026-11-21 06:00:00 UTC
HOUR, DAY = 3600.0, 86400.0
RULES, OTHER = b"User-agent: *\nDisallow: /private\n", b"User-agent: *\nDisallow: /other\n"
URL = "http://seeds.example/robots.txt"
PRIVATE = "http://seeds.example/private"


def answer(
    status: int, *headers: tuple[str, str], body: bytes = RULES, conditional: bool = False, denial_closes: bool = False
) -> Availability:
    now = datetime.fromtimestamp(T, UTC)
    came = HttpResponse(URL, status, headers, body, now, hops=9, conditional=conditional)
    return read_answer(came, denial_closes=denial_closes)


ANSWERS = {
    "200": answer(200, ("ETag", '"1"')),
    "204": answer(204),
    "our own 304": answer(304, conditional=True),
    "404": answer(404),
    "a sixth redirect": answer(301, ("Location", "/elsewhere")),
    "403 in the classic reading": answer(403, denial_closes=True),
    "500": answer(500),
    "503": answer(503),
    "429, Retry-After": answer(429, ("Retry-After", "120")),
    "304 that nobody asked for": answer(304),
    "206": answer(206),
    "a time-out": no_answer("no answer within 30 s"),
    "a redirect to where we do not go": no_answer("its site is on the blacklist", ours=True),
}
COPY = Copy(OTHER, parse(OTHER), T - DAY, URL, '"0"')
STATES = {
    "never asked": AccessState(),
    "open": AccessState(Access.OPEN, "404", 404, T - DAY, T),
    "a file": AccessState(Access.PARSED, "200", 200, T - DAY, T, COPY),
    "denied": AccessState(Access.DENIED, "403", 403, T - DAY, T),
    "failing for an hour, no copy": AccessState(Access.CLOSED, "503", 503, T - HOUR, T, None, T - HOUR, 2),
    "failing for an hour, a copy": AccessState(Access.CLOSED, "503", 503, T - HOUR, T, COPY, T - HOUR, 2),
    "failing for a day, no copy": AccessState(Access.CLOSED, "503", 503, T - HOUR, T, None, T - DAY, 5),
    "failing for a day, a copy": AccessState(Access.PARSED, "503", 503, T - HOUR, T, COPY, T - DAY, 5),
    "failing for 31 days, no copy": AccessState(Access.OPEN, "503", 503, T - HOUR, T, None, T - 31 * DAY, 40),
    "failing for 31 days, a copy": AccessState(Access.PARSED, "503", 503, T - HOUR, T, COPY, T - 31 * DAY, 40),
}
