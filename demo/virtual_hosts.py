"""Which site does a request mean? One IP address has many sites: the Host header names one.

*HTTP: The Definitive Guide*, 9.2.2, explains virtual hosts. Pages name each other with the port 8400; where the
practice web has another port, the response is changed on its way out.

A site is a folder of files. Its `server.json` may have:

- `files`: another site's folder, for a mirror
- `same_as`: paths that mean other paths, like a symbolic link: a folder's link applies again and again
- `moved`: path: [status, location]; `gone`: paths with 410; `fails_first`: paths with 500 for the first request
- `headers`: path: more or other headers

A person begins at the directory page, which lists every site. Below `/~NAME/` a person can read a site without its
name. These reading copies are noindex, and the robots.txt of the directory disallows them.
"""

from __future__ import annotations

import json
import mimetypes
import posixpath
import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from demo import misleading_pages, trap_pages
from demo.messages import HTML, TEXT, Response, SiteRequest, error_response, moved, not_found
from demo.truth import SITES, WRITTEN_PORT, SiteTruth, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


# By site and path; a path that ends in a slash stands for everything below it.
PROGRAMS: Mapping[tuple[str, str], Callable[[SiteRequest], Response]] = {
    ("almanac", "/calendar"): trap_pages.month,
    ("almanac", "/doors/"): trap_pages.door,
    ("almanac", "/shop"): trap_pages.counter,
    ("almanac", "/shop/"): trap_pages.counter,
    ("cloakroom", "/slip/"): trap_pages.cloakroom,
    ("lampshop", "/lamps"): trap_pages.lamps,
    ("lighthouse", "/stairs/"): trap_pages.stairs,
    ("lighthouse", "/lamp/"): trap_pages.lamp,
    ("museum", "/guestbook"): misleading_pages.guestbook,
    ("station", "/ledger.txt"): misleading_pages.ledger,
    ("station", "/ticket"): misleading_pages.ticket,
    ("waterworks", "/reading/"): trap_pages.reading,
    ("wharf", "/boats/"): misleading_pages.boats,
}
# Sites that return 200 for a missing page.
SOFT_404S: Mapping[str, Callable[[str], Response]] = {
    "gazette": misleading_pages.friendly,
    "wharf": misleading_pages.praise,
}


def program_for(site: str, path: str) -> Callable[[SiteRequest], Response] | None:
    """Return the program that makes the page at `path`, or None where there is a file or nothing."""
    for (home, place), program in PROGRAMS.items():
        if home == site and (path == place or (place.endswith("/") and path.startswith(place))):
            return program
    return None


STYLE = SITES / "style.css"
MAX_LINKS = 200  # symbolic links followed for one path; Linux gives up after 40
_PRIVATE = {"server.json", "truth.json"}  # about the site, not of it


class Site:
    """One virtual host. It serves only files found in its folder at the start: nothing above it exists."""

    def __init__(self, name: str) -> None:
        self.name = name
        file = SITES / name / "server.json"
        settings = json.loads(file.read_text("utf-8")) if file.exists() else {}
        self.folder = str(settings.get("files", name))
        self._same_as: dict[str, str] = settings.get("same_as", {})
        self._moved: dict[str, tuple[int, str]] = settings.get("moved", {})
        self._gone: list[str] = settings.get("gone", [])
        self._fails_first: list[str] = settings.get("fails_first", [])
        self._headers: dict[str, dict[str, str]] = settings.get("headers", {})
        self._files = {"/style.css": STYLE, **files_below(SITES / self.folder)}

    def respond(self, request: SiteRequest) -> Response:
        """Return the response: `server.json` comes first, then the programs, then the files."""
        if request.path in self._moved:
            return moved(*self._moved[request.path])
        if request.path in self._gone:
            return error_response(410, f"{request.path} was here once. It is gone, and will not come back.")
        if request.path in self._fails_first and request.times == 0:
            response = error_response(500, "Something fell over. Ask again: it is being put up.")
            return Response(response.status, response.body, TEXT, (("Retry-After", "1"),))
        program = program_for(self.folder, request.path)
        return program(request) if program else self._static(request.path)

    def _static(self, path: str) -> Response:
        path = self._walk_links(path)
        file = self._files.get(path + "index.html" if path.endswith("/") else path)
        if file is not None:
            return self._from_file(path, file)
        if f"{path}/index.html" in self._files:
            return moved(301, f"{path}/")
        return SOFT_404S.get(self.folder, not_found)(path)

    def _walk_links(self, path: str) -> str:
        for _ in range(MAX_LINKS):
            link = next((link for link in self._same_as if path == link or _below(path, link)), None)
            if link is None:
                break
            path = self._same_as[link] + path[len(link) :]
        return path

    def _from_file(self, path: str, file: Path) -> Response:
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        content_type = {"text/html": HTML, "text/plain": TEXT, "text/css": "text/css; charset=utf-8"}.get(kind, kind)
        headers = dict(self._headers.get(path, {}))
        content_type = headers.pop("Content-Type", content_type)
        return Response(200, file.read_bytes(), content_type, tuple(headers.items()), file.stat().st_mtime)


def _below(path: str, link: str) -> bool:
    return link.endswith("/") and path.startswith(link)


def files_below(folder: Path) -> dict[str, Path]:
    """Return the files of a site, by their path on it."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name not in _PRIVATE)
    return {"/" + file.relative_to(folder).as_posix(): file for file in files}


def plain_path(path: str) -> str:
    """Resolve the dot segments of a decoded path. It never climbs above its root, and keeps its last slash."""
    walked = posixpath.normpath("/" + path.lstrip("/"))
    return walked if walked.endswith("/") or not path.endswith(("/", "/.", "/..")) else f"{walked}/"


PAGE: Path = SITES / "directory.html"
_CARD = """<li style="--hue: {hue}" lang="{lang}">
<h2><a dir="auto" href="http://{name}.localhost:8400/">{title}</a></h2>
<p lang="en">{shows}</p>
<p class="ways" lang="en"><code>{name}.localhost:8400</code> <a href="/~{name}/">reading copy</a></p>
</li>"""
_HUES = 360  # degrees


def directory(names: tuple[str, ...]) -> Response:
    """Return the page at `http://127.0.0.1:8400/`: the sites `names`, those without seeds last."""
    sites = sorted((site for site in load().sites if site.name in names), key=lambda site: not site.listed)
    cards = "\n".join(_card(place, len(sites), site) for place, site in enumerate(sites))
    return Response(200, PAGE.read_text("utf-8").replace("{sites}", cards).encode(), modified=PAGE.stat().st_mtime)


def _card(place: int, count: int, site: SiteTruth) -> str:
    return _CARD.format(
        name=site.name,
        title=escape(site.title),
        shows=escape(site.shows),
        lang=escape(site.lang),
        hue=round(place * _HUES / count),
    )


_ROOTED = re.compile(rb'((?:href|src)=")/(?!/)')
_NAMED = re.compile(rb"http://([a-z]+)\.localhost:([0-9]+)/?")
_ROOTED_LOCATION = re.compile(r"/(?!/)")


def reading_copy(response: Response, name: str, port: int, names: tuple[str, ...]) -> Response:
    """Return a response of the site `name` with its links kept below `/~NAME/`, and noindex."""
    known = {site.encode() for site in names}

    def led_back(match: re.Match[bytes]) -> bytes:
        ours = match[1] in known and int(match[2]) == port
        return b"/~%s/" % match[1] if ours else match[0]

    headers = []
    for key, value in response.headers:
        if key == "Location":
            moved = _NAMED.sub(led_back, value.encode()).decode()
            value = f"/~{name}{moved}" if _ROOTED_LOCATION.match(moved) and moved == value else moved  # noqa: PLW2901 - the same header
        if key != "X-Robots-Tag":
            headers.append((key, value))
    body = response.body
    if response.type.startswith("text/html"):
        body = _NAMED.sub(led_back, _ROOTED.sub(rb"\1/~%s/" % name.encode(), body))
    return replace(response, body=body, headers=(*headers, ("X-Robots-Tag", "noindex")))


DIRECTORY_NAMES = {"127.0.0.1", "localhost", ""}
DIRECTORY_RULES = b"# Reading copies are for people. The sites themselves have names.\nUser-agent: *\nDisallow: /~\n"


def site_names() -> tuple[str, ...]:
    """Return the names of all sites: every folder with a truth."""
    return tuple(sorted(path.parent.name for path in SITES.glob("*/truth.json")))


class VirtualHosts:
    """All sites at one IP address, with the directory page that links to them."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.sites = {name: Site(name) for name in site_names()}

    def respond(self, host: str, target: str, times: Callable[[str], int]) -> Response:
        """Return the response for `target` (path and query as on the wire); `times(folder)` counts earlier requests."""
        name = host.rpartition("@")[2].partition(":")[0].rstrip(".").lower()
        request = _site_request(target)
        if name in DIRECTORY_NAMES:
            return self._directory(request, times)
        site = self.sites.get(name.removesuffix(".localhost"))
        if site is None or not name.endswith(".localhost"):
            return error_response(421, f"Seedville has no site {name[:60]!r}: see http://127.0.0.1:{self.port}/")
        return self._with_port(site.respond(replace(request, times=times(site.folder))))

    def _directory(self, request: SiteRequest, times: Callable[[str], int]) -> Response:
        if request.path.startswith("/~"):
            name, slash, rest = request.path[2:].partition("/")
            site = self.sites.get(name)
            if site and slash:
                request = SiteRequest(f"/{rest}", request.query, times(site.folder))
                return reading_copy(self._with_port(site.respond(request)), name, self.port, tuple(self.sites))
        page = {
            "/": lambda: self._with_port(directory(tuple(self.sites))),
            "/robots.txt": lambda: Response(200, DIRECTORY_RULES, TEXT),
            "/style.css": lambda: Response(200, STYLE.read_bytes(), "text/css; charset=utf-8"),
        }.get(request.path)
        return page() if page else error_response(404, f"Nothing is here. All sites: http://127.0.0.1:{self.port}/")

    def _with_port(self, response: Response) -> Response:
        """Return the response with this server's port in its links; ASCII is the same in every encoding served."""
        if self.port == WRITTEN_PORT:
            return response
        headers = tuple((key, _renumber(value.encode(), self.port).decode()) for key, value in response.headers)
        body = _renumber(response.body, self.port) if response.type.startswith("text/") else response.body
        return replace(response, body=body, headers=headers)


def _renumber(text: bytes, port: int) -> bytes:
    for host in (b"localhost:", b"LOCALHOST:", b"localhost:0", b"127.0.0.1:"):
        text = text.replace(b"%s%d" % (host, WRITTEN_PORT), b"%s%d" % (host, port))
    return text


def _site_request(target: str) -> SiteRequest:
    path, _, query = target.partition("?")
    return SiteRequest(plain_path(unquote(path)), dict(parse_qsl(query, keep_blank_values=True, max_num_fields=None)))
