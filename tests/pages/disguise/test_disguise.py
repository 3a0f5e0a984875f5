"""Text that readers do not see: hidden in a dozen ways, apart from honest hiding; and scripts that redirect."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.hidden.hidden_text import script_target
from pages.hidden.styles import is_clear, read_colour
from tests.cpu import least
from urls.records import CanonicalUrl
from urls.wording import counted

if TYPE_CHECKING:
    from urls.records import Page

STUFFED = "sextant shop best sextant cheap sextant " * 8
LIST = (
    "sextant compass almanac octant astrolabe chronometer dividers parallel ruler chart latitude noon star horizon "
    "mirror telescope arc vernier drum index shade brass frame pilot"
)
SHOWN = "The baker of the village sells rye bread, and on Fridays a cake with plums in it. "


def read(body: str, head: str = "") -> Page:
    markup = f"<html><head><title>Bread</title>{head}</head><body>{body}</body></html>"
    return parse_page(
        FetchedBody(markup.encode(), CanonicalUrl("http://a.example/"), [("Content-Type", "text/html; charset=utf-8")])
    )


HIDING = {
    "display:none": '<div style="display:none">{}</div>',
    "display : NONE with capitals": '<div STYLE="Display : NONE">{}</div>',
    "visibility": '<p style="visibility:hidden">{}</p>',
    "opacity": "<p style='opacity:0'>{}</p>",
    "without quotes": "<p style=display:none>{}</p>",
    "blanks around the sign": '<p style = "display:none">{}</p>',
    "off to the left": '<div style="position:absolute;left:-9999px">{}</div>',
    "text-indent": '<div style="text-indent:-5000px">{}</div>',
    "no height": '<div style="height:0;overflow:hidden">{}</div>',
    "clip": '<div style="position:absolute;clip:rect(0,0,0,0)">{}</div>',
    "tiny": '<p style="font-size:1px">{}</p>',
    "no size": '<p style="font-size:0">{}</p>',
    "white on white": '<div style="background:#fff"><p style="color:white">{}</p></div>',
    "nearly the same colour": '<p style="color:#fefefe;background-color:rgb(255,255,255)">{}</p>',
    "font of the old web": '<table><tr><td bgcolor="#000000"><font color="black">{}</font></td></tr></table>',
    "on the default ground": '<p style="color:#ffffff">{}</p>',
    "transparent": '<p style="color:transparent">{}</p>',
    "the attribute": "<div hidden>{}</div>",
    "noscript on a page without a script": "<noscript><p>{}</p></noscript>",
    "for neither eyes nor ears": '<script>1</script><p class="x" aria-hidden="true" style="text-indent:-9999px">{}</p>',
}


@pytest.mark.parametrize("words", [STUFFED, LIST], ids=["stuffed", "a list of words"])
@pytest.mark.parametrize("hiding", HIDING.values(), ids=HIDING)
def test_hidden_words_are_counted_and_are_no_text(hiding: str, words: str) -> None:
    page = read(SHOWN + hiding.format(words))
    assert page.disguise.words == len(words.split())
    assert "sextant" in page.disguise.sample
    assert "sextant" not in page.text
    assert "rye bread" in page.text


def test_a_hidden_heading_is_no_heading() -> None:
    assert read(f'{SHOWN}<h1 style="display:none">sextant</h1><h2>Plums</h2>').headings == ("Plums",)


def test_a_few_hidden_words_are_no_sign_and_no_text_either() -> None:
    page = read(SHOWN + '<p style="display:none">secret words</p>')
    assert (page.disguise.words, "secret" in page.text) == (0, False)


HONEST = {
    "a menu": '<nav style="display:none"><a href=/a>{}</a></nav>',
    "a menu by its links": '<div style="display:none"><a href=/a>{}</a></div>',
    "a tab": '<div role="tabpanel" hidden>{}</div>',
    "a dialog": '<div role="dialog" style="display:none">{}</div>',
    "a note on cookies": '<div style="display:none">{}<button>I agree</button></div>',
    "what a button opens": '<button aria-controls="more">More</button><div id="more" hidden>{}</div>',
    "what a script may open": '<script src="/x.js"></script><div class="fold" style="display:none">{}</div>',
    "details": "<details><summary>More</summary><div style='display:none'>{}</div></details>",
    "noscript beside a script": "<script>1</script><noscript>{}</noscript>",
    "white letters on a picture": '<div style="background:url(night.jpg)"><p style="color:#fff">{}</p></div>',
    "white letters on a class": '<div class="dark"><p style="color:#fff">{}</p></div>',
    "white letters where there is a stylesheet": '<style>p{{}}</style><p style="color:#fff">{}</p>',
    "white letters on black": '<body bgcolor="black"><font color="white">{}</font>',
    "an icon's words": '<span aria-hidden="true">{}</span>',
    "letters with a size of their own": '<div style="font-size:0"><span class="box">{}</span></div>',
    "moved a little": '<p style="position:relative;left:-12px">{}</p>',
    "the whole page, before its scripts run": '<div id="app" style="visibility:hidden">{}</div><script>1</script>',
}


@pytest.mark.parametrize("hiding", HONEST.values(), ids=HONEST)
def test_honest_hiding_is_no_sign(hiding: str) -> None:
    assert read(SHOWN + hiding.format(LIST)).disguise.words == 0


def test_labels_for_screen_readers_are_no_sign_and_stay() -> None:
    label = '<span style="position:absolute;left:-9999px">Part number {} of ten:</span> '
    page = read(
        "".join(f"<p>{label.format(name)}{SHOWN}</p>" for name in ("one", "two", "three", "four", "five", "six"))
    )
    assert page.disguise.words == 0
    assert "Part number three" in page.text


FARM = '<a href="http://b.example/">best sextant</a> <a href="/own">rye bread</a>'


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        pytest.param(f"<p>{SHOWN}{FARM}</p>", ["best sextant", "rye bread"], id="shown"),
        pytest.param(f'<p style="display:none">{SHOWN}{FARM}</p>', ["", ""], id="in hidden text"),
        pytest.param('<a style="display:none" href="/own">rye bread</a>', [""], id="hidden by itself"),
        pytest.param(f'<p style="font-size:0">{FARM}</p>', ["", ""], id="too small to be a menu for anybody"),
        pytest.param(f'<div style="left:-9999px;position:absolute">{FARM}</div>', ["", "rye bread"], id="a farm aside"),
        pytest.param(f'<ul style="display:none"><li>{FARM}</ul>', ["", "rye bread"], id="a menu of this site alone"),
        pytest.param(f'<nav style="display:none">{FARM}</nav>', ["best sextant", "rye bread"], id="a menu that opens"),
        pytest.param(
            f"<div hidden id=m>{FARM}</div><a href=#m>m</a>", ["best sextant", "rye bread"], id="that is named"
        ),
    ],
)
def test_a_link_that_no_reader_sees_is_followed_and_its_words_tell_nothing(markup: str, words: list[str]) -> None:
    page = read(f"<p>{SHOWN}</p>{markup}")
    assert [link.words for link in page.links] == words
    stand = counted(words.count(""), "link stands", "links stand")
    told = f"{stand} where no reader looks: their words count for no page"
    assert (told in page.warnings) == ("" in words)


def test_a_copy_for_other_screens_is_no_sign() -> None:
    long = f"<p>{LIST}</p>"
    assert read(f'<div>{long}</div><div style="display:none">{long}</div>').disguise.words == 0


@pytest.mark.parametrize(
    "hiding", ['<nav style="display:none">{}</nav>', '<script>1</script><div class="a" hidden>{}</div>']
)
def test_what_only_repeats_a_word_is_no_menu(hiding: str) -> None:
    assert read(SHOWN + hiding.format(STUFFED)).disguise.words == len(STUFFED.split())


PIECES = [
    "<div style='display:none'>", "</div>", "<p hidden>", "sextant ", "<font color=", "<noscript>", "</noscript>",
    "style=", "'", '"', "<a aria-hidden=true style=left:-999px>", "<script>location='/x'</script>", ">",
    "<template hidden>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_markup_is_read(pieces: list[str]) -> None:
    assert read("".join(pieces)).disguise.words >= 0


@pytest.mark.parametrize(
    "script",
    [
        'location = "/shop"', "window.location.href='/shop';", 'location.replace("/shop")', "document.location='/shop'",
        "<!--\nself.location.assign('/shop');\n//-->", "setTimeout(function () { location.href = '/shop'; }, 100)",
        "setTimeout(\"location.href='/shop'\", 0);", "setTimeout(() => location.replace('/shop'), 50)",
    ],
)  # fmt: skip
def test_a_script_that_only_leads_away_is_found(script: str) -> None:
    assert script_target([script]) == "/shop"
    assert read(SHOWN, f"<script>{script}</script>").disguise.leads_to == "/shop"


@pytest.mark.parametrize(
    "script",
    [
        "if (top != self) { top.location = '/shop' }", "function go() { location = '/shop' }", "var x = location.href;",
        "if (location.protocol == 'http:') location = '/shop'", "button.onclick = () => location = '/shop'",
        "location.hash = 'top'", 'alert("location = \'/shop\'")', f"location='/shop'; {'x' * 600}",
    ],
)  # fmt: skip
def test_a_script_that_asks_first_is_none(script: str) -> None:
    assert script_target([script]) == ""


@given(st.text())
def test_any_script_and_any_colour_is_read(text: str) -> None:
    script_target([text, f"location={text}", f"setTimeout({text}, 1)"])
    assert read_colour(text) is None or len(read_colour(text) or ()) == 3
    assert is_clear(text) in (True, False)


def test_blanks_in_a_short_script_are_read_once() -> None:
    start = process_time()
    assert not script_target(['setTimeout("' + " " * 450 + "location"] * 3)
    assert process_time() - start < 2


@pytest.mark.parametrize("style", ["transform:translate({blanks}x)", "color:rgb(1{blanks}x)", "font-size:{zeros}x1"])
def test_a_long_run_in_a_style_is_read_once(style: str) -> None:
    start = process_time()
    read(f'<p style="{style.format(blanks=" " * 50_000, zeros="0" * 50_000)}">words</p>')
    assert process_time() - start < 5  # 20 and more if it is read from each place


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("#FFF", (255, 255, 255)),
        ("00ff00", (0, 255, 0)),
        ("rgba(1, 2, 3, .5)", (1, 2, 3)),
        ("Navy", (0, 0, 128)),
        ("inherit", None),
    ],
)
def test_colours_are_read_in_all_their_forms(written: str, read: tuple[int, int, int] | None) -> None:
    assert read_colour(written) == read


@pytest.mark.parametrize(
    "hiding",
    [
        pytest.param('<div style="font-size:0">word ', id="tiny, unless something inside has a size of its own"),
        pytest.param('<div style="display:none">', id="without a word"),
    ],
)
def test_elements_below_many_that_hide_them_are_not_looked_through_for_each(hiding: str) -> None:
    def seconds(levels: int) -> float:
        page = hiding * levels + "<p></p>" * 30_000 + "</div>" * levels
        start = process_time()
        read(page)
        return process_time() - start

    assert least(seconds, 1_500) < 6 * least(seconds, 1)  # 15 and more if they are
