"""How do parts become a table of Spark, and how does each get back its share? One task a part, both ways.

A part that can't be read or changed reports this in a row, so the others finish. Left to Spark, the failure would be
retried some times. Then Spark would give up all parts, with a page of Java.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from extensions.machines.driving.driver import EndedTurn
from extensions.machines.engines.processes import heard_of
from extensions.machines.jobs.each_part import PartQuery, PartsFailed, PartUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

    from crawldb.parts.partition import Partition
    from extensions.machines.jobs.each_part import JobOfPart
    from extensions.machines.tasks.places import PartChange, PartsPlace

    RowsIn = Callable[[Partition, Path], Iterable[tuple[Any, ...]]]
    ChangeOf = Callable[[Partition, list[Any]], PartChange]

PART_BITS = 40  # a part has fewer than 2^40 URLs: the URL's number in the low bits, that of the part above


def table_of(spark: SparkSession, place: PartsPlace, rows_in: RowsIn, columns: str) -> DataFrame:
    """Return the rows that `rows_in` reads from all parts, in a single table. Raises `PartsFailed`."""
    parts = spark.sparkContext.parallelize(place.parts, len(place.parts))
    width = columns.count(",") + 1
    rows = parts.flatMap(partial(_read, place, rows_in, width))
    table = spark.createDataFrame(rows, f"part int, fault string, {columns}", verifySchema=False).persist()
    _check(place, (tuple(row) for row in table.where("fault IS NOT NULL").select("part", "fault").collect()))
    return table.drop("part", "fault")


def put_shares(
    place: PartsPlace,
    parts: Sequence[Partition],
    shares: RDD[tuple[int, Any]],
    change_of: ChangeOf,
) -> None:
    """Let some parts take their shares: rows by number of the part. Raises `PartsFailed` after all have."""
    many = max(1, len(parts))
    numbered = shares.context.parallelize([(part.number, part) for part in parts], many)
    results = numbered.leftOuterJoin(shares.groupByKey(many), many).flatMap(partial(_put, place, change_of)).collect()
    _check(place, results)


def _check(place: PartsPlace, faults: Iterable[tuple[int, str]]) -> None:
    named = dict(faults)
    if named:
        raise PartsFailed({part: named[part.number] for part in place.parts if part.number in named})


def _read(place: PartsPlace, rows_in: RowsIn, width: int, part: Partition) -> Iterator[tuple[Any, ...]]:
    rows, fault = _tried(PartQuery(place, part, partial(_listed, rows_in, part)))
    if fault:
        yield part.number, fault, *(None,) * width
    else:
        yield from ((part.number, None, *row) for row in rows)


def _listed(rows_in: RowsIn, part: Partition, folder: Path) -> list[tuple[Any, ...]]:
    """Read all rows while the folder is there."""
    return list(rows_in(part, folder))


def _put(
    place: PartsPlace, change_of: ChangeOf, share: tuple[int, tuple[Partition, Iterable[Any] | None]]
) -> Iterator[tuple[int, str]]:
    number, (part, rows) = share
    _, fault = _tried(PartUpdate(place, part, change_of(part, list(rows or ()))))
    if fault:
        yield number, fault


def _tried(job: JobOfPart) -> tuple[Any, str]:
    """Return the result of a part's share of a job, and why it failed, or ""."""
    turn = heard_of(job, ())
    return (turn.answer, turn.told) if isinstance(turn, EndedTurn) else (None, "")
