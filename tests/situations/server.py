"""Who plays the situations? One server on loopback: every site has a name of its own, and all share two ports.

A connection that begins with a TLS handshake continues in TLS, so one port speaks http and https. A third port is open
and never responds. The server logs every request, and the log decides.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Self

from tests.situations.scripted_reply import Manner, ScriptedReply, linked_page
from tests.situations.situation import PlayedSite, SeenRequest, Situation
from tests.situations.tls import server_context

if TYPE_CHECKING:
    from collections.abc import Iterable

DOORS = 2  # ports that answer; the one after them does not
MAX_HEAD = 64 * 1024  # bytes of a request
PATIENCE = 20.0  # seconds after which a silent connection is let go
DRIP = 0.05  # seconds between two lines of an answer that does not end
TLS_HANDSHAKE = b"\x16"  # RFC 8446, 5.1
CONTROL = ("control.localhost", "/next-visit")  # name and path with which a robot says that it comes again


class SituationServer:
    """Plays situations. Use it in a `with` block; `visit` counts how often the robot has come."""

    def __init__(self, situations: Iterable[Situation]) -> None:
        self.visit = 1
        self.log: dict[str, list[SeenRequest]] = defaultdict(list)  # by situation
        self._over = threading.Event()
        self._sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(DOORS)]
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))  # and never listens
        self.ports = [door.getsockname()[1] for door in (*self._sockets, closed)]
        self._sockets.append(closed)
        self._sites: dict[tuple[str, str, int], tuple[Situation, str]] = {}
        for situation in situations:
            for label, site in situation.sites.items():
                self._sites[site.scheme, situation.host(label), site.door] = situation, label
        self._tls = server_context(next((host for scheme, host, _ in self._sites if scheme == "https"), "localhost"))

    def url(self, situation: Situation, label: str) -> str:
        """Return the address of a site's first page."""
        site = situation.sites[label]
        return f"{site.scheme}://{situation.host(label)}:{self.ports[site.door]}/"

    def __enter__(self) -> Self:
        for door in range(DOORS):
            threading.Thread(target=self._listen, args=(door,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for listening in self._sockets[:DOORS]:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        for opened in self._sockets:
            opened.close()

    def _listen(self, door: int) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._sockets[door].accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, door), daemon=True).start()

    def _serve(self, connection: socket.socket, door: int) -> None:
        scheme = "http"
        with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
            opened.enter_context(connection)
            connection.settimeout(PATIENCE)
            if connection.recv(1, socket.MSG_PEEK) == TLS_HANDSHAKE:
                scheme = "https"
                connection = opened.enter_context(self._tls.wrap_socket(connection, server_side=True))
            head = _head(connection)
            if head is not None:
                path, headers = head
                self._send(connection, self._reply(scheme, door, path, headers), headers.get("if-none-match", ""))

    def _reply(self, scheme: str, door: int, path: str, headers: dict[str, str]) -> ScriptedReply:
        name = headers.get("host", "").rpartition(":")[0]
        if (name, path) == CONTROL:
            self.visit += 1
            return linked_page("the next visit")
        found = self._sites.get((scheme, name, door))
        if found is None:
            return ScriptedReply(404)
        situation, label = found
        self.log[situation.id].append(SeenRequest(time.monotonic(), self.visit, label, path, headers))
        return self._content(situation.sites[label], f"{label}, {name}", path)

    def _content(self, site: PlayedSite, name: str, path: str) -> ScriptedReply:
        if path == "/robots.txt":
            answers = site.robots if isinstance(site.robots, tuple) else (site.robots,)
            return answers[min(self.visit, len(answers)) - 1]
        if path in site.pages:
            return site.pages[path]
        if path == "/":
            return linked_page(f"where {name} begins", site.links or site.allowed + site.forbidden)
        if path in site.allowed + site.forbidden:
            return linked_page(f"{path} of {name}")
        return ScriptedReply(404)

    def _send(self, connection: socket.socket, reply: ScriptedReply, sent_tag: str) -> None:
        if reply.manner is Manner.SILENT:
            self._over.wait(PATIENCE)
        elif reply.manner is Manner.RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif reply.manner is Manner.GARBAGE:
            connection.sendall(b"\x00\x01 what is this? not HTTP\r\n\r\n")
        else:
            connection.sendall(reply.lines(self.ports, sent_tag))
            while reply.manner is Manner.ENDLESS and not self._over.wait(DRIP):
                connection.sendall(b"# and so on\n" * 100)


def _head(connection: socket.socket) -> tuple[str, dict[str, str]] | None:
    """Read a request without a body: its target, and its headers with names in lower case."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < MAX_HEAD:
        more = connection.recv(MAX_HEAD)
        if not more:
            return None
        head += more
    first, *lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    words = first.split(" ")
    return (words[1] if len(words) > 1 else ""), {name.strip().lower(): value.strip() for name, _, value in pairs}
