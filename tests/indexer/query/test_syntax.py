"""The grammar of a question: what is an operator, and what is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.query.syntax import MAX_DEPTH, Clause, ClauseKind, date_range, parse_clauses


def shown(clause: Clause) -> str:
    """A clause as a person would write it down without doubt."""
    if clause.parts:
        inside = " ".join(map(shown, clause.parts))
        told = f"{clause.kind.value}[{inside}]"
    else:
        told = clause.text if clause.kind is ClauseKind.WORDS else f"{clause.kind.value}:{clause.text}"
    return f"{'not ' if clause.excluded else ''}{told}"


def read(text: str) -> list[str]:
    return [shown(clause) for clause in parse_clauses(text, lambda word: word in {"-Fc", "-m"})]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        pytest.param("rust compiler", ["rust", "compiler"], id="words"),
        pytest.param('"borrow checker" rust', ["phrase:borrow checker", "rust"], id="phrase"),
        pytest.param("“borrow checker”", ["phrase:borrow checker"], id="curly quotes"),
        pytest.param('"a', ["a"], id="a quote that does not close"),
        pytest.param('-gcc -"C++ 98"', ["not gcc", "not phrase:C++ 98"], id="exclusions"),
        pytest.param("pg_dump -Fc", ["pg_dump", "-Fc"], id="an option that is known is a word"),
        pytest.param('-"Fc"', ["not phrase:Fc"], id="in quotes an option is excluded"),
        pytest.param("--with-ssl a-b", ["--with-ssl", "a-b"], id="two dashes, and one inside, exclude nothing"),
        pytest.param("a OR b", ["any[a b]"], id="OR"),
        pytest.param("a OR b OR c d", ["any[a b c]", "d"], id="OR binds neighbours"),
        pytest.param("x a OR b", ["x", "any[a b]"], id="words before OR"),
        pytest.param("OR a OR", ["OR", "a", "OR"], id="OR at the ends is a word"),
        pytest.param("a or b", ["a", "or", "b"], id="or is a word"),
        pytest.param("A OR B C", ["any[A B]", "C"], id="acronyms"),
        pytest.param("A B C D E F OR G", ["a", "b", "c", "d", "e", "f", "or", "g"], id="OR in a sentence in capitals"),
        pytest.param("A OR B OR C OR D OR E F", ["any[A B C D E]", "F"], id="a list of acronyms"),
        pytest.param("A B C D E F OR g", ["A", "B", "C", "D", "E", "any[F g]"], id="OR in a sentence of acronyms"),
        pytest.param("a OR OR b", ["any[a OR]", "b"], id="a doubled OR"),
        pytest.param("(a OR b) c", ["any[a b]", "c"], id="parentheses"),
        pytest.param("(a b) OR c", ["any[all[a b] c]"], id="a group is one alternative"),
        pytest.param("-(a OR b)", ["not any[a b]"], id="a group excluded"),
        pytest.param("((a))", ["a"], id="parentheses around parentheses"),
        pytest.param("f(x) os.path.join()", ["f", "x", "os.path.join"], id="a call is text"),
        pytest.param("(f(x) OR y) z", ["all[f any[x y]]", "z"], id="a call inside a group"),
        pytest.param("a) b (c", ["a", "b", "c"], id="parentheses that do not match"),
        pytest.param("site:a.test -lang:de", ["site:a.test", "not lang:de"], id="operators"),
        pytest.param('INTITLE:"rye bread"', ["intitle:rye bread"], id="operator with a phrase"),
        pytest.param("filtype:pdf passwd:root", ["filtype:pdf", "passwd:root"], id="no operator"),
        pytest.param("site: intitle:", ["site:", "intitle:"], id="operators without a value"),
        pytest.param("before:2020 after:lunch", ["before:2020", "after lunch"], id="a date, and none"),
        pytest.param("compi* a* *b* c*d **", ["prefix:compi", "a*", "*b*", "c*d", "**"], id="beginnings"),
        pytest.param("*", ["*"], id="a star alone"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_question_is_made_of_these_clauses(text: str, clauses: list[str]) -> None:
    assert read(text) == clauses


def test_groups_deeper_than_the_bound_are_text() -> None:
    (clause,) = parse_clauses("-(" * 1_000 + "a" + ")" * 1_000, lambda _: False)
    depth = 0
    while clause.parts:
        (clause,) = clause.parts
        depth += 1
    assert clause.text == "a"
    assert 1 < depth <= MAX_DEPTH


PIECES = st.lists(
    st.sampled_from(
        ["a", "b", " ", " OR ", "(", ")", "-", '"', "*", "site:", "before:", "2020", "intitle:", "東", "-Fc"]
    )
).map("".join)


@given(st.one_of(st.text(max_size=300), PIECES))
def test_any_text_is_read_and_no_word_of_it_is_lost(text: str) -> None:
    clauses = parse_clauses(text, lambda _: False)
    leaves = [leaf for clause in clauses for leaf in clause.leaves()]
    kept = "".join(f"{leaf.kind.value}{leaf.text}" for leaf in leaves).lower()
    words = text.replace("OR", "").lower()  # which is no word where it stands between two
    assert all(letter in kept for letter in words if letter.isalnum() and letter.isascii())


def test_an_or_that_touches_a_quote_joins_as_any_other() -> None:
    assert read('INTITLE:0"OR INTITLE:0') == ["any[intitle:0 intitle:0]"]


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2020", "2020-01-01", "2021-01-01"),
        ("2020-12", "2020-12-01", "2021-01-01"),
        ("2024-2-28", "2024-02-28", "2024-02-29"),
    ],
)
def test_a_date_names_these_days(text: str, first: str, after: str) -> None:
    days = date_range(text)
    assert days is not None
    assert [f"{day:%Y-%m-%d}" for day in days] == [first, after]


@pytest.mark.parametrize(
    "text", ["lunch", "2020-13", "2021-02-29", "0000", "9999", "99999", "\uff12\uff10\uff12\uff10", "2020-", ""]
)
def test_what_is_no_date_names_no_days(text: str) -> None:
    assert date_range(text) is None
