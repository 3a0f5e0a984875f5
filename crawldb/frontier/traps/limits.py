"""How much is too much? The limits that end a trap; the settings of the same names say why each has its value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """One number a rule. A person can change each, and undo a single verdict with `release`."""

    max_url_length: int = 1024  # characters
    max_depth: int = 25  # links from a seed
    path_repeats: int = 3  # times that a run of path parts may not be repeated
    pattern_pages: int = 200  # URLs of one pattern to begin with; each page that says something new adds more
    site_pages: int = 50_000  # URLs of a site, or of a registered domain where SCOPE is domain
    skipped_endings: frozenset[str] = frozenset()  # of file names, without the dot, in lower case
    skip_queries: bool = False  # refuse what a program makes: URLs with a query or with /cgi-bin/ in the path
    trap_patience: int = 20  # pages of one pattern in a row that say nothing new; 0: however many
    query_parameters: int = 12  # of one URL
    domain_sites: int = 200  # sites of one registered domain, where SCOPE is domain
