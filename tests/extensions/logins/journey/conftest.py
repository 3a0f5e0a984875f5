"""A manual that only those may read who log in, on a real server on loopback."""

from __future__ import annotations

import base64
import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.journey.conftest import Answer, _forks, folder, html, site
from tests.serving import PatientServer, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["_forks", "folder", "site"]

USER, PASSWORD = "crawler", "correct horse & battery / staple"
SESSION_CHARS = 32  # of the name of a session
FORM = """<title>Log in</title><h1>Log in</h1><form action="{action}" method="{method}">
<input type="hidden" name="csrf" value="{csrf}"><input name="who"><input type="password" name="pass">
<input type="checkbox" name="remember"><button name="go" value="in">Log in</button></form>"""


class Asked(NamedTuple):
    """A request, as it came to the server."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


def page(title: str, *links: str) -> Answer:
    return html(title, *links, text=f"The chapter on {title} explains {title} with an example of a {title}, and more.")


@dataclass
class Manual:
    """A site whose pages need a login. `enter` returns why a request does not get in, or None if it does."""

    enter: Callable[[Manual, Asked], Answer | None]
    pages: dict[str, Answer]
    port: int = 0
    log: list[Asked] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)  # of login forms that were served
    action: str = "/enter"
    method: str = "post"
    form: str = FORM
    after_login: Answer | None = None  # instead of the redirect to the home page
    logins: int = 0  # that were posted
    pages_of_a_session: int = 0  # after so many pages a session ends; 0: it lasts

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def asked(self, method: str = "GET") -> list[str]:
        return [each.path for each in self.log if each.method == method]

    def answer(self, asked: Asked) -> Answer:
        path = urlsplit(asked.path).path
        if path == "/login":
            return self.login_page()
        if asked.method == "POST":
            return self.posted(asked)
        if path == "/logout":
            self.sessions.clear()
        return self.enter(self, asked) or self.pages.get(path, (404, {"Content-Type": "text/plain"}, b"nothing here"))

    def login_page(self) -> Answer:
        token = secrets.token_hex(8)
        self.tokens.add(token)
        form = self.form.format(action=self.action, method=self.method, csrf=token)
        return 200, {"Content-Type": "text/html", "Set-Cookie": f"csrf={token}; Path=/; HttpOnly"}, form.encode()

    def posted(self, asked: Asked) -> Answer:
        self.logins += 1
        sent = {name: value[0] for name, value in parse_qs(asked.body).items()}
        token = sent.get("csrf", "")
        if token not in self.tokens or cookies(asked).get("csrf") != token:
            return 400, {"Content-Type": "text/html"}, b"your form is too old"
        if (sent.get("who"), sent.get("pass"), sent.get("go"), sent.get("remember")) != (USER, PASSWORD, "in", None):
            return self.login_page()
        key = secrets.token_hex(SESSION_CHARS // 2)
        self.sessions.add(key)
        status, headers, body = self.after_login or (302, {"Location": "/"}, b"")
        return status, headers | {"Set-Cookie": f"session={key}; Path=/; HttpOnly"}, body


def cookies(asked: Asked) -> dict[str, str]:
    return {name: each.value for name, each in SimpleCookie(asked.headers.get("Cookie", "")).items()}


def by_form(manual: Manual, asked: Asked) -> Answer | None:
    """Let in who has a session; send others to the login page. The rules for robots are open to all."""
    if asked.path == "/robots.txt":
        return None
    key = cookies(asked).get("session", "")
    if key not in manual.sessions:
        return 302, {"Location": f"/login?next={asked.path}"}, b""
    if manual.pages_of_a_session and sum(key in each.headers.get("Cookie", "") for each in manual.log) > (
        manual.pages_of_a_session
    ):
        manual.sessions.discard(key)
        return manual.login_page()
    return None


def by_basic(_: Manual, asked: Asked) -> Answer | None:
    """Let in who sends the user and the password."""
    sent = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"
    if asked.headers.get("Authorization") == sent:
        return None
    return 401, {"WWW-Authenticate": 'Basic realm="manual"', "Content-Type": "text/html"}, b"<p>Who are you?"


@contextmanager
def served(enter: Callable[[Manual, Asked], Answer | None]) -> Iterator[Manual]:
    links = ("/rye", "/spelt", "/elsewhere")
    manual = Manual(enter, {"/": page("bread", *links), "/rye": page("rye", "/logout"), "/spelt": page("spelt")})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            asked = Asked(self.command, self.path, dict(self.headers), body)
            manual.log.append(asked)
            status, headers, content = manual.answer(asked)
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(content))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing: the log is `manual.log`."""

    server = PatientServer(("127.0.0.1", 0), Handler)
    manual.port = server.server_port
    with serving(server):
        yield manual


@pytest.fixture
def form_manual() -> Iterator[Manual]:
    with served(by_form) as manual:
        yield manual


@pytest.fixture
def basic_manual() -> Iterator[Manual]:
    with served(by_basic) as manual:
        yield manual


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """A file with the password, which only its owner may read."""
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def settings(tmp_path: Path, password: Path) -> Callable[..., list[str]]:
    """Write a settings file with one site; return the options of a crawl that uses it."""

    def written(manual: Manual, login: str, **more: object) -> list[str]:
        file = tmp_path / "mine.toml"
        table = login.format(user=USER, password=f"file:{password}")
        file.write_text(f'[[site]]\nurl = "{manual.url}/"\n{table}\nread = ["staff"]\n')
        assigned = {"RETRY_DELAY": 0.05, "PROBE_AFTER": 0, "INDEX_FOLLOW": 0} | more
        options = [word for name, value in assigned.items() for word in ("-s", f"{name}={value}")]
        return ["--settings", str(file), *options]

    return written
