"""How many URLs may one site, or one pattern of URLs, bring? The throttle that ends what no other rule recognises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.frontier.traps import Limits, pattern_of
from crawldb.page import CanonicalUrl, Refusal

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


class Budgets:
    """Counts accepted URLs by site and by pattern, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase, limits: Limits) -> None:
        self._connection = database.connection
        self._limits = limits

    def spend(self, site: int, url: CanonicalUrl) -> Refusal | None:
        """Count one more URL of `site`, or return why it is refused."""
        (urls,) = self._connection.execute("SELECT urls FROM site WHERE id = ?", (site,)).fetchone()
        if urls >= self._limits.site_pages:
            return Refusal("site-budget", f"its site has brought {urls} URLs; SITE_PAGES is {self._limits.site_pages}")
        pattern = pattern_of(url)
        if pattern is not None:
            sql = "SELECT urls FROM pattern WHERE site = ? AND pattern = ?"
            (alike,) = self._connection.execute(sql, (site, pattern)).fetchone() or (0,)
            if alike >= self._limits.pattern_pages:
                reason = f"{alike} URLs look like {pattern[:100]}; PATTERN_PAGES is {self._limits.pattern_pages}"
                return Refusal("pattern-budget", reason)
            self._connection.execute(
                "INSERT INTO pattern (site, pattern, urls) VALUES (?, ?, 1) "
                "ON CONFLICT (site, pattern) DO UPDATE SET urls = urls + 1",
                (site, pattern),
            )
        self._connection.execute("UPDATE site SET urls = urls + 1 WHERE id = ?", (site,))
        return None
