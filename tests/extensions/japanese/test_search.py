"""Is Japanese found by its reading, however page and query write it, with every digit of the score explained?"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indexer
from extensions.japanese.query import cut_by_index
from extensions.japanese.reader import MAX_READING
from indexer.analysis.readings import MAX_READINGS, READING_MARK
from indexer.query.lexicon import Lexicon
from indexer.query.parser import parse_query
from indexer.ranking.weights import Formula, weights_from
from tests.extensions.japanese.reading import read, reader
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

OTHER = "ほかの話が続く。"
PAGES = {
    "high": ("ja", "東京タワー", f"{OTHER * 200}東京タワーの高さは三百三十三メートルです。{OTHER * 200}"),
    "fruit": ("ja", "果物", "青森の林檎はおいしい。"),
    "child": ("ja", "くだもの", "りんごを食べる。"),
    "drink": ("ja", "飲み物", "朝は珈琲を飲む。"),
    "cafe": ("ja", "店", "コーヒーを売る。"),
    "digits": ("ja", "", "1 2 3"),
    "beijing": ("zh", "東京", "東京塔在日本"),
    "english": ("en", "Tokyo", "Tokyo tower"),
}
QUESTIONS = ("りんご", "林檎", "とうきょうたわー", "東京の林檎", '"りんご" -コーヒー', "東京 OR こうひい", "tower")


def pages(*names: str) -> list[Page]:
    chosen = names or tuple(PAGES)
    return [
        Page(CanonicalUrl(f"http://a.test/{name}"), PAGES[name][1], PAGES[name][2], language=PAGES[name][0])
        for name in chosen
    ]


def write(folder: Path, *names: str, rebuild: bool = False) -> None:
    with indexer.open_writer(folder, rebuild=rebuild) as writer:
        for page in pages(*names):
            writer.put(page)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    reader()
    folder = tmp_path_factory.mktemp("spoken")
    with read():
        write(folder, *(name for name in PAGES if name != "beijing"))
    return indexer.open_index(folder)


@pytest.fixture(autouse=True)
def wanted() -> Iterator[None]:
    with read():
        yield


def found(searcher: Searcher, question: str) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in searcher.search(question).hits]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        pytest.param("とうきょうたわー", ["high"], id="a question in kana finds kanji"),
        pytest.param("トウキョウ", ["high"], id="in katakana"),
        pytest.param("ﾄｳｷｮｳ", ["high"], id="in katakana of half width"),
        pytest.param("林檎", ["fruit", "child"], id="kanji find kana, and what is written so stands first"),
        pytest.param("りんご", ["child", "fruit"], id="kana find kanji, and what is written so stands first"),
        pytest.param("リンゴを", ["child", "fruit"], id="another way to write it"),
        pytest.param("こーひー", ["cafe", "drink"], id="a long mark where nobody writes one"),
        pytest.param("珈琲の", ["drink", "cafe"], id="rare kanji"),
        pytest.param("高さ 林檎", ["fruit", "high", "child"], id="each word by itself"),
        pytest.param("とうきよ", [], id="no word that a page has"),
        pytest.param("tower", ["english"], id="Latin letters are not read"),
        pytest.param("ringo", [], id="nor are Japanese words in them"),
    ],
)
def test_a_word_is_found_by_how_it_is_spoken(searcher: Searcher, question: str, answers: list[str]) -> None:
    got = found(searcher, question)
    assert sorted(got) == sorted(answers)
    assert got[:1] == answers[:1]


def test_kanji_alone_are_not_read_where_they_may_be_chinese() -> None:
    reader()
    assert not any(term.reading_of for term in parse_query("林檎", frozenset({"ja", "zh"})).terms)
    assert any(term.reading_of for term in parse_query("林檎の", frozenset({"ja", "zh"})).terms), "kana are Japanese"
    assert any(term.reading_of for term in parse_query("林檎", frozenset({"ja", "en"})).terms)
    assert not any(term.reading_of for term in parse_query("林檎の", frozenset({"zh", "en"})).terms)


def test_a_page_has_the_reading_in_a_part_of_its_own_below_the_written_word(searcher: Searcher) -> None:
    by_reading, by_word = (searcher.search(question).hits[0].explain() for question in ("トウキョウ", "東京の"))
    (part,) = by_reading.words
    assert (part.term, part.field, part.most) == (f"{READING_MARK}とうきょう", "reading", 0.5)
    written = sum(one.value for one in by_word.words if one.field != "reading")
    assert written > sum(one.value for one in by_word.words if one.field == "reading") > 0
    louder = searcher.ranked_by(Formula(weights_from(["spoken=1"])))
    assert louder.search("トウキョウ").hits[0].score > searcher.search("トウキョウ").hits[0].score


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_score_is_the_sum_of_its_parts(searcher: Searcher, question: str) -> None:
    for hit in searcher.search(question).hits:
        parts = hit.explain().parts
        assert sum((Decimal(str(part.value)) for part in parts), Decimal(0)) == hit.explain().value


@pytest.mark.parametrize(
    ("question", "name", "marked", "title"),
    [
        pytest.param("とうきょう", "high", ["東京"], ["東京"], id="far behind the beginning of a long page"),
        pytest.param("とうきょうたわー", "high", ["東京タワー"], ["東京タワー"], id="words that touch"),
        pytest.param("りんご", "fruit", ["林檎"], [], id="kanji for kana"),
        pytest.param("林檎の", "child", ["りんご"], [], id="kana for kanji"),
    ],
)
def test_the_word_is_marked_as_the_page_writes_it(
    searcher: Searcher, question: str, name: str, marked: list[str], title: list[str]
) -> None:
    hit = next(hit for hit in searcher.search(question).hits if hit.url.endswith(name))
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.spans] == marked
    assert [hit.marked_title.text[start:end] for start, end in hit.marked_title.spans] == title


def test_kana_that_were_understood_by_their_sound_hardly_count_as_they_are_written(searcher: Searcher) -> None:
    def weights(question: str) -> set[float]:
        return {one.term_weight for one in searcher.search(question).hits[0].explain().words if one.field == "body"}

    assert weights("りんご") == {0.1}
    assert weights("売る。") == {1.0}, "with kanji they are what was typed"
    with read(wanted=False):
        assert weights("りんご") == {1.0}


def test_it_is_told_what_was_understood(searcher: Searcher) -> None:
    assert searcher.search("りんご").understood == "Also searched by reading: りんご."
    assert "林檎 (りんご)" in searcher.search("林檎の").understood
    assert searcher.search("tower").understood == ""
    assert f"{READING_MARK}りんご" not in searcher.search("りんご").word_pages, "nobody has typed it"


def test_what_was_indexed_without_readings_is_told_until_it_is_made_anew(tmp_path: Path) -> None:
    reader()
    with read(wanted=False):
        write(tmp_path, "fruit", "english")
    plain = indexer.open_index(tmp_path)
    assert found(plain, "りんご") == []
    told = "1 page in Japanese is found only as written, as indexed without readings: ./breadcrumb index --rebuild"
    assert told in plain.search("りんご").notice
    with read(wanted=False):
        assert plain.search("りんご").notice == "", "it is off"
    write(tmp_path, "digits")
    assert "1 page in Japanese" in plain.search("りんご").notice, "a page without a word to read was read all the same"
    write(tmp_path, "fruit", "english", rebuild=True)
    assert plain.search("りんご").notice == ""
    assert found(indexer.open_index(tmp_path), "りんご") == ["fruit"], "after a restart, too"


def test_switched_off_all_is_as_ever(searcher: Searcher) -> None:
    with read(wanted=False):
        results = searcher.search("りんご")
        assert [hit.url.rpartition("/")[2] for hit in results.hits] == ["child"]
        assert {part.field for part in results.hits[0].explain().words} == {"body"}
        assert results.understood == ""


def test_pages_in_other_languages_have_no_readings_and_the_same_scores(tmp_path: Path) -> None:
    reader()
    with read():
        write(tmp_path / "on", "english", "beijing")
    with read(wanted=False):
        write(tmp_path / "off", "english", "beijing")
    on, off = (indexer.open_index(tmp_path / name) for name in ("on", "off"))
    for question in ("tokyo tower", "東京", "東京塔の"):
        assert [(hit.url, hit.score) for hit in on.search(question).hits] == [
            (hit.url, hit.score) for hit in off.search(question).hits
        ]
    sizes = [sum(file.stat().st_size for file in (tmp_path / name).rglob("*.seg")) for name in ("on", "off")]
    assert sizes[0] == sizes[1]


@given(st.text("とうきょりんごたわーこひのはヽゞアｱ゙\u3099", max_size=80))
@settings(deadline=None, max_examples=50)
def test_kana_are_cut_into_readings_that_pages_have(searcher: Searcher, kana: str) -> None:
    lexicon = Lexicon([view.file for view in searcher.snapshot.views])
    cut = list(cut_by_index(kana, lexicon))
    assert sum(len(written) for written, _ in cut) <= len(kana)
    assert lexicon.reading_counts(f"{READING_MARK}{reading}" for _, reading in cut).keys() == {
        f"{READING_MARK}{reading}" for _, reading in cut
    }
    assert all(len(reading) <= MAX_READING for _, reading in cut)


def test_a_long_question_has_bounded_readings(searcher: Searcher) -> None:
    words = [
        "東京",
        "林檎",
        "果物",
        "青森",
        "高さ",
        "話",
        "朝",
        "珈琲",
        "店",
        "飲み物",
        "大阪",
        "京都",
        "名古屋",
        "札幌",
    ]
    words += [
        "名古屋",
        "福岡",
        "横浜",
        "神戸",
        "仙台",
        "広島",
        "新潟",
        "長崎",
        "熊本",
        "鹿児島",
        "奈良",
        "岡山",
        "金沢",
        "富山",
    ]
    results = searcher.search("の".join(words))
    assert f"readings after the first {MAX_READINGS}" in results.unread
    assert len({part.term for part in results.hits[0].explain().words if part.field == "reading"}) <= MAX_READINGS
    assert searcher.search("りんご" * 1_000).total == 2, "only the beginning of a run of kana is cut"
