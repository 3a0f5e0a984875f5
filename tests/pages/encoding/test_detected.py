# ruff: noqa: RUF001 — letters of other scripts are what this is about
"""Read in its own encoding a text reads like its language, and in no other: whole, short, and with a bad byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import encoding
from pages.encoding import CODECS, MEASURED_BYTES, MIN_BYTES, detected, words_beyond_ascii

TEXTS = {
    "Russian": "Робот читает страницу и складывает слова текста в указатель, чтобы по нему искать.",
    "Ukrainian": "Робот читає сторінку і складає слова тексту до покажчика, щоб за ним шукати їх.",
    "Greek": "Το ρομπότ διαβάζει τη σελίδα και αποθηκεύει τις λέξεις του κειμένου σε ένα ευρετήριο.",
    "Polish": "Robot czyta stronę i odkłada słowa tekstu do skorowidza, żeby można było ich później szukać, więc śpi.",
    "Czech": "Robot čte stránku a ukládá slova textu do rejstříku, aby se v něm dalo hledat; příště už ví, kde začít.",
    "Turkish": "Robot sayfayı okur ve metindeki sözcükleri arama için bir dizine yerleştirir, ağır ağır ışığı görür.",
    "Hebrew": "הרובוט קורא את הדף ושומר את מילות הטקסט במפתח כדי שאפשר יהיה לחפש אותן",
    "Arabic": "يقرأ الروبوت الصفحة ويحفظ كلمات النص في فهرس من أجل البحث",
    "Thai": "หุ่นยนต์อ่านหน้าเว็บและเก็บคำของข้อความไว้ในดัชนีเพื่อการค้นหา",
    "Japanese": "ロボットはページを読み、検索のためにテキストの単語を索引に保存します。",
    "Chinese": "机器人读取网页，并把文本中的词语存入索引，以便用户进行搜索和查找。",
    "Traditional": "機器人讀取網頁，並把文本中的詞語存入索引，以便用戶進行搜索和查找。",
    "Korean": "로봇은 페이지를 읽고 검색을 위해 텍스트의 단어를 색인에 저장합니다.",
    "French": "Le robot lit la page, puis il range les mots à la bonne place : l’index est prêt, même où ça gèle.",
    "German": "Für die Suche legt der Roboter die Wörter der Seite in größeren Verzeichnissen ab, natürlich täglich.",
}
CASES = [
    ("Russian", "windows-1251"), ("Russian", "koi8-r"), ("Russian", "iso-8859-5"), ("Russian", "ibm866"),
    ("Ukrainian", "windows-1251"), ("Ukrainian", "koi8-u"), ("Greek", "windows-1253"), ("Greek", "iso-8859-7"),
    ("Polish", "windows-1250"), ("Polish", "iso-8859-2"), ("Czech", "windows-1250"), ("Czech", "iso-8859-2"),
    ("Turkish", "windows-1254"), ("Hebrew", "windows-1255"), ("Arabic", "windows-1256"), ("Thai", "windows-874"),
    ("Japanese", "shift_jis"), ("Japanese", "euc-jp"), ("Chinese", "gb18030"), ("Traditional", "big5"),
    ("Korean", "euc-kr"), ("French", "windows-1252"), ("German", "windows-1252"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "name"), CASES)
def test_a_sentence_is_read_in_its_own_encoding(language: str, name: str) -> None:
    body = f"<title>x</title><p class=a>{TEXTS[language]}</p>".encode(CODECS[name], "ignore")
    decoded = encoding.decode(body, content_type="text/html")
    assert decoded.text == body.decode(CODECS[name])
    assert decoded.reason.startswith("no label counts, and read so the letters are those of ")


@pytest.mark.parametrize(("language", "name"), CASES)
def test_a_bad_byte_changes_nothing_about_the_others(language: str, name: str) -> None:
    text = TEXTS[language] * 2
    body = text.encode(CODECS[name], "ignore") + b" \xff "
    decoded = encoding.decode(body, content_type="text/html")
    assert text[:20].encode(CODECS[name], "ignore").decode(CODECS[name]) in decoded.text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("It’s “quoted” – and that’s all…", id="English with typographic signs"),
        pytest.param("© 1999 Müller, 20 °C", id="a sign, a name and a degree"),
        pytest.param("don’t can’t won’t isn’t aren’t I’m you’re", id="apostrophes, which Shift_JIS has letters for"),
        pytest.param("café", id="one letter"),
        pytest.param("naïve façade, déjà vu", id="borrowed words"),
    ],
)
def test_a_little_beyond_ascii_is_of_the_west(text: str) -> None:
    decoded = encoding.decode(f"<p>{text}</p>".encode("cp1252"), content_type="text/html")
    assert (decoded.encoding, decoded.text) == ("windows-1252", f"<p>{text}</p>")


def test_a_few_bytes_are_no_evidence() -> None:
    assert detected("яя".encode("cp1251")) == ("", "")
    assert len("яя".encode("cp1251")) < MIN_BYTES


@given(st.binary())
def test_any_bytes_are_measured_and_the_answer_is_an_encoding_of_the_web_or_none(body: bytes) -> None:
    found, language = detected(body)
    assert (found in CODECS) is bool(found)
    assert found or not language


def test_what_is_measured_is_bounded_however_long_the_text_is() -> None:
    assert len(words_beyond_ascii("слово ".encode("cp1251") * 100_000)) <= MEASURED_BYTES + 100
    assert words_beyond_ascii(b"x" * 1_000_000 + b"\xe9") != b""
    assert len(words_beyond_ascii(b"\xe9" * 1_000_000)) <= MEASURED_BYTES
