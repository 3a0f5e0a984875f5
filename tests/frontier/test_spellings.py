"""The filter before the disk: bounded in octets, right about what it keeps, and true to what is met again."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from frontier.spellings import ENTRY_OCTETS, LONGEST, Spellings


@given(st.lists(st.tuples(st.text(max_size=20), st.integers(1, 9))), st.integers(500, 5000))
def test_it_forgets_and_never_errs(met: list[tuple[str, int]], octets: int) -> None:
    spellings, truth = Spellings(octets), dict[str, int]()
    for spelling, known in met:
        spellings.put(spelling, known)
        truth[spelling] = known
        assert spellings.get(spelling) == known
    assert all(spellings.get(spelling) in {None, known} for spelling, known in truth.items())


def test_its_memory_is_bounded_whatever_it_meets() -> None:
    spellings = Spellings(1_000_000)
    for number in range(100_000):
        spellings.put(f"http://a.example/{number}", number)
    assert len(spellings) * ENTRY_OCTETS < 1_000_000
    held = sys.getsizeof(spellings._young) + sys.getsizeof(spellings._old)
    held += sum(sys.getsizeof(spelling) + 32 for each in (spellings._young, spellings._old) for spelling in each)
    assert held < 1_000_000


def test_what_is_met_again_and_again_is_kept() -> None:
    spellings = Spellings(20_000)
    spellings.put("http://a.example/", 1)
    for number in range(1000):
        spellings.put(f"http://a.example/{number}", number)
        assert spellings.get("http://a.example/") == 1
    assert spellings.get("http://a.example/0") is None


def test_an_overlong_spelling_is_not_kept() -> None:
    spellings = Spellings()
    spellings.put("x" * (LONGEST + 1), 1)
    assert len(spellings) == 0
