"""Which pages of a site have several names, and which of its options would merge them? `suggest` lists the evidence.

`report`, `/stats` and `/admin` show the proposed options. The engine keeps the options and merges the aliases:
`urls/site_options.py`, `frontier/aliases.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from extension_points import OptionProposal
    from reports.wording import Row


@extends
def option_proposals(databases: Sequence[CrawlDatabase]) -> list[OptionProposal]:
    """Propose the options that have enough evidence."""
    from extensions.suggest.evidence import find_alias_evidence

    return [each for each in find_alias_evidence(*databases) if each.proposed]


@extends
def why_rows(database: CrawlDatabase, url: str) -> list[Row]:
    """Show the command that switches off the option by which a redirect leads back to its own URL."""
    from crawldb.figures.one_url import known_url
    from crawldb.tables.journal import Journal
    from crawldb.tables.sites import options_of
    from reports.wording import Row
    from urls.canonical import canonical_or_none, site_of
    from urls.rules import Rule
    from urls.wording import shell_word

    known = known_url(database, url)
    if known is None or known.rule != Rule.REDIRECT_LOOP:
        return []
    loops = [entry for entry in Journal(database).about(known.id) if entry.rule == Rule.REDIRECT_LOOP]
    return [
        Row("option", f"To switch it off: ./breadcrumb suggest --off {shell_word(site_of(target))} {choice.option}")
        for loop in loops[-1:]
        for target in map(canonical_or_none, loop.samples)
        if target and (choice := options_of(database).first_choice(target))
    ]
