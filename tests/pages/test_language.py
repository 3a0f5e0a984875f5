# ruff: noqa: RUF001 — letters of other scripts are what this is about
"""Cheap evidence first."""

import pytest

from pages import language

SENTENCES = {
    "en": "The robot reads the page and stores the words of the text in an index for the search.",
    "de": "Der Roboter liest die Seite und legt die Wörter des Textes in einem Index für die Suche ab.",
    "fr": "Le robot lit la page et range les mots du texte dans un index pour la recherche.",
    "es": "El robot lee la página y guarda las palabras del texto en un índice para la búsqueda.",
    "ru": "Робот читает страницу и складывает слова текста в указатель, чтобы по нему искать.",
    "uk": "Робот читає сторінку і складає слова тексту до покажчика, щоб за ним шукати їх.",
    "ja": "ロボットはページを読み、検索のためにテキストの単語を索引に保存します。",
    "zh": "机器人读取网页，并把文本中的词语存入索引，以便用户进行搜索和查找。",
    "ko": "로봇은 페이지를 읽고 검색을 위해 텍스트의 단어를 색인에 저장합니다.",
}


@pytest.mark.parametrize(("expected", "text"), SENTENCES.items(), ids=SENTENCES)
def test_the_words_show_the_language(expected: str, text: str) -> None:
    assert language.identify(text) == expected


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        pytest.param("en", SENTENCES["ru"], "ru", id="a template's en over Russian text is not believed"),
        pytest.param("de", SENTENCES["en"], "en", id="an untranslated page is what it is"),
        pytest.param("uk-UA", SENTENCES["ru"], "uk", id="within one script the declaration is believed"),
        pytest.param("fr-CA", "42", "fr", id="too little text: the declaration"),
        pytest.param("", "42", "", id="too little text and no declaration: not known"),
        pytest.param("x-klingon", "", "", id="no ISO 639-1 code"),
    ],
)
def test_a_declaration_is_believed_where_the_text_allows_it(declared: str, text: str, expected: str) -> None:
    assert language.identify(text, declared=declared) == expected


def test_english_never_loads_the_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        pytest.fail("the classifier was asked")

    monkeypatch.setattr(language, "_identifier", fail)
    assert language.identify(SENTENCES["en"]) == "en"
