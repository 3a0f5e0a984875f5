"""Which pages with status 200 say that there is no such page?"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.no_content import redirected_refusal, soft404_refusal
from urls.records import CanonicalUrl, Link, Page

URL = CanonicalUrl("http://site.example/x")


def judge(title: str, text: str = "", headings: tuple[str, ...] = (), status: int = 200) -> str | None:
    refusal = soft404_refusal(Page(URL, title, text, headings=headings, status=status))
    return refusal.rule if refusal else None


@pytest.mark.parametrize(
    "said",
    [
        "404", "404 Not Found", "Error 404", "HTTP Error 404", "404 - Page not found", "Page Not Found",
        "Not found", "File not found.", "The page you requested was not found", "The requested URL was not found",
        "Oops! Page not found", "This page does not exist", "Seite nicht gefunden",
        "404: Die Seite wurde nicht gefunden", "Page introuvable", "Page non trouvée", "Página no encontrada",
        "La página no existe", "Страница не найдена", "Ошибка 404", "ページが見つかりません",
        "お探しのページは見つかりませんでした。", "페이지를 찾을 수 없습니다", "页面不存在", "找不到该页面",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["{}", "{} | Example Site", "Example Site - {}"])
def test_the_customary_sentences_are_recognised(said: str, form: str) -> None:
    assert judge(form.format(said), "Sorry. Try the search.") == "soft-404"
    assert judge("Example Site", "Sorry.", headings=(form.format(said), "Menu")) == "soft-404"


def test_the_reason_quotes_what_was_said() -> None:
    refusal = soft404_refusal(Page(URL, "Page not found", "Sorry"))
    assert refusal is not None
    assert refusal.reason == "status 200, but the title says “Page not found” and there is hardly more"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        pytest.param("404 Not Found", "word " * 200, id="a long page with the words as title"),
        pytest.param("HTTP 404", "HTTP status code 404 tells that nothing was found.", id="a short entry on the code"),
        pytest.param("How to make a good page-not-found page", "Be kind.", id="the words within a title"),
        pytest.param("Why 404 pages matter", "They do.", id="an article about 404 pages"),
        pytest.param("Lost and not found: a novel", "By nobody.", id="a title that ends with the words"),
        pytest.param("Page 404", "of a long book", id="a page number"),
        pytest.param("Room 404", "Second floor", id="a room number"),
        pytest.param("Home", "Welcome. The cat was not found.", id="the words in the text, about something else"),
        pytest.param("", "", id="nothing at all"),
    ],
)
def test_pages_that_only_mention_it_are_kept(title: str, text: str) -> None:
    assert judge(title, text) is None


def test_a_long_page_without_blanks_is_long_too() -> None:
    assert judge("404", "検索の仕組みについて説明します。" * 40) is None


def test_an_honest_404_needs_no_judgement() -> None:
    assert judge("404 Not Found", "Sorry", status=404) is None


@pytest.mark.parametrize("said", Path(__file__).with_name("apologies.txt").read_text("utf-8").splitlines())
@pytest.mark.parametrize("around", ["{}", "Acme Bakery\n{}\nTry the search, or write to us.\n© 2026 Acme"])
def test_an_apology_in_the_text_is_recognised_under_any_title(said: str, around: str) -> None:
    assert judge("Acme Bakery", around.format(said)) == "soft-404"


def test_names_of_links_do_not_make_an_apology_long() -> None:
    menu = tuple(f"Chapter {number} of the manual" for number in range(100))
    text = "\n".join((*menu, "Sorry, this page does not exist."))
    page = Page(URL, "The manual", text, links=tuple(Link(f"http://site.example/{name}", name) for name in menu))
    refusal = soft404_refusal(page)
    assert refusal is not None
    assert "the text says “Sorry, this page does not exist.”" in refusal.reason


@pytest.mark.parametrize(
    "text",
    [
        "If the page could not be found, the server answers 404.",
        "Returns None where the page does not exist.",
        "ENOENT: The file was not found.",
        "The document is not available on Windows.",
        "Raised when no such file exists.",
        "A link to a page that does not exist is red.",
        "The cat was not found. The page of the book was torn.",
        "This page is about what was not found in Troy.",
        "Die Seite ist nicht lang.",
        "このページについて",
        "该页面由我们维护。",
    ],
)
def test_a_text_that_speaks_of_something_else_is_kept(text: str) -> None:
    assert judge("The manual", text) is None


def test_a_long_text_with_an_apology_in_it_is_kept() -> None:
    assert judge("Writing good errors", "Sorry, this page does not exist.\n" + "Write like this. " * 60) is None


@pytest.mark.parametrize(
    ("url", "text", "said"),
    [
        ("http://site.example/lost", "word " * 300 + "\nThis page does not exist.", "This page does not exist."),
        ("http://site.example/errors/404.html", "Whatever", "/errors/404.html"),
        ("http://site.example/not-found", "Whatever", "/not-found"),
        ("http://site.example/", "Welcome to the bakery", None),
        ("http://site.example/welcome", "Welcome to the bakery", None),
        ("http://site.example/terror", "A novel", None),
    ],
)
def test_where_a_made_up_address_redirects_to_is_no_page_if_it_is_for_errors(
    url: str, text: str, said: str | None
) -> None:
    refusal = redirected_refusal(Page(CanonicalUrl(url), "Site", text), "http://site.example/qzx")
    assert (refusal.reason if refusal else None) == (
        said and f"http://site.example/qzx, a URL that Breadcrumb generated, redirects to it, and it says “{said}”"
    )


@given(st.text(), st.text(), st.lists(st.text(), max_size=2))
def test_any_text_is_judged(title: str, text: str, headings: list[str]) -> None:
    judge(title, text, tuple(headings))
