"""Lab 9: as many pages after two kills as without, and a time line that a lease allows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from extensions.course.grading.grade import HandIn, sentences
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = 2
ABANDONED, COMMITTED = "abandoned", "committed"
CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)")
HALF_DAY = 12 * 3600  # seconds: a later time of the day that is so much smaller is after midnight


def _records(folder: LabFolder, place: str, ending: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a folder of a store, the oldest first."""
    records = folder.crawl(place.partition("/")[0]) / place.partition("/")[2]
    found = []
    for path in sorted(records.glob(f"*.{ending}"))[:1_000]:
        try:
            found.append(json.loads(folder.text(str(path.relative_to(folder.path)))))
        except (ValueError, RecursionError):
            raise Wrong(f"{place}/{path.name} is damaged: it is no JSON") from None
    return [record for record in found if isinstance(record, dict)]


def _outcomes(folder: LabFolder, store: str) -> dict[int, list[dict[str, Any]]]:
    return {part: _records(folder, f"{store}/parts/{part:04}/terms", "outcome") for part in range(1, PARTS + 1)}


def _all_outcomes(folder: LabFolder, store: str) -> Iterator[dict[str, Any]]:
    for outcomes in _outcomes(folder, store).values():
        yield from outcomes


def _pages(folder: LabFolder, store: str) -> int:
    """Return the pages of a store: those of the last commit of each part."""
    total = 0
    for part, outcomes in _outcomes(folder, store).items():
        commits = [outcome for outcome in outcomes if outcome.get("kind") == COMMITTED]
        if not commits:
            raise Missing(f"part {part} of {store} has committed nothing: let the crawl end")
        counts = commits[-1].get("counts")
        if not isinstance(counts, dict) or not isinstance(counts.get("pages"), int):
            raise Wrong(f"the last commit of part {part} of {store} has no number of pages")
        if counts.get("queued"):
            raise Wrong(f"part {part} of {store} has {counted(counts['queued'], 'queued URL')}: let the crawl end")
        total += counts["pages"]
    return total


def _same_pages(folder: LabFolder) -> Measured:
    calm, stormy = _pages(folder, "calm"), _pages(folder, "stormy")
    return Measured(("yes" if calm == stormy else "no",), f"calm has {counted(calm, 'page')}, stormy {stormy}")


def _calm(folder: LabFolder) -> str:
    pages = _pages(folder, "calm")
    if killed := sum(each.get("kind") == ABANDONED for each in _all_outcomes(folder, "calm")):
        raise Wrong(f"{counted(killed, 'term')} of calm ended as abandoned: it is the crawl in which nothing is killed")
    return f"{counted(pages, 'page')} in {PARTS} parts, no term abandoned"


def _stormy(folder: LabFolder) -> str:
    calm, stormy = _pages(folder, "calm"), _pages(folder, "stormy")
    killed = sum(each.get("kind") == ABANDONED for each in _all_outcomes(folder, "stormy"))
    drivers = [each.get("kind") for each in _records(folder, "stormy/drivers", "outcome")]
    if not killed:
        raise Wrong("no term of stormy is abandoned: kill a worker")
    if ABANDONED not in drivers:
        raise Wrong("no driver of stormy is abandoned: kill the driver")
    if calm != stormy:
        raise Wrong(f"stormy has {counted(stormy, 'page')}, and calm {calm}: let a new driver finish it")
    lost = f"{counted(killed, 'term')} and {counted(drivers.count(ABANDONED), 'driver')}"
    return f"{counted(stormy, 'page')}, as calm; abandoned: {lost}"


def _lease(folder: LabFolder) -> float:
    """Return the lease of the first term that was abandoned, in seconds."""
    for part, outcomes in _outcomes(folder, "stormy").items():
        claims = _records(folder, f"stormy/parts/{part:04}/terms", "claim")
        for claim, outcome in zip(claims, outcomes, strict=False):
            lease = claim.get("lease")
            if outcome.get("kind") == ABANDONED and isinstance(lease, (int, float)):
                return float(lease)
    raise Missing("no term of stormy is abandoned: kill a worker")


def _time_line(folder: LabFolder) -> str:
    said = folder.entries("timeline.txt", "heartbeat", "abandoned", "claim")
    heartbeat, abandoned, claim = (_seconds(name, said[name]) for name in ("heartbeat", "abandoned", "claim"))
    lease, waited = _lease(folder), _later(heartbeat, abandoned)
    if waited < lease - 1:  # times of a whole second
        raise Wrong(f"the term was abandoned {waited:.0f} s after the last heartbeat; the lease is {lease:g} s")
    if _later(abandoned, claim) < 0:
        raise Wrong("the next claim is before the term was abandoned: it may not come so soon")
    return f"abandoned after {waited:.0f} s of silence, a lease of {lease:g} s; the next claim came after that"


def _seconds(name: str, text: str) -> float:
    found = CLOCK.search(text)
    if found is None:
        raise Wrong(f"timeline.txt: the line “{name}” has no time; write it as 14:05:09")
    hours, minutes, seconds = map(float, found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _later(before: float, after: float) -> float:
    """Return by how many seconds a time of the day is after another one, also past midnight."""
    return (after - before + HALF_DAY) % (2 * HALF_DAY) - HALF_DAY


PREDICTIONS = {5: Prediction("has it as many", _same_pages, YES_NO)}
HAND_INS = (
    HandIn("calm", _calm),
    HandIn("stormy", _stormy),
    HandIn("timeline.txt", _time_line),
    sentences("sentence.txt"),
)
