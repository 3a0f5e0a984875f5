"""How does a person read the study of robots.txt files? As a row a number, and a table of the most named robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extensions.robots_files import HOW_FILES_COME
from reports.wording import Row, counted, plain, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from extensions.robots_files.study.history import HistoryNumbers
    from extensions.robots_files.study.study import RobotsStudy

ROBOTS_SHOWN: Final = 20
NAME_WIDTH: Final = 20  # columns; a longer name is cut
_HEAD: Final = f"{'robot':<{NAME_WIDTH}} {'named':>6} {'favoured':>9} {'disfavoured':>12} {'shut out':>9}  delay"
MOST_NAMED: Final = 10  # robots or delays of a line


def study_rows(study: RobotsStudy) -> Iterator[Row]:
    """Yield the numbers for a person."""
    for part, fault in study.faults.items():
        yield Row("faults", f"part {part} is not in these numbers: {fault}")
    if not study.files:
        yield Row("files", f"none yet. {HOW_FILES_COME}")
        yield from _counts("answers", study.answers)
        return
    sizes = f"{size(study.median_size)} in the middle, {size(study.largest_size)} at most"
    yield Row("files", f"{study.files:,} with {counted(study.rules, 'rule')}; {sizes}")
    if study.left_out:
        yield Row("", f"{counted(study.left_out, 'version')} can't be read and not in these numbers")
    if study.cut:
        yield Row("", f"{counted(study.cut, 'file names', 'files name')} more robots than are counted or compared")
    yield from _counts("sizes", study.sizes)
    everybody = study.universal
    yield Row("everybody", f"{counted(everybody.named, 'file has', 'files have')} a group for *")
    yield Row("", f"{counted(everybody.shut_out, 'file shuts', 'files shut')} out whomever it does not name")
    yield Row("robots", f"{counted(len(study.robots), 'is', 'are')} named")
    yield from _robots(study)
    yield from _counts("kinds", study.kinds)
    if study.with_delays:
        yield Row("delays", f"{counted(study.with_delays, 'file asks', 'files ask')} for a Crawl-delay, most often:")
        often = sorted(study.delays.items(), key=lambda each: (-each[1], each[0]))[:MOST_NAMED]
        yield Row("", ", ".join(f"{plain(seconds)} s: {number:,}" for seconds, number in often))
    if study.with_sitemaps:
        elsewhere = counted(study.with_sitemaps_elsewhere, "file names", "files name")
        yield Row("sitemaps", f"{study.sitemaps:,} in {counted(study.with_sitemaps, 'file')}")
        if study.with_sitemaps_unplaced < study.with_sitemaps:
            where = "of them on another host than its own"
            yield Row(
                "", f"{elsewhere} {study.sitemaps_elsewhere:,} {where}" if study.sitemaps_elsewhere else f"none {where}"
            )
        if study.with_sitemaps_unplaced:
            yield Row("", f"{counted(study.with_sitemaps_unplaced, 'file is', 'files are')} of no known host")
    yield from _counts("lint", study.findings)
    yield from _counts("answers", study.answers)
    yield from _history(study.history)


def _robots(study: RobotsStudy) -> Iterator[Row]:
    if not study.robots:
        return
    yield Row("", _HEAD)
    for robot in study.robots[:ROBOTS_SHOWN]:
        numbers = f"{robot.named:>6,} {robot.favoured:>9,} {robot.disfavoured:>12,} {robot.shut_out:>9,}"
        delay = "" if robot.median_delay is None else f"{plain(robot.median_delay)} s"
        yield Row("", f"{_cut(robot.name):<{NAME_WIDTH}} {numbers}  {delay}".rstrip())
    if len(study.robots) > ROBOTS_SHOWN:
        yield Row("", f"and {len(study.robots) - ROBOTS_SHOWN:,} more; --json has them all")
    yield Row("", "A delay is the one in the middle of those that files ask of the robot.")


def _history(history: HistoryNumbers) -> Iterator[Row]:
    if not history.changes:
        yield Row("changes", f"none in {counted(history.versions, 'version')}")
        return
    files = counted(history.with_changes, "file")
    days = f"{history.median_days:,.1f} days in the middle from one version to the next"
    yield Row("changes", f"{history.changes:,} in {files}, {days}")
    yield from _counts("", history.by_kind)
    yield Row("", f"{counted(history.rules_added, 'rule')} added, {history.rules_removed:,} removed")
    for word, robots in (("newly", history.robots_added), ("no longer", history.robots_removed)):
        if robots:
            most_named = ", ".join(f"{_cut(name)} {number:,}" for name, number in list(robots.items())[:MOST_NAMED])
            yield Row("", f"{word} named, most often: {most_named}")


def _counts(label: str, counts: Mapping[str, int]) -> Iterator[Row]:
    counted_kinds = ", ".join(f"{name}: {number:,}" for name, number in counts.items() if number)
    if counted_kinds:
        yield Row(label, counted_kinds)


def _cut(name: str) -> str:
    return name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 1]}…"
