"""A crawl with a topic on a live server: what it asks for first, what it says of it, and which rules still hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from extension_points import built_in
from gateway import create_app
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.conftest import Ended

TOPIC = "sourdough bread"
BREAD = "We keep a sourdough for our bread {}. " + "Bread of sourdough needs time. " * 9


def a_site(site: Site) -> None:
    lamps = [f"/lamps/{number}.html" for number in range(8)]
    loaves = [f"/loaves/{number}.html" for number in range(4)]
    forbidden = "/private/sourdough.html"
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n")}
    site.pages["/"] = html("Shop", *lamps, "/sourdough.html", forbidden, text="Lamps, and what we bake.")
    site.pages["/sourdough.html"] = html("Sourdough", *loaves, text=BREAD.format("one"))
    site.pages |= {path: html(f"Lamp {path}", f"{path}?more", text=f"The lamp {path} is bright.") for path in lamps}
    site.pages |= {f"{path}?more": html(f"More {path}", text=f"More of {path}.") for path in lamps}
    site.pages |= {path: html(f"Loaf {path}", text=BREAD.format(path)) for path in loaves}


@pytest.fixture
def crawled(site: Site, folder: Folder) -> Folder:
    """One crawl, one request after the other, stopped by the operator's limit and gone on with."""
    a_site(site)
    for pages in ({"pages": 5}, {}):
        done = folder.crawl(f"{site.url}/", topic=TOPIC, CONCURRENT_REQUESTS_PER_DOMAIN=1, PROBE_AFTER=0, **pages)
        assert done.returncode in {0, 130}, done.stderr
    return folder


@pytest.mark.slow
def test_a_crawl_with_a_topic_says_why_each_url_came_when_it_did(site: Site, crawled: Folder) -> None:
    asked = [path for path in site.asked() if path != "/robots.txt"]
    assert asked[:2] == ["/", "/sourdough.html"]
    loaves = {path for path in site.pages if path.startswith("/loaves")}
    assert max(map(asked.index, loaves)) < min(map(asked.index, (path for path in asked if "?more" in path)))
    assert "/private/sourdough.html" not in asked, "whatever it promises, its robots.txt decides"
    assert sorted(asked) == sorted(site.pages.keys() - {"/robots.txt"}), "nothing is lost, and nothing comes twice"
    with crawled.database() as database:
        rows = database.connection.execute(
            "SELECT substr(url.url, ?), promised, next_best FROM promise JOIN url ON url.id = promise.url "
            "WHERE turn IS NOT NULL ORDER BY turn",
            (len(site.url) + 1,),
        ).fetchall()
        turns = [path for path, _, _ in rows if path != "/private/sourdough.html"]
        assert turns == asked, "the turns that are told are the requests that the server has seen"
        assert all(best is None or promised >= best for _, promised, best in rows)

    told = crawled.run("why", "--json", f"{site.url}/loaves/1.html")
    promise = json.loads(told.stdout)["promise"]
    assert promise["turn"] == 1 + [path for path, _, _ in rows].index("/loaves/1.html")
    total = promise["parts"].pop("total")
    assert total == promise["promised"] == pytest.approx(sum(promise["parts"].values()))
    shown = f"For the topic “{TOPIC}” its priority is {total:.4f}, the sum of:"
    client = create_app(crawled.path).test_client()
    page = client.get("/why", query_string={"url": f"{site.url}/loaves/1.html"}).text
    assert shown in page
    assert all(f"{part:.4f} of 0." in page for part in promise["parts"].values())

    harvest: Any = dict(crawled.report())["topic"]
    assert harvest is not None
    assert (harvest["relevant"], harvest["turns"]) == (5, len(rows))
    assert f"“{TOPIC}”: 5 of" in " ".join(crawled.run("report").stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["-a", "topic="], "has no word that says anything", id="an empty topic"),
        pytest.param(["-a", "topic=nowhere.txt"], "can't be read: No such file", id="a topic's file that is not there"),
        pytest.param(["-s", "PRIORITY=topic"], "with -a topic=WORDS", id="the order of a topic without one"),
        pytest.param(["-a", "topic=rye", "-s", "PRIORITY=rare"], "are two orders", id="two orders"),
        pytest.param(["-s", "PRIORITY=deep"], "choose breadth, worth, rare or topic", id="no order"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(in_scrapy: Callable[..., Ended], words: list[str], said: str) -> None:
    done = in_scrapy("crawl", "site", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.skipif("machines" not in built_in(), reason="a crawl in parts is another extension")
def test_a_topic_that_is_none_is_told_before_any_part_begins(folder: Folder) -> None:
    done = folder.run("farm", "--topic", "the of", "http://a.localhost/")
    assert (done.returncode, "has no word that says anything" in done.stderr) == (2, True)
    assert not list(folder.path.glob("part-*"))
