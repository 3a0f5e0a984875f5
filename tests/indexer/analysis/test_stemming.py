# ruff: noqa: RUF001  # Russian and Greek letters are what is tested
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis.words import fold, form_keys, forms_of, letters_of


@pytest.mark.parametrize(
    ("language", "word", "form"),
    [
        pytest.param("ru", "программирования", "russian:программирован", id="the page's language"),
        pytest.param("ru", "running", "english:run", id="another script on the page: that script's stand-in"),
        pytest.param("en", "книги", "russian:книг", id="the same the other way round"),
        pytest.param("", "running", "english:run", id="unknown language: English"),
        pytest.param("de", "häuser", "german:haus", id="German"),
        pytest.param("xx", "running", "english:run", id="language without a stemmer: English"),
        pytest.param("fr", "téléchargé", "french:telecharg", id="a stem has no accents"),
        pytest.param("en", "café", "folded:cafe", id="accents folded"),
        pytest.param("de", "häuser", "folded:haeuser", id="umlauts in two letters"),
        pytest.param("de", "häuser", "folded:hauser", id="and in one"),
        pytest.param("de", "straße", "folded:strasse", id="sharp s"),
        pytest.param("el", "άνθρωπος", "folded:ανθρωποσ", id="Greek accents, and the s at a word's end"),
        pytest.param("ru", "ёлка", "folded:елка", id="yo"),
        pytest.param("pl", "łódź", "folded:lodz", id="Polish"),
        pytest.param("tr", "ışık", "folded:isik", id="Turkish dotless i"),
        pytest.param("he", "שָׁלוֹם", "folded:שלום", id="Hebrew points"),
    ],
)
def test_a_word_has_this_form(language: str, word: str, form: str) -> None:
    assert form in forms_of(word, [language])


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        pytest.param("йод", "йод", id="a Russian letter of its own"),
        pytest.param("हिन्दी", "हिन्दी", id="vowel signs are letters"),
        pytest.param("が", "が", id="Japanese voiced sounds are letters"),
    ],
)
def test_what_looks_like_an_accent_and_is_none_stays(word: str, folded: str) -> None:
    assert fold(word) == folded


def test_names_have_no_stem() -> None:
    assert forms_of("os.paths", ["en"]) == ("folded:os.paths",)
    assert forms_of("東京", ["ja"]) == ()


def test_only_forms_that_are_other_words_have_a_row() -> None:
    assert form_keys("run", ["en"]) == ()
    assert form_keys("running", ["en"]) == ("english:run",)
    assert form_keys("café", ["en"]) == ("folded:cafe", "english:cafe")


@given(st.text(max_size=70), st.lists(st.sampled_from(["en", "de", "ru", "ja", "tr", "", "xx"])))
def test_any_text_has_a_few_forms_each_once(text: str, languages: list[str]) -> None:
    found = forms_of(text.lower(), languages)
    assert len(found) == len(set(found)) <= len(set(languages)) + 3
    assert set(form_keys(text.lower(), languages)) <= set(found)
    assert all(letters_of(form) for form in found)


@given(st.from_regex(r"[a-z0-9]{1,20}", fullmatch=True), st.sets(st.sampled_from(["en", "de", "tr", "ru", "fr", ""])))
def test_the_short_way_for_plain_letters_agrees_with_the_long_one(word: str, languages: set[str]) -> None:
    long_way = tuple(form for form in forms_of(word, languages) if letters_of(form) != word)
    assert form_keys(word, languages) == long_way
