"""`export --static`: writes the folder that the search box searches without a server.

How does the folder complete a query? By whole titles and headings, and by the words and pairs of words in them.

An entry is a text as it is spelt, and how often it comes. The entries are in the order of their small letters. A piece
has all entries whose first two characters are the same, so the beginning of a query needs one piece.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import asdict
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from commands.frame.data_folder import formula_under, open_searcher
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.new_file import new_folder
from commands.frame.terminal import json_line
from crawldb.databases import Parts
from extension_points import areas_apart
from extensions.embed.static.pages import chosen_pages, may_show_text, write_link_texts, write_records, write_table
from extensions.embed.static.pieces import PieceWriter, StaticFolder, compact
from extensions.embed.static.terms import FIELDS, write_terms
from indexer.analysis.tokenizer import raw_tokens
from indexer.analysis.words import MARKS, STOP_WORDS, UNSPACED, is_stop_word
from indexer.ranking.prior import LEAST_LINKING, earned_share
from indexer.ranking.proximity import FIELDS as POSITIONED
from indexer.segments.areas import HiddenAreas
from indexer.segments.schema import IndexField
from indexer.segments.snapshot import labels_of
from indexer.spelling.suggester import MAX_NAME_CHARS, as_offered
from reports.wording import size
from urls.wording import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from commands.frame.command_settings import CommandSettings
    from extensions.embed.static.pages import ExportedPages
    from indexer.ranking.weights import Formula, Weights
    from indexer.retrieval.searcher import Searcher
    from indexer.segments.snapshot import Snapshot


PIECE_BYTES = 16_000  # before packing
FIRST = 2  # characters after which queries are completed


def write_names(folder: StaticFolder, pages: ExportedPages, languages: frozenset[str]) -> list[str]:
    """Write what queries are completed by; return the first two characters with which each piece begins."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for name in _names(pages):
        words = raw_tokens(name)
        telling = [word for word in words if not is_stop_word(word.lower(), languages)]
        for text in {name, *telling, *(f"{a} {b}" for a, b in pairwise(words) if b in telling)}:
            if FIRST <= len(text) <= MAX_NAME_CHARS:
                spellings[text.lower()][text] += 1
    pieces = PieceWriter(folder, "names", PIECE_BYTES)
    entries = sorted(
        (low, min(each, key=lambda text: (-each[text], text)), each.total()) for low, each in spellings.items()
    )
    for begin, group in groupby(entries, key=lambda entry: entry[0][:FIRST]):
        rows = [(text, count) for _, text, count in group]
        pieces.add(begin, rows, sum(len(text) + 5 for text, _ in rows))
    pieces.close()
    return pieces.begins


def _names(pages: ExportedPages) -> list[str]:
    """Return the titles and headings of all pages whose text may be shown, and the titles of the others."""
    found: list[str] = []
    for stored in pages.stored():
        headings = [stored.text[start:end] for start, end, _, _ in stored.sections] if may_show_text(stored) else []
        found += dict.fromkeys(filter(None, map(as_offered, (stored.title, *headings))))
    return found


MAX_PAGES = 20_000  # each visitor loads some 30 bytes of each page before the first result
SENSIBLE_PAGES = 5_000
WEB = Path(__file__).parent / "web"
SCRIPT = Path(__file__).parents[1] / "embed.js"


def export_static(arguments: Namespace, settings: CommandSettings) -> int:
    """Write the folder; return the exit code."""
    began, path = time.monotonic(), Path(arguments.static)
    place = _place(arguments.served_at)
    formula = formula_under(settings)
    searcher = open_searcher(settings.data_dir, formula)
    if searcher.elsewhere:
        raise CommandError(f"--static {path}: only Breadcrumb's own index can be exported. {searcher.elsewhere}")
    searcher, private = _for_everybody(searcher, settings.data_dir)
    snapshot = searcher.snapshot
    pages = chosen_pages(searcher, snapshot)
    pages.left_out.update({"not every visitor may see it": private} if private else {})
    if len(pages) > MAX_PAGES:
        raise CommandError(
            f"--static {path}: {counted(len(pages), 'page')}, and a folder holds at most {MAX_PAGES:,}: a visitor "
            "loads a part of each. Crawl fewer pages, or let the box ask a gateway, without the attribute index"
        )
    with new_folder("--static", path):
        first, folder = _write(StaticFolder(path), snapshot, pages, formula, place)
    done = {"folder": str(path), "pages": len(pages), "left_out": dict(pages.left_out), "files": folder.files}
    done |= {"bytes": folder.bytes, "first_bytes": first}
    print(json_line(done | {"seconds": round(time.monotonic() - began, 3)})) if arguments.json else _report(done)
    return DONE if len(pages) else NO


def _for_everybody(searcher: Searcher, data_dir: Path) -> tuple[Searcher, int]:
    """Return a searcher that knows only pages for all visitors, and how many it leaves out."""
    with Parts.in_folder(data_dir) as parts:
        apart = searcher.areas_apart.union(*map(areas_apart, parts))
    shown = searcher.limited_to(HiddenAreas(apart, apart).shows) if apart else searcher
    return shown, searcher.snapshot.pages - shown.snapshot.pages


def _report(done: dict[str, Any]) -> None:
    print(
        f"{counted(done['pages'], 'page')} in {done['folder']}: {counted(done['files'], 'file')}, "
        f"{size(done['bytes'])}. A visitor's first search loads {size(done['first_bytes'])} before its words."
    )
    for reason, number in done["left_out"].items():
        print(f"{counted(number, 'page')} left out: {reason}.")
    if done["pages"] > SENSIBLE_PAGES:
        print(f"From some {SENSIBLE_PAGES:,} pages on, a box that asks a gateway is faster (docs/embed.md).")


def _place(url: str | None) -> str:
    """Return the URL of the folder, which ends with a slash; "" if none is given. Raises CommandError."""
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise CommandError(f"--served-at {url}: give the URL of the folder, such as http://127.0.0.1:8000/search/")
    return parts._replace(query="", fragment="", path=parts.path.rstrip("/") + "/").geturl()


def relative(url: str, place: str) -> str:
    """Return a URL as it is written on a page at `place`: relative if both have the same origin.

    So the links of an index lead to the pages of the site wherever the site is served.
    """
    there, here = urlsplit(url), urlsplit(place)
    if (there.scheme, there.netloc) != (here.scheme, here.netloc):
        return url
    folders, wanted = here.path.split("/")[1:-1], there.path.split("/")[1:]
    shared = 0
    while shared < min(len(folders), len(wanted) - 1) and folders[shared] == wanted[shared]:
        shared += 1
    steps = "../" * (len(folders) - shared) + "/".join(wanted[shared:])
    return (steps or "./") + (f"?{there.query}" if there.query else "")


def _write(
    folder: StaticFolder, snapshot: Snapshot, pages: ExportedPages, formula: Formula, place: str
) -> tuple[int, StaticFolder]:
    """Write all files, that of the index last; return the bytes of those that each search loads."""
    address: Callable[[str], str] = (lambda url: relative(url, place)) if place else str
    index = write_table(folder, snapshot, pages, formula.penalty)
    table = folder.bytes
    index |= write_records(folder, pages, address) | {"terms": write_terms(folder, snapshot, pages)}
    index |= {"link_texts": write_link_texts(folder, pages)}
    index |= {"names": write_names(folder, pages, snapshot.languages)}
    index |= _formula(snapshot, formula.weights) | {"homes": _homes(snapshot, pages)}
    written = {path: folder.write(path.name, path.read_bytes()) for path in (SCRIPT, *sorted(WEB.iterdir()))}
    packed = folder.pack("index", compact(index | {"version": folder.version}))
    return table + packed + sum(length for path, length in written.items() if path.suffix == ".js"), folder


def _formula(snapshot: Snapshot, weights: Weights) -> dict[str, Any]:
    """Return how queries are read and pages scored."""
    languages = sorted({*snapshot.languages, "en", "ru"} & STOP_WORDS.keys())  # as `is_stop_word`
    return {
        "languages": sorted(snapshot.languages),
        "stop_words": {language: " ".join(sorted(STOP_WORDS[language])) for language in languages},
        "unspaced": UNSPACED,
        "marks": MARKS,
        "weights": asdict(weights),
        "fields": [
            {
                "name": field.value,
                "text": weights.of(field, called=False),
                "called": weights.of(field, called=True),
                "length": weights.length_of(field),
                "positions": field in POSITIONED,
            }
            for field in FIELDS
        ],
    }


def _homes(snapshot: Snapshot, pages: ExportedPages) -> dict[str, Any]:
    """Return the home pages: number, words in the name of the site, and the share of its name that links earn."""
    others_tell = snapshot.link_gains() is not None and snapshot.linking_sites >= LEAST_LINKING
    new = {int(old): number for number, old in enumerate(pages.numbers.tolist())}
    rows = []
    for page, site in snapshot.home_pages.sites.items():
        if page in new:
            view, document = snapshot.place_of(page)
            earned = earned_share(int((view.other_sites if others_tell else view.inlinks)[document]), others_tell)
            rows.append((new[page], sorted(labels_of(site)), earned if snapshot.link_gains() is not None else 1.0))
    named, headed = (IndexField.ANCHORS, None) if others_tell else (IndexField.TITLE, FIELDS.index(IndexField.HEADINGS))
    return {"field": FIELDS.index(named), "headed": headed, "pages": sorted(rows)}
