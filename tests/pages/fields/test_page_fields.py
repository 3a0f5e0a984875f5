"""The fields of a page, from the markup to the record: the most reliable source counts."""

from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.metadata import MAX_ALTERNATES, MAX_LINK_ELEMENTS
from tests.cpu import least
from urls.records import CanonicalUrl, Page

NOW = datetime(2026, 11, 22, tzinfo=UTC).timestamp()
DAY = datetime(2024, 5, 3, tzinfo=UTC).timestamp()
JSON_LD = '<script type="application/ld+json">{}</script>'


def read(markup: str) -> Page:
    url = CanonicalUrl("http://site.example/dir/page.html")
    return parse_page(FetchedBody(markup.encode(), url, [("content-type", "text/html; charset=utf-8")], fetched_at=NOW))


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        pytest.param("<title>Rye</title><meta property=og:title content=Other><h1>Head</h1>", "Rye", id="the title"),
        pytest.param("<meta property=og:title content='Rye  bread'><h1>Head</h1>", "Rye bread", id="og:title"),
        pytest.param(JSON_LD.format('{"headline": "Rye"}') + "<h1>Head</h1>", "Rye", id="the headline of its JSON-LD"),
        pytest.param("<h2>Sub</h2><h1>Rye</h1>", "Rye", id="the first h1"),
        pytest.param("<title>Untitled Document</title><h1>Rye</h1>", "Rye", id="what an editor put there is none"),
        pytest.param("<title>Untitled</title><p>x", "Untitled", id="unless there is nothing else"),
        pytest.param("<title>&#8203;&#8203;</title><h1>Rye</h1>", "Rye", id="one of zero-width spaces is none"),
        pytest.param("<title>&#x3164;&#xAD;</title><p>x", "", id="nor is one of fillers, if there is nothing else"),
        pytest.param("<title>\N{SHIP}</title><h1>Rye</h1>", "\N{SHIP}", id="a picture is one"),
        pytest.param("<h2>Sub</h2><p>x", "", id="an h2 is no title"),
        pytest.param(
            "<title>Rye | The Bakery</title><meta property=og:site_name content='The Bakery'>", "Rye", id="og:site_name"
        ),
        pytest.param(
            "<title>Rye - The Bakery</title>" + JSON_LD.format('{"@type": "WebSite", "name": "The Bakery"}'), "Rye",
            id="the name of a WebSite",
        ),
        pytest.param("<title>Rye | The Bakery</title>", "Rye | The Bakery", id="a name that nobody tells stays"),
    ],
)  # fmt: skip
def test_the_title_is_the_pages_own(markup: str, title: str) -> None:
    assert read(markup).title == title


def test_the_description_is_that_of_the_meta_or_of_open_graph() -> None:
    both = "<meta name=description content='Own words'><meta property=og:description content=Other>"
    assert read(both).description == "Own words"
    assert read("<meta property=og:description content=' Two  words '>").description == "Two words"


@pytest.mark.parametrize(
    ("markup", "published", "by"),
    [
        pytest.param(
            "<meta property=article:published_time content=2023-01-01>"
            + JSON_LD.format('{"@type": "Article", "datePublished": "2024-05-03"}'),
            DAY, "JSON-LD datePublished", id="JSON-LD before metas",
        ),
        pytest.param("<meta property=article:published_time content=2024-05-03><meta name=date content=2001-01-01>",
                     DAY, "the meta article:published_time", id="Open Graph before others"),
        pytest.param("<meta name=DC.Date content=2024-05-03>", DAY, "the meta dc.date", id="Dublin Core"),
        pytest.param("<span itemprop=datePublished content=2024-05-03>then</span>", DAY, "microdata datePublished",
                     id="microdata"),
        pytest.param("<article><header><time datetime=2024-05-03>3 May</time></header><p>x</article>", DAY,
                     "a time element in the head of its article", id="a time element"),
        pytest.param("<p>Since <time datetime=2024-05-03>then</time>", None, "", id="any other time element is not"),
        pytest.param("<meta name=date content=2030-01-01>", None, "", id="the future is not"),
    ],
)  # fmt: skip
def test_a_date_is_kept_with_the_place_that_says_so(markup: str, published: float | None, by: str) -> None:
    page = read(markup)
    assert (page.published, page.published_by) == (published, by)


def test_a_date_of_change_is_kept_too() -> None:
    page = read("<meta name=last-modified content=2024-05-03><time itemprop=dateModified datetime=2001-01-01>x</time>")
    assert (page.modified, page.modified_by) == (DAY, "the meta last-modified")


TRAIL = "<li><a href=/>Home</a> \u203a</li><li><a href=/b>Breads</a></li><li>Rye</li>"
ITEM = "<li itemprop=itemListElement><a itemprop=item href=/><span itemprop=name>{}</span></a></li>"


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param(f"<nav aria-label=Breadcrumb><ol>{TRAIL}</ol></nav>", id="a nav that says so"),
        pytest.param(f"<ul class='nav breadcrumbs'>{TRAIL}</ul>", id="a class"),
        pytest.param("<div id=breadcrumb><a href=/>Home</a> &gt; <a href=/b>Breads</a> &gt; Rye</div>", id="one line"),
        pytest.param(
            "<ol itemscope itemtype=https://schema.org/BreadcrumbList>"
            + "".join(map(ITEM.format, ("Home", "Breads", "Rye"))) + "</ol>", id="microdata",
        ),
    ],
)  # fmt: skip
def test_a_trail_is_read_in_each_of_its_forms(markup: str) -> None:
    assert read(markup + "<p>x").breadcrumbs == ("Home", "Breads", "Rye")


def test_structured_data_is_named() -> None:
    page = read(
        JSON_LD.format('{"@type": "Article"}')
        + "<meta property=og:type content=article><div itemscope itemtype='http://schema.org/Recipe'>x</div>"
    )
    assert page.data_types == ("JSON-LD Article", "microdata Recipe", "Open Graph")


def test_the_words_of_pictures_are_kept_where_a_reader_sees_the_picture() -> None:
    page = read(
        "<header><img alt=Logo></header><nav><img alt=Menu></nav><p><img alt='A rye  loaf'><img alt=''><img>"
        "<img alt='A rye loaf'><a href=/x><img alt=Top></a><a href=/oven.JPG><img alt=Oven></a>"
        "<div><img alt='Our logo'></div><noscript><img alt=Tracker></noscript>"
    )
    assert page.pictures == ("A rye loaf", "Oven")


def test_translations_are_kept_by_their_language() -> None:
    page = read(
        "<link rel=alternate hreflang=de href=/de/><link rel=alternate hreflang=x-default href=/><link rel=alternate "
        "type=application/rss+xml href=/feed><link rel=alternate hreflang=de href=/second><link hreflang=fr href=/fr>"
    )
    assert page.alternates == (("de", "http://site.example/de/"), ("x-default", "http://site.example/"))


def test_html_029_a_bomb_of_translations_is_cut_and_told() -> None:
    page = read("".join(f"<link rel=alternate hreflang=x{number} href=/{number}>" for number in range(10_000)) + "<p>x")
    assert len(page.alternates) == MAX_ALTERNATES
    assert f"10000 link elements: only the first {MAX_LINK_ELEMENTS} were looked at" in page.warnings
    assert any(warning.startswith(f"more than {MAX_ALTERNATES} translations") for warning in page.warnings)


def test_a_page_of_two_languages_tells_both_with_their_shares() -> None:
    german = "<p>Der Roboter liest die Seite und legt die Wörter des Textes in einem Index für die Suche ab.</p>" * 3
    english = "<p>The robot reads the page and stores the words of the text in an index for the search.</p>" * 2
    page = read(f"<html lang=de>{german}{english}")
    assert page.language == "de"
    assert [language for language, _ in page.languages] == ["de", "en"]
    assert sum(share for _, share in page.languages) == pytest.approx(1, abs=0.02)
    assert read(f"<html lang=de>{german}").languages == ()


def test_a_lang_on_a_block_is_believed_where_its_letters_fit() -> None:
    russian = "Робот читает страницу и складывает слова текста в указатель, чтобы по нему искать."
    english = "<p>The robot reads the page and stores the words of the text in an index for the search.</p>" * 2
    marked = read(f"<html lang=en>{english}<blockquote lang=bg><p>{russian}</p></blockquote>")
    assert [language for language, _ in marked.languages] == ["en", "bg"]
    unmarked = read(f"<html lang=en>{english}<blockquote><p>{russian}</p></blockquote>")
    assert [language for language, _ in unmarked.languages] == ["en", "ru"]
    wrong = read(f"<html lang=en>{english}<blockquote lang=ja><p>{russian}</p></blockquote>")
    assert [language for language, _ in wrong.languages] == ["en", "ru"]


PIECES = [
    "<meta property=og:title content=", "<meta name=date content=", "<link rel=alternate hreflang=de href=",
    "<img alt=",
    "<nav aria-label=breadcrumb>", "<li>", "<time datetime=", "<div itemprop=datePublished content=", "<p lang=fr>",
    "<div itemtype=x/BreadcrumbList itemscope>", "</div>", "</nav>", ">", "'", '"', "x", "2024-05-03", "\0", "<title>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_no_markup_makes_a_field_what_it_is_not(pieces: list[str]) -> None:
    page = read("".join(pieces))
    assert (page.published is None) is (page.published_by == "")
    texts = (page.title, page.site_name, *page.breadcrumbs, *page.pictures, *page.data_types)
    assert not any("\0" in text or "\n" in text for text in texts)


@pytest.mark.parametrize(
    "around", ["<div itemprop=datePublished><div itemprop=dateModified>", "<nav class=breadcrumb><ol><li><b>"]
)
def test_the_text_in_many_dates_or_steps_is_not_read_for_each(around: str) -> None:
    def seconds(levels: int) -> float:
        markup, start = around * levels + "word " * 300_000, process_time()
        read(markup)
        return process_time() - start

    assert least(seconds, 20) < 2.5 * least(seconds, 1)  # 4 and more if it is


@pytest.mark.parametrize("start_tag", ["<script ", '<script "'])
def test_scripts_that_never_end_are_read_once(start_tag: str) -> None:
    start = process_time()
    read(JSON_LD.format("{}") + start_tag * 25_000)
    assert process_time() - start < 5  # 20 and more if each is read to the end of the page
