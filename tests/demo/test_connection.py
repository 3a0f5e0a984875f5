"""Does the server speak HTTP as robots need it? Fast, patient with mistakes, and shut to everything outside."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

from demo.misleading_pages import SIZE
from tests.child import PATIENCE

if TYPE_CHECKING:
    from demo import PracticeWeb


def ask(
    web: PracticeWeb, path: str, *, host: str = "bakery", method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
    fields = {"Host": f"{host}.localhost:{web.port}"} | {key.replace("_", "-"): value for key, value in headers.items()}
    connection.request(method, path, headers=fields)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def raw(web: PracticeWeb, request: bytes) -> bytes:
    """Send bytes as they are, and return all that comes until the server hangs up."""
    with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_many_requests_go_over_one_connection(web: PracticeWeb) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)
    connection.connect()
    opened = connection.sock
    for path in ("/", "/no-such-page", "/breads/rye.html", "/robots.txt"):
        connection.request("GET", path, headers={"Host": "bakery.localhost"})
        connection.getresponse().read()
        assert connection.sock is opened
    connection.close()


@pytest.mark.parametrize("path", ["/", "/robots.txt", "/no-such-page"])
def test_every_answer_says_its_length(web: PracticeWeb, path: str) -> None:
    answer, body = ask(web, path)
    assert int(answer.headers["Content-Length"]) == len(body) > 0


def test_head_is_get_without_the_body(web: PracticeWeb) -> None:
    got, body = ask(web, "/breads/rye.html")
    head, nothing = ask(web, "/breads/rye.html", method="HEAD")
    same = {"Content-Length", "Content-Type", "ETag", "Last-Modified"}
    assert {key: head.headers[key] for key in same} == {key: got.headers[key] for key in same}
    assert (head.status, nothing) == (200, b"")
    assert body


def test_head_of_the_large_file_tells_its_size_and_sends_none_of_it(web: PracticeWeb) -> None:
    answer, body = ask(web, "/ledger.txt", host="station", method="HEAD")
    assert (int(answer.headers["Content-Length"]), body) == (SIZE, b"")


def test_the_large_file_is_as_large_as_it_says(web: PracticeWeb) -> None:
    answer, body = ask(web, "/ledger.txt", host="station")
    assert len(body) == int(answer.headers["Content-Length"]) > 10 * 1024 * 1024


def test_a_robot_may_hang_up_in_the_middle_of_the_large_file(web: PracticeWeb) -> None:
    with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /ledger.txt HTTP/1.1\r\nHost: station.localhost\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
    assert ask(web, "/")[0].status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/town.py",
        "/breads/../../bakery/truth.json",
        "/truth.json",
        "/server.json",
        "/../style.css/../../town.py",
        "/..\\..\\town.py",
        "/breads/rye.html%00.txt",
        "//etc/passwd",
        "/~bakery/../../truth.json",
        "/%c0%ae%c0%ae/truth.json",
    ],
)
@pytest.mark.parametrize("host", ["bakery.localhost", "mirror.localhost", "127.0.0.1"])
def test_nothing_outside_the_pages_can_be_asked_for(web: PracticeWeb, host: str, path: str) -> None:
    answer = raw(web, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", 400, id="1.1 without Host"),
        pytest.param(b"GET nowhere HTTP/1.1\r\nHost: bakery.localhost\r\n\r\n", 400, id="target without a slash"),
        pytest.param(b"what is this\r\n\r\n", 400, id="no request at all"),
        pytest.param(b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505, id="a version to come"),
        pytest.param(b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414, id="a URL without end"),
        pytest.param(b"POST / HTTP/1.1\r\nHost: bakery.localhost\r\nContent-Length: 2\r\n\r\nhi", 501, id="POST"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: bakery.localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431, id="headers"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: \xff\xfe.localhost\r\n\r\n", 421, id="a host of no letters"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: bakery.localhost.example\r\n\r\n", 421, id="an unknown host"),
        pytest.param(b"GET http://[ HTTP/1.1\r\nHost: bakery.localhost\r\n\r\n", 400, id="a URL that can't be split"),
    ],
)
def test_a_bad_request_gets_an_answer_and_the_server_lives(web: PracticeWeb, request_bytes: bytes, status: int) -> None:
    assert f" {status} ".encode() in raw(web, request_bytes).split(b"\r\n")[0]
    assert ask(web, "/")[0].status == 200


def test_http_1_0_without_a_host_gets_the_directory_and_the_connection_ends(web: PracticeWeb) -> None:
    answer = raw(web, b"GET / HTTP/1.0\r\n\r\n")
    assert b"Connection: close" in answer
    assert b"A small town for robots" in answer


def test_a_whole_url_as_the_target_overrules_the_host(web: PracticeWeb) -> None:
    answer = raw(
        web, b"GET http://mill.localhost/walk.html HTTP/1.1\r\nHost: river.localhost\r\nConnection: close\r\n\r\n"
    )
    assert b"left bank" in answer


def proxied(web: PracticeWeb, url: str) -> tuple[int, bytes]:
    """Ask for a URL as a robot does that knows nothing but `http_proxy`."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": web.proxy}))
    try:
        with opener.open(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_robot_that_cannot_look_up_the_names_goes_through_the_proxy(web: PracticeWeb) -> None:
    status, body = proxied(web, web.origin("bakery") + "/breads/rye.html?x=1")
    assert (status, b"Rye" in body) == (200, True)
    assert web.requests[0].url == web.origin("bakery") + "/breads/rye.html?x=1"
    assert proxied(web, f"http://127.0.0.1:{web.port}/")[0] == 200


def test_the_proxy_opens_no_connection_for_anybody(web: PracticeWeb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        port = other.getsockname()[1]
        for url in (f"http://127.0.0.1:{port}/", f"http://bakery.localhost:{port}/", f"http://localhost:{port}/"):
            status, body = proxied(web, url)
            assert (status, b"its own sites at port %d, not for" % web.port in body) == (502, True)
        tunnel = raw(web, b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % port)
        assert tunnel.startswith(b"HTTP/1.1 403 ")
        with pytest.raises(BlockingIOError):
            other.accept()
    assert proxied(web, "http://www.example.org/")[0] == 502
    assert web.requests[-1].url == "http://www.example.org/"  # so that one sees who wanted to leave


def test_a_body_that_comes_with_a_get_is_not_taken_for_a_request(web: PracticeWeb) -> None:
    body = b"GET /history.html HTTP/1.1\r\nHost: bakery.localhost\r\n\r\n"
    request = b"GET / HTTP/1.1\r\nHost: bakery.localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert raw(web, request + body).count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "spelling", ["BAKERY.localhost", "bakery.localhost.", "bakery.localhost:1", "bakery.LOCALHOST:8400"]
)
def test_a_host_is_known_in_any_spelling(web: PracticeWeb, spelling: str) -> None:
    answer = raw(web, f"GET / HTTP/1.1\r\nHost: {spelling}\r\nConnection: close\r\n\r\n".encode())
    assert b"Crumb &amp; Daughter" in answer


def test_two_hosts_at_one_address_stay_apart(web: PracticeWeb) -> None:
    mill, river = (ask(web, "/walk.html", host=host)[1] for host in ("mill", "river"))
    assert mill != river
    closed = [ask(web, "/robots.txt", host=host)[1] for host in ("mill", "river")]
    assert [b"Disallow: /fish/" in closed[0], b"Disallow: /flour/" in closed[1]] == [True, True]


def test_the_log_keeps_what_came(web: PracticeWeb) -> None:
    ask(web, "/breads/rye.html?x=1", User_Agent="Breadcrumb/1", If_None_Match='"a"')
    (request,) = web.requests
    assert (request.path, request.status, request.user_agent) == ("/breads/rye.html?x=1", 200, "Breadcrumb/1")
    assert (request.if_none_match, request.host) == ('"a"', f"bakery.localhost:{web.port}")
    assert request.url == web.origin("bakery") + "/breads/rye.html?x=1"
