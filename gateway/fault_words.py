"""What does a stranger read of a fault? What is wrong and what helps, and not where on this machine the crawl lies.

The errors of a crawl database and of an index begin with the path of their file: in a terminal that is what helps. On
a page `…` stands for the folder, and the log has the sentence as it was.
"""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MORE = "The operator finds more in the gateway's log and with ./breadcrumb check."
LOGGED_SECONDS = 60.0  # that the same fault is logged again: whoever asks for a page can't fill the log
MAX_LOGGED = 1_000  # faults that are remembered as logged


class FaultWords:
    """The words for faults of one gateway; threads may share it. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged: dict[str, float] = {}

    def of(self, fault: object, places: Mapping[Path, str]) -> str:
        """Return an error, or its text, without the path of a place; `places` says what each of them is called.

        Logs the whole text. What has been through here stays as it is.
        """
        text = str(fault).strip()
        if text.endswith(MORE):
            return text
        self._log(text)
        for place in sorted(places, key=lambda place: -len(str(place))):
            text = _without(text, str(place), places[place])
        return f"{text.rstrip('.')}. {MORE}"

    def _log(self, text: str) -> None:
        now = self._clock()
        if now - self._logged.get(text, -LOGGED_SECONDS) < LOGGED_SECONDS:
            return
        if len(self._logged) >= MAX_LOGGED:
            self._logged.clear()
        self._logged[text] = now
        logging.getLogger(__name__).error("%s", " ".join(text.split()))


def _without(text: str, place: str, name: str) -> str:
    """Return a text without a path; a URL that has the same folders keeps them."""
    path = re.compile(rf"(?<![\w/.:~%-]){re.escape(place.rstrip('/'))}(/|(?![\w.-]))")
    return path.sub(lambda found: "…/" if found[1] else name, text)
