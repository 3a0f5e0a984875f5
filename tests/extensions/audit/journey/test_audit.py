"""A crawl that kept its limits can prove it, from its own log; other limits are disproved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.journey.conftest import Answer, Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = b"User-agent: *\nDisallow: /private/\n"
LEEWAY = 0.3  # seconds: on a busy machine an answer is noted late, and with it the start that the log has


def town(site: Site) -> None:
    failures: Iterator[Answer] = iter([(503, {}, b"")])

    def shaky(_: dict[str, str]) -> Answer:
        return next(failures, html("shaky"))

    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, RULES),
        "/": html("home", "/a", "/b", "/private/x", "/shaky", "/gone"),
        "/a": html("a", "/b", "/"),
        "/b": html("b", "/a"),
        "/shaky": shaky,
    }


def test_a_crawl_proves_its_manners_from_its_own_log(site: Site, folder: Folder) -> None:
    town(site)
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, DOWNLOAD_DELAY=0.2 + LEEWAY).returncode == 0
    assert site.asked().count("/shaky") == 2, "the journaled retry"
    done = folder.run("audit", "--delay", "0.2", "--ceiling", "60", "--json")
    found = json.loads(done.stdout)
    assert {claim["name"]: claim["proof"] for claim in found["claims"]} == dict.fromkeys(
        ("robots-first", "allowed", "delay", "once", "ceiling"), "proved"
    )
    assert (done.returncode, found["requests"], found["doubts"]) == (0, len(site.log), [])
    rude = json.loads(folder.run("audit", "--delay", "30", "--ceiling", "2", "--json").stdout)
    assert {claim["name"] for claim in rude["claims"] if claim["proof"] == "violated"} == {"delay", "ceiling"}


def test_the_server_s_log_says_the_same(site: Site, folder: Folder, tmp_path: Path) -> None:
    town(site)
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, DOWNLOAD_DELAY=0.2 + LEEWAY)
    lines: list[str] = []
    for (path, headers), start in zip(site.log, site.starts, strict=True):
        status = 503 if path == "/shaky" and not any('"/shaky"' in line for line in lines) else 200
        seen = {"end": start, "took": 0, "status": status, "url": path}
        lines.append(json.dumps(seen | {"host": headers["Host"], "agent": headers["User-Agent"]}))
    log = tmp_path / "access.log"
    log.write_text("\n".join(lines))
    done = folder.run("audit", str(log), "--delay", "0.2", "--json")
    assert json.loads(done.stdout)["proof"] == "proved", done.stdout
    assert done.returncode == 0


def test_what_a_crawl_asks_a_site_about_itself_is_as_polite_as_the_rest(site: Site, folder: Folder) -> None:
    numbers = range(6)
    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, RULES),
        "/": html("home", *(f"/loaf-{number}" for number in numbers)),
        **{f"/loaf-{number}": html(f"How to bake loaf {number:b} of rye", "/") for number in numbers},
    }
    settings = {"INDEX_FOLLOW": 0, "PROBE_AFTER": 4, "DOWNLOAD_DELAY": 0.2 + LEEWAY}
    assert folder.crawl(f"{site.url}/", **settings).returncode == 0
    asked = site.asked()
    assert len(set(asked) - set(site.pages)) == 1, "one address that is not there"
    assert len(asked) - len(set(asked)) == 3, "three pages are fetched twice"
    done = folder.run("audit", "--delay", "0.2", "--ceiling", "60", "--json")
    found = json.loads(done.stdout)
    assert (found["proof"], found["requests"], found["doubts"]) == ("proved", len(site.log), []), done.stdout
