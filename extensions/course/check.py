"""What did each student get? One folder with a reason for each mark, or many as a table.

Each folder is graded by a process of its own, so what one student handed in can't spoil the grades of the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.exits import DONE, MISUSED, NO
from commands.frame.terminal import hanging, json_line, printable
from extensions.course.grading.grade import GOOD, MISSING, TO_READ, WRONG, Grade, Item
from spiders.own_folders import ROOMS
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 120.0  # for one folder
LABEL_WIDTH = 24
SETTINGS = "BREADCRUMB_"  # variables of who grades: another index, say, or trust in pickles
WORKER = "extensions.course.grading.worker"


def default_folder(number: int) -> Path:
    """Return the folder of a lab: the one that we are in, or the one that the command `lab` makes here."""
    here = Path.cwd()
    return here if here.name == f"lab-{number}" else here / f"lab-{number}"


def check_folders(number: int, title: str, page: Path, folders: Sequence[Path], *, as_json: bool) -> int:
    """Grade folders, print the grades, and return the exit code."""
    grades = []
    widest = max(len(printable(str(folder))) for folder in folders)
    for folder in folders:
        grades.append(grade := graded(number, page, folder))
        if as_json:
            continue
        if len(folders) == 1:
            print(f"Lab {number}: {title}", *_lines(grade), sep="\n")
        else:
            print(f"{printable(grade.folder):{widest}}  {_row(grade)}", flush=True)
    if as_json:
        print(json_line([grade.as_dict() for grade in grades]))
    if all(grade.fault for grade in grades):
        return MISUSED
    return DONE if all(grade.complete for grade in grades) else NO


def graded(number: int, page: Path, folder: Path) -> Grade:
    """Grade a folder in another process; a folder that it can't grade has a fault."""
    line = [sys.executable, "-P", "-m", WORKER, str(number), str(page), str(folder)]
    ours = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    environment = ours | {"PYTHONPATH": str(ROOMS), "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return Grade(str(folder), fault=f"it was not graded within {SECONDS:.0f} s: something in it is far too large")
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return Grade(str(folder), fault=f"it can't be graded: something in it is damaged or far too large ({last})")
    predictions, hand_ins = (tuple(Item(**item) for item in report[kind]) for kind in ("predictions", "hand_ins"))
    return Grade(report["folder"], predictions, hand_ins, report["fault"])


def _lines(grade: Grade) -> list[str]:
    if grade.fault:
        return hanging("", printable(f"{grade.folder}: {grade.fault}"), 0)
    lines = []
    for heading, items in (("Predictions", grade.predictions), ("Hand-ins", grade.hand_ins)):
        lines.append(heading)
        for item in items:
            lines += hanging(f"  {item.mark}", printable(f"{item.name}: {item.reason}"), LABEL_WIDTH)
    return [*lines, f"Points: {grade.points} of {grade.possible}."]


def _row(grade: Grade) -> str:
    if grade.fault:
        return f"not graded: {printable(grade.fault)}"
    names = {mark: [item.name for item in grade.hand_ins if item.mark == mark] for mark in (WRONG, MISSING, TO_READ)}
    unpredicted = sum(item.mark not in GOOD for item in grade.predictions)
    clauses = [f"{mark}: {', '.join(named)}" for mark, named in names.items() if named]
    clauses += [counted(unpredicted, "prediction missing", "predictions missing")] if unpredicted else []
    return f"{grade.points:2} of {grade.possible}  {'; '.join(clauses)}".rstrip()
