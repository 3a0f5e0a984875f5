"""Is the tree that the parser builds never deeper or larger than was proved before?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pages.bounds.tag_arrays import NUMBERS, read_tags
from pages.bounds.tree_bounds import TreeBounds, bound, simple_bound

MANY = 200  # of a repeated unit: what leaks one level each time is far beyond what one unit may have


def proved(markup: str) -> TreeBounds | None:
    tags = read_tags(markup)
    return bound(tags) if tags else None


def proved_at_once(markup: str) -> TreeBounds | None:
    tags = read_tags(markup)
    return simple_bound(tags) if tags else None


def measured(markup: str) -> tuple[int, int, int]:
    """Depth of the parser's tree, and its number of elements and of attributes."""
    root = LexborHTMLParser(markup).root
    depth, elements, attributes, row = 0, 0, 0, [root] if root else []
    while row:
        depth += 1
        elements += len(row)
        attributes += sum(len(node.attributes) for node in row)
        row = [child for node in row for child in _children(node)]
    return depth, elements, attributes


def _children(node: LexborNode) -> list[LexborNode]:
    return [child for child in node.iter(include_text=False) if child.tag != "-comment"]


def assert_holds(markup: str) -> None:
    depth, elements, attributes = measured(markup)
    for most in filter(None, (proved(markup), proved_at_once(markup))):
        assert depth <= most.depth
        assert elements <= most.elements
        assert attributes <= most.attributes


NAMES = [*sorted(set(NUMBERS) - {"frameset", "plaintext"}), "x-y"]
NESTING = [
    "a", "b", "i", "p", "div", "span", "table", "tr", "td", "tbody", "caption", "ul", "li", "h1", "form",
    "button", "select", "option", "svg", "math", "mi", "title", "desc", "foreignobject", "object", "template",
    "font", "nobr", "dd", "dt", "ruby", "rt",
]  # fmt: skip
ODD = ["<b id=1>", "<a href=x>", "<font color=red>", "<path d=''/>", "<br/>", "<!-- c -->", "x", " ", "<![CDATA[",
       "]]>", "<input type=hidden>", "<col>", "<html a=1 b=2>", "</p>", "<script></script>"]  # fmt: skip
TOKENS = st.sampled_from([f"<{name}>" for name in NESTING] + [f"</{name}>" for name in NESTING]) | st.sampled_from(ODD)


def nested(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Markup whose tags are well nested, which is where the proof relies on end tags."""
    element = st.tuples(st.sampled_from(NAMES), inside).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>")
    return st.lists(element | inside, max_size=4).map("".join)


NESTED = st.recursive(TOKENS, nested, max_leaves=12)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(TOKENS, max_size=30).map("".join))
def test_no_soup_of_tags_is_beyond_its_bounds(markup: str) -> None:
    assert_holds(markup)


@pytest.mark.slow
@settings(max_examples=300)
@given(NESTED)
def test_no_nested_markup_is_beyond_its_bounds(markup: str) -> None:
    assert_holds(markup)


@pytest.mark.slow
@settings(max_examples=200)
@given(NESTED, st.lists(TOKENS, max_size=4).map("".join))
def test_nothing_adds_up_when_it_is_repeated(unit: str, before: str) -> None:
    assert_holds(before + unit * MANY)


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("<p><b id={}>x</p>", id="formatting left open in paragraphs"),
        pytest.param("<p><b id={}>x</p></b>", id="formatting closed behind its paragraph"),
        pytest.param("<b><p>x</b>y</p>", id="formatting closed across a paragraph"),
        pytest.param("<a href={}><div>", id="links left open around blocks"),
        pytest.param("<p><b id={}><div></div></b></p>", id="a block that closes the paragraph around formatting"),
        pytest.param("<table><div></div><td></td></table>", id="foster parenting"),
        pytest.param("<table><b>x<tr><td>y</table>", id="formatting in a table, before its first row"),
        pytest.param("<div><table><td></div></td></table>", id="end tags that a cell keeps from their element"),
        pytest.param("<form><div></form></div>", id="forms closed across"),
        pytest.param("<form><h1></form>", id="a form that ends before what is in it"),
        pytest.param("<form><object><form></form></object></form>", id="a form in a form"),
        pytest.param("<button><p><button></p></button>", id="a button in a button"),
        pytest.param("<a><table><tr><td><a></a></td></tr></table></a>", id="a link in a link"),
        pytest.param("<select><b><input></b></select>", id="an input that closes its select"),
        pytest.param("<select><title><div></title></select>", id="a title that select ignores"),
        pytest.param("<svg><style><div></style></svg>", id="markup in the style of a drawing"),
        pytest.param("<svg><![CDATA[</svg>]]></svg>", id="a section that hides an end tag"),
        pytest.param("<svg><p><path/></p></svg>", id="a paragraph that leads out of a drawing"),
        pytest.param("<svg><foreignObject><p></foreignObject></svg>", id="a paragraph left open inside a drawing"),
        pytest.param("</svg><path/>", id="a drawing that only ends"),
        pytest.param("<svg><link></svg>", id="a drawing's element that is empty elsewhere"),
        pytest.param("<path/>", id="a drawing's tag outside drawings"),
        pytest.param("<p><table></p>", id="a table in a paragraph"),
        pytest.param("<span><p></span>", id="an end tag that a paragraph stops"),
        pytest.param("<div><!--</div>-->", id="end tags in comments"),
        pytest.param('<div title="</div>">', id="end tags in attributes"),
        pytest.param("<div title='>'><script>'</div>'</script>", id="end tags in code"),
        pytest.param("<!--><div>-->", id="a comment that ends at once"),
        pytest.param("<template><td></td></template>", id="cells in a template"),
        pytest.param("<table><td><object><td></td></object></td></table>", id="a cell that closes another"),
        pytest.param("<html a{}=1>", id="attributes that all go to the root"),
    ],
)
def test_no_known_trick_is_beyond_its_bounds(unit: str) -> None:
    assert_holds("".join(map(unit.format, range(MANY))))
    assert_holds(f"<p>{''.join(map(unit.format, range(MANY)))}</p>after")


def test_well_nested_markup_is_bounded_closely() -> None:
    most = proved("<ul>" + "<li><a href=x>text</a><p>more <b>bold</b>.</p></li>" * 5000 + "</ul>")
    assert most is not None
    assert most.depth < 20
    assert most.elements < 26_000


def test_some_mistakes_cost_a_level_each() -> None:
    most = proved("<div><ul>" + "<li>one<li>two</li>" * 50 + "</ul></i>" + "<p>text</p>" * 500 + "</div></div>")
    assert most is not None
    assert most.depth < 120


ORDINARY = (
    "<!DOCTYPE html><title>x</title><header><svg><circle/><path d=''></path></svg></header><ul><li><a href=x><code>y"
    "</code></a><li>z</ul><table><tr><td><b>1</b><br><img></table><p>x <em>y <i>z</i></em></p>"
)


def test_an_ordinary_page_is_proved_at_once() -> None:
    assert proved_at_once(ORDINARY) is not None
    assert_holds(ORDINARY)


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<b><p>x</p></b>", id="a block in formatting"),
        pytest.param("<p><b>x</p>y</b>", id="formatting across a block"),
        pytest.param("<b><i>x</b></i>", id="formatting that is not nested"),
        pytest.param("<a><i><a>x</a></i></a>", id="a link in a link"),
        pytest.param("<b><hr></b>", id="a rule in formatting"),
        pytest.param("<b><x-y></x-y></b>", id="an unknown element in formatting"),
        pytest.param("<nobr><nobr></nobr></nobr>", id="nobr"),
        pytest.param("<svg><p></svg>", id="HTML in a drawing"),
        pytest.param("<math><mi></math>", id="a formula"),
        pytest.param("</b>", id="an end without a beginning"),
    ],
)
def test_what_may_bring_formatting_back_is_looked_at_more_closely(markup: str) -> None:
    assert proved_at_once(markup) is None
