"""Words that a style element hides are found; what it shows in another state, and what fills a picture, is not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pages import FetchedBody, parse_page
from pages.hidden.page_styles import styles_of
from pages.hidden.selectors import Match, Work, read_selector
from pages.hidden.stylesheet import MAX_RULES, read_stylesheet
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from urls.records import Page

HIDDEN = (
    "Every pilot of the river keeps a notebook with the depth of each crossing, and he writes down on which day the "
    "bank was measured, by whom it was done and how high the water stood at the bridge. Ships wait at the lower quay "
    "until a flag is raised, and who leaves earlier pays for the rope."
)
ENOUGH = 20  # hidden words, with which a page has a signal of spoofing
SHOWN = "The baker of the village sells rye bread, and on Fridays a cake with plums in it."


def judged(markup: str) -> Page:
    body = FetchedBody(markup.encode(), CanonicalUrl("http://a.example/"), [("Content-Type", "text/html")])
    return parse_page(body)


def read(css: str, *, head: str = "") -> Page:
    return judged(
        f'<html lang="en"><head><title>Bread</title>{head}<style>{css}</style></head>'
        f'<body><p>{SHOWN}</p><div class="kw" id="k"><p>{HIDDEN}</p></div></body></html>'
    )


HIDING = {
    "display": ".kw{display:none}",
    "visibility": "div.kw { visibility : hidden }",
    "opacity": "#k{opacity:0}",
    "place": ".kw{position:absolute;left:-9999px}",
    "place in letters": ".kw{position:absolute;left:-100em}",
    "indent": ".kw{text-indent:-9999px}",
    "size of the box": ".kw{height:0;overflow:hidden}",
    "clip": ".kw{position:absolute;clip:rect(0 0 0 0)}",
    "clip-path": ".kw{clip-path:inset(100%)}",
    "transform": ".kw{transform:translateX(-10000px)}",
    "no scale": ".kw{transform:scale(0)}",
    "size of letters": ".kw p{font-size:1px}",
    "a tenth of the letters around it": ".kw{font-size:0.1em}",
    "the short form of a font": ".kw{font:0/0 a}",
    "colour on colour": "body{background:#fff}.kw{color:#fefefe}",
    "colour of the ground alone": ".kw{background:#000}",
    "transparent letters": ".kw{color:rgba(0,0,0,0)}",
    "a variable": ":root{--ground:#fafafa}body{background:var(--ground)}.kw{color:var(--ground)}",
    "two rules": ".kw{position:absolute}div{left:-9999px}",
    "important": ".kw{display:none!important}.kw{display:block}",
    "the later of two": ".kw{display:block}.kw{display:none}",
    "the more exact of two": "div#k{display:none}.kw{display:block}",
    "a screen": "@media screen{.kw{display:none}}",
    "a browser that knows it": "@supports (display:block){.kw{display:none}}",
    "a child": "body>.kw>p{display:none}",
    "a sibling": "p+.kw{display:none}",
    "behind a comment": "/* } */.kw{display:none}",
    "an unclosed block": ".kw{display:none",
    "opacity of a hundredth": ".kw{opacity:.01}",
    "opacity in percent": ".kw{opacity:1%}",
    "a filter": ".kw{filter:opacity(0%)}",
    "content that is not shown": ".kw{content-visibility:hidden}",
    "an animation of none": ".kw{display:none;animation:none}",
    "a padding of none": ".kw{height:0;overflow:hidden;padding:0}",
    "a box of no size in another unit": ".kw{max-height:0em;overflow:hidden}",
    "a box of a tenth of a pixel": ".kw{height:.1px;overflow:hidden}",
    "a logical size of the box": ".kw{block-size:0;overflow:hidden}",
    "far to the right": ".kw{position:absolute;left:9999px}",
    "a place in percent": ".kw{position:absolute;left:-100%}",
    "a place by all four sides": ".kw{position:absolute;inset:-9999px auto auto -9999px}",
    "the short form of a margin": ".kw{margin:0 0 0 -9999px}",
    "indented by the width of the box": ".kw{text-indent:100%;white-space:nowrap;overflow:hidden}",
    "clip of the edge of a pixel": ".kw{position:absolute;clip:rect(1px,1px,1px,1px)}",
    "clip-path of a point": ".kw{clip-path:polygon(0 0,0 0,0 0)}",
    "a thousandth of the scale": ".kw{transform:scale(.001)}",
    "no scale, as a property": ".kw{scale:0}",
    "turned away": ".kw{transform:rotateY(90deg)}",
    "letters of a pixel by the short form": ".kw{font:1px/1 serif}",
    "letters of hardly an opacity": ".kw{color:rgba(0,0,0,.01)}",
    "letters of no opacity in eight digits": ".kw{color:#ffffff00}",
    "letters of no opacity in four digits": ".kw{color:#0000}",
    "white by hue, saturation and lightness": ".kw{color:hsl(0,0%,100%)}",
    "white by its parts in percent": ".kw{color:rgb(100%,100%,100%)}",
    "a name of nearly white": ".kw{color:floralwhite}",
    "a colour that is not known, on itself": "body{background:beige}.kw{color:beige}",
    "the letters' colour as the ground": ".kw{color:red;background:currentcolor}",
    "filled with nothing": ".kw{-webkit-text-fill-color:transparent}",
    "a shadow of the letters' colour": ".kw{color:#fff;text-shadow:0 0 1px #fff}",
    "a rule in a rule": "body{color:#000;.kw{display:none}}",
    "a rule in a rule, with its sign": "body{& > .kw{display:none}}",
    "a width that every screen has": "@media (min-width:1px){.kw{display:none}}",
    "screens and paper": "@media screen,print{.kw{display:none}}",
    "all but paper": "@media not print{.kw{display:none}}",
    "a list of one selector": ":is(.kw){display:none}",
    "any child": ".kw:nth-child(n){display:none}",
    "none of two": "div:not(.a,.b){display:none}",
    "a letter by its number": ".k\\77 {d\\69 splay:none}",
    "a variable of its own": ".kw{--d:none;display:var(--d)}",
    "behind a rule that is not known": "@font-face{font-family:x;src:url(a)}.kw{display:none}",
}
SHOWING = {
    "hover": ".kw{display:none}p:hover+.kw{display:block}",
    "paper": ".kw{display:none}@media print{.kw{display:block}}",
    "a width": ".kw{display:none}@media (min-width:40em){.kw{display:block}}",
    "hidden on paper alone": "@media print{.kw{display:none}}",
    "an animation": ".kw{opacity:0;animation:show 1s forwards}",
    "a rule that another one outdoes": ".kw{display:none}#k{display:block}",
    "letters that are somewhat smaller": ".kw{font-size:0.8em}",
    "letters that are smaller by the short form": ".kw{font:0.8em serif;color:#333}",
    "a dark ground": ".kw{background:#222;color:#fff}",
    "a dark ground further up": "body{background:#222;color:#fff}",
    "a picture": ".kw{background:url(sea.jpg);color:#fff}",
    "what may stand before a picture": ".kw{position:relative;color:#fff}",
    "a size of its own inside": ".kw{font-size:0}.kw p{font-size:1rem}",
    "visible inside": ".kw{visibility:hidden}.kw p{visibility:visible}",
    "half an opacity": ".kw{opacity:.5}",
    "an opacity of a half in percent": ".kw{opacity:50%}",
    "moved by its own half": ".kw{position:absolute;left:50%;transform:translate(-50%,-50%)}",
    "a part of a picture": ".kw{position:absolute;clip:rect(0,300px,200px,0)}",
    "the corner of a box": ".kw{clip-path:polygon(0 0,100% 0,100% 90%,0 100%)}",
    "a quarter turn in its plane": ".kw{transform:matrix(0,1,-1,0,0,0)}",
    "filled with a colour": ".kw{color:#fff;-webkit-text-fill-color:#333}",
    "a shadow of another colour": ".kw{color:#fff;text-shadow:0 0 2px #000}",
    "two colours that are not known": "body{background:beige}.kw{color:sienna}",
    "blue on black": ".kw{background:#000;color:rgb(0,0,255)}",
    "hidden on wide screens": "@media (min-width:600px){.kw{display:none}}",
    "hidden beyond a width and on paper": "@media (min-width:600px),print{.kw{display:none}}",
    "shown by a rule in a rule": ".kw{display:none;&.open{display:block}p:hover + &{display:block}}",
    "hidden elsewhere by a rule in a rule": ".menu{.kw{display:none}}",
    "another element": ".kv{display:none}#kw{display:none}kw{display:none}",
}


@pytest.mark.parametrize("css", HIDING.values(), ids=HIDING)
def test_words_that_a_style_element_hides_are_a_sign(css: str) -> None:
    page = read(css)
    assert page.disguise.words >= ENOUGH
    assert "pilot" not in page.text


@pytest.mark.parametrize("css", SHOWING.values(), ids=SHOWING)
def test_words_that_it_shows_sometimes_are_none(css: str) -> None:
    page = read(css)
    assert not page.disguise.words
    assert "pilot" in page.text


@pytest.mark.parametrize("script", ['<script type="application/ld+json">{}</script>', "<script> </script>"])
def test_data_for_programs_and_an_empty_script_show_nothing(script: str) -> None:
    assert read(".kw{display:none}", head=script).disguise.words >= ENOUGH
    assert not read(".kw{display:none}", head="<script type=module src=a.js></script>").disguise.words


@pytest.mark.parametrize("tag", ["canvas", "video", "audio", "progress", "meter"])
def test_what_stands_for_an_element_that_a_browser_shows_is_no_text(tag: str) -> None:
    page = judged(f"<p>{SHOWN}</p><{tag}>{HIDDEN} <a href=/film>film</a></{tag}>")
    assert "pilot" not in page.text
    assert "http://a.example/film" in {link.url for link in page.links}


def test_a_sheet_for_paper_is_not_read() -> None:
    assert not read("", head='<style media="print">.kw{display:none}</style>').disguise.words


def test_letters_may_have_a_ground_from_a_sheet_that_was_not_read() -> None:
    assert not read(".kw{color:#fff}", head='<link rel="stylesheet" href="a.css">').disguise.words


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param("p", Match.YES, id="a tag"),
        pytest.param("*", Match.YES, id="any"),
        pytest.param("div p", Match.YES, id="inside"),
        pytest.param("section>p", Match.YES, id="a child"),
        pytest.param("div>p", Match.NO, id="no child"),
        pytest.param("h2~p", Match.YES, id="a sibling"),
        pytest.param("h2+p", Match.NO, id="no next sibling"),
        pytest.param("p.a.b", Match.YES, id="two classes"),
        pytest.param("p.a.c", Match.NO, id="one class of two"),
        pytest.param("[lang|=en]", Match.YES, id="an attribute"),
        pytest.param("p:not(.c)", Match.YES, id="not"),
        pytest.param("p:not(.a)", Match.NO, id="not, and it is"),
        pytest.param(r".md\:x", Match.YES, id="an escape"),
        pytest.param("p:hover", Match.PERHAPS, id="a state"),
        pytest.param("div:hover p", Match.PERHAPS, id="a state further up"),
        pytest.param("p:nth-child(3)", Match.PERHAPS, id="not known here"),
    ],
)
def test_a_selector_matches_an_element_or_may_do_so(selector: str, expected: Match) -> None:
    tree = LexborHTMLParser('<div><section><h2>x</h2><i></i><p class="a b md:x" lang="en-GB">y</p></section></div>')
    node, found = tree.css_first("p"), read_selector(selector)
    assert node is not None
    assert found is not None
    assert found.matches(node, Work(100)) is expected


@pytest.mark.parametrize("selector", ["p::before", "", ">", "a b c d e f g", "[x", "p{", "a,b"])
def test_what_is_no_selector_of_an_element_is_left_out(selector: str) -> None:
    assert read_selector(selector) is None


@given(st.text(alphabet="ab.#:*>+~ ,{}()[];@!-'\"/\\\n0=display:none", max_size=300))
def test_any_sheet_can_be_read(css: str) -> None:
    read(css.replace("</", ""))


@pytest.mark.parametrize("part", ["a{", "@media screen{", ":not(", "a{color:red}", "/*", "a,"])
def test_the_work_on_a_hostile_sheet_is_bounded(part: str) -> None:
    assert len(read_stylesheet(part * 100_000)) <= MAX_RULES


def test_a_selector_that_names_the_outer_one_again_and_again_does_not_multiply() -> None:
    sheet = "p" + "{top:0;&&&&&&&&&&" * 8 + "{display:none}" + "}" * 8
    assert [rule.selector for rule in read_stylesheet(sheet)] == ["p", "p" * 10, "p" * 100]


@pytest.mark.parametrize(
    ("before", "declared"),
    [
        ("color:red", "margin:"),
        ("color:red", "inset:-"),
        ("color:red", "translate:- "),
        ("color:red", "clip-path:polygon("),
        ("color:red", "font:"),
        ("height:0", "padding:"),
    ],
)
def test_a_style_of_a_megabyte_is_read_once(before: str, declared: str) -> None:
    style = f"position:absolute;overflow:hidden;{before};{declared * (1_000_000 // len(declared))}"
    start = time.process_time()
    assert SHOWN in judged(f'<p style="{style}">word</p><p>{SHOWN}</p>').text
    read(f".kw{{{style}}}")
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "sheet",
    [
        pytest.param("@media" + " " * 40_000 + "x{.kw{display:none}}", id="a condition of blanks"),
        pytest.param(".kw{color:var(--a," + "x" * 60_000 + "}", id="an alternative without an end"),
        pytest.param(f"{'.a,' * 20_000}.kw{{{'&{b:c}' * 6_000}}}", id="many rules in one of many selectors"),
        pytest.param(f"{'a' * 198}{{{(',& b' * 49 + '{') * 7}{'&{b:c}' * 1_500}{'}' * 8}", id="in one another"),
    ],
)
def test_a_long_sheet_is_read_once(sheet: str) -> None:
    start = time.process_time()
    read(sheet)
    assert time.process_time() - start < 3


def test_long_attributes_are_not_compared_with_every_rule() -> None:
    rules = "".join(f".a1:not(.b{number}){{display:none}}" for number in range(2_000))
    classes = " ".join(f"a{number}" for number in range(30_000))
    start = time.process_time()
    judged(f'<style>{rules}</style><p class="{classes}">word</p>')
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(".a{{display:none}}", id="as many rules for each element"),
        pytest.param(".b{0} .c .d .e .a{{opacity:0}}", id="elements far up that are nowhere"),
        pytest.param(".a:hover .b{0}{{display:block}}.a{{display:none}}", id="as many states"),
        pytest.param(".a{{color:#fff}}.b{0}{{background:#fff}}", id="letters and grounds"),
        pytest.param(".a{{color:#00{0:04x}}}.e{{background:#80{0:04x}}}", id="as many colours of both"),
    ],
)
def test_the_work_on_many_elements_and_many_rules_is_bounded(rule: str) -> None:
    css = "".join(rule.format(number) for number in range(2_000))
    start = time.process_time()
    judged(f"<style>{css}</style>" + '<div class="a e d c"><i class="a">word</i>' * 2_000)
    assert time.process_time() - start < 5


def test_a_manual_of_thousands_of_alike_elements_is_looked_through_to_its_end() -> None:
    css = "".join(f"body div.part p.line{{width:{number}em;color:#aaa}}" for number in range(10, 40))
    lines = f'<p class="line">{SHOWN}</p>' * 4_000
    page = judged(
        f"<style>ul li{{background:#aaa}}{css}.kw{{display:none}}</style>"
        f'<body><div class="part">{lines}<div class="kw">{HIDDEN}</div></div>'
    )
    assert page.disguise.words >= ENOUGH


_TAGS = st.sampled_from(["p", "h3", "div", "i"])
_ATTRIBUTES = st.sampled_from(["", " class=a", " class='b a'", " id=k", " id=n class=b", " title=t", " style=top:1px"])
_COMPOUNDS = st.sampled_from(
    [
        "p", "i", "div", "h3", "*", ".a", ".b", "#k", ".a.b", "p:not(.a)", "i:hover", ":not(#k)", "[title]", "[id]",
        "[class^=b]", "[class$=a]", "[class*=b]", "[class~=a]", "[title|=t]", "[style]", "div:nth-child(1)", ".b:focus",
    ]
)  # fmt: skip
_RULES = st.lists(st.lists(_COMPOUNDS, min_size=1, max_size=3), min_size=1, max_size=6)


_MARKUP = st.recursive(
    st.builds("<{0}{1}>rye bread</{0}>".format, _TAGS, _ATTRIBUTES),
    lambda inside: st.builds("<div{}>{}</div>".format, _ATTRIBUTES, st.lists(inside, max_size=4).map("".join)),
)
_COMBINATORS = st.sampled_from([" ", ">", "+", "~"])


@given(_MARKUP, _RULES, _COMBINATORS)
def test_alike_elements_have_the_style_that_each_would_have_by_itself(
    markup: str, rules: list[list[str]], combinator: str
) -> None:
    css = [".z{display:none}", *(f"{combinator.join(rule)}{{left:{place}px}}" for place, rule in enumerate(rules))]
    tree = LexborHTMLParser(f"<body>{markup}<b class=z></b>")
    together = styles_of(css, tree)
    assert together is not None
    for node in tree.css("*"):
        alone = styles_of(css, tree)
        assert alone is not None
        assert together.style_of(node) == alone.style_of(node)


_HIDING = st.sampled_from(
    ["display:none", "color:#fff", "background:#111", "color:red", "background:red", "font-size:0", "display:block"]
)


@given(_MARKUP, st.lists(st.tuples(st.lists(_COMPOUNDS, min_size=1, max_size=3), _HIDING), max_size=6), _COMBINATORS)
@example("<p>rye bread</p>", [(["p:not(.a)"], "display:none")], " ")
@example("<p>rye bread</p>", [(["div", "p"], "display:none")], " ")
def test_what_a_page_hides_is_the_same_whichever_elements_without_a_word_it_has_besides(
    markup: str, rules: list[tuple[list[str], str]], combinator: str
) -> None:
    """Rules of elements that a page has not are left out: with such elements, the same is hidden by all of them."""
    css = "".join(f"{combinator.join(selector)}{{{said}}}" for selector, said in rules)
    # "k k": an id that the page names elsewhere could be shown, in both of them.
    every = "<section class='a b' id=k title=t style=top:1px></section>" + "".join(
        f"<{tag}></{tag}>" for tag in ("p", "h3", "div", "i")
    )
    page, fuller = (
        judged(f"<style>{css}</style><body><em>k k</em><main>{inside}</main>")
        for inside in (markup, f"{markup}{every}")
    )
    assert page.disguise == fuller.disguise
    assert page.text == fuller.text
