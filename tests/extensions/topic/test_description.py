"""Which terms make a topic? Words, a text, example pages; unusable ones are reported."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.topic.description import MAX_FILE_BYTES, MAX_GIVEN, TopicError, read_topic
from extensions.topic.priority import MAX_TERMS

BREAD = (
    "Sourdough needs time. A sourdough loaf is baked in a stone oven, and the oven must be hot. Ovens of stone last."
)


def cached_terms(given: str | Path) -> list[str]:
    return [term.word for term in read_topic(str(given)).terms]


@pytest.mark.parametrize(
    ("words", "terms"),
    [
        pytest.param("Sourdough bread, sourdough", ["sourdough", "bread"], id="each word once"),
        pytest.param("the history of bread", ["history", "bread"], id="words that say nothing are left out"),
        pytest.param("os.path.join", ["os", "path", "join"], id="a name is its parts"),
        pytest.param("全文検索", ["全文", "文検", "検索"], id="a run without blanks is its pairs"),
        pytest.param("хлеб", ["хлеб"], id="any script"),
    ],
)
def test_words_are_cut_as_the_index_cuts_them(words: str, terms: list[str]) -> None:
    assert cached_terms(words) == terms


def test_a_run_without_blanks_is_one_word_among_others() -> None:
    assert [term.stress for term in read_topic("全文検索 sourdough").terms] == [pytest.approx(1 / 3)] * 3 + [1]


@pytest.mark.parametrize("name", ["bread.txt", "bread.html", "bread"])
def test_of_a_text_those_words_are_taken_that_it_stresses_most(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(f"<title>Bread</title><p>{BREAD}</p>" if name.endswith("html") else BREAD)
    topic = read_topic(str(tmp_path / name))
    assert topic.given == name, "the gateway shows it, and where it lies is nobody's business"
    found = topic.terms
    by_word = {term.word: term for term in found}
    assert {"the", "is", "in", "a"}.isdisjoint(by_word)
    assert by_word["oven"].stress > by_word["sourdough"].stress > by_word["loaf"].stress, "ovens count as oven"
    assert "ovens" not in by_word
    assert 0 < by_word["loaf"].said < by_word["oven"].said < 1
    assert [term.stress for term in found] == sorted((term.stress for term in found), reverse=True)


def test_a_folder_stands_for_all_its_texts_and_pages(tmp_path: Path) -> None:
    for number, word in enumerate(("rye", "spelt", "wheat")):
        (tmp_path / f"{number}.txt").write_text(f"A loaf of {word}. " * 2)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    topic = read_topic(f"{tmp_path}/")
    assert topic.given == f"{tmp_path.name}/", "not like a word"
    found = {term.word: term.stress for term in topic.terms}
    assert set(found) == {"loaf", "rye", "spelt", "wheat"}
    assert found["loaf"] == pytest.approx(3 * found["rye"])


def test_no_topic_has_more_terms_than_a_number_has_bits(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(" ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(500)))
    assert len(cached_terms(tmp_path / "long.txt")) == MAX_TERMS


def write_binary(path: Path) -> None:
    path.write_bytes(b"\x7fELF\0\1\2\3" * 100)


def write_too_much(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * MAX_FILE_BYTES)  # 100 MB, of which the disk has nothing


@pytest.mark.parametrize(
    ("write", "told"),
    [
        pytest.param(lambda path: path.write_text(""), "is no text", id="empty"),
        pytest.param(
            lambda path: path.write_text("the of and 2026"), "has no word that says anything", id="stop words"
        ),
        pytest.param(write_binary, "an ELF program", id="binary"),
        pytest.param(write_too_much, "104,857,600 bytes, and 1,048,576 are the most", id="100 MB"),
        pytest.param(lambda path: path.mkdir(), "is no file", id="a folder without /"),
        pytest.param(lambda _: None, "can't be read: No such file", id="not there"),
    ],
)
def test_a_description_that_cannot_be_used_is_told_with_what_would_work(
    tmp_path: Path, write: Callable[[Path], object], told: str
) -> None:
    path = tmp_path / "topic.txt"
    write(path)
    with pytest.raises(TopicError, match=told):
        read_topic(str(path))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param("", "no word that says anything", id="nothing"),
        pytest.param(" \t", "no word that says anything", id="blanks"),
        pytest.param("the of and", "no word that says anything", id="stop words"),
        pytest.param("!!! ???", "no word that says anything", id="signs"),
        pytest.param(" ".join(f"w{n}" for n in range(99)), "has 99 words, and 40 are the most", id="too many"),
        pytest.param("nowhere/", "there is no such folder", id="no folder"),
    ],
)
def test_words_that_cannot_be_used_are_told(words: str, told: str) -> None:
    with pytest.raises(TopicError, match=told):
        read_topic(words)


@given(st.text())
@example("\0")
@example("a" * 5000 + ".txt")
@example("\ud800 bread")
@example("\0.txt")
@example("\0/")
@example("!" * 1000 + "rye")
def test_any_words_are_a_topic_or_a_mistake(words: str) -> None:
    try:
        found = read_topic(words)
    except TopicError as mistake:
        assert str(mistake)  # noqa: PT017 - most words are fine
    else:
        assert 0 < len(found.terms) <= MAX_TERMS
        assert len(found.given.encode()) <= 4 * (MAX_GIVEN + 1)
