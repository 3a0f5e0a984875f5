"""Is a file of judgements read exactly, and is nDCG what its papers say?"""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.evaluation import JudgedPage, JudgedQuery, ndcg, read_judged_pages, read_judgements, written

RYE, OVEN = "http://bakery.example/rye", "http://bakery.example/oven"


def test_a_file_has_questions_with_the_grades_of_their_pages() -> None:
    content = f"# what people ask\n\nrye  bread\t{RYE}\t3\r\nrye bread\t{OVEN}\növen\t{OVEN}\t0\n".encode()
    assert read_judgements(content) == (
        JudgedQuery("rye bread", {RYE: 3, OVEN: 1}),
        JudgedQuery("öven", {OVEN: 0}),
    )


def test_an_address_is_judged_under_its_canonical_form() -> None:
    (question,) = read_judgements(b"rye\tHTTP://Bakery.Example:80/a/../rye")
    assert question.grades == {RYE: 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it has no judgement: write lines with a query, a tab and a URL"),
        (b"rye bread http://bakery.example/", "line 1: write a query, a tab, a URL"),
        (b"# fine\nrye\tbakery\t1", "line 2: 'bakery' is not a URL such as http"),
        (f"rye\t{RYE}\t4".encode(), "line 1: '4' is not a grade from 0 to 3"),
        (f"rye\t{RYE}\tone".encode(), "line 1: 'one' is not a grade"),
        (f"\t{RYE}".encode(), "line 1: write a query"),
        (b"rye\xff", "it is not UTF-8 from byte 3 on"),
        (b"x" * 4_000_001, "it has 4,000,001 bytes; at most 4,000,000 are allowed"),
        ("".join(f"{number}\t{RYE}\n" for number in range(1_001)).encode(), "it has 1,001 queries"),
    ],
)
def test_what_can_not_be_read_is_told_with_its_line(content: bytes, said: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - what it says is looked at
        read_judgements(content)
    assert said in str(refused.value)


@given(st.binary(max_size=200) | st.text(alphabet="a\t\n\r#3 http:/.é\x00\u2028", max_size=80).map(str.encode))
def test_any_bytes_are_judgements_or_are_refused(content: bytes) -> None:
    try:
        found = read_judgements(content)
    except ValueError:
        return
    assert found
    assert all(question.text.strip() and question.grades for question in found)


QUERIES = st.text(min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(st.tuples(QUERIES, st.sampled_from([RYE, OVEN]), st.integers(0, 3)), min_size=1))
@example([("#include", RYE, 1)])
def test_what_is_written_is_read_again(rows: list[tuple[str, str, int]]) -> None:
    judged = tuple(JudgedPage(number, *row) for number, row in enumerate(rows, 2))
    assert read_judged_pages(written(judged).encode()) == judged


def test_ndcg_is_that_of_the_paper() -> None:
    grades = {"a": 3, "b": 2, "c": 1}
    assert ndcg(["a", "b", "c"], grades) == 1.0
    best = 7 + 3 / math.log2(3) + 1 / 2
    assert ndcg(["x", "b", "a"], grades) == pytest.approx((3 / math.log2(3) + 7 / 2) / best)
    assert ndcg(["x"] * 10 + ["a"], grades) == 0.0, "what stands behind the tenth counts nothing"
    assert ndcg(["a"], {"a": 0}) == ndcg([], {}) == 0.0
