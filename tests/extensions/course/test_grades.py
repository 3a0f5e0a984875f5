"""Is the grade right, and its reason true? Each lab is done as a student would: rightly, and in ten wrong ways."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import COMMANDS
from demo import PracticeWeb
from extensions.course.check import graded
from extensions.course.grading.grade import GOOD, MISSING, grade_hand_in, lab_checks
from extensions.course.grading.grade import WRONG as WRONG_MARK
from extensions.course.grading.lab_folder import LabFolder
from extensions.course.grading.predictions import FILE
from extensions.course.lab import own_site, titles
from tests.docs.lab import run_once
from tests.docs.test_lab import STRICTER
from tests.extensions.course.handed_in import (
    CHEAT,
    GREETING,
    HONEST,
    PREDICTED,
    RIGHT,
    SHOUTED,
    SONG,
    TIMES,
    WEAK,
    WRONG,
    WrongHandIn,
    apply,
    pages,
)  # fmt: skip
from tests.shared import made_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.forks import ForkServer

LABS = titles()
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


class Student:
    """Works in a folder after the lab: serves the site, crawls, and saves what commands print."""

    def __init__(self, folder: Path, port: int, forks: ForkServer) -> None:
        self.folder, self.port, self.forks = folder, port, forks
        self.site = f"http://127.0.0.1:{port + 2}/"

    def run(self, *line: str) -> str:
        """Return what a command prints."""
        words = [*map(str, self.forks.calling(COMMANDS)), *line]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False).stdout

    def crawl(self, data: str = "data") -> None:
        """Crawl the site into a data folder."""
        with own_site(self.folder, self.port + 2):
            self.run("crawl", "site", "--data", str(self.folder / data), "-a", f"seeds={self.site}")

    def hand_in(self, number: int) -> None:
        """Make what a right folder has beyond the files of RIGHT."""
        if steps := {1: self._crawl, 2: self._robots, 3: self._traps, 5: self._spoofing}.get(number):
            steps()

    def _crawl(self) -> None:
        bakery, data = f"http://bakery.localhost:{self.port}/", str(self.folder / "data")
        with PracticeWeb(self.port):
            for name, pages_asked in (("unfinished", "3"), ("once", "99")):
                seeds = ["-a", f"seeds={bakery}", "-a", f"pages={pages_asked}"]
                self.run("crawl", "site", "--data", str(self.folder / name), *seeds)
        for name, page in (("fetched.txt", "history.html"), ("not-fetched.txt", "orders.html")):
            (self.folder / name).write_text(self.run("why", "--data", data, f"{bakery}{page}"))

    def _robots(self) -> None:
        line = ["robots", "mine.txt", "--agent", "Breadcrumb", "--dialect", "all", "/a/b/", "/x.pdf", "/c/"]
        (self.folder / "verdicts.txt").write_text(self.run(*line))

    def _traps(self) -> None:
        index = (self.folder / "site" / "index.html").read_text()
        parts: dict[str, Callable[[int], str]] = {
            "fourth": lambda number: f"{TIMES} {number}.",
            "fifth": lambda number: f"{GREETING} {'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]}.",
        }
        shutil.copytree(self.folder / "data", self.folder / "released")
        self.crawl("closed")
        for one, other, data in (("fourth", "fifth", "turned"), ("fifth", "fourth", "data")):
            for part, text in (("fourth", parts[other]), ("fifth", parts[one])):
                apply(pages(part, text), self.folder)
            (self.folder / "site" / "index.html").write_text(
                f"{index}<a href=/fourth/1/>fourth</a><a href=/fifth/1/>fifth</a>"
            )
            self.crawl(data)

    def _spoofing(self) -> None:
        shutil.copytree(self.folder / "data", self.folder / "before")
        index = self.folder / "site" / "index.html"
        index.write_text(f"{index.read_text()}<a href=mine.html>mine</a><a href=honest.html>honest</a>")
        for data, mine, honest in (("caught", SHOUTED, SONG), ("weak", WEAK, HONEST), ("data", CHEAT, HONEST)):
            apply({"site/mine.html": mine, "site/honest.html": honest}, self.folder)
            self.crawl(data)
        hits = LabFolder(self.folder).index().search("sextant", 50).hits
        score = next(hit.score for hit in hits if hit.url.endswith("mine.html"))
        (self.folder / "score.txt").write_text(f"{score:.3f}\n")


@pytest.fixture
def handed_in(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
    ports: Iterator[int],
    forks: ForkServer,
) -> Path:
    """Return a copy of the right folder of a lab, which a test may change."""
    number: int = request.param
    _, page = LABS[number]

    def make(folder: Path) -> None:
        done = run_once(tmp_path_factory, worker_id, page, STRICTER, ports, forks)
        right = shutil.copytree(done / "lab" / f"lab-{number}", folder / f"lab-{number}")
        apply({name: text for name, text in RIGHT[number].items() if text != "SCORE"}, right)
        lines = {**dict.fromkeys(range(1, 11), "no: 0, none"), **PREDICTED[number]}
        form = "".join(f"{number}: {text}\n" for number, text in lines.items())
        (right / FILE).write_text(f"# Lab {number}.\n{form}")
        Student(right, int((done / "port").read_text()), forks).hand_in(number)

    made = made_once(tmp_path_factory, worker_id, f"handed-in-{number}", make)
    copy = shutil.copytree(made / f"lab-{number}", tmp_path / f"lab-{number}")
    for folder in copy.glob("*/whoosh"):  # as if the lab had been run here: others are not opened
        (folder / "made-by-breadcrumb").write_text(f"{folder.stat().st_ino}\n")
    return copy


@pytest.mark.parametrize("handed_in", LABS, indirect=True, ids=str)
def test_a_right_folder_gets_every_point_and_its_predictions_come_out_as_the_lab_says(handed_in: Path) -> None:
    number = int(handed_in.name.partition("-")[2])
    found = graded(number, LABS[number][1], handed_in)
    assert not found.fault
    assert {item.name: item.reason for item in found.items if item.mark not in GOOD} == {}
    assert found.points == found.possible
    predicted = {int(item.name) for item in found.predictions if item.mark == "as predicted"}
    assert predicted == set(PREDICTED[number]), [item for item in found.predictions if item.mark != "as predicted"]


@pytest.mark.parametrize(
    ("handed_in", "wrong"),
    [pytest.param(number, wrong, id=f"{number}: {wrong.name}") for number, each in WRONG.items() for wrong in each],
    indirect=["handed_in"],
)
def test_a_wrong_hand_in_is_told_why(handed_in: Path, wrong: WrongHandIn) -> None:
    apply(wrong.change, handed_in)
    checks = lab_checks(int(handed_in.name.partition("-")[2]))
    item = grade_hand_in(LabFolder(handed_in), next(each for each in checks.HAND_INS if each.name == wrong.item))
    assert item.mark in {WRONG_MARK, MISSING}
    assert wrong.reason in item.reason


def test_each_lab_is_handed_in_wrongly_in_ten_ways() -> None:
    assert WRONG.keys() == LABS.keys()
    assert all(len(each) >= 10 for each in WRONG.values())
