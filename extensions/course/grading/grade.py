"""What is a student's folder worth? A mark, a reason and points for each prediction and each hand-in.

A prediction gets its point by being made, right or wrong. One that came out differently begins a thought, and points
for right ones would reward those who look first. Hand-ins are graded as right or wrong. A sentence is for a
person to read: here it counts once it is there.
"""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong
from extensions.course.grading.predictions import answers, lab_of, predictions_of, questions
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import ModuleType

    from extensions.course.grading.predictions import Prediction

RIGHT, WRONG, MISSING, TO_READ = "right", "wrong", "missing", "to read"
AS_PREDICTED, DIFFERENT = "as predicted", "came out differently"
COMPARE, NOT_MEASURED = "compare", "not measured"
GOOD = frozenset({RIGHT, TO_READ, AS_PREDICTED, DIFFERENT, COMPARE, NOT_MEASURED})
PREDICTION_POINTS, HAND_IN_POINTS = 1, 2
MODULES = ("crawl", "robots", "traps", "duplicates", "spoofing", "ranking", "pagerank", "faults", "cluster")
MIN_SENTENCE_WORDS = 5
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class HandIn:
    """Something to hand in: its name, and a check that returns what was measured, or raises Missing or Wrong."""

    name: str
    check: Callable[[LabFolder], str]
    read_by_a_person: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A prediction (its number) or a hand-in (its name), with its mark, the reason, and points of a possible number."""

    name: str
    mark: str
    reason: str
    possible: int

    @property
    def points(self) -> int:
        """The points that it got: all or none."""
        return self.possible if self.mark in GOOD else 0


@dataclass(frozen=True, slots=True)
class Grade:
    """A graded folder; `fault` says why it can't be graded."""

    folder: str
    predictions: tuple[Item, ...] = ()
    hand_ins: tuple[Item, ...] = ()
    fault: str = ""

    @property
    def items(self) -> tuple[Item, ...]:
        """All that is graded."""
        return self.predictions + self.hand_ins

    @property
    def points(self) -> int:
        """The points that the folder got."""
        return sum(item.points for item in self.items)

    @property
    def possible(self) -> int:
        """The points that a folder can get."""
        return sum(item.possible for item in self.items)

    @property
    def complete(self) -> bool:
        """Whether nothing is wrong or missing."""
        return not self.fault and all(item.mark in GOOD for item in self.items)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self) | {"points": self.points, "possible": self.possible}


def sentences(name: str) -> HandIn:
    """Return a hand-in of words for a person to read."""

    def check(folder: LabFolder) -> str:
        words = len(" ".join(folder.lines(name)).split())
        if words < MIN_SENTENCE_WORDS:
            raise Wrong(f"{name} has {counted(words, 'word')}: write a sentence")
        return f"{counted(words, 'word')}, for your teacher"

    return HandIn(name, check, read_by_a_person=True)


def grade(number: int, page: str, path: Path) -> Grade:
    """Grade a folder by the lab's number and the text of its page."""
    if not path.is_dir():
        fault = "it is not a folder" if path.exists() else "there is no such folder"
        return Grade(str(path), fault=f"{fault}: give the folder lab-{number} that breadcrumb lab {number} made")
    folder = LabFolder(path)
    try:
        other = lab_of(folder)
        if other not in {None, number}:
            return Grade(str(path), fault=f"it belongs to lab {other}: breadcrumb lab {other} --check {path}")
        if other is None and not (path / "data").exists() and not (path / "site").exists():
            fault = f"it is not the folder of a lab: give the folder lab-{number} that breadcrumb lab {number} made"
            return Grade(str(path), fault=fault)
        module = lab_checks(number)
        predicted = tuple(_predictions(folder, page, module.PREDICTIONS))
        return Grade(str(path), predicted, tuple(grade_hand_in(folder, each) for each in module.HAND_INS))
    except (Wrong, OSError) as error:
        return Grade(str(path), fault=_in_words(error, folder))


def lab_checks(number: int) -> ModuleType:
    """Return the module with the PREDICTIONS and HAND_INS of a lab."""
    return import_module(f"extensions.course.grading.labs.{MODULES[number - 1]}")


def _predictions(folder: LabFolder, page: str, measured: Mapping[int, Prediction]) -> Iterator[Item]:
    said, shown = predictions_of(folder), answers(page)
    for number in questions(page):
        text = said.get(number, "")
        name = str(number)
        if not text:
            yield Item(name, MISSING, "write what you expect before you measure", PREDICTION_POINTS)
        elif number not in measured:
            yield Item(name, COMPARE, shown.get(number, ""), PREDICTION_POINTS)
        else:
            yield _prediction(folder, name, text, measured[number])


def _prediction(folder: LabFolder, name: str, text: str, prediction: Prediction) -> Item:
    said = prediction.read(text)
    if said is None:
        return Item(name, MISSING, f"“{text}” says nothing to compare; write {prediction.form}", PREDICTION_POINTS)
    measured, why = _attempt(folder, prediction.measure)
    if measured is None:
        return Item(name, NOT_MEASURED, why[1], PREDICTION_POINTS)
    if prediction.came_out(said, measured):
        return Item(name, AS_PREDICTED, f"{measured}: {measured.where}", PREDICTION_POINTS)
    return Item(name, DIFFERENT, f"you said “{text}”; it was {measured}: {measured.where}", PREDICTION_POINTS)


def grade_hand_in(folder: LabFolder, hand_in: HandIn) -> Item:
    """Return the mark of one thing that was handed in."""
    reason, why = _attempt(folder, hand_in.check)
    if reason is None:
        return Item(hand_in.name, *why, HAND_IN_POINTS)
    return Item(hand_in.name, TO_READ if hand_in.read_by_a_person else RIGHT, reason, HAND_IN_POINTS)


def _attempt(folder: LabFolder, check: Callable[[LabFolder], Found]) -> tuple[Found | None, tuple[str, str]]:
    """Return what a check returns, or else its mark and why."""
    from crawldb.database import DatabaseError, ForeignIndexError, NoCrawlError
    from indexer import IndexFault, NoIndex

    try:
        return check(folder), ("", "")
    except (Missing, NoCrawlError, ForeignIndexError, NoIndex) as error:
        return None, (MISSING, _in_words(error, folder))
    except (Wrong, DatabaseError, IndexFault, OSError, sqlite3.Error) as error:
        return None, (WRONG, _in_words(error, folder))


def _in_words(error: Exception, folder: LabFolder) -> str:
    message = (
        f"{error.filename or 'a file'} can't be read: {error.strerror}" if isinstance(error, OSError) else str(error)
    )
    return message.replace(f"{folder.path}/", "")
