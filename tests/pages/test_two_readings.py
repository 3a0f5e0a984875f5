"""Differences between the two readers are shown field by field; agreement, in one sentence."""

from __future__ import annotations

from pages.links import BaseUrl
from pages.parser_comparison import SAMPLES, compare_parsers

ADDRESS = BaseUrl.of("http://site.example/")
GOOD = "<!doctype html><html lang=en><title>Rye</title><h1>Rye bread</h1><p>It keeps for a week. <a href=/x>more</a>"


def test_a_page_that_both_read_the_same_is_told_in_two_sentences() -> None:
    told = compare_parsers(GOOD, ADDRESS)
    timed, same = told.sentences()
    assert timed.startswith("Read twice: by Lexbor in ")
    assert " ms, by BeautifulSoup over lxml in " in timed
    assert same == (
        "Both have the same title, words, headings, links, language, description, canonical address, refresh and "
        "named metas."
    )
    assert told.as_dict()["same"] is True


def test_what_only_one_reader_has_is_told_with_samples() -> None:
    told = compare_parsers(GOOD + "<script src=x />" + "".join(f"<p>w{n}" for n in range(9)), ADDRESS)
    words = next(reading for reading in told.fields if reading.field == "words")
    assert (words.both, words.only_fast, words.only_tolerant) == (8, 0, 9)
    assert words.tolerant_samples == tuple(f"w{n}" for n in range(SAMPLES))
    assert "words: 8 in both; 9 only by BeautifulSoup over lxml (“w0”, “w1”, “w2”, “w3”, “w4”, …)." in told.sentences()
    assert told.as_dict()["same"] is False


def test_a_field_that_differs_names_both_sides() -> None:
    told = compare_parsers("<h1>a<h2>b</h2></h1>", ADDRESS)
    assert "headings: 1 in both; 1 only by Lexbor (“a”); 1 only by BeautifulSoup over lxml (“a b”)." in told.sentences()
