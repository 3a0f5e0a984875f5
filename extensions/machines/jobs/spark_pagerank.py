"""PageRank over the links of all parts as tables of Spark, for a graph that no machine can hold.

    x = d (x W + x(dangling) v) + (1 - d) v        as in indexer/links.py, round by round

A round passes d x W along the links. The sum of x is 1, so the rest up to 1 starts again at the root set. So a round is
one join with the links and one sum. Each part merges its URLs into pages, as one crawl does (indexer/links.py). The
upper bits of a page's number hold its part. The weights come from the same function as for one crawl.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - as Spark's own documentation names it

from extensions.machines.jobs.pagerank import RankedPages, links_in, put_ranks
from extensions.machines.jobs.spark_parts import PART_BITS, put_shares, table_of
from extensions.machines.tasks.places import PartChange
from indexer.links import DAMPING, MAX_ROUNDS, TOLERANCE, MergedNames, link_ranks, link_weight
from indexer.segments.link_ranks import GraphState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from crawldb.pages.feed import PartLinks
    from crawldb.parts.partition import Partition
    from extensions.machines.tasks.places import PartsPlace

_PAGE, _LINK, _NAME, _PRINT, _NAMED = "page", "link", "name", "print", "named"
_ROWS = "what string, page long, other long, text string, site long, cluster long, root boolean"
_Ranked = tuple[int, float, int, int]  # page, rank, number of pages and of other sites that link to it


class _Row(NamedTuple):
    """A page with site and cluster; a link from a page or a URL to a page; a URL; a fingerprint.

    Or the URL of another part that a page names as its canonical.
    """

    what: str
    page: int
    other: int | None = None
    text: str | None = None
    site: int | None = None
    cluster: int | None = None
    root: bool | None = None


def rank_all_on_spark(spark: SparkSession, place: PartsPlace, damping: float = DAMPING) -> RankedPages:
    """Compute PageRank over all parts, and put each part's share into its index. Raises `PartsFailed`."""
    ranked, ranks = ranks_of_all(spark, place, damping)
    put_ranks_of_all(place, ranked, ranks, damping)
    return ranked


def put_ranks_of_all(place: PartsPlace, ranked: RankedPages, ranks: DataFrame, damping: float = DAMPING) -> None:
    """Put the ranks of each part's pages into its index, each part by a task. Raises `PartsFailed`."""
    shares = ranks.rdd.map(lambda row: (row.page >> PART_BITS, (row.page, row.rank, row.inlinks, row.other_sites)))
    state = GraphState(0, 0, ranked.pages, damping, ranked.linking_sites)
    put_shares(place, place.parts, shares, partial(_change, state))


def ranks_of_all(spark: SparkSession, place: PartsPlace, damping: float = DAMPING) -> tuple[RankedPages, DataFrame]:
    """Return the table (page, rank, inlinks, other_sites) of all pages and their names.

    A rank is a multiple of the mean of all pages.
    """
    rows = table_of(spark, place, _rows, _ROWS)
    alias = _alias(rows)
    edges = _edges(rows, alias).persist()
    pages = _pages(rows, alias).persist()
    graph = _weighed(edges, pages).persist()
    taking_part = (
        graph.select("source").union(graph.select("target")).union(pages.where("root").select("page")).distinct()
    )
    nodes = pages.join(taking_part.toDF("page"), "page").persist()
    count, roots = nodes.count(), nodes.where("root").count()
    share = F.when(F.col("root") | F.lit(not roots), 1.0 / max(roots or count, 1)).otherwise(0.0)
    ranks = _iterated(nodes.select("page", share.alias("start")), graph, damping)
    inlinks = graph.groupBy(F.col("target").alias("page")).agg(
        F.count("*").alias("inlinks"), F.count_distinct("other_site").alias("other_sites")
    )
    counts = [F.coalesce(name, F.lit(0)).alias(name) for name in ("inlinks", "other_sites")]
    ranked_nodes = ranks.join(inlinks, "page", "left").select("page", (F.col("rank") * count).alias("rank"), *counts)
    names = rows.where(F.col("what") == _PAGE).select("page").join(alias, "page", "left")
    names = names.select("page", F.coalesce("name", "page").alias("name"))
    ranked = names.join(ranked_nodes.withColumnRenamed("page", "name"), "name").select(
        "page", "rank", "inlinks", "other_sites"
    )
    linking_sites = graph.where("other_site IS NOT NULL").select("other_site").distinct().count()
    return RankedPages(count, graph.count(), linking_sites), ranked


def _rows(part: Partition, folder: Path) -> Iterator[_Row]:
    """Yield the rows of a part's graph, with its URLs already merged into pages."""
    known = links_in(folder)
    rows, merged, numbers = known.rows, MergedNames.of(known.rows), _numbers(part, known)
    above = part.number << PART_BITS
    for at in np.flatnonzero(merged.name == np.arange(len(merged.name))).tolist():
        cluster = int(merged.clusters[at])
        cluster = above + cluster if cluster > 0 else cluster
        yield _Row(_PAGE, int(numbers[at]), None, None, above + int(merged.sites[at]), cluster, bool(merged.roots[at]))
    place_of = {int(number): at for at, number in enumerate(rows.ids)}
    for source, target in rows.links.tolist():
        yield _Row(_LINK, int(numbers[place_of[source]]), int(numbers[place_of[target]]))
    for text, target in known.foreign:
        yield _Row(_LINK, int(numbers[place_of[target]]), None, text)
    for url, number in zip(rows.urls, numbers.tolist(), strict=True):
        yield _Row(_NAME, number, None, url)
    for text, number in known.named:
        yield _Row(_NAMED, int(numbers[place_of[number]]), None, text)
    for number, mark in known.fingerprints:
        yield _Row(_PRINT, int(numbers[place_of[number]]), None, mark.hex())


def _numbers(part: Partition, known: PartLinks) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return for each URL the number of its page among those of all parts."""
    return np.asarray((part.number << PART_BITS) + known.rows.ids[MergedNames.of(known.rows).name])


def _alias(rows: DataFrame) -> DataFrame:
    """Return (page, name) of pages that copy or name a page of another part: a chain has the name of its first."""
    prints = rows.where(F.col("what") == _PRINT).select("page", "text")
    first = prints.groupBy("text").agg(F.min("page").alias("first"))
    pairs = (
        prints.join(first, "text")
        .where(F.shiftright("page", PART_BITS) != F.shiftright("first", PART_BITS))
        .select("page", "first")
    )
    names = rows.where(F.col("what") == _NAME).select("text", F.col("page").alias("first"))
    pairs = pairs.union(rows.where(F.col("what") == _NAMED).select("text", "page").join(names, "text").drop("text"))
    if pairs.isEmpty():
        return pairs.toDF("page", "name").localCheckpoint()  # computed only once
    both = pairs.union(pairs.select("first", "page")).toDF("page", "other").distinct().persist()
    named = both.select("page").distinct().select("page", F.col("page").alias("name"))
    while True:
        least = both.join(named.toDF("other", "theirs"), "other").groupBy("page").agg(F.min("theirs").alias("theirs"))
        following = named.join(least, "page").select("page", F.least("name", "theirs").alias("name")).localCheckpoint()
        if following.exceptAll(named).isEmpty():
            return following
        named = following


def _under_one_name(table: DataFrame, alias: DataFrame, column: str) -> DataFrame:
    """Return a table with the pages in a column replaced by their common name."""
    joined = table.join(alias.toDF(column, "_name"), column, "left")
    return joined.withColumn(column, F.coalesce("_name", column)).drop("_name")


def _edges(rows: DataFrame, alias: DataFrame) -> DataFrame:
    """Return (source, target), each pair of two pages once."""
    links = rows.where(F.col("what") == _LINK)
    own = links.where("text IS NULL").select(F.col("page").alias("source"), F.col("other").alias("target"))
    names = rows.where(F.col("what") == _NAME).select("text", F.col("page").alias("source"))
    foreign = links.where("text IS NOT NULL").select("text", F.col("page").alias("target")).join(names, "text")
    edges = own.union(foreign.select("source", "target"))
    edges = _under_one_name(_under_one_name(edges, alias, "source"), alias, "target")
    return edges.select("source", "target").where("source != target").distinct()


def _pages(rows: DataFrame, alias: DataFrame) -> DataFrame:
    """Return (page, site, cluster, root): pages with one name have the site of the first, the cluster of the last."""
    pages = rows.where(F.col("what") == _PAGE).select("page", F.col("page").alias("own"), "site", "cluster", "root")
    clustered = F.when(F.col("cluster") != 0, F.col("own"))
    return (
        _under_one_name(pages, alias, "page")
        .groupBy("page")
        .agg(
            F.min_by("site", "own").alias("site"),
            F.coalesce(F.max_by("cluster", clustered), F.lit(0)).alias("cluster"),
            F.max("root").alias("root"),
        )
    )


def _weighed(edges: DataFrame, pages: DataFrame) -> DataFrame:
    """Return (source, target, share, other_site): the share of a page's outgoing weight that each link carries.

    `other_site` is the linking site, null if the target is on the same site.
    """
    ends = [
        pages.select(F.col("page").alias(end), F.col("site").alias(f"{end}_site"), F.col("cluster").alias(f"{end}_in"))
        for end in ("source", "target")
    ]
    edges = edges.join(ends[0], "source").join(ends[1], "target")
    linking = edges.groupBy("source_site").agg(F.count_distinct("source").alias("linking"))
    edges = edges.withColumn("times", F.count("*").over(Window.partitionBy("source_site", "target")))
    own = (F.col("source_site") == F.col("target_site")).cast("int")
    near = ((F.col("source_in") != 0) & (F.col("source_in") == F.col("target_in"))).cast("int")
    weight = F.udf(link_weight, "double", useArrow=False)  # with Arrow it asks for pandas
    edges = edges.join(linking, "source_site").withColumn("weight", weight(own, near, "times", "linking"))
    given = F.sum("weight").over(Window.partitionBy("source"))
    other = F.when(F.col("source_site") != F.col("target_site"), F.col("source_site")).alias("other_site")
    return edges.select("source", "target", (F.col("weight") / given).alias("share"), other)


def _iterated(nodes: DataFrame, graph: DataFrame, damping: float) -> DataFrame:
    """Return (page, rank) after the last round, whose change is below TOLERANCE, or after MAX_ROUNDS; the sum is 1."""
    state = nodes.select("page", "start", F.lit(0.0).alias("rank"), F.lit(0.0).alias("along"))
    anew = 1.0
    for number in range(MAX_ROUNDS + 1):
        rank = F.col("along") + F.lit(anew) * F.col("start")
        moved = state.select("page", "start", rank.alias("rank"), F.abs(rank - F.col("rank")).alias("change"))
        passed = graph.join(moved.select(F.col("page").alias("source"), "rank"), "source")
        passed = passed.groupBy(F.col("target").alias("page")).agg(
            (F.sum(F.col("share") * F.col("rank")) * damping).alias("along")
        )
        state = moved.join(passed, "page", "left").fillna(0.0, ["along"]).localCheckpoint(eager=False)
        along, change = state.agg(F.sum("along"), F.sum("change")).first() or (0.0, 0.0)
        if (number and change < TOLERANCE) or change is None:
            break
        anew = 1.0 - along
    total = state.agg(F.sum("rank")).first()
    return state.select("page", (F.col("rank") / F.lit((total and total[0]) or 1.0)).alias("rank"))


def _change(state: GraphState, part: Partition, share: list[_Ranked]) -> PartChange:
    return PartChange(index=partial(_put_found, state, part, share))


def _put_found(state: GraphState, part: Partition, share: list[_Ranked], folder: Path) -> None:
    """Write the ranks of a part's pages into its index, for all their URLs."""
    found = {page: values for page, *values in share}
    known = links_in(folder)
    ranked = [
        (url, *found[page])
        for url, page in zip(known.rows.urls, _numbers(part, known).tolist(), strict=True)
        if page in found
    ]
    urls, ranks, *counts = zip(*ranked, strict=True) if ranked else ((), (), (), ())
    state = replace(state, changes=known.changes, links=len(known.rows.links))
    inlinks, other_sites = (np.array(each, np.int64) for each in counts)
    put_ranks(folder, link_ranks(state, urls, np.array(ranks, np.float64), inlinks, other_sites))
