"""The guard on responses: whatever a server sends, the lease soon ends by a rule, and the crawl continues."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from contextlib import ExitStack, closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509

from tests.journey.conftest import Answer, Folder, Site, html
from tests.situations.tls import self_signed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
DRIP_SECONDS = 0.1
# It closes each connection, and says so: else the robot could lose a request on one that is just being closed.
NOT_FOUND = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def drip(connection: socket.socket, beginning: bytes, piece: bytes) -> None:
    """Send a beginning, and then a little at a time, until the robot hangs up."""
    connection.sendall(beginning)
    while True:
        time.sleep(DRIP_SECONDS)
        connection.sendall(piece)


def send(*pieces: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(b"".join(pieces))


ANSWERS: dict[str, tuple[Callable[[socket.socket], None], str, str]] = {
    "/status": (send(b"HTTP/1.1 abc OK\r\n\r\n"), "protocol", "what came was not HTTP (non-integer status code)"),
    "/version": (send(b"HTTP/2 200 OK\r\n\r\n"), "protocol", "what came was not HTTP (no version of HTTP/1)"),
    "/closed": (send(b"HTTP/1.1 200 OK\r\n"), "network", "closed before a whole answer had come"),
    "/line": (send(HEAD, b"X-A: ", b"a" * 400_000, b"\r\n\r\n"), "header-limit", "more than 262144 bytes"),
    "/lines": (send(HEAD, b"X-A: b\r\n" * 40_000, b"\r\n"), "header-limit", "more than 262144 bytes"),
    "/continue": (send(b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000), "header-limit", "more than 262144 bytes"),
    "/drip-head": (lambda to: drip(to, HEAD, b"X"), "timeout", "its header lines took longer than 4 s"),
    "/drip-body": (lambda to: drip(to, HEAD + b"\r\n", b"<"), "timeout", "no whole answer came in time"),
    "/long": (send(HEAD, b"Content-Length: 1000000000\r\n\r\n<p>"), "size", "larger than DOWNLOAD_MAXSIZE"),
    "/endless": (send(HEAD, b"\r\n", bytes(400_000)), "size", "larger than DOWNLOAD_MAXSIZE"),
    "/bomb": (
        send(HEAD, b"Content-Encoding: gzip\r\n\r\n", gzip.compress(bytes(20_000_000))), "size", "when unpacked",
    ),
    "/lengths": (
        send(HEAD, b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n<p>cut"), "protocol", "conflicting Content-Length",
    ),
    "/chunks": (send(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "protocol", "its chunks can't be read"),
    "/small-chunks": (
        send(HEAD, b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 70_000), "coding", "a quarter of its body",
    ),
    "/gone": (send(b"HTTP/1.1 410 Gone\r\nContent-Length: 1000000000\r\n\r\n<p>"), "gone", "gone (410)"),
    "/gone-slowly": (lambda to: drip(to, b"HTTP/1.1 404 No\r\n\r\n", b"<"), "gone", "gone (404)"),
    "/locations": (
        send(b"HTTP/1.1 302 So\r\nLocation: /a\r\nLocation: /b\r\n\r\n"), "bad-location", "2 different Locations",
    ),
    "/folders": (
        send(b"HTTP/1.1 302 So\r\nLocation: /a", b"/" * 200_000, b"\r\n\r\n"), "moved", "302 leads to",
    ),
    "/nothing": (send(), "network", "closed before a whole answer had come"),
    "/cut": (send(HEAD, b"Content-Length: 500\r\n\r\n<p>cut"), "broken-off", "ended before it was complete"),
}  # fmt: skip


class RawServer:
    """Answers each request with bytes as they are, well-formed or not."""

    def __init__(self, context: ssl.SSLContext | None = None, **answers: Callable[[socket.socket], None]) -> None:
        self._context = context
        self._answers = {path: answer for path, (answer, _, _) in ANSWERS.items()}
        self._answers |= {f"/{name}": answer for name, answer in answers.items()}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.asked: list[str] = []
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            request = connection.recv(65536)
            while not request.endswith(b"\r\n\r\n"):  # closing before all is read would reset the connection
                request += connection.recv(65536) or b"\r\n\r\n"
            path = request.split(b" ")[1].decode()
            self.asked.append(path)
            self._answers.get(path, send(NOT_FOUND))(connection)
        except OSError:
            pass  # the robot hung up, as it should
        finally:
            connection.close()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()


@pytest.fixture
def raw() -> Iterator[RawServer]:
    with closing(RawServer()) as server:
        yield server


SLOW = {path for path, (_, rule, _) in ANSWERS.items() if rule == "timeout"}
LIMITS = {"DOWNLOAD_MAXSIZE": 200_000, "RETRY_ATTEMPTS": 1}


@pytest.mark.parametrize(
    ("paths", "limits"),
    [
        pytest.param(SLOW, {"DOWNLOAD_TIMEOUT": 8, "HEADERS_TIMEOUT": 4}, id="slow"),
        # On a busy machine these may take longer than the others are waited for.
        pytest.param(ANSWERS.keys() - SLOW, {"DOWNLOAD_TIMEOUT": 100, "HEADERS_TIMEOUT": 100}, id="quick"),
    ],
)
def test_each_hostile_answer_ends_by_its_rule_and_keeps_nobody_else_waiting(
    raw: RawServer, site: Site, folder: Folder, paths: set[str], limits: dict[str, int]
) -> None:
    site.pages = {"/": html("home", "/a"), "/a": html("a")}
    seeds = [f"http://127.0.0.1:{raw.port}{path}" for path in sorted(paths)]
    folder.crawl(
        *seeds,
        f"{site.url.replace('127.0.0.1', 'site.localhost')}/",
        INDEX_FOLLOW=0,
        WAIT_SECONDS=5,
        **(LIMITS | limits),
    )
    assert {"/", "/a"} <= set(site.asked())
    with folder.database() as database:
        rows = database.connection.execute(
            "SELECT url.url, url.rule, journal.reason FROM url JOIN journal ON journal.url = url.id "
            "AND journal.rule = url.rule"
        ).fetchall()
    told = {"/" + url.split("/", 3)[3]: (rule, reason) for url, rule, reason in rows if f":{raw.port}/" in url}
    for path in paths:
        _, rule, reason = ANSWERS[path]
        assert told[path][0] == rule, path
        assert reason in told[path][1], path


def test_a_request_that_finds_its_connection_closed_is_asked_again_in_its_turn_and_not_at_once(
    site: Site, folder: Folder
) -> None:
    def hang_up(_: dict[str, str]) -> Answer:
        raise ConnectionError("the server closes the connection, which had brought its robots.txt, without a word")

    site.pages = {"/": hang_up}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, WAIT_SECONDS=5, RETRY_ATTEMPTS=2)
    assert site.asked() == ["/robots.txt", "/", "/"]
    with folder.database() as database:
        assert database.value("SELECT count(*) FROM journal WHERE rule = 'network'") == 2


@pytest.mark.slow
def test_large_answers_wait_for_each_other_and_all_come(site: Site, folder: Folder) -> None:
    text = " ".join(f"word{number}" for number in range(90_000))  # a megabyte
    large = {f"/{page}": html(f"large {page}", text=f"{page} {text}") for page in range(6)}
    site.pages = {"/": html("home", *large), **large}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, LARGE_ANSWERS_MAXSIZE=1_200_000)
    assert folder.report()["status"]["200"] == 7


def test_the_wait_for_our_own_memory_is_neither_silence_of_a_host_nor_slowness(folder: Folder) -> None:
    patience = 8.0  # seconds that an answer may take: on a busy machine, each of them has three more than it needs
    piece = b"<p>" + b" more" * 120_000  # large enough to wait for memory
    head = HEAD + b"Content-Length: " + str(2 * len(piece)).encode() + b"\r\n\r\n"
    first_is_read, first_came = threading.Event(), threading.Event()

    def first(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, len(head))  # so that the rest is sent if it is read
        connection.sendall(head + piece)
        first_is_read.set()
        time.sleep(0.6 * patience)
        connection.sendall(piece)
        first_came.set()

    def second(connection: socket.socket) -> None:
        first_is_read.wait()
        connection.sendall(head + piece)
        first_came.wait()
        time.sleep(0.45 * patience)
        connection.sendall(piece)

    with closing(RawServer(first=first, second=second)) as server:
        seeds = [f"http://{name}.localhost:{server.port}/{name}" for name in ("first", "second")]
        folder.crawl(
            *seeds, INDEX_FOLLOW=0, LARGE_ANSWERS_MAXSIZE=1_200_000, DOWNLOAD_TIMEOUT=patience, RETRY_ATTEMPTS=1
        )
    with folder.database() as database:
        journal = str(database.connection.execute("SELECT rule, reason FROM journal").fetchall())
        (seconds,) = database.connection.execute("SELECT max(seconds) FROM fetch").fetchone()
    assert "timeout" not in journal
    assert "host-rests" not in journal
    assert folder.report()["status"]["200"] == 2
    assert 0.6 * patience < seconds < patience


def test_a_certificate_that_nobody_vouches_for_ends_the_fetch_at_once(folder: Folder, tmp_path: Path) -> None:
    pem = tmp_path / "server.pem"
    pem.write_bytes(self_signed("localhost"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    with closing(RawServer(context)) as server:
        folder.crawl(f"https://localhost:{server.port}/page", INDEX_FOLLOW=0, WAIT_SECONDS=1)
    assert server.asked == []
    with folder.database() as database:
        told = str(database.connection.execute("SELECT rule, reason FROM journal").fetchall())
    assert "certificate" in told


def without_length(words: str, *, farewell: bool = False) -> Callable[[socket.socket], None]:
    """A page that ends where its connection ends, over TLS with or without close_notify before."""

    def answer(connection: socket.socket) -> None:
        head = b'HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\n\r\n'
        connection.sendall(head + f"<title>{words}</title><p>Only {words} is told here.</p>".encode())
        if farewell and isinstance(connection, ssl.SSLSocket):
            connection.unwrap()

    return answer


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """What a server named localhost needs to speak TLS with a crawl."""
    pem = tmp_path / "trusted.pem"
    pem.write_bytes(self_signed("localhost"))
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    return context


@pytest.mark.slow
def test_a_page_whose_connection_was_cut_is_stored_as_such_and_asked_for_again_as_a_whole(
    folder: Folder, trusted: ssl.SSLContext
) -> None:
    cut, said = without_length("beginning"), without_length("farewell", farewell=True)
    with closing(RawServer(trusted, cut=cut, said=said)) as server, closing(RawServer(plain=said)) as plain:
        page = f"https://localhost:{server.port}/cut"
        done = folder.crawl(
            page, f"https://localhost:{server.port}/said", f"http://localhost:{plain.port}/plain", INDEX_FOLLOW=0
        )
        assert f"Cut off: {page}" in done.stdout
        told = folder.run("why", page).stdout
        assert "cut-off: its connection was cut" in told
        assert "beginning" in told
        with folder.database() as database:
            cuts = database.connection.execute(
                "SELECT url.url, etag FROM journal JOIN url ON url.id = journal.url JOIN page ON page.url = url.id "
                "WHERE journal.rule = 'cut-off'"
            ).fetchall()
        assert cuts == [(page, "")]
        assert folder.report()["pages"]["stored"] == 3
        server._answers["/cut"] = without_length("whole", farewell=True)
        folder.crawl(INDEX_FOLLOW=0)
        assert "whole" in folder.run("why", page).stdout


def test_a_robots_txt_whose_connection_was_cut_is_not_believed(folder: Folder, trusted: ssl.SSLContext) -> None:
    with closing(RawServer(trusted, **{"robots.txt": without_length("Allow: /")})) as server:
        folder.crawl(f"https://localhost:{server.port}/page", INDEX_FOLLOW=0, WAIT_SECONDS=0)
        assert server.asked == ["/robots.txt"]
    with folder.database() as database:
        assert database.value("SELECT state FROM robots") == "CLOSED"
        assert "the connection was cut" in str(database.value("SELECT reason FROM robots"))


def test_a_server_without_tls_is_no_riddle(folder: Folder, site: Site) -> None:
    url = f"https://{site.url.partition('://')[2]}/"
    done = folder.crawl(url, INDEX_FOLLOW=0)
    told = "no safe connection could be made (wrong version number: if the server does without TLS, its URLs begin with"
    assert told in " ".join(folder.run("why", url).stdout.split()), done.stderr


def test_an_intranet_with_a_certificate_of_its_own_is_told_how_to_have_it_trusted(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "own.pem"
    authority.write_bytes(self_signed("own.localhost"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority)
    with closing(RawServer(context)) as server:
        url = f"https://own.localhost:{server.port}/page"
        folder.crawl(url, INDEX_FOLLOW=0)
        assert "SSL_CERT_FILE names the file of all that are trusted" in " ".join(folder.run("why", url).stdout.split())
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        folder.crawl(url, INDEX_FOLLOW=0)
        assert "/page" in server.asked


def test_a_certificate_that_has_expired_or_is_for_another_host_ends_the_fetch_as_well(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {
        "good": self_signed("good.localhost"),
        "expired": self_signed("expired.localhost", timedelta(days=-1)),
        "other": self_signed("another.invalid"),
        "odd": self_signed("another"),  # a star for a whole top-level domain, at which Twisted's own check stumbles
        # A good name among some that Twisted's own check stumbles over.
        "beside": self_signed(
            "beside.localhost",
            beside=[x509.DNSName("*"), x509.DNSName("10.0.0.1"), x509.UniformResourceIdentifier("https://a:443/")],
        ),
    }
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(b"".join(kinds.values()))  # so that nothing else is wrong with them
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with ExitStack() as stack:
        servers = {}
        for kind, pem in kinds.items():
            (tmp_path / "one.pem").write_bytes(pem)
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(tmp_path / "one.pem")
            servers[kind] = stack.enter_context(closing(RawServer(context)))
        done = folder.crawl(
            *(f"https://{kind}.localhost:{server.port}/page" for kind, server in servers.items()), INDEX_FOLLOW=0
        )
    assert "Traceback" not in done.stderr
    assert [kind for kind, server in servers.items() if server.asked] == ["good", "beside"]
    with folder.database() as database:
        told = str(database.connection.execute("SELECT rule, reason FROM journal").fetchall())
    assert "certificate verify failed" in told
    for kind in ("other", "odd"):
        assert f"DNSMismatch(mismatched_id=DNS_ID(hostname=b'{kind}.localhost'))" in told.replace("\\'", "'")
