"""Does `lab N --check` grade one folder with reasons and many as a table, whatever is in them?"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import run_command
from extension_points import built_in
from extensions.course.check import graded
from extensions.course.grading.grade import grade, lab_checks
from extensions.course.grading.lab_folder import LabFolder, Missing, numbers_in
from extensions.course.grading.predictions import FILE, YES_NO, Measured, Prediction, answers, questions, write_form
from extensions.course.lab import COMMAND, titles
from tests.extensions.course.handed_in import MINE, URLS, link, sparse

if TYPE_CHECKING:
    from pathlib import Path

LABS = titles()
PAGE = LABS[2][1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of lab 2 with two of three hand-ins."""
    made = tmp_path / "lab-2"
    (made / "site").mkdir(parents=True)
    write_form(made, 2, PAGE.read_text(), lab_checks(2).PREDICTIONS)
    (made / "robots.txt").write_text("User-agent: *\nDisallow: /kitchen/\nAllow: /kitchen/window/\n")
    (made / "mine.txt").write_text(MINE)
    (made / "urls.txt").write_text(URLS)
    return made


def predict(folder: Path, **lines: str) -> None:
    """Fill in the form of predictions, by `_1`, `_2` …"""
    text = (folder / FILE).read_text()
    for name, said in lines.items():
        text = text.replace(f"\n{name[1:]}:\n", f"\n{name[1:]}: {said}\n")
    (folder / FILE).write_text(text)


def test_the_form_has_each_question_and_is_never_written_again(folder: Path) -> None:
    text = (folder / FILE).read_text()
    assert text.startswith("# Lab 2.")
    assert "# may it fetch the window, and which line decides? First RFC 9309: (the line, in digits)\n1:\n" in text
    predict(folder, _1="line 2")
    write_form(folder, 2, PAGE.read_text(), lab_checks(2).PREDICTIONS)
    assert "\n1: line 2\n" in (folder / FILE).read_text()


@pytest.mark.parametrize("number", LABS)
def test_each_lab_has_questions_with_answers_and_files_that_its_page_names(number: int) -> None:
    page, checks = LABS[number][1].read_text(), lab_checks(number)
    assert questions(page)
    assert questions(page).keys() == answers(page).keys()
    assert checks.PREDICTIONS.keys() <= questions(page).keys()
    handed_in = page.partition("## Hand in")[2].partition("## Answers")[0]
    for item in checks.HAND_INS:
        for name in item.name.split(", "):
            assert name in {"data", "calm", "stormy"} or f"`{name}" in handed_in


def test_one_folder_is_shown_with_a_reason_for_each_mark(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predict(folder, _1="line 2", _2="no", _3="Crumb", _5="all of them")
    assert run_command(COMMAND, ["2", "--check", str(folder)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith(
        "Lab 2: one file, four readings Predictions came out differently 1: you said “line 2”; it was 3:"
    )
    assert "as predicted 2: no: rfc9309 allows it, google allows it, 1996 disallows it" in told
    assert "compare 3: Crumb does not contain bread" in told
    assert "missing 4: write what you expect before you measure" in told
    assert "missing 5: “all of them” says nothing to compare; write readings that disallow /menu.pdf: rfc9309" in told
    assert "right mine.txt: the readings disagree on /a/b/, /x.pdf, /c/" in told
    assert "missing verdicts.txt: there is no file verdicts.txt" in told
    assert told.endswith("Points: 7 of 12.")


@pytest.mark.slow
def test_many_folders_are_a_table_and_the_faults_of_one_are_not_those_of_another(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "lab-3"
    (other / "site").mkdir(parents=True)
    (other / FILE).write_text("# Lab 3. Predictions\n")
    (tmp_path / "empty").mkdir()
    places = [folder, other, tmp_path / "empty", tmp_path / "nowhere", folder / "mine.txt"]
    assert run_command(COMMAND, ["2", "--check", *map(str, places)]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert [row.partition("  ")[0] for row in rows] == list(map(str, places))
    for row, told in zip(
        rows,
        [
            " 4 of 12  missing: verdicts.txt; 6 predictions missing",
            f"not graded: it belongs to lab 3: breadcrumb lab 3 --check {other}",
            "not graded: it is not the folder of a lab",
            "not graded: there is no such folder",
            "not graded: it is not a folder",
        ],
        strict=True,
    ):
        assert told in row
    assert run_command(COMMAND, ["2", "--check", *map(str, places[2:4])]) == 2, "nothing could be graded"


def test_json_has_every_reason_of_each_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(COMMAND, ["2", "--check", str(folder), "--json"]) == 1
    [told] = json.loads(capsys.readouterr().out)
    assert (told["folder"], told["points"], told["possible"], told["fault"]) == (str(folder), 4, 12, "")
    reason = "/a/b/: which rule wins; /x.pdf: * and $ in paths; /c/: misspelt fields"
    assert told["hand_ins"][1] == {"name": "urls.txt", "mark": "right", "reason": reason, "possible": 2}


@pytest.mark.slow
def test_in_the_folder_of_the_lab_and_beside_it_none_needs_to_be_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in (folder, folder.parent):
        monkeypatch.chdir(place)
        assert run_command(COMMAND, ["2", "--check"]) == 1
        assert "right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--check"], "--check grades one lab: give its number first"),
        (["12", "--check"], "there is no lab 12"),
        (["2", "--json"], "give it with --check"),
    ],
)
def test_a_mistake_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(COMMAND, words) == 2
    assert told in capsys.readouterr().err


def test_what_a_stranger_hands_in_is_bounded(folder: Path) -> None:
    link("urls.txt", "/etc/hostname")(folder)
    sparse("mine.txt", 2**40)(folder)
    os.mkfifo(folder / "verdicts.txt")
    found = {item.name: item.reason for item in grade(2, PAGE.read_text(), folder).hand_ins}
    assert found["mine.txt"] == "mine.txt has 1,099,511,627,776 bytes; a hand-in has at most 65,536"
    (folder / "mine.txt").unlink()
    (folder / "mine.txt").write_text(MINE)
    found = {item.name: item.reason for item in grade(2, PAGE.read_text(), folder).hand_ins}
    assert found["urls.txt"] == "urls.txt is a link that leads out of the folder: hand in the thing itself"
    assert found["verdicts.txt"] == "verdicts.txt is not a file"


def test_predictions_that_are_a_link_out_are_not_read(folder: Path) -> None:
    link(FILE, "/etc/passwd")(folder)
    assert "leads out of the folder" in graded(2, PAGE, folder).fault


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    (folder / "mine.txt").chmod(0)
    assert "mine.txt can't be read: Permission denied" in {item.reason for item in graded(2, PAGE, folder).hand_ins}


def test_a_crawl_that_leads_out_or_is_too_large_is_not_opened(folder: Path) -> None:
    (folder / "data").mkdir()
    link("data/crawl.sqlite3", "/etc/passwd")(folder)
    for told in ("data holds crawl.sqlite3, which is neither a file nor a folder", "data is larger than the crawl"):
        with pytest.raises(Exception, match=told):
            LabFolder(folder).database()
        (folder / "data" / "crawl.sqlite3").unlink(missing_ok=True)
        sparse("data/crawl.sqlite3", 2**40)(folder)


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that reads such a folder")
def test_an_index_of_whooshs_that_was_made_elsewhere_is_not_opened(folder: Path) -> None:
    whoosh = folder / "textbook" / "whoosh"
    whoosh.mkdir(parents=True)
    (whoosh / "_MAIN_1.toc").write_bytes(b"a pickle that would run code")
    (whoosh / "made-by-breadcrumb").write_text("12\n")  # the number of the folder from which it was copied
    with pytest.raises(Missing, match="textbook was not made here: an index of Whoosh's could run code of its author"):
        LabFolder(folder).index("textbook")


def test_a_folder_that_breaks_its_grader_has_no_grade_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("extensions.course.check.WORKER", "extensions.course.grading.nothing")
    found = graded(2, PAGE, folder)
    assert found.fault.startswith("it can't be graded: something in it is damaged or far too large (")
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr("extensions.course.check.ROOMS", tmp_path)
    monkeypatch.setattr("extensions.course.check.WORKER", "slow")
    monkeypatch.setattr("extensions.course.check.SECONDS", 0.2)
    assert graded(2, PAGE, folder).fault.startswith("it was not graded within 0 s")


@pytest.mark.parametrize(
    ("said", "among", "values", "came_out"),
    [
        ("50 of each", (), (50.0, 50.0, 50.0), True),
        ("50, 49, 50", (), (50.0, 50.0, 50.0), False),
        ("1,000 pages", (), (1000.0,), True),
        ("about 0.55", (), (0.5469,), True),
        ("0.5", (), (0.5469,), False),
        ("-3", (), (3.0,), False),
        ("count, and the tides: tide", ("count", "story", "tide"), ("tide", "count"), True),
        ("all: count story tide", ("count", "story", "tide"), ("tide", "count"), False),
        ("none", ("count", "story"), (), True),
        ("Yes!", YES_NO, ("yes",), True),
        ("no", YES_NO, ("yes",), False),
    ],
)
def test_a_prediction_is_compared_as_a_person_means_it(
    said: str, among: tuple[str, ...], values: tuple[float, ...], *, came_out: bool
) -> None:
    measured = Measured(values, "here")
    prediction = Prediction("it", lambda _: measured, among)
    read = prediction.read(said)
    assert read is not None
    assert prediction.came_out(read, measured) is came_out


def test_the_order_counts_where_first_and_last_are_asked_for() -> None:
    measured = Measured(("index", "oven"), "here")
    prediction = Prediction("first and last", lambda _: measured, ("index", "oven", "mill"), ordered=True)
    assert [prediction.came_out(prediction.read(said) or (), measured) for said in ("index oven", "oven, index")] == [
        True,
        False,
    ]


def test_numbers_are_those_that_stand_alone_or_in_words() -> None:
    assert numbers_in("line 12, not 1,200 or 3.5") == [12, 1200, 3.5]
