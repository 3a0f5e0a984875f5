"""What can go wrong? Every error of the package is an `Error`; its message says what is wrong and what would work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from breadcrumb.crawling import CrawlResult


class Error(Exception):
    """An error of Breadcrumb."""


class NoIndex(Error):
    """The folder holds no index, or no crawl."""


class UnusableFolder(Error):
    """The folder or its content can't be used: it is damaged, of a newer version, or without rights."""


class FolderInUse(Error):
    """Another process crawls into the folder, or writes its index."""


class InvalidValue(Error, ValueError):
    """An argument can't be used: a query, a URL, a setting, a number."""


class EngineStopped(Error):
    """The process of the engine has ended, can't begin, or belongs to another process."""


class CrawlFailed(Error):
    """A crawl ended with an error of its own; `result` has what it reached."""

    def __init__(self, message: str, result: CrawlResult) -> None:
        super().__init__(message)
        self.result = result
