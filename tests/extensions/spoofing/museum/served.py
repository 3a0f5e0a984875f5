"""Serves the museum of cheats on loopback, crawls it, and reports the rank of each honest article in the results."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import indexer
from tests.own_commands import crawl_to_the_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.extensions.spoofing.museum.cheats import Cheat
    from tests.extensions.spoofing.museum.honest_web import Files

DEPTH = 60  # results that are looked through for the article
STOP_SECONDS = 0.02  # how soon the server notices that it shall end


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # connections that may come at once


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cheat, and which of its pages a search for its word shows before the honest article."""

    cheat: Cheat
    ahead: tuple[str, ...]
    found: bool  # whether the article is among the results at all

    @property
    def wins(self) -> bool:
        """Whether the cheat stands before the article."""
        return bool(self.ahead) or not self.found


@contextmanager
def serving_museum(web: Files) -> Iterator[int]:
    """Serve every file of a museum on one port until the block ends; yield the port."""
    files = {urlsplit(url)[1:3]: text for url, text in web.items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0].replace(".localhost", ".example")
            path = self.path.partition("?")[0]
            text = files.get((host, path))
            kind = "text/css" if path.endswith(".css") else "text/html; charset=utf-8"
            body = on_loopback(text or "nothing here", server.server_port).encode()
            self.send_response(404 if text is None else 200)
            self.send_header("Content-Type", kind if text else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = _Server(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(STOP_SECONDS,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def on_loopback(text: str, port: int) -> str:
    """Return a text whose hosts are names on loopback."""
    return text.replace(".example/", f".localhost:{port}/")


def seeds(web: Files, port: int) -> list[str]:
    """Return where a crawl begins: at the first page of each host, so that no host is known by links alone."""
    first: dict[str, str] = {}
    for url in web:
        first.setdefault(urlsplit(url).netloc, url)
    return [on_loopback(url, port) for url in first.values()]


def crawl_museum(web: Files, data: Path) -> int:
    """Crawl every host of a museum into a data folder; return the port on which they were served."""
    with serving_museum(web) as port:
        crawl_to_the_end(",".join(seeds(web, port)), data)
    return port


def outcomes(cheats: Iterable[Cheat], data: Path, port: int) -> Iterator[Outcome]:
    """Search for the word of each cheat."""
    searcher = indexer.open_index(data)
    for cheat in cheats:
        found = [hit.url for hit in searcher.search(cheat.word, DEPTH).hits]
        article, cheating = on_loopback(cheat.article, port), {on_loopback(url, port) for url in cheat.files}
        place = found.index(article) if article in found else len(found)
        yield Outcome(cheat, tuple(url for url in found[:place] if url in cheating), article in found)
