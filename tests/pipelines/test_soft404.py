"""Pages that say "not found" with the status 200, and pages that only talk about it."""

import pytest

from pipelines import soft404
from urls.records import CanonicalUrl, Page

URL = CanonicalUrl("http://site.example/x")


def judge(title: str, text: str = "", headings: tuple[str, ...] = (), status: int = 200) -> str | None:
    refusal = soft404.soft404_refusal(Page(URL, title, text, headings=headings, status=status))
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
    refusal = soft404.soft404_refusal(Page(URL, "Page not found", "Sorry"))
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
        pytest.param("Home", "Welcome. The cat was not found.", id="the words in the text alone"),
        pytest.param("", "", id="nothing at all"),
    ],
)
def test_pages_that_only_mention_it_are_kept(title: str, text: str) -> None:
    assert judge(title, text) is None


def test_a_long_page_without_blanks_is_long_too() -> None:
    assert judge("404", "検索の仕組みについて説明します。" * 40) is None


def test_an_honest_404_needs_no_judgement() -> None:
    assert judge("404 Not Found", "Sorry", status=404) is None
