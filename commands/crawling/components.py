"""Which components run in a textbook crawl? Its own, with what `-s` puts in their place: a part of the engine, say.

    -s ITEM_PIPELINES='{"textbook.index.WhooshWriter": null, "indexer.item_pipeline.IndexPipeline": 400}'

A name with a number is put in, a name with null is taken out, and what is not named stays. Scrapy itself treats its own
components so, and those of a project would all be replaced.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from commands.frame.exits import Trouble

if TYPE_CHECKING:
    from collections.abc import Mapping

COMPONENTS = ("ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES")


def exchanged(own: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, dict[type, int | None]]:
    """Return the components by setting, for each of COMPONENTS that is `given`. Raises `Trouble` for what is none."""
    return {name: own.get(name, {}) | _read(name, given[name]) for name in COMPONENTS if name in given}


def _read(name: str, text: str) -> dict[type, int | None]:
    places = json.loads(text)  # a JSON object: the crawl's words have been checked for that
    if not all(_is_place(place) for place in places.values()):
        raise Trouble(f'-s {name}={text}: give each class its place: {{"folder.file.Class": 200}}; null takes it out')
    return {_component(name, path): place for path, place in places.items()}


def _is_place(place: object) -> bool:
    return place is None or (isinstance(place, int) and not isinstance(place, bool))


def _component(name: str, path: str) -> type:
    try:
        found = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        raise Trouble(f"-s {name}: there is no class {path} ({error})") from error
    if not isinstance(found, type):
        raise Trouble(f"-s {name}: {path} is no class")
    return found
