"""Which settings does a crawl read? An add-on of Scrapy's own kind that writes each name down, once."""

import sys
from pathlib import Path
from typing import Any

from scrapy.settings import Settings

NAMES = "settings-read"  # a file in the data folder
_LISTING = {"overridden_settings", "_to_dict"}  # who goes through all names reads none of them


class WatchedSettings(Settings):
    """Settings that tell which names are asked for."""

    names: set[str]
    place: Path

    def __getitem__(self, name: Any) -> Any:
        frame: Any = sys._getframe()
        while frame is not None and "settings" in frame.f_code.co_filename:
            if frame.f_code.co_name in _LISTING:
                return super().__getitem__(name)
            frame = frame.f_back
        if name not in self.names:
            self.names.add(name)
            with self.place.open("a") as file:
                file.write(f"{name}\n")
        return super().__getitem__(name)


class Watch:
    """The add-on."""

    def update_settings(self, settings: Any) -> None:
        settings.__class__ = WatchedSettings
        settings.names, settings.place = set(), Path(settings.attributes["DATA_DIR"].value) / NAMES
