"""What does a site put on all of its pages? And which repeated text is still content?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content.site_template import (
    MAX_EDGE_CHARS,
    MAX_MARKED_LINES,
    learnt_template,
    line_bits,
    mark_site_template,
    sample_of,
    template_bytes,
    template_marks,
    template_version,
)
from pages.text.layout import LineKind, TextLines

HEAD, FOOT = "Small. Fast. Reliable.", "Call before noon, and it is there by four"


def text(*lines: str, kinds: str = "") -> TextLines:
    return TextLines(lines, kinds or "t" * len(lines))


def page(number: int) -> TextLines:
    return text(
        HEAD, f"About the thing called {chr(97 + number) * 5}", f"It is as {chr(97 + number) * 4} as can be", FOOT
    )


def shared_lines(*pages: TextLines) -> frozenset[int]:
    return learnt_template([sample_of(line_bits(one)) for one in pages])


SITE = [page(number) for number in range(10)]


def test_lines_of_many_pages_are_their_template() -> None:
    found = mark_site_template(page(3), shared_lines(*SITE))
    assert found.kinds == "rttr"
    assert found.text == "About the thing called ddddd\nIt is as dddd as can be"


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_a_site_of_a_few_pages_teaches_nothing(pages: int) -> None:
    assert shared_lines(*SITE[:pages]) == frozenset()


def test_digits_make_no_difference() -> None:
    pages = [text(f"Page {number} of 10", f"About the thing {chr(97 + number) * 5}") for number in range(10)]
    assert mark_site_template(pages[7], shared_lines(*pages)).kinds == "rt"


@pytest.mark.parametrize(
    ("lines", "kinds", "judged"),
    [
        pytest.param([*"abcdef", HEAD, *"ghijkl"], "", "t" * 13,
                     id="a sentence in the midst of a page"),
        pytest.param([HEAD, "one"], "ht", "ht", id="a heading over what this page alone says"),
        pytest.param([HEAD, FOOT, "one two three four"], "htt", "Hrt", id="a heading over lines that repeat"),
        pytest.param([HEAD, "one"], "ct", "ct", id="a line of code"),
        pytest.param([*"abcdef", HEAD, *"ghijkl"], "ttttttltttttt"[:13],
                     "ttttttRttttttt"[:13], id="links, wherever they stand"),
        pytest.param([HEAD, FOOT], "", "tt", id="a page whose every line is its site's template"),
        pytest.param([HEAD, "-", FOOT], "", "ttt", id="or all but"),
        pytest.param([HEAD, FOOT, "a word of its own"], "sst", "sst", id="what the page shows by itself stays"),
        pytest.param([HEAD, "one and two and three"], "Rt", "Rt", id="what was judged so before"),
        pytest.param(["old slogan of the site", "one and two and three"], "rt", "tt", id="what is so no longer"),
    ],
)  # fmt: skip
def test_what_repeats_is_template_only_where_a_template_stands(lines: list[str], kinds: str, judged: str) -> None:
    assert mark_site_template(text(*lines, kinds=kinds), shared_lines(*SITE)).kinds == judged


def test_near_copies_keep_what_they_have_in_common() -> None:
    notes = [
        f"The note number {chr(97 + number % 26)}{chr(97 + number // 26)} says that all is well here"
        for number in range(80)
    ]
    copies = [text(*notes, f"this is the version {chr(97 + number) * 3} of them") for number in range(10)]
    assert sum(map(len, notes)) > MAX_EDGE_CHARS
    assert set(mark_site_template(copies[0], shared_lines(*copies)).kinds) == {"t"}


def test_only_the_head_and_the_foot_of_a_long_page_are_remembered() -> None:
    long = text(
        *(
            f"line {chr(97 + number % 26)} {chr(97 + number // 26 % 26)} {chr(97 + number // 676)}"
            for number in range(5000)
        )
    )
    assert len(sample_of(line_bits(long))) == 8 * MAX_MARKED_LINES


@given(
    st.lists(
        st.lists(st.sampled_from([HEAD, FOOT, "one two three", "four five six", "seven", "4"]), max_size=8), max_size=8
    ),
    st.data(),
)
def test_whatever_repeats_a_judgement_can_be_repeated_and_no_page_is_emptied(
    pages: list[list[str]], data: st.DataObject
) -> None:
    template = shared_lines(*(text(*lines) for lines in pages))
    assert template_marks(template_bytes(template)) == template
    assert (template_version(template) == 0) == (not template)
    lines = data.draw(st.lists(st.sampled_from([HEAD, FOOT, "one two three", "seven", "8"]), min_size=1))
    kinds = "".join(data.draw(st.lists(st.sampled_from(LineKind), min_size=len(lines), max_size=len(lines))))
    before = TextLines(tuple(lines), kinds)
    found = mark_site_template(before, template)
    assert mark_site_template(found, template) == found
    assert found.without_site_template() == before.without_site_template()
    assert bool(found.text) == bool(before.without_site_template().text)


def test_a_sentence_that_differs_by_a_number_alone_stays_where_only_a_shorter_link_would_be_left() -> None:
    pages = [
        TextLines((f"The inn tells story number {number}.", "to the next story"), LineKind.TEXT + LineKind.LINKS)
        for number in range(10)
    ]
    last = TextLines(("The inn tells story number 10.", "to another inn"), LineKind.TEXT + LineKind.LINKS)
    template = learnt_template([sample_of(line_bits(page)) for page in (*pages, last)])
    assert mark_site_template(last, template).text == last.text
    longer = TextLines((last.lines[0], "Inns of the river, the hills, the old road and the coast"), last.kinds)
    assert mark_site_template(longer, template).text == longer.lines[1], "a directory under a sentence that repeats"
