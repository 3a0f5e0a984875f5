"""What was understood of a question? Sentences on all that is more than plain words, true to what is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.analysis.readings import MARK
from indexer.query.conditions import NAMED, told_together
from urls.counted import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.query.query import Query
    from indexer.query.terms import Term


def sentences_on(query: Query) -> str:
    """Return the sentences; "" for plain words."""
    return " ".join(_sentences(query))


def _sentences(query: Query) -> Iterator[str]:
    if query.addresses:
        yield f"The question is the address of a page, {' or '.join(query.addresses)}: that page is asked for."
        return
    if query.phrases:
        yield f"Pages with {enumerated(list(map(str, query.phrases)))} in a row come first."
    if query.conditions:
        yield f"Only pages {told_together(query.conditions)}."
    for term in query.terms:
        if term.is_beginning:
            yield _beginning(term.word, term.variants.exact)
    for word in dict.fromkeys(term.compound for term in query.terms if term.compound):
        parts = [f"“{term.word}”" for term in query.terms if term.compound == word]
        yield f"No page has “{word}”: its parts {enumerated(parts)} are looked for as well."
    if readings := list(dict.fromkeys(_spoken(term) for term in query.terms if term.read_from)):
        more = counted(len(readings) - NAMED, "other word") if len(readings) > NAMED else ""
        yield f"Looked for by their readings, too: {enumerated([*readings[:NAMED], *filter(None, [more])])}."
    for option in query.options:
        word = option.removeprefix("-")
        yield f'“{option}” is looked for, since pages name it as an option; -"{word}" leaves “{word}” out.'


def _spoken(term: Term) -> str:
    reading = term.word.removeprefix(MARK)
    return reading if reading == term.read_from else f"{term.read_from} ({reading})"


def _beginning(word: str, words: tuple[str, ...]) -> str:
    if not words:
        return f"No word begins like “{word}”."
    more = len(words) - NAMED
    named = ", ".join(words[:NAMED])
    return f"“{word}” stands for {named}" + (f" and {counted(more, 'other word')}." if more > 0 else ".")
