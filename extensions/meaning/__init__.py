"""How is a text found by its meaning, next to its words? A second reading of English pages and queries; off by default.

A network turns a passage into numbers (encoder.py). The index writer reads some passages of a page
(passages.py) while it has time (upkeep.py). The folder of the index stores their numbers, and a search compares them
with a query's (vectors.py). The result adds to a score (search.py).

It adds the setting MEANING, `index --meaning`, and packages that the launcher installs for that (extra.txt).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import CommandOptions, IndexWork, RankingWeight, SearchSchema, extends

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings
    from extensions.meaning.search import MeaningSearch


@extends
def settings() -> dict[str, object]:
    """Add MEANING: whether English pages and queries are also read by meaning: an extra (index --meaning)."""
    return {"MEANING": False}


@extends
def ranking_weights() -> list[RankingWeight]:
    """Add the weight of a similar passage, in best scores by words, for a query that is a sentence."""
    return [RankingWeight("meaning", 1.5, "a passage that means the same, in scores by words")]


@extends
def score_contributors(settings: CommandSettings) -> list[MeaningSearch]:
    """With MEANING, queries in English are read by meaning, too."""
    if not settings.getbool("MEANING"):
        return []
    from extensions.meaning.encoder import MiniLM
    from extensions.meaning.search import MeaningSearch

    return [MeaningSearch(MiniLM)]


@extends
def search_schemas() -> list[SearchSchema]:
    """A result names the passage that is similar to the query, and a response says what is not read."""
    from extensions.meaning.search import MeaningPart

    hit = {
        "type": "object",
        "properties": {"similarity": {"type": "number"}, "passage": {"type": "string"}, "alone": {"type": "boolean"}},
        "required": ["similarity", "passage", "alone"],
        "additionalProperties": False,
    }
    return [SearchSchema({"not_read_by_meaning": {"type": "string"}}, {"meaning": hit}, (MeaningPart,))]


@extends
def command_options(command: str) -> list[CommandOptions]:
    """Add `index --meaning`."""

    def add(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--meaning", action="store_true", help="read English pages by meaning, too, as MEANING does for good"
        )

    return [CommandOptions(add)] if command == "index" else []


@extends
def index_work(arguments: Namespace, settings: CommandSettings) -> list[IndexWork]:
    """Return the reading of English pages by meaning, with `--meaning` or MEANING."""
    if not arguments.meaning and not settings.getbool("MEANING"):
        return []
    from extensions.meaning.upkeep import reading_of_pages

    return reading_of_pages(settings, asked=arguments.meaning)
