"""The presence bit array: what was added is always known, and of the rest as few as the formula says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.course.presence_bits import PresenceBits, bits_for, fill


@given(st.sets(st.text(), min_size=1, max_size=50))
def test_what_was_added_is_known(urls: set[str]) -> None:
    bits = PresenceBits.made_for(50, 0.01)
    for url in urls:
        bits.add(url)
    assert all(url in bits for url in urls)
    assert all(bits.add(url) for url in urls)


@pytest.mark.parametrize(
    ("urls", "errors", "bits", "hashes"),
    [
        pytest.param(1_000_000, 0.001, 14_377_588, 10, id="Bloom: 14.4 bits a URL at one in a thousand"),
        pytest.param(1_000_000, 0.01, 9_585_059, 7, id="9.6 bits at one in a hundred"),
        pytest.param(1, 0.9, 8, 1, id="never less than an octet"),
    ],
)
def test_the_size_is_that_of_the_formula(urls: int, errors: float, bits: int, hashes: int) -> None:
    made_bits, made_hashes = bits_for(urls, errors)
    assert abs(made_bits - bits) <= 1
    assert made_hashes == hashes


def test_the_errors_are_as_many_as_the_formula_says() -> None:
    bits = PresenceBits.made_for(5000, 0.02)
    for number in range(5000):
        bits.add(f"http://a.example/{number}")
    wrong = sum(f"http://b.example/{number}" in bits for number in range(20_000))
    assert bits.expected_errors() == pytest.approx(0.02, rel=0.1)
    assert wrong / 20_000 == pytest.approx(0.02, rel=0.25)
    assert bits.octets == (bits.bits + 7) // 8


@pytest.mark.parametrize(("urls", "errors"), [(0, 0.1), (10, 0.0), (10, 1.0), (10**12, 0.001)])
def test_what_no_array_can_be_made_for_is_told(urls: int, errors: float) -> None:
    with pytest.raises(ValueError, match=f"{urls:,}"):
        PresenceBits.made_for(urls, errors)


def test_errors_beyond_the_size_are_as_many_as_the_formula_says_of_all_that_were_added() -> None:
    bits = PresenceBits.made_for(1000, 0.01)
    for number in range(5000):
        bits.add(f"http://a.example/{number}")
    wrong = sum(f"http://b.example/{number}" in bits for number in range(5000))
    assert wrong / 5000 == pytest.approx(bits.expected_errors(5000), rel=0.05)
    assert bits.added < 5000


def test_as_many_urls_are_lost_as_the_formula_says_and_each_bit_of_theirs_was_set_by_another() -> None:
    urls = [f"http://a.example/{number}" for number in range(4000)]
    bits = PresenceBits(4 * len(urls), 3)
    filled = fill(bits, urls)
    assert len(filled.lost) == pytest.approx(filled.expected, rel=0.15)
    for lost in filled.lost:
        assert list(lost.places) == bits.places(urls[lost.number])
        for place, setter in zip(lost.places, lost.setters, strict=True):
            assert setter < lost.number
            assert place in bits.places(urls[setter])
    others = set(range(len(urls))) - {lost.number for lost in filled.lost}
    seen: set[int] = set()
    for number in sorted(others):
        assert not seen.issuperset(bits.places(urls[number]))  # what is not lost was new
        seen.update(bits.places(urls[number]))
    assert len(seen) == bits.set_bits
