"""Slides are made of the crawl given: their figures say what its commands say, and a page loads nothing."""

from __future__ import annotations

import re
import resource
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from commands.frame.data_folder import open_searcher
from extensions.course.figures import FIGURES, LiveCrawl, figure_of
from extensions.course.lab import titles
from extensions.course.slides import sessions
from tests.commands.conftest import HOST, ROOT
from tests.commands.conftest import bakery as crawl
from tests.gateway.conftest import browser
from tests.gateway.in_a_browser.test_every_view_in_a_browser import LAPTOP, look_at, page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.commands.conftest import Breadcrumb

__all__ = ["browser", "crawl", "page"]  # fixtures
SOURCES = {number: path.read_text("utf-8") for number, path in sessions().items()}
NAMED = re.compile(r"{figure ([a-z-]+)")
LOADS = re.compile(r"""\b(?:src|href|action)=|url\(|@import|<link""")


class Sections(HTMLParser):
    """Counts the sections of a page."""

    number = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the parser calls it so
        self.number += tag == "section"


def made(crawl: Breadcrumb, *words: str) -> dict[str, str]:
    done = crawl.run("slides", "--to", str(crawl.folder / "slides"), *words)
    assert done.code == 0, done.err
    return {path.name: path.read_text("utf-8") for path in (crawl.folder / "slides").iterdir()}


def live(crawl: Breadcrumb) -> LiveCrawl:
    return LiveCrawl(crawl.data, lambda: open_searcher(crawl.data))


def test_a_session_of_the_course_has_slides_and_a_page_loads_nothing(crawl: Breadcrumb) -> None:
    pages = made(crawl)
    assert sorted(pages) == [f"{path.stem}.html" for path in sessions().values()]
    for number, path in sessions().items():
        text = pages[f"{path.stem}.html"]
        counter = Sections()
        counter.feed(text)
        assert counter.number == SOURCES[number].count("\n---\n") + 1
        assert not LOADS.search(text)
        assert "{figure" not in text
        assert "default-src 'none'" in unescape(text)


def test_a_disk_that_fills_keeps_no_page(crawl: Breadcrumb) -> None:
    sizes = [len(page.encode()) for _, page in sorted(made(crawl).items())]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes) - 1, limits[1]))
    try:
        done = crawl.run("slides", "--to", str(crawl.folder / "full"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sizes[0] < max(sizes), "the first page has room"
    assert (done.code, done.out) == (2, "")
    assert "and nothing was kept; make room" in done.err
    assert list((crawl.folder / "full").iterdir()) == []


def test_the_sessions_are_those_of_the_labs_and_of_the_teachers() -> None:
    headings = re.findall(r"^## ([0-9]+)\. (.*)$", (ROOT / "docs" / "teaching.md").read_text("utf-8"), re.MULTILINE)
    assert {int(number): title for number, title in headings} == {
        number: text.partition("\n")[0].removeprefix("# ") for number, text in SOURCES.items()
    }
    assert list(SOURCES) == list(titles())
    assert all(f"`./breadcrumb lab {number}`" in text for number, text in SOURCES.items())


@pytest.mark.parametrize("number", SOURCES)
def test_a_session_names_files_that_exist_and_figures_that_can_be_drawn(number: int) -> None:
    files = re.findall(r"`([a-z_]+/[a-z_0-9/]+\.py)`", SOURCES[number])
    assert files
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert set(NAMED.findall(SOURCES[number])) <= set(FIGURES)


def test_every_figure_is_on_a_slide() -> None:
    assert {name for text in SOURCES.values() for name in NAMED.findall(text)} == set(FIGURES)


def test_figures_have_the_numbers_of_the_crawl(crawl: Breadcrumb) -> None:
    made_of = live(crawl)
    states = figure_of("states", made_of)
    total = sum(int(number) for _, number in states.rows)
    assert states.title == f"{total} URLs discovered, by state"
    assert f"{total} discovered" in crawl.run("report").out
    parts = figure_of("score?q=rye+bread", made_of)
    [hit] = made_of.hits("rye bread", 1)
    assert sum(float(value) for _, value in parts.rows) == pytest.approx(hit.explain().total, abs=1e-3)
    assert f"scores {hit.explain().total:.4g}"[:9] in parts.title
    postings = figure_of("postings?term=rye", made_of)
    assert list(postings.rows) == [(f"{HOST}/rye.html", "1", "0")]
    steps = figure_of("canonical?url=HTTP://A.example/./%2562", made_of)
    assert steps.rows[-1][1] == "http://a.example/b"


def test_what_a_crawl_lacks_is_a_sentence(crawl: Breadcrumb) -> None:
    for name, said in (
        ("postings?term=zeppelin", "No page has zeppelin"),
        ("score?q=zeppelin", "Nothing is found for"),
    ):
        assert said in str(figure_of(name, live(crawl)).picture)
    (crawl.data / "index" / "current.json").unlink()
    assert "There is no index here" in str(figure_of("postings?term=rye", live(crawl)).picture)
    assert len(made(crawl)) == len(SOURCES)


def test_a_page_that_was_taken_out_is_on_no_slide(crawl: Breadcrumb) -> None:
    assert f"{HOST}/rye.html" in "".join(str(figure_of(name, live(crawl))) for name in ("postings?term=rye",))
    crawl.run("forget", f"{HOST}/rye.html")
    for number in SOURCES:
        assert "rye.html" not in made(crawl, str(number))[f"{sessions()[number].stem}.html"]


def test_a_wrong_number_a_taken_file_and_a_folder_without_a_crawl_are_told(
    crawl: Breadcrumb, empty: Breadcrumb, tmp_path: Path
) -> None:
    to = ["--to", str(tmp_path / "slides")]
    assert "there is no session 10: choose 1 to 9" in crawl.run("slides", "10", *to).err
    assert crawl.run("slides", "1", *to).code == 0
    again = crawl.run("slides", "1", *to)
    assert again.code == 2
    assert "there is something with this name already" in again.err
    nothing = type(empty)(tmp_path / "nothing", tmp_path).run("slides", *to)
    assert nothing.code == 2
    assert "holds no crawl yet" in nothing.err
    below = crawl.run("slides", "1", "--to", str(tmp_path / "slides" / "1-a-robot-begins.html" / "x"))
    assert "name one where you may write" in below.err


@pytest.mark.slow
@pytest.mark.browser
def test_slides_fit_every_screen_turn_by_keys_and_print_one_a_sheet(crawl: Breadcrumb, page: Page) -> None:
    names = list(made(crawl))
    for name in names:
        look_at(page, f"file://{crawl.folder}/slides/{name}", "Session")
        page.set_viewport_size(LAPTOP)
        heights = page.evaluate("[...document.querySelectorAll('.slide')].map(each => each.scrollHeight)")
        assert max(heights) <= LAPTOP["height"]
        page.evaluate("scrollTo(0, 0)")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("scrollY > 0")
        assert page.evaluate("Math.round(scrollY / innerHeight)") == 1
        page.keyboard.press("End")
        page.wait_for_function(f"Math.round(scrollY / innerHeight) == {len(heights) - 1}")
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b[^s]", pdf)) == len(heights)
