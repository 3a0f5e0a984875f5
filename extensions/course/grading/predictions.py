"""What did a student expect? A file with a line for each question of the lab, to be filled in before one measures.

The questions are those of the lab's page. The file is made when the lab opens, and never written again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.course.grading.lab_folder import LabFolder, Missing, numbers_in
from urls.wording import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FILE = "predictions.txt"
HEADING = re.compile(r"# Lab (?P<number>\d+)\b")
QUESTION = re.compile(r"\*\*[A-Z][a-z]+ (?P<number>\d+)[:.]\*\* (?P<text>(?:.|\n(?!\n))*)")
ANSWER = re.compile(r"^(?P<number>\d+)\. (?P<text>.*)$", re.MULTILINE)
LINE = re.compile(r"^\s*(?P<number>\d+)\s*[:.](?P<text>.*)$", re.MULTILINE)
MAX_ANSWER_CHARS = 300
TOLERANCE = 0.0051  # of a figure with two digits
YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out: numbers or names, and a clause that says where they were measured."""

    values: tuple[float, ...] | tuple[str, ...]
    where: str

    def __str__(self) -> str:
        return ", ".join(plain(value, 4) if isinstance(value, float) else str(value) for value in self.values) or "none"


@dataclass(frozen=True, slots=True)
class Prediction:
    """A question whose answer can be measured. `among` are the names that an answer can have; without, numbers."""

    asks: str  # what of the question is measured
    measure: Callable[[LabFolder], Measured]
    among: tuple[str, ...] = ()
    ordered: bool = False  # the order of the names counts

    @property
    def form(self) -> str:
        """How to write the answer."""
        if not self.among:
            return f"{self.asks}, in digits"
        return f"{self.asks}: {'yes or no' if self.among == YES_NO else ' '.join(self.among) + ', or none'}"

    def read(self, text: str) -> tuple[float, ...] | tuple[str, ...] | None:
        """Return what a text says; None where it has neither a number nor a name."""
        if not self.among:
            return tuple(numbers_in(text)) or None
        words = re.findall(r"[\w./-]*\w", text.lower())
        names = {name.lower(): name for name in self.among}
        found = dict.fromkeys(names[word] for word in words if word in names)
        return tuple(found) if found or "none" in words else None

    def came_out(self, said: tuple[float, ...] | tuple[str, ...], measured: Measured) -> bool:
        """Return whether a prediction is what was measured. A number said once stands for all that are equal."""
        if self.among:
            return said == measured.values if self.ordered else set(said) == set(measured.values)
        given, wanted = ([float(value) for value in values] for values in (said, measured.values))
        if len(given) != len(wanted):
            given, wanted = sorted(set(given)), sorted(set(wanted))
        return len(given) == len(wanted) and all(
            abs(one - other) < TOLERANCE for one, other in zip(given, wanted, strict=True)
        )


def questions(page: str) -> dict[int, str]:
    """Return the questions of a lab's page by number, each as plain text in one line."""
    return {int(found["number"]): _plain(found["text"]) for found in QUESTION.finditer(page)}


def answers(page: str) -> dict[int, str]:
    """Return the answers at the end of a lab's page."""
    return {int(found["number"]): _plain(found["text"]) for found in ANSWER.finditer(page.partition("## Answers")[2])}


def _plain(text: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.sub(r"(?<!\w)[*`]+|[*`]+(?!\w)", "", text)


def write_form(folder: Path, number: int, page: str, measured: Mapping[int, Prediction]) -> None:
    """Write the file with the questions, unless it is there."""
    text = [f"# Lab {number}. Write after each number what you predict, before you measure it.", ""]
    for each, question in questions(page).items():
        text += [f"# {question}" + (f" ({measured[each].form})" if each in measured else ""), f"{each}:", ""]
    try:
        with (folder / FILE).open("x", encoding="utf-8") as form:
            form.write("\n".join(text))
    except FileExistsError:
        return


def predictions_of(folder: LabFolder) -> dict[int, str]:
    """Return what a student wrote, by number; nothing where there is no file."""
    try:
        text = folder.text(FILE)
    except Missing:
        return {}
    return {int(found["number"]): found["text"].strip()[:MAX_ANSWER_CHARS] for found in LINE.finditer(text)}


def lab_of(folder: LabFolder) -> int | None:
    """Return the number of the lab to which a folder belongs, as its predictions say."""
    try:
        found = HEADING.match(folder.text(FILE))
    except Missing:
        return None
    return int(found["number"]) if found else None
