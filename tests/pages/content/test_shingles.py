"""The shingles of a text, in any script."""

from hypothesis import given
from hypothesis import strategies as st

from pages.content.similarity import MAX_SHINGLES, resemblance, shingles

ENGLISH = "The robot of Čapek walks through the town and reads every page that it finds there."


def test_each_three_neighbouring_words_are_a_shingle() -> None:
    assert shingles("Rye bread, rye  bread") == {b"rye bread, rye", b"bread, rye bread"}
    assert shingles("two words") == set()


def test_in_scripts_without_blanks_each_character_is_a_word() -> None:
    assert {shingle.decode() for shingle in shingles("検索する robot")} == {"検 索 す", "索 す る", "す る robot"}


def test_a_chinese_name_changes_only_the_words_around_it() -> None:
    """All others go on to be what stands between two blanks, commas included."""
    original = ENGLISH + " " + ", ".join(f"word{number}" for number in range(200))
    assert resemblance(original, original.replace("Čapek", "老子")) > 0.95


def test_resemblance_is_the_share_of_what_either_has() -> None:
    assert resemblance("a b c d", "a b c d") == 1
    assert resemblance("a b c d", "b c d e") == 1 / 3
    assert resemblance("", "") == 1
    assert resemblance("a", "b") == 0


@given(st.text(), st.text())
def test_any_two_texts_resemble_each_other_by_a_share(one: str, other: str) -> None:
    assert 0 <= resemblance(one, other) == resemblance(other, one) <= 1
    assert resemblance(one, one) == 1


def test_a_thick_book_has_a_bounded_number() -> None:
    assert len(shingles(" ".join(map(str, range(MAX_SHINGLES + 1000))))) == MAX_SHINGLES


@given(st.text(alphabet="ab \n\t\x1c\x85\u2028検İ", max_size=40), st.integers(1, 4))
def test_encoding_in_one_piece_gives_the_shingles_one_by_one(text: str, length: int) -> None:
    words = text.lower().replace("検", " 検 ").split()
    plain = {" ".join(words[start : start + length]).encode() for start in range(len(words) - length + 1)}
    assert shingles(text, length) == plain
