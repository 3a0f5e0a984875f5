"""Does a snippet say what a person would choose? Names with their definitions, and everyday queries, over an index.

    bench/relevance snippets DATA_DIR --site NAME=URL … [--half test] [--show] [--json]

DATA_DIR has manuals in one index; `snippets.toml` has the queries, and those over the given sites run. Four counts:

- begin, end: snippets of the first three results that begin or end in the middle of a sentence. A line begins and ends
  a sentence, whatever it is made of; this program finds the sentences by itself.
- shown: names of the kind `dotted` that stand whole in the snippet of the first result
- defined: snippets of the right page, among the first ten results, that have the sentence that a person would choose
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.program import parser_of, show
from bench.judged.graded import DEPTH
from bench.judged.places import TOP, one_form
from bench.judged.questions import named_site
from indexer import open_index
from indexer.snippets.sentences import ELLIPSIS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.retrieval.searcher import Searcher

QUERIES = Path(__file__).parent / "snippets.toml"
DOTTED = "dotted"
_BEFORE = re.compile(r"(?:\A|\n|[。！？][」』）”\"']*|[.!?:…][\"'”’»)\]]*\s)\s*\Z")  # noqa: RUF001 - Japanese marks
_NO_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf)\.\s*\Z")
_FIRST_PART = re.compile(r"\A([a-z ]*\b)[^\W\d]\w*\.(?=[^\W\d])")  # "classmethod itertools."
_AFTER = re.compile(r"[\s¶]*(?:\Z|\n)")
_END = re.compile(r"[.!?…:。！？][\"'”’»)\]」』）]*\Z")  # noqa: RUF001 - the same
_PASSAGES = re.compile(rf"(?<!\A){ELLIPSIS}\s")  # where a snippet leaves something out
_JOINS = re.compile(r"\s+(?:·\s+)?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query, the page that answers it, and the beginnings of the sentences that a person would choose there."""

    text: str
    kind: str
    page: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """The counts over the queries of one kind. `chars` is the mean length of the snippets, in characters."""

    queries: int
    snippets: int
    chars: int
    begin: int
    end: int
    shown: int
    defined: int


def wanted_snippets(half: str, sites: Mapping[str, str]) -> list[Wanted]:
    """Return the queries of a half over these sites; `sites` maps the name of each manual to its root URL."""
    kinds = tomllib.loads(QUERIES.read_text("utf-8"))[half]
    return [
        Wanted(text, kind, one_form(sites[name] + path), tuple(sentences))
        for kind, rows in kinds.items()
        for text, (page, *sentences) in rows.items()
        for name, _, path in (page.partition("/"),)
        if name in sites
    ]


def cut_ends(snippet: str, text: str) -> tuple[bool, bool]:
    """Return whether a snippet of this text, or a passage of it, begins and ends in the middle of a sentence."""
    whole = _cut_ends(snippet, text)
    passages = _PASSAGES.split(snippet)
    if whole is None and len(passages) > 1:
        found = [_cut_ends(passage, text) or (True, True) for passage in passages]
        return any(begins for begins, _ in found), any(ends for _, ends in found)
    return whole or (True, True)


def _cut_ends(passage: str, text: str) -> tuple[bool, bool] | None:
    """Return the same for one passage; None: the text does not have it, even without the first parts of a name."""
    words = [re.escape(word) for word in _JOINS.split(passage.strip(ELLIPSIS).strip()) if word]
    found = list(re.finditer(r"[\s¶]+(?:·\s+)?".join(words), text)) if words else []
    if not found:
        shorter = _FIRST_PART.sub(r"\1", passage, count=1)  # the id of a section had it
        return _cut_ends(shorter, text) if shorter != passage else None
    begins = any(_BEFORE.search(text, max(0, at.start() - 9), at.start()) for at in found)
    begins = begins and not any(_NO_END.search(text, max(0, at.start() - 9), at.start()) for at in found)
    ends = any(_AFTER.match(text, at.end()) or (_END.search(at[0]) and not _NO_END.search(at[0])) for at in found)
    return not begins, not ends


def measured(searcher: Searcher, queries: list[Wanted], *, shows: bool) -> dict[str, Quality]:
    """Run the queries and return the counts of each kind."""
    counts: dict[str, Counter[str]] = {}
    for each in queries:
        told = counts.setdefault(each.kind, Counter())
        hits = searcher.search(each.text, DEPTH).hits
        for hit in hits[:TOP]:
            stored = searcher.stored(hit.url)
            begin, end = cut_ends(hit.snippet.text, stored.text if stored else "")
            if shows and (begin or end):
                print(f"{'begins' if begin else 'ends'} in the middle: {each.text}\n    {hit.snippet.text}")
            told.update(snippets=1, chars=len(hit.snippet.text), begin=begin, end=end)
        right = next((hit.snippet.text for hit in hits if one_form(hit.url) == each.page), "")
        is_shown = bool(hits) and each.text in hits[0].snippet.text
        is_defined = any(sentence in right for sentence in each.sentences)
        told.update(queries=1, shown=is_shown and each.kind == DOTTED, defined=is_defined)
        if shows:
            print(f"{'' if is_defined else 'not defined: '}{each.text}\n    {right}")
            if each.kind == DOTTED and not is_shown:
                print(f"    not shown: {hits[0].snippet.text if hits else ''}")
    names = ("queries", "snippets", "begin", "end", "shown", "defined")
    return {
        kind: Quality(chars=told["chars"] // (told["snippets"] or 1), **{name: told[name] for name in names})
        for kind, told in counts.items()
    }


def main() -> None:
    """Read the command line, search, print."""
    parser = parser_of(__doc__)
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="the data folder with the index")
    parser.add_argument("--site", type=named_site, action="append", required=True, metavar="NAME=URL", dest="sites")
    parser.add_argument("--half", choices=("development", "test"), default="development")
    parser.add_argument("--show", action="store_true", help="show the snippet of each right page")
    options = parser.parse_args()
    queries = wanted_snippets(options.half, dict(options.sites))
    found = measured(open_index(options.data), queries, shows=options.show)
    show(found, options)
