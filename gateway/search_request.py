"""What does a request ask the gateway for? Its parameters, each with a bound; an invalid one gets a sentence.

- `q`: the query
- `page`, `n`: the page of results, and the results a page; `n` above MAX_RESULTS counts as MAX_RESULTS
- `site`: a site as the crawl names it (bakery.example, bakery.example:8080), or any URL on it
- `lang`: a language, in two or three letters
- `type`: a file type, such as pdf
- `year`: the year of the pages: published, else changed, else fetched
- `exact`: 1 turns spelling correction off
- `similar`: the URL of a result: only its near copies, one by one

`Paging` has the page numbers that a page of results links to: the previous one, the next one, and some around it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from indexer.query.syntax import YEARS
from urls.canonical import MAX_URL, canonical_or_none, site_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.query.deadline import Deadline
    from indexer.query.syntax import SearchFilters
    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher


MAX_QUERY = 1_000  # characters: a long paragraph
MAX_RESULTS = 50  # a page: what a person scrolls through
MAX_PAGE = 100  # ranking keeps page x n results in memory
DEFAULT_RESULTS = 10  # a page
_MAX_DIGITS = 9  # of a number; further digits are not read
_MAX_TYPE = 8  # letters; a longer ending is no type (indexer/writing/documents.py)
_LANGUAGE_LETTERS = (2, 3)  # ISO 639-1, and 639-3 for languages without a code of two letters


class InvalidParameter(ValueError):
    """An invalid parameter; the message names it, its value and what would work."""


_PARAMETERS = (
    *(("query", "q"), ("page", "page"), ("page_size", "n"), ("site", "site"), ("language", "lang")),
    *(("file_type", "type"), ("year", "year"), ("exact", "exact"), ("similar", "similar")),
)  # the fields of a search request, and their names in a URL, in this order


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search with its filters. An empty `query` is the empty form."""

    query: str = ""
    page: int = 1
    page_size: int = DEFAULT_RESULTS
    site: str = ""
    language: str = ""
    file_type: str = ""
    year: int = 0
    similar: str = ""
    exact: bool = False

    @property
    def narrowing(self) -> SearchFilters:
        """The filters, for the searcher."""
        return {"site": self.site, "language": self.language, "file_type": self.file_type, "year": self.year}

    @property
    def narrowed(self) -> tuple[str, ...]:
        """The names of the filters that are set."""
        return tuple(name for name, value in self.narrowing.items() if value)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for: no words and no filter."""
        return not (self.query or self.narrowed)

    @property
    def kept(self) -> tuple[tuple[str, str | int], ...]:
        """The hidden fields of a form: the filters, and the results a page."""
        return self._fields(query="", page=1, similar="", exact=False)

    def parameters(self, **changed: str | int | bool) -> str:
        """Return the query string of a URL, with some fields changed; an empty `query` changes nothing."""
        words = changed.pop("query", "") or self.query
        return urlencode(self._fields(query=words, **changed))

    def _fields(self, **changed: str | int | bool) -> tuple[tuple[str, str | int], ...]:
        """Return the parameters that differ from their defaults, with some fields changed."""
        values = {name: getattr(self, name) for name in self.__slots__} | changed
        values["page"] = values["page"] if values["page"] > 1 else 0
        values["page_size"] = values["page_size"] if values["page_size"] != DEFAULT_RESULTS else 0
        named = ((short, values[name]) for name, short in _PARAMETERS)
        return tuple((short, int(value) if value is True else value) for short, value in named if value)


def read_search_request(parameters: Mapping[str, str]) -> SearchRequest:
    """Read the parameters of a request. Raises InvalidParameter."""
    return SearchRequest(
        query=_query(parameters.get("q", "")),
        page=_page(parameters.get("page", "")),
        page_size=min(_number("n", parameters.get("n", ""), DEFAULT_RESULTS, f"1 to {MAX_RESULTS}"), MAX_RESULTS),
        site=read_site(parameters.get("site", "")),
        language=_language(parameters.get("lang", "")),
        file_type=_file_type(parameters.get("type", "")),
        year=_year(parameters.get("year", "")),
        similar=_similar(parameters.get("similar", "")),
        exact=parameters.get("exact", "").strip() not in {"", "0"},
    )


def timed_search(searcher: Searcher, question: SearchRequest, deadline: Deadline) -> tuple[Results, float]:
    """Return a page of results, and the seconds that the search and its snippets took.

    The results name what the deadline left out.
    """
    begun = time.perf_counter()
    results = searcher.search(
        question.query,
        question.page_size,
        question.page,
        similar=question.similar,
        exact=question.exact,
        deadline=deadline,
        **question.narrowing,
    )
    for hit in results.hits:
        _ = hit.snippet  # made now, because it is the larger part of the work
    return results, time.perf_counter() - begun


def _query(text: str) -> str:
    query = " ".join(text.split())
    if len(query) > MAX_QUERY:
        raise InvalidParameter(f"q has {len(query)} characters, at most {MAX_QUERY} are possible: enter fewer words")
    return query


def _page(text: str) -> int:
    page = _number("page", text, 1, f"1 to {MAX_PAGE}")
    if page > MAX_PAGE:
        raise InvalidParameter(
            f"page={page}: only pages 1 to {MAX_PAGE} are possible; more words or site= give fewer results"
        )
    return page


def _number(name: str, text: str, default: int, range_: str) -> int:
    digits = text.strip()
    if not digits:
        return default
    if not (digits.isascii() and digits.isdecimal()) or not int(digits[:_MAX_DIGITS]):
        raise InvalidParameter(f"{name}={text[:20]!r} is not a number from {range_}")
    return int(digits[:_MAX_DIGITS])


def read_site(text: str) -> str:
    """Return the name of a site, given its name or any URL on it. Raises InvalidParameter."""
    site = text.strip()
    if not site:
        return ""
    canonical = canonical_or_none(site[:MAX_URL] if "://" in site else f"http://{site[:MAX_URL]}/")
    if canonical is None:
        raise InvalidParameter(
            f"site={site[:60]!r} is no site: give its host, such as bakery.example, with its port if it has one"
        )
    return site_of(canonical)


def _similar(text: str) -> str:
    if not text.strip():
        return ""
    canonical = canonical_or_none(text.strip()[:MAX_URL])
    if canonical is None:
        raise InvalidParameter(
            f"similar={text[:60]!r} is no URL: give that of a result, such as http://bakery.example/bread.html"
        )
    return canonical


def _language(text: str) -> str:
    language = text.strip().lower()
    if language and not (language.isascii() and language.isalpha() and len(language) in _LANGUAGE_LETTERS):
        raise InvalidParameter(f"lang={text[:20]!r} is no language: give two letters, such as en, de or ko")
    return language


def _file_type(text: str) -> str:
    kind = text.strip().lower().removeprefix(".")
    if kind and not (kind.isascii() and kind.isalnum() and len(kind) <= _MAX_TYPE):
        raise InvalidParameter(f"type={text[:20]!r} is no file type: give the ending of a file name, such as pdf")
    return kind


def _year(text: str) -> int:
    digits = text.strip()
    if not digits:
        return 0
    year = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS else 0
    if year not in YEARS:
        raise InvalidParameter(f"year={text[:20]!r} is no year: give four digits, such as 2025")
    return year


NUMBERS_AROUND = 3  # page numbers shown on each side of this one


@dataclass(frozen=True, slots=True)
class Paging:
    """Page `current` of `last`; numbers from 1."""

    current: int
    last: int

    @property
    def numbers(self) -> range:
        """The page numbers to show."""
        return range(max(1, self.current - NUMBERS_AROUND), min(self.last, self.current + NUMBERS_AROUND) + 1)

    @property
    def before(self) -> int | None:
        """The previous page, if there is one."""
        return min(self.current - 1, self.last) if self.current > 1 and self.last else None

    @property
    def after(self) -> int | None:
        """The next page, if there is one."""
        return self.current + 1 if self.current < self.last else None


def paging(total: int, page_size: int, current: int, highest: int) -> Paging:
    """Return the paging of `total` results, up to page `highest`."""
    return Paging(current, min(-(-total // page_size), highest))


MAX_NUMBER_CHARS = 12  # characters of a number; a longer one is invalid


def read_text(parameters: Mapping[str, str], name: str) -> str:
    """Return a parameter as text. Raises InvalidParameter where it is longer than any URL of a crawl."""
    text = parameters.get(name, "").strip()
    if len(text) > MAX_URL:
        raise InvalidParameter(f"{name} has {len(text)} characters, and at most {MAX_URL} are possible")
    return text


def number_parameter(parameters: Mapping[str, str], name: str, default: float, low: float, high: float) -> float:
    """Return a parameter as a number from `low` to `high`, or `default` where it is empty. Raises InvalidParameter."""
    text = parameters.get(name, "").strip()
    if not text:
        return default
    try:
        number = float(text) if len(text) <= MAX_NUMBER_CHARS else math.nan
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise InvalidParameter(f"{name}={text[:100]!r} is invalid: give a number from {low:g} to {high:g}")
    return number
