"""Traps on a live server: each ends, an honest archive does not, and a verdict can be undone."""

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.journey.conftest import Answer, Folder, Site, html

PROBES = {"PROBE_AFTER": 20}  # the default: these sites are asked about themselves
WASTE = 50  # requests that a trap may take and that bring nothing new
WORDS = [a + b + c for a in ("ba", "do", "ki", "mu") for b in ("len", "ran", "sto", "vig") for c in ("da", "no", "ti")]


class Endless(dict[str, Answer]):
    """Pages that a program makes when they are asked for."""

    def __init__(self, program: Callable[[str], Answer | None], pages: dict[str, Answer]) -> None:
        super().__init__(pages)
        self.program = program

    def get(self, path: str, default: object = None) -> object:  # type: ignore[override]  # one of its three forms
        made = dict.get(self, path)
        return made if made is not None else self.program(path) or default


def an_article(name: str) -> str:
    """A text of its own: what nobody else wrote, and always the same for a name."""
    dice = Random(name)
    return ". ".join(" ".join(dice.choices(WORDS, k=12)) for _ in range(6))


def calendar(path: str) -> Answer | None:
    if not path.startswith("/calendar"):
        return None
    year, month = path.split("/")[2:4]
    later = f"/calendar/{int(year) + int(month) // 12}/{int(month) % 12 + 1}/"
    earlier = f"/calendar/{int(year) - (month == '1')}/{(int(month) - 2) % 12 + 1}/"
    return html(f"{month}/{year}", later, earlier, text=f"Nothing is planned for {month}/{year}.")


def counter(path: str) -> Answer | None:
    number = int(path.removeprefix("/page/")) if path.startswith("/page/") else None
    return None if number is None else html(f"Page {number}", f"/page/{number + 1}", text=f"This is page {number}.")


def facets(path: str) -> Answer | None:
    parts = urlsplit(path)
    if parts.path != "/goods":
        return None
    chosen = dict(parse_qsl(parts.query))
    links = [
        "/goods?" + "&".join(f"{key}={value}" for key, value in sorted((chosen | {name: value}).items()))
        for name in ("colour", "size", "maker", "sort")
        for value in "abcd"
    ]
    shown = Random(path).sample(range(12), 5)
    listed = "".join(f"<p>The {WORDS[good]} lamp costs {good}.</p>" for good in shown)
    filters = " ".join(f'<a href="{link.replace("&", "&amp;")}">{link[-1]}</a>' for link in links)
    return html("Goods", text=f"{listed}<p>{filters}</p>")


def sessions(path: str) -> Answer | None:
    token, _, name = path.removeprefix("/s/").partition("/")
    if not path.startswith("/s/"):
        return None
    dice = Random(path)
    links = [f"/s/{dice.getrandbits(64):016x}a1b2/{other}" for other in WORDS[:10]]
    return html(f"The {name}", *links, text=f"All about the {name}. Your session is {token}.")


def random_pages(path: str) -> Answer | None:
    if not path.startswith("/random"):
        return None
    dice = Random(path)
    return html("Dice", *(f"/random?{dice.getrandbits(40)}" for _ in range(10)), text=f"You threw {dice.random()}.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "start", "rule"),
    [
        pytest.param(calendar, "/calendar/2026/1/", "no-yield", id="trap-001 endless calendar"),
        pytest.param(counter, "/page/1", "no-yield", id="an endless counter"),
        pytest.param(facets, "/goods?sort=a", "no-yield", id="trap-003 faceted params"),
        # It says the same for a name that was made up.
        pytest.param(sessions, "/s/0123456789abcdef0123/lamp", "soft-404", id="trap-002 session ids in paths"),
        pytest.param(random_pages, "/random?1", "no-yield", id="a new page on each request"),
    ],
)
def test_a_trap_ends_and_the_pages_beside_it_are_all_there(
    site: Site, folder: Folder, program: Callable[[str], Answer | None], start: str, rule: str
) -> None:
    good = {f"/{name}.html": html(name, text=an_article(name)) for name in WORDS[:12]}
    site.pages = Endless(program, good | {"/": html("home", start, *good)})  # type: ignore[assignment]  # it asks with `get` alone
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, **PROBES, MAX_DEPTH=1000)
    report = folder.report()
    assert report["harms"]["wasted"] <= WASTE
    assert set(good) <= {path for path, rule in folder.rules().items() if rule == "fetched"}
    assert sum(path not in good for path in site.asked()) <= 2 * WASTE
    assert rule in folder.rules().values()
    assert set(report["suppressed"]) <= {"no-yield", "pattern-budget", "probe"}
    urls = report["urls"]
    assert urls["discovered"] == urls["done"] + urls["suppressed"]


def tales(path: str) -> Answer | None:
    """A tar pit: a text of its own under any name, and links to five more."""
    if not path.startswith("/tale/"):
        return None
    dice = Random(path)
    return html(path, *(f"/tale/{dice.getrandbits(32):08x}a1" for _ in range(5)), text=an_article(path))


@pytest.mark.slow
def test_a_site_that_makes_up_pages_is_told_from_a_diary_of_the_same_form(site: Site, folder: Folder) -> None:
    days = [f"/diary/{number}" for number in range(1, 41)]
    diary = {day: html(day, *days[number + 1 : number + 2], text=an_article(day)) for number, day in enumerate(days)}
    site.pages = Endless(tales, diary | {"/": html("home", days[0], "/tale/0123456789ab")})  # type: ignore[assignment]  # it asks with `get` alone
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, **PROBES)
    rules = folder.rules()
    assert {rules[day] for day in days} == {"fetched"}, "forty links from the seed, and MAX_DEPTH is 25"
    assert sum(path.startswith("/tale/") for path in site.asked()) <= WASTE
    assert folder.report()["suppressed"].keys() == {"made-up", "probe"}
    assert sum(rule == "probe" for rule in rules.values()) == 5, (
        "two addresses of either were made up, and one of no page"
    )
    [catch] = json.loads(folder.run("report", "traps", "--json").stdout)["traps"]
    assert (catch["rule"], catch["pattern"]) == ("made-up", "/tale/{token}")


@pytest.mark.slow
def test_an_archive_of_differing_pages_passes_without_a_setting(site: Site, folder: Folder) -> None:
    items = [f"/item/{number}" for number in range(300)]
    site.pages = {item: html(item, text=an_article(item)) for item in items}
    site.pages["/"] = html("home", *items)
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, **PROBES, PATTERN_PAGES=20)
    assert Counter(folder.rules().values()) == {"fetched": 301, "probe": 1}, "one asks for a page that is not there"
    assert folder.report()["suppressed"] == {"probe": 1}


@pytest.mark.slow
def test_what_was_caught_is_shown_and_can_be_released(site: Site, folder: Folder) -> None:
    pages = [f"/tide/{number}" for number in range(60)]
    site.pages = {
        page: html("Tide", *pages[number + 1 : number + 7], text=f"High water at {number}:{number}.")
        for number, page in enumerate(pages)
    }
    site.pages["/"] = html("home", pages[0])
    crawl = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, **PROBES, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert "Wasted in all runs: " in crawl.stdout
    told = json.loads(folder.run("report", "traps", "--json").stdout)
    [catch] = told["traps"]
    assert (catch["rule"], catch["pattern"]) == ("no-yield", "/tide/#")
    assert 20 <= catch["wasted"] <= 24, "those that were under way when it was closed arrive all the same"
    [caught, *more] = [path for path, rule in folder.rules().items() if rule == "no-yield"]
    assert catch["caught"] == 1 + len(more)
    said = folder.run("report", "traps").stdout
    assert f"./breadcrumb release '/tide/#' --site 127.0.0.1:{site.port}" in said
    caught = f"{site.url}{caught}"
    why = folder.run("why", caught).stdout
    assert "no-yield" in why
    assert f"./breadcrumb release {caught} --data {folder.path} queues it anyway" in " ".join(why.split())
    done = folder.run("release", "/tide/#", "--site", f"127.0.0.1:{site.port}")
    assert (done.returncode, done.stderr) == (0, "")
    folder.crawl(INDEX_FOLLOW=0, **PROBES)
    rules = folder.rules()
    assert {path: rules.pop(path) for path in ("/", *pages)} == dict.fromkeys(["/", *pages], "fetched")
    assert list(rules.values()) == ["probe"], "one asks for a page that is not there"
    assert "released-trap" in folder.run("why", caught).stdout
    assert json.loads(folder.run("report", "traps", "--json").stdout)["traps"] == []
