"""Does each engine search the same pages, with queries that are new to it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from bench.harness.collection import read_pages
from bench.indexing.engines import RESULTS, Engine, Ours, Whoosh
from bench.indexing.manual_pages import PASSAGE_WORDS, passages, questions_on, write_collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench

FILES = 16
PAGES = 2 * FILES  # each file stands twice


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    folder = tmp_path / "manual"
    folder.mkdir()
    for number in range(FILES):
        letter = chr(ord("a") + number)
        words = " ".join(f"{letter}{chr(ord('a') + place % 26)}{chr(ord('a') + place // 26)}" for place in range(300))
        (folder / f"page{number}.html").write_text(
            f"<html lang=en><title>The {letter * 4} chapter</title><h1>All of {letter * 4}</h1>"
            f"<p>Version 7 says: {words}.</p><a href=page{(number + 1) % FILES}.html>chapter {letter} goes on</a>"
        )
    return folder


@pytest.fixture
def documents(manual: Path, tmp_path: Path) -> Path:
    write_collection(tmp_path, [manual], PAGES)
    return tmp_path


def test_pages_are_read_from_files_with_their_anchors_and_repeated_with_other_numbers(documents: Path) -> None:
    pages = list(read_pages(documents))
    assert len({page.url for page in pages}) == PAGES
    first, again = (next(page for page in rows if page.url.endswith("page3.html")) for rows in (pages, pages[FILES:]))
    assert first.title == again.title == "The dddd chapter"
    assert first.anchors == again.anchors == ("chapter c goes on",)
    assert first.headings == ("All of dddd",)
    assert first.language == "en"
    assert "Version 7 says: daa" in first.text
    assert again.text == first.text.replace("Version 7", "Version 17")


def test_a_folder_without_pages_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no HTML files of 1000 bytes or more below"):
        write_collection(tmp_path, [tmp_path], 1)


def test_passages_are_short_and_lose_no_word(documents: Path) -> None:
    pages = list(read_pages(documents))[:2]
    written = [word for page in pages for word in page.text.split()]
    most = sum(-(-len(page.text.split()) // PASSAGE_WORDS) for page in pages)
    cut = list(passages(lambda: pages, most + 1))
    assert max(len(page.text.split()) for page in cut) == PASSAGE_WORDS
    assert " ".join(page.text for page in cut[:most]).split() == written
    assert len({page.url for page in cut}) == len(cut) == most + 1
    assert cut[-1].text == cut[0].text.replace("7", "17"), "read again, with other numbers"
    assert len(list(passages(lambda: pages, 3))) == 3


def test_every_question_has_an_answer_and_none_comes_twice(documents: Path, tmp_path: Path) -> None:
    pages = list(read_pages(documents))
    questions = questions_on(pages, 5)
    assert {kind: len(texts) for kind, texts in questions.items()} == {"headings": 5, "two words": 5, "phrases": 5}
    assert questions == questions_on(pages, 5)
    engines: list[Engine] = [Ours(tmp_path / "ours"), Whoosh(tmp_path / "whoosh")]
    for engine in engines:
        engine.add(pages)
        engine.open()
        for kind, texts in questions.items():
            assert len(set(texts)) == len(texts)
            for text in texts:
                assert 1 <= engine.ask(text, snippets=kind == "phrases") <= RESULTS, (engine.name, text)


def test_the_growth_is_told_while_indexing_and_a_later_run_asks_what_is_there(
    bench: Bench, manual: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    words = [str(kept), "--manuals", str(manual), "--pages", str(PAGES), "--questions", "4", "--json"]
    done = bench("search", *words)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert next(iter(report["engines"])) == "Breadcrumb"
    assert "open" in report["engines"]["Breadcrumb"]
    assert "phrases, with snippets" in report["engines"]["Breadcrumb"]
    assert list(report["growth"]["Breadcrumb"]) == ["2", "4", "8", "16", "32"]
    again = bench("search", str(kept), "--pages", str(PAGES), "--questions", "4")
    assert again.returncode == 0, again.stderr
    assert again.stderr == "", "nothing is indexed again"
    assert again.stdout.startswith(f"pages: {PAGES}\nquestions: 4\n")
    rebuilt = bench("search", str(kept), "--pages", str(PAGES), "--questions", "4", "--rebuild")
    assert f"ours: {PAGES} pages indexed" in rebuilt.stderr
    assert "whoosh" not in rebuilt.stderr


def test_passages_are_asked_with_short(bench: Bench, manual: Path, tmp_path: Path) -> None:
    done = bench(
        "search", str(tmp_path / "kept"), "--manuals", str(manual), "--pages", "16", "--short", "40", "--questions", "4"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pages: 40\nquestions: 4\n")


def test_without_pages_it_says_what_to_give(bench: Bench, tmp_path: Path) -> None:
    done = bench("search", str(tmp_path / "kept"))
    assert done.returncode == 2
    assert "give --manuals FOLDER" in done.stderr
