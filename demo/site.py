"""What does one host answer? A folder of files, and `server.json` with what its server is told beyond them.

`server.json` may have: `files` (another site's folder, for a mirror), `same_as` (paths that lead to other paths, as
a symbolic link does: a folder's link applies again and again), `moved` (path: [status, location]), `gone` (paths
that answer 410), `fails_first` (paths that answer 500 to the first request), `headers` (path: more or other headers).
"""

from __future__ import annotations

import json
import mimetypes
import posixpath
from typing import TYPE_CHECKING

from demo.answer import HTML, TEXT, Answer, moved, refusal
from demo.gateways import gateway_for, missing_page
from demo.truth import SITES

if TYPE_CHECKING:
    from pathlib import Path

    from demo.request import Visit

STYLE = SITES / "style.css"
MAX_LINKS = 200  # times that a symbolic link is walked for one path; Linux gives up after 40
_PRIVATE = {"server.json", "truth.json"}  # about the site, not of it


class Site:
    """One virtual host. Only paths found in its folder at the start can be asked for: nothing above it exists."""

    def __init__(self, name: str) -> None:
        self.name = name
        told = SITES / name / "server.json"
        settings = json.loads(told.read_text("utf-8")) if told.exists() else {}
        self.folder = str(settings.get("files", name))
        self._same_as: dict[str, str] = settings.get("same_as", {})
        self._moved: dict[str, tuple[int, str]] = settings.get("moved", {})
        self._gone: list[str] = settings.get("gone", [])
        self._fails_first: list[str] = settings.get("fails_first", [])
        self._headers: dict[str, dict[str, str]] = settings.get("headers", {})
        self._files = {"/style.css": STYLE, **files_below(SITES / self.folder)}

    def answer(self, visit: Visit) -> Answer:
        """Answer one visit: what the server was told comes before the programs, they before the files."""
        if visit.path in self._moved:
            return moved(*self._moved[visit.path])
        if visit.path in self._gone:
            return refusal(410, f"{visit.path} was here once. It is gone, and will not come back.")
        if visit.path in self._fails_first and visit.times == 0:
            answer = refusal(500, "Something fell over. Ask again: it is being put up.")
            return Answer(answer.status, answer.body, TEXT, (("Retry-After", "1"),))
        program = gateway_for(self.folder, visit.path)
        return program(visit) if program else self._static(visit.path)

    def _static(self, path: str) -> Answer:
        path = self._walk_links(path)
        file = self._files.get(path + "index.html" if path.endswith("/") else path)
        if file is not None:
            return self._from_file(path, file)
        if f"{path}/index.html" in self._files:
            return moved(301, f"{path}/")
        return missing_page(self.folder, path)

    def _walk_links(self, path: str) -> str:
        for _ in range(MAX_LINKS):
            link = next((link for link in self._same_as if path == link or _below(path, link)), None)
            if link is None:
                break
            path = self._same_as[link] + path[len(link) :]
        return path

    def _from_file(self, path: str, file: Path) -> Answer:
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        content_type = {"text/html": HTML, "text/plain": TEXT, "text/css": "text/css; charset=utf-8"}.get(kind, kind)
        headers = dict(self._headers.get(path, {}))
        content_type = headers.pop("Content-Type", content_type)
        return Answer(200, file.read_bytes(), content_type, tuple(headers.items()), file.stat().st_mtime)


def _below(path: str, link: str) -> bool:
    return link.endswith("/") and path.startswith(link)


def files_below(folder: Path) -> dict[str, Path]:
    """Return the files that a site shows, by their path on it."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name not in _PRIVATE)
    return {"/" + file.relative_to(folder).as_posix(): file for file in files}


def plain_path(path: str) -> str:
    """Walk the dot segments of a decoded path; it never climbs above its root, and keeps its last slash."""
    walked = posixpath.normpath("/" + path.lstrip("/"))
    return walked if walked.endswith("/") or not path.endswith(("/", "/.", "/..")) else f"{walked}/"
