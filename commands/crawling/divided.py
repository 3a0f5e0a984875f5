"""What is each part of a divided crawl told? The same words, and mistakes in them are found before any part begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.exits import Trouble

if TYPE_CHECKING:
    from commands.frame.command_settings import CommandSettings


def crawl_words(seeds: str, topic: str | None, settings: CommandSettings) -> list[str]:
    """Return the arguments and settings of `crawl site` for every part; raise `Trouble` where it would refuse them."""
    from spiders.seeds import SeedError, read_root_set
    from spiders.topic import TopicError, read_topic

    try:
        if seeds:
            read_root_set(seeds)
        if topic is not None:
            read_topic(topic)
    except (SeedError, TopicError) as mistake:  # else it would stand in the log of each part
        raise Trouble(str(mistake)) from mistake
    arguments = [f"seeds={seeds}"] * bool(seeds) + ([] if topic is None else [f"topic={topic}"])
    given = [word for argument in arguments for word in ("-a", argument)]
    return [*given, *(word for assignment in settings.assignments for word in ("-s", assignment))]
