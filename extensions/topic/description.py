"""Which terms make a topic? The given words, or the terms that a text or example pages stress most.

    -a topic="full text search"        Each word is a term.
    -a topic=baking.txt                A text. An HTML page is read as a crawl reads it.
    -a topic=examples/                 All texts and pages of a folder.

A term's stress is the mean of log(1 + occurrences) over the documents: the tf of tf-idf. Words of a title count as in a
page. The idf comes from the crawl, which counts how many of its pages have a term (`priority.py`). Stop words, numbers
and single characters are no terms.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.topic.priority import MAX_TERMS, TITLE, Topic, TopicTerm, term_saturation
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.analysis.words import Script, forms_of, is_stop_word, script_of
from pages import FetchedBody, parse_page
from spiders.setting_values import SettingError
from urls.records import CanonicalUrl
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urls.records import Page

MAX_FILE_BYTES = 1 << 20  # of a description: some 150,000 words
MAX_FILES = 100  # of a folder
HTML_ENDINGS = frozenset({".html", ".htm", ".xhtml"})
TEXT_ENDINGS = frozenset({".txt", ".md", ".text", ".rst"})
MAX_GIVEN = 200  # characters of the given topic to keep and show
SHOWN = 60  # characters of the given topic that a message repeats


class TopicError(SettingError):
    """An unusable topic. The message has the given value, and a value that would work."""


def read_topic(given: str) -> Topic:
    """Make a topic of words, or of the named file or folder. Raises `TopicError`."""
    path = Path(given)
    if given.endswith("/"):
        return _of_documents(given, _in_folder(path, given))
    if "\0" not in given and (path.suffix.lower() in HTML_ENDINGS | TEXT_ENDINGS or _is_file(path)):
        return _of_documents(given, [_document(path)])
    terms = _terms_of_words(given)
    if not terms:
        raise TopicError(f"topic={_shown(given)} has no word that says anything: give a few, or a file that has them")
    if len(terms) > MAX_TERMS:
        raise TopicError(
            f"topic={_shown(given)} has {counted(len(terms), 'word')}, and {MAX_TERMS} are the most: "
            "put a longer description into a file, from which the words with the highest weights are taken"
        )
    return Topic(_kept(given), tuple(terms))


def _terms_of_words(given: str) -> list[TopicTerm]:
    """Return a term for each word, all of the same stress. The pairs of a run share the stress of one word."""
    stress: dict[str, float] = {}
    for raw in raw_tokens(given):
        words = [word for word in index_words(raw) if not is_stop_word(word, frozenset())]
        for word in words:
            stress.setdefault(word, 1.0 / len(words))
    return [TopicTerm(word, each) for word, each in stress.items()]


def index_words(text: str) -> list[str]:
    """Return the words of a text as the index cuts them, in their order: the parts of a name, the pairs of a run."""
    return [piece.text for raw in raw_tokens(text) for piece in analyze_token(raw).parts if not piece.overlaps]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for one
        return False


def _in_folder(path: Path, given: str) -> list[Page]:
    if not path.is_dir():
        raise TopicError(f"topic={_shown(given)}: there is no such folder; without the / it would be words")
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in HTML_ENDINGS | TEXT_ENDINGS)
    if not 0 < len(found) <= MAX_FILES:
        endings = ", ".join(sorted(HTML_ENDINGS | TEXT_ENDINGS))
        raise TopicError(
            f"topic={_shown(given)} has {counted(len(found), 'file')} with {endings}: give 1 to {MAX_FILES}"
        )
    return [_document(each) for each in found]


def _document(path: Path) -> Page:
    """Read a description as a crawl would read it."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise TopicError(f"topic={path} is no file: give a text or an HTML page, or a folder with / behind it")
        if size > MAX_FILE_BYTES:
            raise TopicError(f"topic={path} has {size:,} bytes, and {MAX_FILE_BYTES:,} are the most: give a part of it")
        body = path.read_bytes()
    except OSError as error:
        raise TopicError(f"topic={path} can't be read: {error.strerror}; for words, leave out the ending") from error
    kind = "text/html" if path.suffix.lower() in HTML_ENDINGS else "text/plain"
    page = parse_page(FetchedBody(body, CanonicalUrl("http://topic.invalid/"), [("content-type", kind)]))
    if not page.visible_text.strip() or "\0" in page.visible_text:
        why = page.refusals[0].reason if page.refusals else "it has no words"
        raise TopicError(f"topic={path} is no text: {why}; give a text or an HTML page")
    return page


def _of_documents(given: str, documents: Iterable[Page]) -> Topic:
    counts = [(_occurrences(page), len(index_words(page.text or page.visible_text))) for page in documents]
    # The forms of a word count together: "indexes" counts for "index".
    stress = {
        word: math.fsum(math.log1p(said[word]) for said, _ in counts) / len(counts)
        for word in {word for said, _ in counts for word in said}
    }
    best = sorted(stress, key=lambda word: (-stress[word], word))[:MAX_TERMS]
    if not best:
        raise TopicError(f"topic={_shown(given)} has no word that says anything: describe in it what is looked for")
    own = {word: max(term_saturation(said[word], words) for said, words in counts) for word in best}
    name = f"{Path(given).name}{'/' * given.endswith('/')}"  # without its folder: paths of this machine stay private
    return Topic(_kept(name), tuple(TopicTerm(word, stress[word], own[word]) for word in best))


def _occurrences(page: Page) -> Counter[str]:
    """Count the words of a document that can be terms. A word of its title counts as often as in a page."""
    languages = frozenset({page.language} - {""})
    said: Counter[str] = Counter(index_words(page.text or page.visible_text))
    for word in set(index_words(page.title)):
        said[word] += TITLE
    kept = {word: count for word, count in said.items() if _can_be_a_term(word, languages)}
    by_form: dict[tuple[str, ...] | str, list[str]] = {}
    for word in kept:
        by_form.setdefault(forms_of(word, languages)[1:] or word, []).append(word)
    # The most frequent form of a word represents all of its forms.
    together = Counter[str]()
    for forms in by_form.values():
        together[max(forms, key=lambda word: (kept[word], word))] = sum(kept[word] for word in forms)
    return together


def _can_be_a_term(word: str, languages: frozenset[str]) -> bool:
    if is_stop_word(word, languages) or not any(map(str.isalpha, word)):
        return False
    return len(word) > 1 or script_of(word) is Script.UNSPACED


def _kept(given: str) -> str:
    """Return a given topic as Breadcrumb stores and shows it, without octets of a command line that are not text."""
    whole = given.encode("utf-8", "replace").decode("utf-8")
    return whole if len(whole) <= MAX_GIVEN else f"{whole[:MAX_GIVEN]}…"


def _shown(given: str) -> str:
    return repr(given if len(given) <= SHOWN else f"{given[:SHOWN]}…")
