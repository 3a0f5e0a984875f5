"""Which text does a page hide by stylesheets in files? As much as by a style element, where all of them are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.hidden.stylesheet import MAX_SHEET_BYTES, read_sheet, read_stylesheet, reduced_sheet
from urls.records import CanonicalUrl, Page

SITE = "http://a.example"
MAIN, MORE = f"{SITE}/main.css", f"{SITE}/more.css"
HIDES = ".kw{display:none}"
WORDS = "The old lantern hangs in a narrow lane where nobody walks at night and its flame is small but steady since May"
SHOWS = ".kw{display:block}"
FOREIGN = "http://b.example/main.css"
PARTLY = "it imports sheets that are not read: of other sites, for some screens, or too many"
LINK = '<link rel="stylesheet" href="/main.css">'


def read(head: str, sheets: dict[str, str], mark: str = 'class="kw"') -> Page:
    markup = f"<title>t</title>{head}<p>Buy our goods today.</p><div {mark}><p>{WORDS}</p></div>"
    headers = [("Content-Type", "text/html")]
    return parse_page(FetchedBody(markup.encode(), CanonicalUrl(f"{SITE}/x/"), headers, sheets=sheets))


def sheet(css: bytes, content_type: str = "text/css") -> FetchedBody:
    return FetchedBody(css, CanonicalUrl(MAIN), [("Content-Type", content_type)])


@pytest.mark.parametrize(
    ("head", "sheets"),
    [
        pytest.param(LINK, {MAIN: HIDES}, id="a file"),
        pytest.param('<link rel="StyleSheet" href="//a.example/main.css#x" media=all>', {MAIN: HIDES}, id="spelling"),
        pytest.param('<base href="/"><link rel=stylesheet href="main.css">', {MAIN: HIDES}, id="a base"),
        pytest.param("<style>@import url(/main.css);</style>", {MAIN: HIDES}, id="an import of a style element"),
        pytest.param(f"<style>.kw{{display:block}}</style>{LINK}", {MAIN: HIDES}, id="the file comes later"),
        pytest.param(f"{LINK}<link rel=stylesheet href=/more.css>", {MAIN: HIDES, MORE: "p{margin:0}"}, id="two files"),
        pytest.param(f"{LINK}<link rel=icon href=/a.css>", {MAIN: HIDES}, id="a link to something else"),
    ],
)
def test_a_sheet_in_a_file_hides_words_as_a_style_element_does(head: str, sheets: dict[str, str]) -> None:
    page = read(head, sheets)
    assert page.disguise.words > 20
    assert "lantern" not in page.text
    assert all(each.is_read for each in page.sheets)


@pytest.mark.parametrize(
    ("head", "sheets"),
    [
        pytest.param(LINK, {}, id="the sheet is not known"),
        pytest.param(f"{LINK}<link rel=stylesheet href=/more.css>", {MAIN: HIDES}, id="another one is not known"),
        pytest.param(f"{LINK}<style>.kw{{display:block}}</style>", {MAIN: HIDES}, id="a later style shows it"),
        pytest.param(f"{LINK}<link rel=stylesheet href=/more.css>", {MAIN: HIDES, MORE: SHOWS}, id="as a later file"),
        pytest.param(f"{LINK}<link rel=stylesheet href=/more.css media=print>", {MAIN: HIDES, MORE: SHOWS}, id="paper"),
        pytest.param(LINK + "<link rel=stylesheet href=/more.css media=tv>", {MAIN: HIDES, MORE: SHOWS}, id="wide"),
        pytest.param('<link rel=stylesheet href="/main.css" media=print>', {MAIN: HIDES}, id="hidden on paper only"),
        pytest.param('<link rel="alternate stylesheet" href="/main.css">', {MAIN: HIDES}, id="by choice"),
        pytest.param('<link rel=stylesheet href="//b.example/main.css">', {FOREIGN: HIDES}, id="another site"),
        pytest.param(f"{LINK}<script>x()</script>", {MAIN: HIDES}, id="a script may show it"),
        pytest.param(LINK, {MAIN: HIDES + "." * 200_000}, id="too long"),
    ],
)  # fmt: skip
def test_nothing_is_hidden_that_half_of_a_style_hides(head: str, sheets: dict[str, str]) -> None:
    page = read(head, sheets)
    assert page.disguise.words == 0
    assert "lantern" in page.text


@pytest.mark.parametrize(
    ("head", "named"),
    [
        pytest.param(LINK, [MAIN], id="a file"),
        pytest.param(LINK * 5, [MAIN], id="each once"),
        pytest.param("".join(f"<link rel=stylesheet href=/{n}.css>" for n in range(4)), [], id="more than three"),
        pytest.param("<link rel=stylesheet href=/other-page.html>", [], id="another page of the site"),
        pytest.param("<link rel=stylesheet href=//b.example/x.css>", [], id="another site"),
        pytest.param("<link rel=stylesheet href='mailto:x.css'>", [], id="no address"),
        pytest.param(f"{LINK}<script src=/x.js></script>", [], id="a page with scripts"),
    ],
)
def test_a_page_names_the_sheets_that_are_worth_a_request(head: str, named: list[str]) -> None:
    assert [each.url for each in read(head, {}).sheets] == named


def test_sheets_that_are_too_long_together_are_not_named_again_once_they_are_known() -> None:
    assert read(LINK, {MAIN: HIDES + "." * 200_000}).sheets == ()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(sheet(b"<p>Not found", "text/html"), "the server says text/html and not text/css", id="a page"),
        pytest.param(sheet(b"a{color:red}", ""), "the server says no type and not text/css", id="no type"),
        pytest.param(sheet(b" " * (MAX_SHEET_BYTES + 1)), "it is too large to be read", id="bytes"),
        pytest.param(sheet(b"a{color:red}" * 6_000), "it is too large to be read", id="rules"),
        pytest.param(sheet(b"@import '//b.example/x.css';"), PARTLY, id="foreign"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_whole_sheet_is_not_used_for_a_reason(answer: FetchedBody, reason: str) -> None:
    read_as = read_sheet(answer)
    assert (read_as.css, read_as.reason) == (None, reason)


def test_a_file_is_kept_without_what_says_nothing_of_how_text_shows() -> None:
    css = b"@import 'more.css';@font-face{src:url(x)}a{cursor:help}b,i{color:red}@media print{p{display:none}}"
    read_as = read_sheet(sheet(css))
    assert read_as.imports == (MORE,)
    assert read_as.css == "b,i{color:red}\n@media (x){p{display:none}}"


_VALUES = st.sampled_from(["none", "block", "0", "red", "-999px", "#fff !important", "url(a.png) no-repeat"])
_RULES = st.tuples(
    st.sampled_from([".a", "#b > p", "a:not(.c):hover", "[title='x{y}']", "@media print", "*"]),
    st.sampled_from(["display", "color", "left", "cursor", "--x", "font"]),
    _VALUES,
)


@given(st.lists(_RULES, max_size=20), st.text(max_size=20))
def test_what_is_kept_says_what_the_sheet_says(rules: list[tuple[str, str, str]], noise: str) -> None:
    css = noise + "".join(
        f"{name}{{p{{{prop}:{value}}}}}" if name.startswith("@") else f"{name}{{{prop}:{value}}}"
        for name, prop, value in rules
    )
    assert read_stylesheet(reduced_sheet(css)) == read_stylesheet(css)
