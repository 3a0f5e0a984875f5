"""Does a stranger learn anything of a private site? Every route answers as if the crawl had never been there."""

from __future__ import annotations

import gzip
import re
import shutil
from base64 import b64encode
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode, urlsplit

import pytest

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from crawldb.database import CrawlDatabase
from extension_points import call_extensions
from extensions.assistants.tools import HIDDEN, CrawlTools, ToolFailure
from extensions.logins.tables import mark_areas
from gateway import GatewaySettings, create_app
from gateway.operators.admin_session import ATTEMPTS, MIN_TOKEN, PREFIX
from gateway.served_crawl import EXTENSION
from tests.commands.conftest import ROOT
from tests.extensions.logins.private.conftest import PLANTED, SECRETS
from tests.forks import forked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask import Flask
    from werkzeug.wrappers import Response

    from tests.extensions.logins.private.conftest import Crawled
    from tests.forks import ForkServer

pytestmark = pytest.mark.slow
EMBED = ROOT / "extensions" / "embed"
SALES = {"Authorization": f"Bearer {SECRETS['SALES_TOKEN']}"}
STAFF = {"Authorization": f"Bearer {SECRETS['STAFF_TOKEN']}"}
FROM_AFAR = {"REMOTE_ADDR": "192.0.2.7"}
BY_HTTPS = "https://localhost/"
# What a clock, a random number or the number of commits makes different in two crawls of the same pages, and scores:
# PageRank is a share of the mean over all pages.
PASSING = re.compile(
    r'"(?:took_ms|as_of|generation|fetched_at)": ?[0-9.]+|nonce[-=]"?[\w-]+|[0-9.]+ s\b|[0-9T:.-]+Z\b|[0-9]+ ms'
    r'|(?<=name="token" value=")[^"]+|"(?:value|total|score)": ?[0-9]+[.][0-9]+'
)
NOT_SEEN = {"Content-Length", "Date", "Expires"}
LINK_PART = re.compile(r',{"field":"page","term":"links"[^}]*}|{"field":"page","term":"links"[^}]*},')


@contextmanager
def served(folder: Path, settings: Path, *more: str) -> Iterator[Flask]:
    """The gateway of a folder, as `serve` makes it."""
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in (SECRETS | {"BREADCRUMB_SETTINGS": str(settings)}).items():
                patch.setenv(name, value)
            # A machine that stands still for SEARCH_TIMEOUT would leave results out, of one of the two folders.
            chosen = CommandSettings([f"DATA_DIR={folder}", "SEARCH_TIMEOUT=60", *more])
            call_extensions("settings_chosen", settings=chosen)
            yield gateway(folder, chosen)
    finally:  # without the variables: later tests of this process have sites of their own
        call_extensions("settings_chosen", settings=CommandSettings())


def asked(crawled: Crawled) -> list[dict[str, str]]:
    """What is asked of each route: nothing, public words, planted words, public and private addresses."""
    host = urlsplit(crawled.private).netloc
    words = ("rye", "cake", "zep", "zeppelinist", "zepp*", "quarry", "obsidiankonto", "feldspatgrube", f"site:{host}")
    urls = (crawled.public, f"{crawled.public}/rye", f"{crawled.public}/loaf", f"{crawled.private}/plan")
    return [
        {},
        *(
            {"q": word, "n": "50", "word": word, "term": word, "line": word}
            for word in (*words, f"{crawled.private}/plan")
        ),
        *({"url": url, "with": f"{crawled.private}/loaf", "q": "rye", "site": urlsplit(url).netloc} for url in urls),
        {"q": "rye", "similar": f"{crawled.private}/loaf"},
        {"q": "loaf", "similar": f"{crawled.public}/loaf"},
        {"q": "rye", "site": host},
        {"in": "robots", "q": "user-agent"},
    ]


def walk(app: Flask, crawled: Crawled, headers: dict[str, str]) -> Iterator[tuple[str, Response]]:
    """Ask every route of a gateway for everything, as a page and as JSON; yield what was asked and the response."""
    client = app.test_client()
    for rule in sorted(app.url_map.iter_rules(), key=str):
        path = re.sub(r"<[^>]+>", "style.css" if "static" in str(rule) else "zeppelinist", str(rule))
        for method in sorted((rule.methods or set()) & {"GET", "POST"}):
            for parameters in asked(crawled):
                for more in ({}, {"format": "json"}):
                    query = urlencode(parameters | more)
                    form = {"data": {"site": crawled.private, "reason": "r", "url": f"{crawled.private}/plan"}}
                    sent: dict[str, Any] = {"headers": headers, "environ_base": FROM_AFAR, "base_url": BY_HTTPS} | (
                        form if method == "POST" else {}
                    )
                    with client.open(f"{path}?{query}", method=method, **sent) as response:
                        yield f"{method} {path}?{query}", response


def seen(response: Response, folder: Path) -> tuple[int, str]:
    """What a response shows."""
    head = "\n".join(f"{name}: {value}" for name, value in sorted(response.headers.items()) if name not in NOT_SEEN)
    text = f"{head}\n{response.get_data(as_text=True)}".replace(str(folder), "DATA")
    return response.status_code, text


def lasting(shown: tuple[int, str]) -> tuple[int, str]:
    """What is shown apart from what a clock and a random number make of it."""
    return shown[0], PASSING.sub("…", LINK_PART.sub("", shown[1]))


def parted(first: str, second: str) -> tuple[str, str]:
    """Where two texts part: some characters of each around that place."""
    pairs = enumerate(zip(first, second, strict=False))
    begun = next((number for number, (one, other) in pairs if one != other), 0)
    return first[max(begun - 80, 0) : begun + 80], second[max(begun - 80, 0) : begun + 80]


@pytest.mark.parametrize("headers", [{}, SALES], ids=["a stranger", "the wrong group"])
def test_every_route_answers_as_if_the_private_site_had_not_been_crawled(
    crawls: Crawled, headers: dict[str, str]
) -> None:
    routes, shown = set(), 0
    with served(crawls.data, crawls.settings) as app, served(crawls.twin, crawls.settings) as twin:
        for (what, here), (_, there) in zip(walk(app, crawls, headers), walk(twin, crawls, headers), strict=True):
            if what.split("?")[0] == "GET /metrics":
                assert here.status_code == 401
            first, second = seen(here, crawls.data), seen(there, crawls.twin)
            if first != second:
                first, second = lasting(first), lasting(second)
            assert first == second, (what, *parted(first[1], second[1]))
            text, sent = here.get_data(as_text=True).lower(), unquote(what).lower()
            for word in (*PLANTED, f"{crawls.private}/plan", f"{crawls.private}/loaf"):
                assert word.lower() in sent or "zepp" in sent or word.lower() not in text, (what, word)
            assert here.status_code != 500, what
            routes.add(what.split("?")[0])
            shown += here.status_code == 200
    assert len(routes) > 40
    assert shown > 200


def totals(app: Flask, headers: dict[str, str], address: str = FROM_AFAR["REMOTE_ADDR"]) -> tuple[int, int]:
    """Return the status of /why for anybody, and how many results a private word has."""
    sent: dict[str, Any] = {"headers": headers, "environ_base": {"REMOTE_ADDR": address}, "base_url": BY_HTTPS}
    with app.test_client() as client:
        found = client.get("/api/search?q=zeppelinist", **sent)
        why = client.get("/why", **sent)
    return why.status_code, found.get_json().get("total", -found.status_code)


def test_the_right_group_sees_all_of_it(crawls: Crawled) -> None:
    with served(crawls.data, crawls.settings) as app:
        assert totals(app, {}) == totals(app, SALES) == (401, 0)
        assert totals(app, STAFF) == (200, 4)
        basic = b64encode(f"me:{SECRETS['STAFF_TOKEN']}".encode()).decode()
        assert totals(app, {"Authorization": f"Basic {basic}"}) == (200, 4)
        with app.test_client() as client:
            asked_for = client.get("/sign-in", environ_base=FROM_AFAR, base_url=BY_HTTPS)
            assert (asked_for.status_code, asked_for.headers["WWW-Authenticate"].split()[0]) == (401, "Basic")
            assert client.get("/sign-in", environ_base=FROM_AFAR, base_url=BY_HTTPS, headers=STAFF).status_code == 303
            copy = f"/cached?url={crawls.private}/plan"
            assert client.get(copy, environ_base=FROM_AFAR, base_url=BY_HTTPS).status_code == 401
            assert b"zeppelinist" in client.get(copy, environ_base=FROM_AFAR, base_url=BY_HTTPS, headers=STAFF).data


@pytest.mark.parametrize(
    ("headers", "address", "status", "sentence"),
    [
        ({"Authorization": "Bearer wrong"}, BY_HTTPS, 401, "The token is wrong"),
        ({"Authorization": "Basic !"}, BY_HTTPS, 401, "The token is wrong"),
        ({"Authorization": "Digest x"}, BY_HTTPS, 401, "The token is wrong"),
        (STAFF, "http://localhost/", 403, "A token is not accepted over plain HTTP"),
        ({"X-Forwarded-Groups": "staff"}, BY_HTTPS, 403, "comes from 192.0.2.7, which is no proxy in READER_PROXIES"),
    ],
)
def test_what_is_forged_gets_a_sentence(
    crawls: Crawled, headers: dict[str, str], address: str, status: int, sentence: str
) -> None:
    with served(crawls.data, crawls.settings) as app, app.test_client() as client:
        for path in ("/search?q=zeppelinist", "/api/search?q=zeppelinist", "/stats", "/why"):
            answer = client.get(path, headers=headers, environ_base=FROM_AFAR, base_url=address)
            assert (answer.status_code, sentence in answer.get_data(as_text=True)) == (status, True), path
            assert not any(word in answer.get_data(as_text=True) for word in PLANTED[1:])
    with served(crawls.data, crawls.settings) as app, app.test_client() as client:
        for path in ("/sign-in", "/healthz"):
            answer = client.get(path, headers=headers, environ_base=FROM_AFAR, base_url=address)
            assert (answer.status_code, sentence in answer.get_data(as_text=True)) == (status, True), path


def test_whoever_guesses_tokens_waits_and_nobody_else_does(crawls: Crawled) -> None:
    guesses = [{"Authorization": f"Bearer {SECRETS['STAFF_TOKEN'][:PREFIX]}{n}"} for n in range(ATTEMPTS)]
    with served(crawls.data, crawls.settings, f"ADMIN_TOKEN={'o' * MIN_TOKEN}") as app, app.test_client() as client:

        def answer(headers: dict[str, str], address: str = FROM_AFAR["REMOTE_ADDR"]) -> Response:
            sent: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": address}, "base_url": BY_HTTPS}
            return client.get("/search?q=rye", headers=headers, **sent)

        assert [answer(guess).status_code for guess in guesses] == [401] * ATTEMPTS
        late = answer(STAFF)
        assert (late.status_code, "Too many wrong tokens: try again in 1 s." in late.get_data(as_text=True)) == (
            429,
            True,
        )
        assert late.headers["Retry-After"] == "1"
        assert (
            client.delete("/api/crawls/1", headers=STAFF, environ_base=FROM_AFAR, base_url=BY_HTTPS).status_code == 429
        )
        operator = {"Authorization": f"Bearer {'o' * MIN_TOKEN}"}
        for unhindered in (answer(SALES), answer({}), answer(operator), answer(STAFF, "192.0.2.8")):
            assert unhindered.status_code == 200


def test_a_trusted_proxy_names_the_groups(crawls: Crawled) -> None:
    with served(crawls.data, crawls.settings, "READER_PROXIES=192.0.2.0/28") as app:
        assert totals(app, {"X-Forwarded-Groups": "cooks, staff"}) == (200, 4)
        assert totals(app, {"X-Forwarded-Groups": "sales,Staff,*,everyone"}) == (401, 0)
        assert totals(app, {"X-Forwarded-Groups": "staff"}, address="192.0.2.77")[0] == 403


def test_a_page_of_another_origin_is_a_stranger_whoever_looks_at_it(crawls: Crawled) -> None:
    origin = "https://docs.example.org"
    with served(crawls.data, crawls.settings, f"EMBED_ORIGINS={origin}") as app:
        assert totals(app, STAFF | {"Origin": origin}) == (401, 0)
        script = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
        frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        link = frame | {"Sec-Fetch-Dest": "document"}
        assert totals(app, STAFF | script) == totals(app, STAFF | frame) == (401, 0)
        assert totals(app, STAFF | link) == totals(app, STAFF | {"Sec-Fetch-Site": "same-origin"}) == (200, 4)


def test_a_mark_outlives_the_settings_and_the_extension(crawls: Crawled) -> None:
    empty = crawls.settings.with_name("empty.toml")
    empty.touch()
    with served(crawls.data, empty) as app:
        assert totals(app, {}) == (401, 0)
    without = create_app(crawls.data, GatewaySettings())
    assert totals(without, {})[1] == 0


def test_a_gateway_that_runs_notices_a_new_mark(crawls: Crawled, tmp_path: Path) -> None:
    shutil.copytree(crawls.twin, tmp_path / "data")
    empty = crawls.settings.with_name("none.toml")
    empty.touch()
    with CrawlDatabase(tmp_path / "data") as database, database.transaction():
        database.connection.execute("DELETE FROM logins_area")
    with served(tmp_path / "data", empty) as app:
        assert totals(app, {})[0] == 200
        with CrawlDatabase(tmp_path / "data") as database:
            mark_areas(database, [f"{crawls.public}/"])
        with app.test_client() as client:
            assert client.get("/stats").status_code == 403
            assert client.get("/api/search?q=rye").get_json()["total"] == 0


def test_an_assistant_over_a_port_is_a_stranger(crawls: Crawled) -> None:
    with served(crawls.data, crawls.settings) as app:
        tools = CrawlTools(app, "")
        assert tools.search("zeppelinist", 1_000_000, 1, "", "").total == 0
        assert {each.source.url for each in tools.search("oven rye", 50, 1, "", "").results} >= {f"{crawls.public}/rye"}
        assert "rye" in tools.read(f"{crawls.public}/rye", "", 1).markdown.lower()
        calls: list[Callable[[], object]] = [
            lambda: tools.read(f"{crawls.private}/plan", "", 1),
            lambda: tools.read(f"{crawls.private}/nothing", "", 1),
            lambda: tools.why(f"{crawls.private}/plan", "rye"),
            lambda: tools.robots(f"{crawls.private}/plan", ""),
        ]
        for call in calls:
            with pytest.raises(ToolFailure, match=f"^{HIDDEN[:60]}"):
                call()


def test_a_gateway_gets_ready_before_its_first_visitor(crawls: Crawled) -> None:
    with served(crawls.data, crawls.settings) as app:
        app.extensions[EXTENSION].warm_up()  # in a thread of its own, outside any request


@pytest.mark.skipif(not EMBED.exists(), reason="its extension is not here")
def test_an_index_for_a_web_server_has_nothing_of_it(crawls: Crawled, forks: ForkServer, tmp_path: Path) -> None:
    folder, given = tmp_path / "static", SECRETS | {"BREADCRUMB_SETTINGS": str(crawls.settings)}
    done = forked(forks, "export", "--static", str(folder), "-s", f"DATA_DIR={crawls.data}", environment=given)
    assert done.returncode == 0, done.stderr
    assert "4 pages left out: not every visitor may see it." in done.stdout
    content = "".join(gzip.decompress(path.read_bytes()).decode("utf-8", "replace") for path in folder.glob("*.bin"))
    assert "Rye bread keeps for a week" in content
    assert [word for word in (*PLANTED, crawls.private.partition("//")[2]) if word in content] == []
