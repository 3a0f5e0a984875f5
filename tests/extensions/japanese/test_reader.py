"""Are ways to write one word read alike, whatever the text?"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from extensions.japanese import reader as readings
from extensions.japanese.reader import LEAST_READING, MAX_READING, JapaneseReader, ReadingFault, normal_reading
from indexer.analysis.readings import MAX_READ_CHARS
from tests.extensions.japanese.reading import read, reader

KANA = st.text(
    "あいうえおかがきくけこさしすせそたちつっとなにのはばひほまみむもやゃゆょよらりるれろんーゝゞゔぁぃ", max_size=24
)
ANY = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(), max_size=60),
    st.text("東京大阪々〆ヶ0\uff11\uff12「。・アｱﾞ゙ー あ\ud800\udfff\x00𠮷", max_size=80),
)


@pytest.mark.parametrize(
    ("written", "reading"),
    [
        pytest.param("トウキョウ", "とうきょう", id="katakana"),
        pytest.param("ﾄｳｷｮｳ", "とうきょう", id="katakana of half width"),
        pytest.param("ｶﾞｯｺｳ", "がっこう", id="of half width with a voicing mark of its own"),
        pytest.param("か\u3099っこう", "がっこう", id="a voicing mark that stands apart"),
        pytest.param("コーヒー", "こうひい", id="long marks"),
        pytest.param("おおさか", "おうさか", id="a long o that is written o"),
        pytest.param("オーサカ", "おうさか", id="a long o that is written with a mark"),
        pytest.param("ねえさん", "ねいさん", id="a long e"),
        pytest.param("つづく", "つずく", id="sounds that are the same today"),
        pytest.param("ヴァイオリン", "ばいおりん", id="a foreign v"),
        pytest.param("いすゞ", "いすず", id="an iteration mark with voice"),
        pytest.param("こゝろ", "こころ", id="an iteration mark"),
        pytest.param("にっぽん", "にほん", id="the country, by either reading"),
        pytest.param("き", "", id="one kana is too short"),
        pytest.param("あ" * (MAX_READING + 1), "", id="too long"),
        pytest.param("東京", "", id="kanji are no reading"),
        pytest.param("tokyo", "", id="nor are Latin letters"),
        pytest.param("ー", "", id="a long mark alone"),
        pytest.param("ゝゞ", "", id="iteration marks alone"),
    ],
)
def test_kana_have_one_form(written: str, reading: str) -> None:
    assert normal_reading(written) == reading


@given(KANA)
def test_hiragana_and_katakana_of_either_width_have_one_reading(kana: str) -> None:
    katakana = "".join(chr(ord(one) + 0x60) if "ぁ" <= one <= "ゞ" else one for one in kana)
    assert normal_reading(katakana) == normal_reading(kana)
    assert normal_reading(unicodedata.normalize("NFD", kana)) in {normal_reading(kana), ""}, "it may be too long apart"


@given(ANY)
@example("ﷺ" * 40)
@example("㌀" * 20)
def test_whatever_is_given_a_reading_is_hiragana_and_bounded(text: str) -> None:
    reading = normal_reading(text)
    assert not reading or LEAST_READING <= len(reading) <= MAX_READING
    assert all("ぁ" <= kana <= "ん" for kana in reading)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            "東京タワーの高さ", ["東京 とうきょう", "タワー たわあ", "高 たか"], id="no particles, no endings"
        ),
        pytest.param("人々は時々", ["人々 ひとびと", "時々 ときどき"], id="iteration marks"),
        pytest.param("3月10日に", ["月 がつ", "日 にち"], id="counters, by their numbers, and no numbers"),
        pytest.param("山田太郎と渋谷", ["山田 やまだ", "太郎 たろう", "渋谷 しぶや"], id="names"),
        pytest.param("ｺｰﾋｰを飲む", ["ｺｰﾋｰ こうひい", "飲む のむ"], id="katakana of half width"),
        pytest.param("Pythonの本はTOKYOで", ["本 ほん"], id="Latin words among it have none"),
        pytest.param("日本\ud800語", ["日本 にほん"], id="half of a character: what stands around is read"),
        pytest.param("Tokyo tower, 333 m", [], id="no Japanese"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_words_have_their_readings_where_they_stand(text: str, words: list[str]) -> None:
    assert [f"{text[one.start : one.end]} {one.reading}" for one in reader().words(text)] == words


@given(ANY, st.integers(0, 40), st.integers(0, 80))
@settings(deadline=None)
def test_whatever_is_read_words_stand_in_order_inside_it(text: str, start: int, end: int) -> None:
    reached = start
    for word in reader().words(text, start, end):
        assert reached <= word.start < word.end <= min(end, len(text))
        assert LEAST_READING <= len(word.reading) <= MAX_READING
        reached = word.end


def test_a_text_is_read_up_to_a_bound() -> None:
    text = "東" * (MAX_READ_CHARS - 2) + "京都" + "大阪"
    last = max(word.end for word in reader().words(text))
    assert last <= MAX_READ_CHARS


def test_threads_share_it() -> None:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    shared = reader()
    with ThreadPoolExecutor(4) as pool:
        each = list(pool.map(lambda _: [word.reading for word in shared.words("東京の大学で学ぶ" * 50)], range(16)))
    assert each == each[:1] * 16


def test_without_the_library_it_is_told_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sudachipy", None)
    with pytest.raises(ReadingFault, match=r"\./breadcrumb index --readings adds it"):
        JapaneseReader()
    readings._loaded.cache_clear()
    with read():
        assert readings.chosen_reader() is None, "everything else goes on"
    readings._loaded.cache_clear()
