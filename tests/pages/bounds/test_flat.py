"""Does a page that is read flat say the same as its tree, in tags that were all written by us?"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pages.bounds.flat import TAG, Flattening
from pages.html_document import read_html
from pages.links import BaseUrl

PIECES = ["<", ">", "</", "<div>", "</div>", "<p>", "<td>", "<table>", "</table>", "<!--", "-->", '"', "'", "=", " ",
          "a", "<script>", "</script>", "<title>", "</title>", "<b x=", "<svg>", "<![CDATA[", "]]>", "<a href='",
          "/"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_every_tag_of_a_flat_page_was_written_by_us(markup: str) -> None:
    flattened = "".join(Flattening(markup).pieces())
    names = {found[2].lower() for found in TAG.finditer(flattened)}
    assert names <= {"br", "a", "title"}
    assert "".join(Flattening(flattened).pieces()) == flattened  # nothing in it is read otherwise the second time


PAGE = """<html lang=en><head><title>T</title><meta name=description content=d><link rel=canonical href=/c></head>
<body><h1>One</h2><p hidden>secret<p>two <b>t</b>hree<table><tr><td>4<td>5</table><noscript>no<a href=n>x</a></noscript>
<ul><li hidden>gone<li><a href=/a><i>six</i><div>seven</div></a></ul><svg><title>icon</title><a href=s>s</a></svg>
<section data-nosnippet>eight<section>nine</section>ten</section><select><option>eleven</select>end</body>"""


def test_a_flat_page_says_the_same_as_the_tree() -> None:
    flattened = "".join(Flattening(PAGE).pieces())
    address = BaseUrl.of("http://site.example/")
    flat, tree = read_html(flattened, address), read_html(PAGE, address)
    # Which of the lines are main text can't be the same: what is flat has no blocks to tell it by.
    assert (flat.lines.lines, flat.lines.withheld) == (tree.lines.lines, tree.lines.withheld)
    assert replace(flat, lines=tree.lines) == tree
