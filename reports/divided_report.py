"""What do the parts of a divided crawl amount to? Sums of what each part counts, and beside them each part's own.

Every URL has a row in the part that has its host and in no other, so the sums add up as each part's numbers do. A round
is one of the whole crawl, which the parts have together: so the most that any of them has had are told. What
is about one run, one plan or one visited set can't be added: it stands with its part. After the sums of all there is a
line a part; one that can't be asked is named with its fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reports.numbers import Report, added_sections, report
from reports.wording import Row, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crawldb.databases import Parts


class DividedReport(Report):
    """The numbers of all parts that can be asked; `parts` has each one's own.

    Each of them has `part` (2/3), `folder` and `fault`; one that can't be asked has nothing else.
    """

    parts: list[dict[str, Any]]


def report_of(parts: Parts) -> Report:
    """Count everything in a crawl; where it is divided, in each part."""
    return divided_report(parts) if parts.divided else report(parts.of(parts.parts[0]))


def divided_report(parts: Parts) -> DividedReport:
    """Count everything in each part. Raises `DatabaseError` where none can be asked."""
    found, faults = parts.ask(report)
    told: list[dict[str, Any]] = []
    for part in parts.parts:
        name = str(part)
        place = {"part": name, "folder": str(parts.folder(part)), "fault": faults.get(name)}
        told.append(place | dict(found.get(name, {})))
    return DividedReport(**sum_of_reports(list(found.values())), parts=told)


def sum_of_reports(reports: Sequence[Report]) -> Report:
    """Return the sums of several reports."""
    sections = [added_sections(each) for each in reports]
    added = {same[0][0].key: same[0][0].combine(value for _, value in same) for same in zip(*sections, strict=True)}
    return Report(
        urls=_sums(each["urls"] for each in reports),
        suppressed=_by_size(_sums(each["suppressed"] for each in reports)),
        failed=_by_size(_sums(each["failed"] for each in reports)),
        pages=_sums(each["pages"] for each in reports),
        sitemaps=_sums(each["sitemaps"] for each in reports),
        harms=_sums(each["harms"] for each in reports),
        probes=_sums(each["probes"] for each in reports),
        status=dict(sorted(_sums(each["status"] for each in reports).items())),
        requests=sum(each["requests"] for each in reports),
        bytes=sum(each["bytes"] for each in reports),
        seconds=round(sum(each["seconds"] for each in reports), 3),
        rounds={
            name: max(each["rounds"][name] for each in reports) for name in ("begun", "open")
        },  # all parts share one
        sites=_sums(each["sites"] for each in reports),
        seeds=sorted((seed for each in reports for seed in each["seeds"]), key=lambda seed: -seed["pages"]),
        last_run=None,
        faults={url: reason for each in reports for url, reason in each["faults"].items()},
        alarms=[alarm for each in reports for alarm in each["alarms"]],
        closed={origin: since for each in reports for origin, since in each["closed"].items()},
        complaints=[one for each in reports for one in each["complaints"]],
        **added,
        resting={host: rest for each in reports for host, rest in each["resting"].items()},
        plan=None,
    )


def _sums(counts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total


def _by_size(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def part_rows(parts: Sequence[dict[str, Any]]) -> Iterator[Row]:
    """Yield a row for each part: its number, and what it has or what is wrong with it."""
    for number, part in enumerate(parts):
        fault = part["fault"]
        said = f"{part['part']} is in none of these numbers: {fault}" if fault else f"{part['part']}: {_share(part)}"
        yield Row("" if number else "parts", said)


def _share(part: Mapping[str, Any]) -> str:
    urls, pages, last = part["urls"], part["pages"], part["last_run"] or {}
    ending = "at work" if last.get("running") else f"run {last.get('run', 0)} {last.get('ending') or 'killed'}"
    return (
        f"{counted(urls['discovered'], 'URL')}, {urls['queued']:,} queued, "
        f"{counted(pages['stored'], 'page')} stored, {pages['indexed']:,} fit for the index, "
        f"{counted(part['requests'], 'request')}, {ending}"
    )


def sum_of_traps(told: Sequence[Mapping[str, Any]], missing: Mapping[str, str]) -> dict[str, Any]:
    """Return the sums of what the rules about traps have caught; `missing` are parts that can't be asked, and why."""
    return {
        "harms": _sums(each["harms"] for each in told),
        "traps": [catch for each in told for catch in each["traps"]],
        "suspects": [suspect for each in told for suspect in each["suspects"]],
        "missing": dict(missing),
    }
