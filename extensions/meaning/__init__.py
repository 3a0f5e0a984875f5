"""What does a text mean, beside the words it has? A second reading of English pages and queries; off by default.

A network makes numbers of a passage (transformer.py, encoder.py). Of a page some passages are read (passages.py), while
the index writer has time (upkeep.py). Their numbers are kept in the folder of the index and compared with those of a
query (vectors.py). What that adds to a score is in search.py.

It adds the setting MEANING, `index --meaning`, and packages that the launcher installs with that (extra.txt).
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
    """A passage like the query is worth this many times the best score by words, where the query is a sentence."""
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
    """A result names the passage that is like the query, and a response says what is not read."""
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
    """With `--meaning` or MEANING, pages in English are read by meaning."""
    if not arguments.meaning and not settings.getbool("MEANING"):
        return []
    from extensions.meaning.upkeep import reading_of_pages

    return reading_of_pages(settings, asked=arguments.meaning)
