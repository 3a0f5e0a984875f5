"""Which definition does the query name? A section, a function, an option, a setting, or the page itself.

A person who types a name wants to know what it is, so the snippet is the definition: the signature or heading, and the
first sentence below it. Three places have definitions, and each must have all names of the query:

- the heading of the page: its first sentence, after the line NAME of a man page ("git-commit - Record changes …")
- the heading of a section, or a `dt` (pages/text/visible_text.py)
- a line that begins with the name, or declares it as C does, and has a sentence below it: an option of a manual

A longer name only contains the words: `clone.rejectShallow` does not define "shallow clone", nor `push(tags)` "tags".

Where only the id of a section has the whole name, the signature gets what it lacks: "threading.Thread." and "join()".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.words import is_stop_word
from indexer.snippets.sentences import (
    ELLIPSIS,
    Excerpt,
    Sentence,
    cut_before,
    excerpt_from,
    has_sentence,
    introduces,
    line_around,
    sentence_ends,
    whole_sentences,
)
from pages.text.layout import DEFINITION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from indexer.ranking.sections import SectionMatch
    from indexer.segments.schema import SectionRow
    from indexer.snippets.highlighter import TextSpan

MAX_HEADINGS = 8  # of a page that are read for the names of the query
MAX_OPENINGS = 4  # sections, the best, whose beginning may be shown
MAX_BELOW = 1_000  # characters from a heading to its first sentence
MAX_SYNTAX = 10_000  # characters from the heading of a page to its first sentence, with a synopsis or a diagram between
MAX_LINES = 3  # from a name to its sentence: other names of the same thing are between them
MAX_DECLARED = 60  # lines with a name that are looked at
MAX_TYPE = 60  # characters before the declared name
MAX_NAME = 200  # characters of a heading whose words are looked at
MAX_LINE = 2_000  # characters of a line that declares something
LEAST_SIGNATURE = 40  # characters of a signature that are shown, whatever the length of its sentence; a line NAME whole
LEFT_OUT = f" {ELLIPSIS} "
_NAME = re.compile(r"\w+")
_WORD = re.compile(r"[^\W_]?[^\W_A-Z]*")  # a name of one part
_OPTION = re.compile(r"[\w-]+")
_PART = re.compile(r"[A-Z]+[^\W_A-Z]*|[^\W_A-Z]+")  # of a name: "set", "event" and "loop" of "set_event_loop"
_NAME_LINE = re.compile(r"[^\n]{1,80}? (?:--?|\u2013|\u2014) \S")
_DECLARES = re.compile(
    r"(?!(?:import|from|return|await|yield)\b)(?:\w[\w:.]*[ *&]+){0,4}(?:\w[\w.]*\.)?"
)  # "int *", "public static void ", "PRAGMA schema."
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:, v?\d+(?:\.\d+)+)*\s+")  # above what has changed in it, in a table
_LABELLED = re.compile(
    r"(?:\w+(?: [\w.]+){0,3} ?:|\.*[^\W\d]\w* [<{][^>}\n]{1,60}[>}])\s"
)  # "Warning: ", "callback <Function> "
_ARGUMENTS = re.compile(r" ?(?:[^\w\s.-]|\.(?!\w)|$)", re.MULTILINE)  # what may follow a declared name


class Named(NamedTuple):
    """What a query names: its terms, and its typed words, each with the terms that it stands for and all of its parts.

    A place has a name only if it has all of its parts, so few places are read. The `stop_words` name nothing.
    """

    terms: frozenset[str]
    words: Mapping[str, frozenset[str]]
    parts: Mapping[str, frozenset[str]]
    stop_words: frozenset[str] = frozenset()


class Definition(NamedTuple):
    """Where a definition stands: its signature (empty: none is shown), its sentence (-1: none), and its end.

    The signature lacks the words `lacks`, which belong at the place `at` in it.
    """

    signature: TextSpan
    sentence: int
    end: int
    lacks: str = ""
    at: int = -1

    def excerpt(self, text: str, room: int) -> Excerpt:
        """Return the signature and the sentence, and what fits after them; a long signature is cut."""
        if not self.lacks or len(self.lacks) >= room:
            return self._excerpt(text, room)
        found = self._excerpt(text, room - len(self.lacks))
        first, *others = found.parts
        if self.at >= first.end:  # a cut signature
            return found
        return found._replace(
            parts=[Sentence(first.start, self.at, self.lacks), first._replace(start=self.at), *others]
        )

    def _excerpt(self, text: str, room: int) -> Excerpt:
        start, stop = self.signature
        if self.sentence < 0 or start == stop:
            return excerpt_from(text, max(start, self.sentence), room, self.end)
        line = line_around(text, self.sentence)[1]
        sentence = next(sentence_ends(text, self.sentence, line), line) - self.sentence
        least = stop - start if _NAME_LINE.match(text, start, stop) else LEAST_SIGNATURE
        most = max(room - sentence - len(LEFT_OUT), min(least, room // 2))
        lines = whole_sentences(text, start, most, stop)
        if not lines:
            lines = [Sentence(start, cut_before(text, start, start + most - 1), f"{ELLIPSIS} ")]
        elif text[lines[-1].end : self.sentence].strip():
            lines[-1] = lines[-1]._replace(gap=LEFT_OUT)
        rest = excerpt_from(text, self.sentence, room - _length(lines), self.end)
        return Excerpt([*lines, *rest.parts], "", rest.after)


class Opening(NamedTuple):
    """The beginning of a section, and the part of its names that counts: none of a longer name than the query has.

    The heading of the page counts, but is not shown: it is mostly the title, which a result shows.
    """

    definition: Definition
    named: TextSpan


def _programs(named: Named) -> set[str]:
    """Return the terms of the words before an option: its program, which a page that defines it need not repeat."""
    words = list(named.words)
    first = next((number for number, word in enumerate(words) if word.startswith("-")), 0)
    return {term for word in words[:first] for term in named.words[word]}


def _length(parts: Iterable[Sentence]) -> int:
    return sum(part.end - part.start + len(part.gap) for part in parts)


class DefinitionFinder:
    """Finds what a query names on one page: what its title has (`titled`) need not be named again.

    If the title has all names, a heading that also has the stop words says more: "VACUUM with an INTO clause".
    `terms_in` returns the query terms in a part of its text.
    """

    def __init__(
        self, text: str, named: Named, titled: Collection[str], terms_in: Callable[[int, int], Collection[str]]
    ) -> None:
        self._text, self._named, self._terms_in = text, named, terms_in
        self._needed = named.terms.difference(titled, _programs(named))
        self._typed = {part for word in named.words for part in word.lower().split(".")}
        needed = (parts for word, parts in named.parts.items() if not named.words[word].issubset(titled))
        self._parts = frozenset().union(*needed).difference(titled)  # terms of a heading that names all
        self._terms, self._is_titled = named.terms, not self._needed
        if self._is_titled and not named.stop_words.issubset(titled):
            self._terms = self._needed = self._parts = named.terms | named.stop_words

    def find(self, sections: Sequence[SectionRow], matches: Sequence[SectionMatch]) -> Definition | None:
        """Return the definition, or None; `matches` has the best section first."""
        if not self._named.terms:
            return None
        start = sections[0][1] if sections and sections[0][0] == 0 else 0
        if not self._needed or self._name_line(start):
            return self._of_page(start)
        found = [
            (
                each.number > 0,
                *self._beyond(sections[each.number]),
                order,
                each.number,
            )
            for order, each in enumerate(self._read(sections, matches))
        ]
        for is_section, more, _, beyond, _, number in sorted(found):
            level = sections[number][2]
            if not is_section or (level < DEFINITION and beyond and len(found) > 1 and self._is_of_all(start)):
                return self._of_page(start)
            counted = more if self._is_titled else beyond  # the stop words of the query come with others
            if level == DEFINITION or counted <= (len(self._terms) + 1) // 2:
                definition = _beginning(self._text, sections, number)
                if definition.sentence >= 0 or not beyond:
                    return self._with_name(definition, sections[number])
        return self._of_page(start) if self._is_titled else self._declared()

    def openings(self, sections: Sequence[SectionRow], matches: Sequence[SectionMatch]) -> Iterator[Opening]:
        """Yield the beginnings of the page and of its best sections that have a sentence there.

        `matches` has the best section first.
        """
        numbers = [0] if sections and not sections[0][0] else []
        numbers += [each.number for each in matches[:MAX_OPENINGS] if 0 < each.number < len(sections)]
        for number in numbers:
            start, stop, level, _ = sections[number]
            found = _beginning(self._text, sections, number) if stop <= len(self._text) else None
            if found is not None and found.sentence >= 0:
                named = (stop if number and self._has_longer(start, stop) else start), found.signature[1]
                is_shown = number and (level == DEFINITION or self._terms_in(start, stop))
                yield Opening(found if is_shown else found._replace(signature=(stop, stop)), named)

    def _read(self, sections: Sequence[SectionRow], matches: Sequence[SectionMatch]) -> Iterator[SectionMatch]:
        """Yield the sections whose heading has all names of the query, or whose id ends with one of them."""
        read, least = 0, len(self._parts)
        ids = tuple(f".{word}" for word in self._named.words if "." in word)
        for each in matches:
            number, _, _, named = each
            if named < least and not ids:
                continue
            start, stop, _, anchor = sections[number] if number < len(sections) else (0, len(self._text) + 1, 0, "")
            if stop > len(self._text):
                continue
            if ids and number and f".{anchor}".endswith(ids):
                yield each
            elif named >= least and read < MAX_HEADINGS:
                read += 1
                if self._names_all(start, stop) and self._is_named(start, stop) and not self._has_longer(start, stop):
                    yield each

    def _names_all(self, start: int, stop: int, *, but: Collection[str] = ()) -> bool:
        return self._needed.difference(but).issubset(self._terms_in(start, stop))

    def _names_in(self, start: int, stop: int) -> list[re.Match[str]]:
        """Return the words of a heading before its arguments; those of a dotted name are several, of an option one."""
        bracket = self._text.find("(", start, stop)
        words = _OPTION if self._text.startswith("-", start) else _NAME
        return [*words.finditer(self._text, start, min(stop if bracket < 0 else bracket, start + MAX_NAME))]

    def _has(self, name: re.Match[str]) -> list[bool]:
        """Return which parts of a name the query has; it has all of one that was typed as a whole."""
        parts = _PART.finditer(self._text, *name.span())
        return [name[0].lower() in self._typed or bool(self._terms_in(*part.span())) for part in parts]

    def _beyond(self, section: SectionRow) -> tuple[int, int, int]:
        """Return how many words a heading has beyond those of the query, its arguments and number aside.

        The first count is without stop words, the last with them. Between them is how many typed words it does not have
        as they were typed: “-B” lacks “-b”.
        """
        start, stop = section[:2]
        lacks = sum(not _place_of(word, self._text, start, stop) for word in self._named.words)
        names = [name for name in self._names_in(start, stop) if not name[0].isdecimal()]
        beyond = [self._has(name).count(False) for name in names]
        is_stop = [is_stop_word(name[0].lower(), frozenset()) for name in names]
        return sum(more for more, stops in zip(beyond, is_stop, strict=True) if not stops), lacks, sum(beyond)

    def _has_longer(self, start: int, stop: int) -> bool:
        """Return whether a name in a heading has words beyond those of the query: “set_event_loop”, “event loop”."""
        names = [name for name in self._names_in(start, stop) if not _WORD.fullmatch(name[0])]
        return any(any(has) and not all(has) for has in map(self._has, names))

    def _is_named(self, start: int, stop: int) -> bool:
        """Return whether the name that a heading defines is of the query, not only its owner or an argument."""
        names = self._names_in(start, stop)
        if not names or (
            self._text.find("(", start, stop) < 0 and not self._text.endswith(".", start, names[-1].start())
        ):
            return True
        return not self._parts.isdisjoint(self._terms_in(*names[-1].span()))

    def _is_of_all(self, start: int) -> bool:
        """Return whether the first sentence of the page is about what several of its sections are kinds of."""
        at = self._first_sentence(start)
        return at >= 0 and self._terms.issubset(self._terms_in(at, line_around(self._text, at)[1]))

    def _with_name(self, found: Definition, section: SectionRow) -> Definition:
        """Return a definition with what its heading lacks of the typed name that ends the id of its section."""
        start, stop, _, anchor = section
        for word in self._named.words:
            if "." not in word or not f".{anchor}".endswith(f".{word}"):
                continue
            for dot in (place for place, sign in enumerate(f".{word}") if sign == "."):
                if at := _place_of(word[dot:], self._text, start, stop):
                    return found._replace(lacks=word[:dot], at=at[0])
        return found

    def _of_page(self, start: int) -> Definition | None:
        """Return the definition of a page: its line NAME and its first sentence.

        A page without a heading is about the query only if that sentence has a term of it.
        """
        sentence = self._first_sentence(start)
        name = self._name_line(start) or (start, start)
        if sentence < 0 or not (start or name[1] or self._terms_in(*line_around(self._text, sentence))):
            return None
        return Definition(name, sentence if name[0] != sentence else -1, _end_of(self._text, sentence))

    def _first_sentence(self, start: int) -> int:
        return _introduction(self._text, start, min(len(self._text), start + MAX_SYNTAX))[1]

    def _name_line(self, start: int) -> TextSpan | None:
        """Return the line NAME of a man page, if it has all terms of the query: "git-add - Add file contents …"."""
        for line in islice(_lines(self._text, start, start + MAX_BELOW), MAX_LINES):
            if (
                _NAME_LINE.match(self._text, *line)
                and not has_sentence(self._text, *line)
                and self._named.terms.issubset(self._terms_in(*line))
            ):
                return line
        return None

    def _declared(self) -> Definition | None:
        """Return the first line that begins with a name, or declares it, and has all names of the query.

        A sentence below it alone is better than one below several names.
        """
        each = [found for word in self._named.words.items() if (found := self._declared_as(*word))]
        return min(each, key=lambda found: found[0])[1] if each else None

    def _declared_as(self, name: str, terms: frozenset[str]) -> tuple[bool, Definition] | None:
        """Return the first definition of one name, and whether its sentence is below several names."""
        text = self._text
        at = text.find(name) if len(self._named.words) == 1 or not name.isalpha() else -1
        for _ in range(MAX_DECLARED):
            if at < 0:
                break
            line, stop = line_around(text, at)
            found = self._declared_in(line, stop, at, name) if at - line <= MAX_LINE >= stop - at else None
            if found and self._names_all(line, stop, but=terms):
                return found
            at = text.find(name, stop)
        return None

    def _declared_in(self, line: int, stop: int, at: int, name: str) -> tuple[bool, Definition] | None:
        """Return the same for the name at `at` in a line; None: the line does not define it."""
        text = self._text
        if introduces(text, line, stop) and text[stop - 1] != ";":
            return None
        start = self._declaration(line, at) if _ARGUMENTS.match(text, at + len(name)) else -1
        below = [*islice(_lines(text, stop, stop + MAX_BELOW), MAX_LINES)] if start >= 0 else []
        number = next((number for number, each in enumerate(below) if introduces(text, *each)), -1)
        if number < 0:
            return None
        is_shared = any(name not in text[begin:end] for begin, end in below[:number])
        sentence = below[number][0]
        return is_shared, Definition((start, sentence), sentence, _end_of(text, sentence))

    def _declaration(self, line: int, at: int) -> int:
        """Return the start of the declaration of the name at `at`, after another one on its line; -1: it is none."""
        other = self._text.rfind("; ", line, at)
        start = other + 2 if other >= 0 else line
        is_declared = at - start <= MAX_TYPE and _DECLARES.fullmatch(self._text, start, at)
        return start if is_declared else -1


def _beginning(text: str, sections: Sequence[SectionRow], number: int) -> Definition:
    """Return the heading and the first sentence of a section, or of the one that begins right below its heading."""
    start, stop = sections[number][:2]
    end = _section_end(text, sections, number)
    last, sentence = _introduction(text, stop, min(end, stop + MAX_SYNTAX))
    return Definition((start, last), sentence, end)


def _section_end(text: str, sections: Sequence[SectionRow], number: int) -> int:
    """Return where a section ends, or the one that begins right below its heading."""
    _, heading_end, level, _ = sections[number]
    for start, stop, its_level, _ in islice(sections, number + 1, None):
        if text[heading_end:start].strip() or level >= its_level != DEFINITION:
            return start
        heading_end = stop
    return len(text)


def first_of_page(text: str, sections: Sequence[SectionRow]) -> Definition:
    """Return the first sentence of a page, without its heading: that is mostly the title, which a result shows."""
    found = _beginning(text, sections, 0)
    return found._replace(signature=(found.sentence, found.sentence))


def section_around(
    text: str, sections: Sequence[SectionRow], at: int, has_match: Callable[[int, int], bool]
) -> TextSpan:
    """Return where the section with the character at `at` begins and ends, without a heading that has no match.

    What a defined name means can't be read without the name.
    """
    number = bisect_right(sections, at, key=itemgetter(0)) - 1
    if number < 0:
        return at, sections[0][0] if sections else len(text)
    start, stop, level, _ = sections[number]
    is_shown = start and (level == DEFINITION or has_match(start, stop))
    return start if is_shown else at, _section_end(text, sections, number)


def _introduction(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the names above a sentence end, and where it begins: the one that says what a heading is; -1: none.

    A table of its versions or a list of its parameters may come first: they only change or qualify it.
    """
    names, count, labelled, before = start, 0, -1, start
    for begin, stop in _lines(text, start, end):
        is_labelled = _LABELLED.match(text, begin, stop) is not None
        if introduces(text, begin, stop):
            if not is_labelled and not _VERSION.fullmatch(text, before, begin):
                return names if 0 < count <= MAX_LINES else start, begin
            count = MAX_LINES + 1
            labelled = begin if is_labelled and labelled < 0 else labelled
        elif not is_labelled and names >= before:
            names = stop
            count += 1
        before = begin
    return start, labelled


def _end_of(text: str, sentence: int) -> int:
    """Return where the lines with sentences end: at the next name or heading, not at what a colon introduces."""
    for start, stop in _lines(text, sentence, sentence + MAX_BELOW):
        if not introduces(text, start, stop):
            return start
        if text[start:stop].rstrip().endswith(":"):
            break
    return len(text)


def _lines(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Yield the lines with words from `start` on, up to `end`."""
    end = min(end, len(text))
    while start < end:
        stop = line_around(text, start)[1]
        if text[start:stop].strip():
            yield start, stop
        start = stop + 1


def _place_of(name: str, text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Return where a heading has a name before its arguments; None: nowhere."""
    bracket = text.find("(", start, stop)
    found = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").search(text, start, stop if bracket < 0 else bracket)
    return found.span() if found else None
