"""A page that its scripts write is read, its links are followed, and its requests pass the gate of a page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from crawldb.pages.pages import Pages
from tests.extensions.rendering.conftest import ALONE
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from tests.extensions.rendering.conftest import Quay
    from urls.records import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def stored(quay: Quay, path: str) -> Page:
    """Return a stored page."""
    with quay.folder.database() as database:
        page = Pages(database).get(canonicalize(f"{quay.site.url}{path}"))
    assert page is not None
    return page


def refused(quay: Quay, path: str) -> dict[str, str]:
    """Return the rules by which requests of a page were refused, by URL, as `why --json` has them."""
    done = quay.folder.run("why", f"{quay.site.url}{path}", "--json")
    requests = json.loads(done.stdout)["rendering"]["requests"]
    return {each["url"].removeprefix(quay.site.url): each["rule"] for each in requests if each["rule"]}


def test_a_page_that_its_script_writes_is_found_by_its_words(quay: Quay) -> None:
    assert "/wares.html" in quay.folder.search("tarred twine")


def test_a_page_with_a_script_and_no_word_is_rendered_too(quay: Quay) -> None:
    assert "/bare.html" in quay.folder.search("barometer")


def test_its_text_is_that_of_the_same_page_written_as_html(quay: Quay) -> None:
    written, rendered = stored(quay, "/same.html"), stored(quay, "/wares.html")
    assert f"{ALONE} Größe" in written.text.splitlines()
    assert f"{ALONE} Größe" in rendered.text.splitlines()


def test_a_link_made_by_a_script_is_followed(quay: Quay) -> None:
    assert quay.folder.rules()["/made.html"] == "fetched"
    with quay.folder.database() as database:
        links = database.count(
            "SELECT count(*) FROM link JOIN url AS source ON source.id = link.source JOIN url AS target "
            "ON target.id = link.target WHERE source.url LIKE '%/wares.html' AND target.url LIKE '%/made.html'"
        )
    assert links == 1


def test_a_link_made_by_a_script_obeys_robots_txt(quay: Quay) -> None:
    assert quay.folder.rules()["/closed/page.html"] == "robots"


def test_where_a_script_leads_the_browser_is_followed_as_a_refresh(quay: Quay) -> None:
    assert quay.folder.rules()["/anchors.html"] == "fetched"
    assert quay.folder.rules()["/leads.html"] == "moved"
    assert refused(quay, "/leads.html") == {"/anchors.html": "navigation"}
    assert quay.site.asked().count("/anchors.html") == 1, "by the frontier, and not by the browser"


def test_no_request_reaches_a_forbidden_path_or_another_site(quay: Quay) -> None:
    assert not [path for path in quay.site.asked() if path.startswith("/closed/")]
    assert [path for path in quay.other.asked() if path not in {"/", "/robots.txt", "/bare.html"}] == []


def test_a_server_sees_only_what_the_gate_let_pass(quay: Quay) -> None:
    """No picture, POST, window, beacon, service worker or socket, by the server's own log."""
    files = {"/robots.txt", "/wares.js", "/moved.json", "/words.json", "/to-closed"}
    pages = {path for path in quay.folder.rules() if quay.folder.rules()[path] != "robots"}
    assert set(quay.site.asked()) <= files | pages


def test_each_refusal_is_kept_with_its_rule(quay: Quay) -> None:
    rules = refused(quay, "/tricks.html")
    other = quay.other.url
    assert rules["/closed/words.json"] == "robots"
    assert rules["/to-closed"] == "robots", "a redirect is checked again"
    assert rules["/store"] == "method"
    assert rules["/picture.png"] == "kind"
    assert rules["/window0"] == "window"
    assert rules["ws" + quay.site.url[4:] + "/socket"] == "websocket"
    assert rules[f"{other}/words.json"] == "site"
    assert rules[f"{other}/of-a-worker"] == "site"
    assert rules["http://127.0.0.1:25/"] == "site"


def test_why_says_what_was_requested_and_refused_and_the_text_before_and_after(quay: Quay) -> None:
    told = quay.why("/wares.html")
    assert "rendered" in told
    assert "before, 0 words: no text." in told
    sizes = re.search(r"after, \d+ words in (\S+) bytes of markup: “Wares Hemp ropes, tarred twine", told)
    assert sizes is not None
    with quay.folder.database() as database:
        markup = Pages(database).body(canonicalize(f"{quay.site.url}/wares.html"))
    assert markup is not None
    answer = quay.site.pages["/wares.html"]
    assert isinstance(answer, tuple)
    came = answer[2]
    assert b"tarred twine" in markup
    assert b"tarred twine" not in came
    assert int(sizes[1].replace(",", "")) == len(markup)
    assert f"200 (fetched), {len(came):,} bytes in" in told
    assert f"requested {quay.site.url}/wares.js (script): 200," in told
    told = quay.why("/tricks.html")
    assert f"refused {quay.site.url}/window0 (window, 100 times): by the rule window: no window opens." in told
    assert "by the rule robots: robots.txt: disallowed by line 2 (Disallow: /closed/)." in told


def test_a_page_has_nothing_of_the_one_before(quay: Quay) -> None:
    assert "cookie and storage: null" in stored(quay, "/asks.html").text


def test_what_stays_empty_is_rejected_as_before(quay: Quay) -> None:
    assert quay.folder.rules()["/still.html"] == "script-shell"


def test_a_script_that_pages_share_is_requested_once(quay: Quay) -> None:
    assert quay.site.asked().count("/wares.js") == 1
    told = [quay.why(page) for page in ("/wares.html", "/words.html")]
    assert all("/wares.js (script): 200, " in reasons for reasons in told)
    assert sum("which this run had already" in reasons for reasons in told) == 1, "the one that came second"


def test_the_validators_of_the_shell_are_not_those_of_the_text(quay: Quay) -> None:
    assert stored(quay, "/wares.html").etag == ""
