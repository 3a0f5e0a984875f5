"""Can everybody read every view? On a phone of 320 px, a laptop and a projector, in light and dark, with a reader.

axe-core (Deque Systems) looks for barriers: WCAG 2.2 AA and its own best practices. Each view has a row in VIEWS: its
path, and words that must be visible. Content that a view shows only for some crawls has a row in STATES (`gazette.py`).
A test finds classes of the templates that no row shows.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Blueprint

import gateway.app
from crawldb.databases import Parts
from extension_points import InsideView, SearchableCollection, call_extensions, extends, manager
from frontier.submission import propose_block
from gateway.operators.monitoring import VIEW_OF
from tests.gateway.conftest import PHONE, SITE, opened, running
from tests.gateway.conftest import gateway as gateway_over
from tests.gateway.in_a_browser import gazette
from tests.gateway.operators.test_admin_page import TOKEN, log_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask.testing import FlaskClient
    from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize

    from tests.forks import ForkServer

pytestmark = pytest.mark.browser
PHONES = (320, 360, 390, 412)  # px: their widths
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
RULES = {"target-size": {"enabled": True}}  # WCAG 2.2, 2.5.8: 24 px; axe leaves it out unless asked
# Most of axe's time goes into contrast. It depends on an element's style, and on those of the elements around it, which
# views have in common: an element is measured once with each. STYLES returns the place of each element's parent and its
# style, with what else axe asks for. Where axe can't decide, another element of the same style is measured again.
STYLES = """() => {
    const elements = [...document.querySelectorAll("*")], places = new Map(elements.map((one, place) => [one, place]));
    const text = one => [...one.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data);
    return JSON.stringify(elements.map(one => {
        const {color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, position} =
            getComputedStyle(one);
        return [places.get(one.parentElement) ?? -1, [one.localName, one.getAttribute("class"), one.checkVisibility(),
            color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, textShadow, position,
            Math.min(text(one).join("").trim().length, 2), Boolean(one.value || one.placeholder),
            one.matches(":disabled, [aria-disabled]")].join()];
    }));
}"""
MEASURE = """styles => {
    document.querySelectorAll("[data-style]").forEach(one => one.removeAttribute("data-style"));
    const elements = document.querySelectorAll("*");
    styles.forEach(([place, style]) => elements[place].setAttribute("data-style", style));
    axe.configure({rules: [{id: "color-contrast", selector: "[data-style]"}]});
}"""
FINDINGS = """async options => {
    const {violations, incomplete} = await axe.run(options);
    const unsure = incomplete.filter(one => one.id === "color-contrast").flatMap(one => one.nodes);
    return [violations.flatMap(one => one.nodes.map(node => one.id + ": " + node.html.slice(0, 200))),
        unsure.map(node => Number(node.element.dataset.style))];
}"""
BY_SIGHT = ("color-contrast", "target-size", "link-in-text-block")  # rules for which size and colours count
RYE = "http://bakery.localhost:8400/rye.html"

VIEWS = [
    ("/search", "Finds pages"),
    ("/search?q=rye+bread", "Why?"),
    ("/search?q=soudrough", "Results for"),
    ("/search?q=evil", "onerror=alert(2)"),
    ("/search?q=helicopter", "No results"),
    ("/search?q=cake+number&page=2&site=bakery.localhost:8400", "Next"),
    ("/search?q=bread+OR+mohn+OR+호밀빵&lang=en", "Language: English"),
    ("/search?q=cake+-sugar&lang=en&year=2026", "Only the words"),
    ("/search?q=x&page=0", "Invalid request"),
    ("/why", "Why?"),
    (f"/why?url={RYE}&q=rye", "Score for"),
    ("/why?url=http://nowhere.example/", "never discovered"),
    (f"/why?url={RYE}&q=helicopter", "dropped here"),
    ("/why?url=http://bakery.localhost:8400/private/", "robots.txt disallows it"),
    ("/why?url=bakery.localhost", "Did you mean one of these?"),
    (f"/why/diff?url={RYE}&with=http://bakery.localhost:8400/evil.html", "onerror=alert(2)"),
    (f"/why/diff?url={RYE}&with=http://nowhere.example/", "no page of it is stored"),
    (f"/cached?url={RYE}&q=rye", "This is a copy"),
    ("/cached?url=http://nowhere.example/", "There is no copy"),
    ("/stats", "Crawl report"),
    ("/bot", "About the robot"),
    ("/admin", "The admin page is off"),
    ("/submit", "Submitting pages is off"),
    ("/nothing-here", "Not Found"),
]
IN_SANDBOX = "/cached?"  # nothing runs in a copy, so that axe can't either: it is looked at from outside


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all views: the browser then reads axe once, which is most of the time."""
    with opened(browser) as found:
        yield found


@pytest.fixture(scope="module")
def page_beside_the_sandbox(browser: Browser) -> Iterator[Page]:
    with opened(browser, bypass_csp=True) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), [view for view in VIEWS if not view[0].startswith(IN_SANDBOX)])
def test_a_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str, path: str, seen: str) -> None:
    look_at(page, f"{served}{path}", seen)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("gazette")
    gazette.make(data_dir)
    return data_dir


@pytest.fixture(scope="module")
def served_town(forks: ForkServer, town: Path) -> Iterator[str]:
    with running(forks, town) as (address, _):
        yield address.geturl().rstrip("/")


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), gazette.STATES)
def test_a_state_of_a_view_does_too(page: Page, served_town: str, path: str, seen: str) -> None:
    look_at(page, f"{served_town}{path}", seen)


class Maps:
    """An extension of the tests: without any, `/search` shows no tabs, and `/stats` names no view of the inside."""

    def __init__(self) -> None:
        named = {*VIEW_OF.values()} & {view.path for view in call_extensions("inside_views")}
        added = InsideView(VIEW_OF["urls"], "Crawl", "The crawl.", Blueprint("maps", __name__))
        self._views = [] if named else [added]

    @extends
    def searchable_collections(self) -> list[SearchableCollection]:
        return [SearchableCollection("maps", "Maps", lambda *_: 0, lambda _: "", {})]

    @extends
    def inside_views(self) -> list[InsideView]:
        return self._views


def test_every_class_of_the_templates_is_in_a_row(bakery: Path, town: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    with Parts.in_folder(tmp_path) as parts:
        propose_block(parts, SITE, "it is mine", "", 1)
    manager().register(Maps(), "maps")
    try:
        admin = gateway_over(tmp_path, admin_token=TOKEN)
        log_in(admin)
        rows = [(gateway_over(bakery), VIEWS), (gateway_over(town), gazette.STATES), (admin, [("/admin", "")])]
        shown = {name for client, views in rows for path, _ in views for name in classes(client.get(path).text)}
    finally:
        manager().unregister(name="maps")
    templates = Path(gateway.app.__file__).parent.joinpath("templates").rglob("*.html")
    assert {name for template in templates for name in classes(template.read_text())} - shown == set()


def classes_without_a_row(package: str | None, client: FlaskClient, rows: Sequence[tuple[str, str]]) -> set[str]:
    """The classes of an extension's templates that no view of these rows shows."""
    shown = {name for path, _ in rows for name in classes(client.get(path).text)}
    templates = Path(package or "").parent.joinpath("templates").rglob("*.html")
    return {name for template in templates for name in classes(template.read_text())} - shown


def classes(markup: str) -> set[str]:
    """The classes of a page, or of a template as far as they are written out."""
    plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", markup)
    return {name for names in re.findall(r'class="([^"]*)"', plain) for name in names.split()}


def test_targets_keep_apart_whatever_font_a_reader_has(page_beside_the_sandbox: Page, served: str) -> None:
    """A font whose letters take much more room above and below than those that are installed here."""
    page = page_beside_the_sandbox
    page.set_viewport_size(PHONE)
    page.goto(f"{served}/search?q=rye+bread")
    installed = "local('DejaVu Sans'), local('Noto Sans'), local('Liberation Sans'), local('Arial'), local('Roboto')"
    face = f"font-family: tall; src: {installed}; ascent-override: 130%; descent-override: 50%"
    page.add_style_tag(content=f"@font-face {{ {face} }} * {{ font-family: tall !important }}")
    if not page.evaluate("document.fonts.load('1em tall').then(faces => faces.length, () => 0)"):
        pytest.skip("none of the fonts that this test knows by name is installed")
    assert findings(page, *BY_SIGHT) == []


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/search?q=gazette", "Results for gazette"),
        ("/search?q=helicopter", "Results for helicopter"),
    ],
)
def test_on_paper_results_have_the_query_above_them_and_no_menus(
    page: Page, served_town: str, path: str, heading: str
) -> None:
    look_at_paper(page, f"{served_town}{path}", heading)


def look_at_paper(page: Page, address: str, heading: str) -> None:
    page.set_viewport_size(LAPTOP)
    page.emulate_media(media="print")
    page.goto(address)
    printed = page.locator("h1").bounding_box()
    assert printed is not None
    assert page.inner_text("h1") == heading
    assert printed["height"] >= 20
    assert not page.get_by_role("combobox").is_visible()
    assert not page.locator(".facets:visible, .operators:visible, .tabs:visible").count()
    page.emulate_media(media="screen")


@pytest.mark.parametrize(("path", "seen"), [view for view in VIEWS if view[0].startswith(IN_SANDBOX)])
def test_a_copy_does_too(page_beside_the_sandbox: Page, served: str, path: str, seen: str) -> None:
    look_at(page_beside_the_sandbox, f"{served}{path}", seen)


def look_at(page: Page, address: str, seen: str) -> None:
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        said.extend([message.text] if "status of" not in message.text else [])  # that a page has status 400 is meant

    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="light")
    page.on("console", note)
    page.goto(address)
    assert seen in page.evaluate("document.body.innerText")
    assert findings(page) == []
    for width in PHONES:
        page.set_viewport_size({"width": width, "height": PHONE["height"]})
        assert widest(page) <= width
    page.set_viewport_size(PROJECTOR)
    assert widest(page) <= PROJECTOR["width"]
    page.set_viewport_size(LAPTOP)
    page.emulate_media(color_scheme="dark")
    assert findings(page, *BY_SIGHT) == []
    assert widest(page) <= LAPTOP["width"]
    page.remove_listener("console", note)
    assert said == []


def test_the_open_list_of_completions_keeps_nobody_out(page: Page, served: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{served}/search?q=rye")
    page.get_by_role("combobox").fill("rye b")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert findings(page) == []
    assert widest(page) <= PHONE["width"]


def findings(page: Page, *only: str) -> list[str]:
    """What axe finds, with the place of each, by all of its rules or by some."""
    if page.evaluate("typeof axe") == "undefined":  # once a page is enough
        page.evaluate(pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT)
    styles = {style: place for place, style in reversed([*enumerate(numbered(json.loads(page.evaluate(STYLES))))])}
    page.evaluate(MEASURE, [(place, style) for style, place in styles.items() if style not in measured])
    options = {"resultTypes": ["violations", "incomplete"], "rules": RULES, "preload": False, "elementRef": True}
    found, unsure = page.evaluate(FINDINGS, options | ({"runOnly": only} if only else {}))
    measured.update(styles.keys() - {*unsure})
    return list(found)


numbers: dict[tuple[int, str], int] = {}  # of a style: by the number of the one around it
measured: set[int] = set()


def numbered(styles: Sequence[tuple[int, str]]) -> list[int]:
    """Return a number for each element: the same for those that have the same style, and so up to the root."""
    found: list[int] = []
    for parent, style in styles:
        found.append(numbers.setdefault((found[parent] if parent >= 0 else -1, style), len(numbers)))
    return found


def widest(page: Page) -> int:
    """How wide the page is, in px: more than the screen where something sticks out."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width
