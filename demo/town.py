"""Which site is meant? One address, many houses: the Host header tells (*HTTP: The Definitive Guide*, 9.2.2).

Pages name each other with the port 8400; where another port is served, the bytes are changed on the way out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from demo.answer import TEXT, Answer, refusal
from demo.directory import directory
from demo.reading import reading_copy
from demo.request import Visit
from demo.site import STYLE, Site, plain_path
from demo.truth import SITES, WRITTEN_PORT

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY_NAMES = {"127.0.0.1", "localhost", ""}
DIRECTORY_RULES = b"# Reading copies are for people. The sites themselves have names.\nUser-agent: *\nDisallow: /~\n"


def site_names() -> tuple[str, ...]:
    """Return the names of all sites: every folder with a truth."""
    return tuple(sorted(path.parent.name for path in SITES.glob("*/truth.json")))


class Town:
    """All sites behind one address, with the directory page that leads to them."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.sites = {name: Site(name) for name in site_names()}

    def answer(self, host: str, target: str, times: Callable[[str], int]) -> Answer:
        """Answer a request for `target` (path and query as on the wire); `times(folder)` counts earlier ones."""
        name = host.rpartition("@")[2].partition(":")[0].rstrip(".").lower()
        visit = _visit(target)
        if name in DIRECTORY_NAMES:
            return self._at_the_gate(visit, times)
        site = self.sites.get(name.removesuffix(".localhost"))
        if site is None or not name.endswith(".localhost"):
            return refusal(421, f"No house in Seedville is called {name[:60]!r}: see http://127.0.0.1:{self.port}/")
        return self._with_port(site.answer(replace(visit, times=times(site.folder))))

    def _at_the_gate(self, visit: Visit, times: Callable[[str], int]) -> Answer:
        if visit.path.startswith("/~"):
            name, slash, rest = visit.path[2:].partition("/")
            site = self.sites.get(name)
            if site and slash:
                visit = Visit(f"/{rest}", visit.query, times(site.folder))
                return reading_copy(self._with_port(site.answer(visit)), name, self.port, tuple(self.sites))
        page = {
            "/": lambda: self._with_port(directory(tuple(self.sites))),
            "/robots.txt": lambda: Answer(200, DIRECTORY_RULES, TEXT),
            "/style.css": lambda: Answer(200, STYLE.read_bytes(), "text/css; charset=utf-8"),
        }.get(visit.path)
        return (
            page() if page else refusal(404, f"There is nothing here. The way into town: http://127.0.0.1:{self.port}/")
        )

    def _with_port(self, answer: Answer) -> Answer:
        """Return the answer with this server's port in its links; ASCII is the same in every encoding served."""
        if self.port == WRITTEN_PORT:
            return answer
        headers = tuple((key, _renumber(value.encode(), self.port).decode()) for key, value in answer.headers)
        body = _renumber(answer.body, self.port) if answer.type.startswith("text/") else answer.body
        return replace(answer, body=body, headers=headers)


def _renumber(text: bytes, port: int) -> bytes:
    for host in (b"localhost:", b"LOCALHOST:", b"localhost:0", b"127.0.0.1:"):
        text = text.replace(b"%s%d" % (host, WRITTEN_PORT), b"%s%d" % (host, port))
    return text


def _visit(target: str) -> Visit:
    path, _, query = target.partition("?")
    return Visit(plain_path(unquote(path)), dict(parse_qsl(query, keep_blank_values=True, max_num_fields=None)))
