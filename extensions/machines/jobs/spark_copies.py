"""Which clusters of different parts are joined, if no machine can hold all their centres? Spark joins bands as tables.

    rows of all parts          each part's task reads its centres, and hashes their bands
      ▼ joined by band         candidates: the first centres that share a band, with each of the later ones
      ▼ similarity             the pairs that are near by the rule of one crawl (pages/content/similarity.py)
      ▼ heads                  in rounds: a centre near no earlier head is a head; one near a head is not
      ▼ numbers                each centre gets that of the nearest head, and each part takes its own

The heads are the same as when one process reads all centres in their order (copies.py): whether a centre is a head
depends on earlier ones alone. A round decides every centre without an undecided earlier neighbour.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - as Spark's own documentation names it

from crawldb.neighbours import band_keys
from extensions.machines.jobs.copies import (
    MAX_SHARING,
    JoinedClusters,
    centres_in,
    number_of,
    put_numbers,
    signatures_of,
)
from extensions.machines.jobs.spark_parts import PART_BITS, put_shares, table_of
from extensions.machines.tasks.places import PartChange
from indexer.following import catch_up
from pages.content.similarity import THRESHOLD, banding, similarity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from crawldb.parts.partition import Partition
    from extensions.machines.tasks.places import PartsPlace

CENTRES = "centre long, signature binary, canonical string, joined long, shown boolean, bands array<long>"


def join_copies_on_spark(spark: SparkSession, place: PartsPlace, threshold: float = THRESHOLD) -> JoinedClusters:
    """Join the clusters of all parts as `join_copies` does: with the same numbers, and as few changes."""
    centres = table_of(spark, place, partial(rows_in, threshold=threshold), CENTRES)
    numbers = numbers_of(centres, threshold).persist()
    before = centres.where("joined IS NOT NULL").select("centre", F.col("joined").alias("before"))
    differing = numbers.join(before, "centre", "outer").where("NOT (number <=> before)")
    changed = {row.part for row in differing.select(_part("centre").alias("part")).distinct().collect()}
    shares = numbers.where(_part("centre").isin(changed)).rdd.map(_addressed)
    put_shares(place, [part for part in place.parts if part.number in changed], shares, _change)
    joined = numbers.agg(F.count("*"), F.count_distinct("number")).first()
    return JoinedClusters(*(joined or (0, 0)))


def rows_in(part: Partition, folder: Path, threshold: float) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of table `CENTRES` of a part."""
    found = centres_in(folder)
    bands = band_keys(signatures_of(found), *banding(threshold)).tolist()
    for each, keys in zip(found, bands, strict=True):
        # SQLite has no booleans, and the table does not check its rows.
        yield (
            (part.number << PART_BITS) + each.cluster,
            each.signature,
            each.canonical,
            each.joined,
            bool(each.shown),
            keys,
        )


def numbers_of(centres: DataFrame, threshold: float) -> DataFrame:
    """Return (centre, number) of the centres joined with a centre of another part."""
    shown = centres.where("shown")
    near = _near(shown, threshold).persist()
    heads = _heads(near).persist()
    nearest = (
        near.join(heads.toDF("earlier"), "earlier")
        .groupBy("later")
        .agg(F.max_by("earlier", F.struct("likeness", -F.col("earlier"))).alias("head"))
    )
    members = nearest.toDF("centre", "head").union(nearest.select("head", "head").distinct()).persist()
    in_several = members.groupBy("head").agg(F.count_distinct(_part("centre")).alias("parts")).where("parts > 1")
    number = F.udf(number_of, "long", useArrow=False)  # with Arrow it asks for pandas
    named = shown.select(F.col("centre").alias("head"), number("canonical").alias("number"))
    return members.join(in_several, "head").join(named, "head").select("centre", "number")


def _near(centres: DataFrame, threshold: float) -> DataFrame:
    """Return (later, earlier, likeness) of the pairs that share a band and are near."""
    banded = centres.select("centre", F.explode("bands").alias("band"))
    place = F.row_number().over(Window.partitionBy("band").orderBy("centre"))
    first = banded.withColumn("place", place).where(F.col("place") <= MAX_SHARING).drop("place")
    pairs = banded.toDF("later", "band").join(first.toDF("earlier", "band"), "band")
    pairs = pairs.where("earlier < later").select("later", "earlier").distinct()
    for end in ("later", "earlier"):
        pairs = pairs.join(centres.select("centre", "signature").toDF(end, f"signature_{end}"), end)
    likeness = F.udf(similarity, "double", useArrow=False)
    compared = pairs.withColumn("likeness", likeness("signature_later", "signature_earlier"))
    return compared.where(F.col("likeness") >= threshold).select("later", "earlier", "likeness")


def _heads(near: DataFrame) -> DataFrame:
    """Return (centre) of the heads among the centres that are near another one."""
    undecided = near.select("later", "earlier").localCheckpoint()
    later = undecided.select("later").distinct()
    heads = undecided.select("earlier").distinct().join(later.toDF("earlier"), "earlier", "left_anti")
    heads = heads.toDF("centre").localCheckpoint()
    while not undecided.isEmpty():
        members = undecided.join(heads.toDF("earlier"), "earlier", "left_semi").select("later").distinct().persist()
        left = undecided.join(members, "later", "left_anti").join(members.toDF("earlier"), "earlier", "left_anti")
        left = left.select("later", "earlier").localCheckpoint()
        decided = undecided.select("later").distinct().join(members, "later", "left_anti")
        heads = heads.union(decided.join(left.select("later").distinct(), "later", "left_anti")).localCheckpoint()
        undecided = left
    return heads


def _part(centre: str) -> Any:
    return F.shiftright(centre, PART_BITS)


def _addressed(row: Any) -> tuple[int, tuple[int, int]]:
    return row.centre >> PART_BITS, (row.centre & ((1 << PART_BITS) - 1), row.number)


def _change(part: Partition, numbers: list[tuple[int, int]]) -> PartChange:  # noqa: ARG001  each has its own rows
    return PartChange(partial(put_numbers, numbers=dict(numbers)), catch_up)
