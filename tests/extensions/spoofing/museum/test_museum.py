"""The museum of thirty cheats, on a real crawl and page by page; and five hundred honest pages that hide text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.spoofing.page_signals import SpoofThresholds, with_spoofing_signals
from pages import FetchedBody, parse_page
from pages.hidden.stylesheet import reduced_sheet
from tests.extensions.spoofing.museum.cheats import CHEATS, web_of
from tests.extensions.spoofing.museum.honest_hiding import PREFIXES, honest_pages, styles_of
from tests.extensions.spoofing.museum.served import crawl_museum, outcomes
from urls.records import CanonicalUrl
from urls.signals import SignalName

if TYPE_CHECKING:
    from pathlib import Path

    from urls.records import Page

WINNING = {
    "twenty diaries praise a shop",  # a star: its target may be innocent
    "every heading says it",  # as a glossary does
    "comments link to a shop",  # from a forum that nobody else links to
}


SHEET = "http://a.example/look.css"
LINK = '<link rel="stylesheet" href="/look.css">'
FILES = {f"{prefix or 'plain'}": "".join(styles_of(prefix)) for prefix in PREFIXES}


def judged(markup: str, css: str = "") -> Page:
    sheets = {SHEET: reduced_sheet(css)} if css else {}
    body = FetchedBody(
        markup.encode(), CanonicalUrl("http://a.example/"), [("Content-Type", "text/html")], sheets=sheets
    )
    return with_spoofing_signals(parse_page(body), SpoofThresholds())


def in_a_file(markup: str) -> tuple[str, str]:
    """The same page with its style in a file: what links to it, and the file."""
    before, _, rest = markup.partition("<style>")
    css, _, after = rest.partition("</style>")
    return f"{before}{LINK}{after}", css


@pytest.mark.slow
def test_no_cheat_stands_before_the_honest_article_but_three_that_no_rule_was_fitted_to(tmp_path: Path) -> None:
    port = crawl_museum(web_of(CHEATS), tmp_path)
    shown = list(outcomes(CHEATS, tmp_path, port))
    assert len(shown) == len(CHEATS) == 30
    assert {one.cheat.name for one in shown if one.wins} == WINNING
    assert all(one.cheat.is_kept_for_testing for one in shown if one.wins)


def test_each_cheat_with_a_style_element_hides_its_words_in_vain() -> None:
    pages = [judged(text) for cheat in CHEATS for text in cheat.files.values() if "<style>" in text]
    assert len(pages) == 12
    assert all(SignalName.HIDDEN_TEXT in {each.name for each in page.signals} for page in pages)


def test_each_cheat_hides_its_words_in_vain_with_the_same_style_in_a_file() -> None:
    pages = [judged(*in_a_file(text)) for cheat in CHEATS for text in cheat.files.values() if "<style>" in text]
    assert len(pages) == 12
    assert all(SignalName.HIDDEN_TEXT in {each.name for each in page.signals} for page in pages)


@pytest.mark.slow
def test_five_hundred_honest_pages_with_their_styles_in_a_file_have_no_sign() -> None:
    pages = {name: judged(*in_a_file(markup)) for name, markup in honest_pages()}
    assert all(sheet.is_read for page in pages.values() for sheet in page.sheets)
    assert [f"{name}: {each}" for name, page in pages.items() for each in page.signals] == []


@pytest.mark.slow
def test_five_hundred_honest_pages_with_a_whole_framework_in_a_file_have_no_sign() -> None:
    pages = {}
    for name, markup in honest_pages():
        linked, _ = in_a_file(markup)
        pages[name] = judged(linked, FILES[name.rpartition(", ")[2]])
    assert [f"{name}: {each}" for name, page in pages.items() for each in page.signals] == []


def test_five_hundred_honest_pages_have_no_sign() -> None:
    pages = dict(honest_pages())
    assert len(pages) == 500
    assert [f"{name}: {each}" for name, markup in pages.items() for each in judged(markup).signals] == []
