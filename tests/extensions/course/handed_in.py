"""What do students hand in? A right folder for each lab, and many wrong ones: each with the item and the reason.

A change is a file and its text. None removes it; a function changes the folder.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

Change = Mapping[str, str | None] | Callable[[Path], object]


class WrongHandIn(NamedTuple):
    """A change of the right folder, the item that becomes wrong or missing, and a part of the reason."""

    name: str
    item: str
    change: Change
    reason: str


def apply(change: Change, folder: Path) -> None:
    """Change a folder."""
    if callable(change):
        change(folder)
        return
    for name, text in change.items():
        path = folder / name
        if text is None:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def instead(one: str, other: str) -> Callable[[Path], None]:
    """Put what is at one place of the folder to another."""

    def change(folder: Path) -> None:
        apply({other: None}, folder) if (folder / other).exists() else None
        copy = shutil.copytree if (folder / one).is_dir() else shutil.copy
        copy(folder / one, folder / other)

    return change


def with_text(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Replace a part of a file, which must be there."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


def cut_off(name: str, mark: str) -> Callable[[Path], None]:
    """Keep of a file only what is before a mark."""

    def change(folder: Path) -> None:
        (folder / name).write_text((folder / name).read_text().partition(mark)[0])

    return change


def sql(statement: str, data: str = "data") -> Callable[[Path], None]:
    """Change the crawl database."""

    def change(folder: Path) -> None:
        database = sqlite3.connect(folder / data / "crawl.sqlite3")
        database.execute(statement)
        database.commit()
        database.close()

    return change


def link(name: str, target: str) -> Callable[[Path], None]:
    """Replace a file or folder by a symbolic link."""

    def change(folder: Path) -> None:
        apply({name: None}, folder) if (folder / name).exists() else None
        (folder / name).symlink_to(target)

    return change


def sparse(name: str, size: int) -> Callable[[Path], None]:
    """Make a file of so many bytes, which takes no room."""

    def change(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.truncate(size)

    return change


def pages(part: str, text: Callable[[int], str], count: int = 50) -> Callable[[Path], None]:
    """Write the pages of a part of the site, each with links to the next ten."""

    def change(folder: Path) -> None:
        shutil.rmtree(folder / "site" / part, ignore_errors=True)
        for number in range(1, count + 1):
            onward = range(number + 1, min(number + 10, count) + 1)
            links = "".join(f"<a href=../{each}/>{each}</a>" for each in onward)
            path = folder / "site" / part / str(number) / "index.html"
            path.parent.mkdir(parents=True)
            path.write_text(f"<title>{part}</title><p>{text(number)}{links}")

    return change


def words(number: int, count: int = 12) -> str:
    """Return words that no other number has."""
    return " ".join(
        f"{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]}{letter}ing" for letter in "abcdefghijkl"[:count]
    )


GREETING = "On this page of the museum you see a picture of a king of the country called"
TIMES = "The bus to the harbour leaves from this stop at hour"
SENTENCE = "The page does not show who links to it, nor which rule lets a robot in.\n"

WEB = "a: e f b\nb: a d e\nc: b d a\nd: c\ne: c\nf: d\n"
RANKS = "a: 3.20\nb: 0.62\nc: 0.55\nd: 0.46\ne: 0.64\nf: 0.53\n"
HUNDRED = [f"word{number}" for number in range(100)]
TEN_DROPS = f"Take ten drops a day {' '.join(HUNDRED)}"
MINE = "User-agent: *\nDisallow: /a/\nAllow: /a/b/\nDisallow: /*.pdf$\nDisalow: /c/\n"
URLS = "/a/b/ which rule wins\n/x.pdf * and $ in paths\n/c/ misspelt fields\n"
CHEAT = (
    "<title>Sextant</title><h1>The sextant of a captain</h1><p>Our sextant comes in a box of oak. With a sextant "
    "you find your way home, as captains did for two hundred years. A good sextant lasts for a life, and our shop at "
    "the old harbour sells each sextant with a lamp, a map and a letter of thanks. Ask for the sextant of the month."
)
WEAK = (
    "<title>Lamps</title><p>We sell lamps, maps, flags, ropes, anchors and letters, and in some months also a "
    "sextant or two, to captains and to those who want to be one."
)
SHOUTED = "<title>Sextant</title><h1>Sextant</h1><p>" + "My sextant, your sextant, our sextant is a sextant! " * 11
HONEST = (
    "<title>Repairs</title><h1>Repairs of a sextant</h1><p>Bring the sextant to the workshop in the yard. We "
    "measure the mirrors of the sextant, grind what is blind, and write down by how much it errs. "
    "Repairs take about three weeks."
)
SONG = (
    "<title>Row, row, row the boat</title><h1>Row, row, row the boat</h1><p>Row, row, row the boat, softly "
    "over the lake. Happily, happily, happily, happily, all of us awake."
)
QUERIES = (
    "grandmother | /grandmother.recipe.html\nsourdough | /breads/sourdough.html\nwhat fish are in the river | /fish/\n"
    "poems that are short | /poems.html\nopening hours of the library | /reading-room.html\n"
)
MRR = "baseline: 0.70\nbreadcrumb: 0.80\nbest: 0.80\nweights: near_text=2\n"
PART = (
    "query: sourdough\npage: sourdough.html\nterm: sourdough\nfield: body\nidf: 1.69\nsaturation: 0.89\nvalue: 0.490\n"
)
WEIGHT = "weight: body=0\nbetter: oven | oven.html\nworse: bread | sourdough.html\n"
POSTINGS = (
    "query: rye bread\nrye rye.html 3\nbread rye.html 1\nrye breads 1\nbread breads 2\nrye home 1\nbread home 1\n"
)
TURNED = "weight: body=0\nbetter: bread | sourdough.html\nworse: oven | oven.html\n"
NO_NAMES = "title=0,headings=0,anchors=0,description=0,url_words=0,near_text=0,near_name=0,section=0"
TIME_LINE = "heartbeat: 12:00:00.1\nabandoned: 12:00:02.4\nclaim: 12:00:03\n"

RIGHT: dict[int, Mapping[str, str]] = {
    1: {"sentences.txt": SENTENCE},
    2: {"mine.txt": MINE, "urls.txt": URLS},
    3: {"sentences.txt": SENTENCE},
    4: {
        "same-1.txt": " ".join(HUNDRED),
        "same-2.txt": " ".join(reversed(HUNDRED)),
        "different-1.txt": TEN_DROPS,
        "different-2.txt": TEN_DROPS.replace("ten", "one"),
        "resemblance.txt": "same: 0\ndifferent: 0.96\n",
        "threshold.txt": "library: 0.4\nchemist: 0.97\n",
    },
    5: {"score.txt": "SCORE", "rule.txt": "A page with one word more than 4 times in a paragraph is stuffed.\n"},
    6: {"postings.txt": POSTINGS, "part.txt": PART, "weight.txt": WEIGHT},
    7: {
        "web.txt": WEB,
        "ranks.txt": RANKS,
        "link.txt": "a -> d\n",
        "cheat.html": "<title>Book</title><p>Pears: <a rel=nofollow href=pears.html>the best</a>",
    },
    8: {"queries.txt": QUERIES, "mrr.txt": MRR, "fault.txt": SENTENCE},
    9: {"timeline.txt": TIME_LINE, "sentence.txt": SENTENCE},
}
PREDICTED: dict[int, dict[int, str]] = {  # as the answers of each lab say, where they can be measured
    1: {2: "two, so 2", 4: "4", 5: "line 12", 6: "0"},
    2: {1: "line 3", 2: "no", 4: "all: kitchen, window, ovens", 5: "rfc9309, google", 6: "rfc9309 and google"},
    3: {1: "50 of each", 2: "count and tide", 3: "story"},
    4: {1: "0.55 and 0.94", 2: "2", 3: "6", 4: "no", 5: "0.21, 1.00", 6: "0.82 and 1.00"},
    5: {1: "49", 2: "stuffed, hidden, song", 3: "stuffed", 4: "1", 5: "away", 6: "article, care", 7: "rowing",
        8: "yes"},
    6: {1: "2 pages, 3 postings", 2: "rye", 3: "sourdough", 5: "anchors body headings title url_words", 6: "rye",
        7: "1", 8: "no", 9: "0"},
    7: {1: "index, oven", 2: "oven", 3: "mill, bread", 4: "0", 5: "history", 6: "no"},
    8: {1: "0", 2: "0", 3: "no", 5: "0.27", 6: "5"},
    9: {5: "yes"},
}  # fmt: skip


def committed(folder: Path, store: str) -> list[Path]:
    """Return the outcomes of a store that are commits, of the first part."""
    found = sorted(folder.glob(f"{store}/parts/0001/terms/*.outcome"))
    return [path for path in found if json.loads(path.read_text())["kind"] == "committed"]


def with_count(store: str, name: str, count: object) -> Callable[[Path], None]:
    """Change a count of the last commit of a part."""

    def change(folder: Path) -> None:
        path = committed(folder, store)[-1]
        outcome = json.loads(path.read_text())
        outcome["counts"][name] = count
        path.write_text(json.dumps(outcome))

    return change


def without_abandoned(place: str) -> Callable[[Path], None]:
    """Remove the outcomes of a store that say that an owner was abandoned."""

    def change(folder: Path) -> None:
        for path in folder.glob(f"{place}/*.outcome"):
            if json.loads(path.read_text())["kind"] == "abandoned":
                path.unlink()

    return change


def in_turn(*changes: Change) -> Callable[[Path], None]:
    """Make several changes."""

    def change(folder: Path) -> None:
        for each in changes:
            apply(each, folder)

    return change


W = WrongHandIn
WRONG: dict[int, list[WrongHandIn]] = {
    1: [
        W("no crawl", "data", {"data": None}, "there is no crawl in data"),
        W("not to its end", "data", instead("unfinished", "data"), "URLs are still queued"),
        W("one round", "data", instead("once", "data"), "your crawl has one round"),
        W("no why", "fetched.txt", {"fetched.txt": None}, "there is no file fetched.txt"),
        W("why of the other", "fetched.txt", instead("not-fetched.txt", "fetched.txt"),
          "was not fetched by your crawl"),
        W("why of a page", "not-fetched.txt", instead("fetched.txt", "not-fetched.txt"), "was fetched by your crawl"),
        W("another site", "fetched.txt", {"fetched.txt": "http://www.example.org/\nresult  Yes."}, "does not know"),
        W("the URL alone", "fetched.txt", cut_off("fetched.txt", "\n"), "the row “robots”"),
        W("another line", "not-fetched.txt", with_text("not-fetched.txt", "line 14", "line 15"),
          "Disallowed for Breadcrumb by line 14"),
        W("two words", "sentences.txt", {"sentences.txt": "the score\n"}, "sentences.txt has 2 words"),
        W("empty", "sentences.txt", {"sentences.txt": "\n \n"}, "sentences.txt is empty"),
        W("too long", "sentences.txt", sparse("sentences.txt", 2**30), "at most 65,536"),
    ],
    2: [
        W("no file", "mine.txt", {"mine.txt": None}, "there is no file mine.txt"),
        W("seven lines", "mine.txt", {"mine.txt": MINE + "Disallow: /x\nDisallow: /y\n"},
          "mine.txt has 7 lines: at most 6"),
        W("ten million lines", "mine.txt", sparse("mine.txt", 10**8), "mine.txt has 100,000,000 bytes"),
        W("they agree", "mine.txt", {"urls.txt": URLS.replace("/c/", "/nowhere/")},
          "all four readings allow /nowhere/"),
        W("they agree on no", "mine.txt", {"urls.txt": URLS.replace("/c/", "/a/c/")},
          "all four readings disallow /a/c/"),
        W("a link out", "mine.txt", link("mine.txt", "/etc/passwd"), "a link that leads out of the folder"),
        W("two paths", "urls.txt", {"urls.txt": "/a/b/ which rule wins\n/c/ misspelt fields\n"}, "2 different paths"),
        W("one path thrice", "urls.txt", {"urls.txt": "/a/b/ which rule wins\n" * 3}, "1 different paths"),
        W("whole URLs", "urls.txt", {"urls.txt": URLS.replace("/c/", "http://x/c/")}, "which begins with /"),
        W("another rule", "urls.txt", {"urls.txt": URLS.replace("misspelt fields", "blank lines")},
          "they part on misspelt fields"),
        W("a verdict turned", "verdicts.txt", with_text("verdicts.txt", "  1996     disallowed", "  1996     allowed"),
          "is disallowed for 1996"),
        W("two verdicts", "verdicts.txt", cut_off("verdicts.txt", "/c/"), "has no line /c/"),
        W("a folder", "verdicts.txt", instead("site", "verdicts.txt"), "verdicts.txt is not a file"),
    ],
    3: [
        W("tides not released", "data", instead("closed", "data"), "/tide/#/ is closed: release it"),
        W("another version", "data", sql("PRAGMA user_version = 1"), "has schema version 1"),
        W("no database", "data", lambda folder: (folder / "data" / "crawl.sqlite3").write_text("SQLite"), "data"),
        W("no part", "site/fourth", {"site/fourth": None}, "site/fourth has 0 pages"),
        W("few pages", "site/fourth", pages("fourth", lambda n: f"{TIMES} {n}.", 9), "site/fourth has 9 pages"),
        W("not crawled", "site/fourth", instead("closed", "data"), "your crawl has no pages below /fourth/"),
        W("left open", "site/fourth", in_turn(instead("turned", "data"), instead("site/fifth", "site/fourth")),
          "left /fourth/#/ open"),
        W("the same page", "site/fourth", pages("fourth", lambda _: "Nothing new."), "repeat another one"),
        W("closed", "site/fifth", instead("turned", "data"), "your crawl closed /fifth/#/"),
        W("really new", "site/fifth", pages("fifth", words), "a person reads something new there"),
        W("no fifth", "site/fifth", {"site/fifth": None}, "site/fifth has 0 pages"),
        W("no sentence", "sentences.txt", {"sentences.txt": None}, "there is no file sentences.txt"),
    ],
    4: [
        W("one text", "same-1.txt, same-2.txt", {"same-2.txt": None}, "there is no file same-2.txt"),
        W("a copy", "same-1.txt, same-2.txt", {"same-2.txt": " ".join(HUNDRED)}, "an exact copy"),
        W("found by Breadcrumb", "same-1.txt, same-2.txt", {"same-2.txt": " ".join([*HUNDRED[:99], "x"])},
          "Breadcrumb calls them the same, too"),
        W("two texts", "same-1.txt, same-2.txt", {"same-2.txt": " ".join(f"other{n}" for n in range(100))},
          "they share 0% of their words"),
        W("too short", "same-1.txt, same-2.txt", {"same-1.txt": "Rye bread keeps."}, "same-1.txt has 3 words"),
        W("too long", "different-1.txt, different-2.txt", {"different-1.txt": TEN_DROPS * 3}, "different-1.txt has"),
        W("kept apart", "different-1.txt, different-2.txt", {"different-2.txt": " ".join(reversed(HUNDRED))},
          "Breadcrumb keeps them apart, too"),
        W("the words", "resemblance.txt", {"resemblance.txt": "same: 1.0\ndifferent: 0.96\n"}, "is 0.00; you say 1.00"),
        W("one number", "resemblance.txt", {"resemblance.txt": "same: 0\n"}, "no line “different: …”"),
        W("no number", "resemblance.txt", {"resemblance.txt": "same: 0\ndifferent: nearly all\n"}, "give one number"),
        W("a chemist merges", "threshold.txt", {"threshold.txt": "library: 0.4\nchemist: 0.9\n"},
          "a chemist's leaflets are one"),
        W("a library lists twice", "threshold.txt", {"threshold.txt": "library: 0.9\nchemist: 0.97\n"},
          "a library lists a copy"),
        W("percent", "threshold.txt", {"threshold.txt": "library: 40\nchemist: 97\n"}, "a share from 0 to 1"),
    ],
    5: [
        W("no page", "site/mine.html", {"site/mine.html": None}, "there is no file site/mine.html"),
        W("not crawled", "site/mine.html", instead("before", "data"), "your crawl has no page mine.html"),
        W("caught", "site/mine.html", instead("caught", "data"), "mine.html is caught"),
        W("gains too little", "site/mine.html", instead("weak", "data"),
          "mine.html gains too little: for sextant, it is behind article"),
        W("a copy", "site/mine.html", instead("site/article.html", "site/mine.html"), "a copy of article.html"),
        W("another score", "score.txt", {"score.txt": "99.5\n"}, "you say 99.5"),
        W("no score", "score.txt", {"score.txt": "a high one\n"}, "give one number"),
        W("no page to score", "score.txt", instead("before", "data"), "it has no score"),
        W("no number", "rule.txt", {"rule.txt": "Pages with far too many words are stuffed.\n"},
          "rule.txt has no number"),
        W("no rule", "rule.txt", {"rule.txt": "more than 4\n"}, "rule.txt has 3 words"),
        W("hurt today", "site/honest.html", in_turn(instead("caught", "data"), {"site/honest.html": SONG}),
          "hurts honest.html already"),
        W("the cheat again", "site/honest.html", instead("site/mine.html", "site/honest.html"), "a copy of mine.html"),
    ],
    6: [
        W("no postings", "postings.txt", {"postings.txt": None}, "there is no file postings.txt"),
        W("no query", "postings.txt", {"postings.txt": "rye rye.html 3\n"}, "no line “query: …”"),
        W("three words", "postings.txt", {"postings.txt": POSTINGS.replace("rye bread", "the rye bread")},
          "has 3 words"),
        W("rare words", "postings.txt", {"postings.txt": "query: zebra quagga\n"}, "0 pages match"),
        W("miscounted", "postings.txt", {"postings.txt": POSTINGS.replace("rye.html 3", "rye.html 4")}, "you say 4"),
        W("a page less", "postings.txt", {"postings.txt": POSTINGS.replace("bread home 1\n", "")},
          "no line “bread home NUMBER”"),
        W("no list", "postings.txt", {"postings.txt": "query: rye bread\nrye is in rye.html\n"},
          "is not a word, a page and a number"),
        W("another idf", "part.txt", {"part.txt": PART.replace("1.69", "0.80")}, "its idf is 1.692"),
        W("another saturation", "part.txt", {"part.txt": PART.replace("0.89", "0.62")}, "its saturation is 0.891"),
        W("another part", "part.txt", {"part.txt": PART.replace("field: body", "field: description")}, "its parts are"),
        W("no result", "part.txt", {"part.txt": PART.replace("sourdough.html", "oven.html")}, "oven.html is no result"),
        W("no weight", "weight.txt", {"weight.txt": WEIGHT.replace("body=0", "boddy=0")}, "boddy"),
        W("turned round", "weight.txt", {"weight.txt": TURNED}, "does not get"),
        W("no page of a query", "weight.txt", {"weight.txt": "weight: body=0\nbetter: oven\nworse: oven\n"},
          "“oven” has no page: write query | page"),
        W("dropped out", "weight.txt",
          {"weight.txt": "weight: body=0\nbetter: oven | oven.html\nworse: oven | grandmother.recipe.html\n"},
          "with body=0, grandmother.recipe.html is no result for “oven”"),
    ],
    7: [
        W("no web", "web.txt", {"web.txt": None}, "there is no file web.txt"),
        W("five pages", "web.txt", {"web.txt": "a: b\nb: c\nc: d\nd: e\ne: a\n"}, "web.txt has 5 pages"),
        W("a link to nowhere", "web.txt", {"web.txt": WEB.replace("f: d", "f: g")}, "a link to g"),
        W("no web at all", "web.txt", {"web.txt": "a links to b\n"}, "is not a page, a colon"),
        W("not last", "web.txt", {"web.txt": WEB.replace("a: e f b", "a: e f b d")}, "and is not last"),
        W("a ring", "web.txt", {"web.txt": "a: b\nb: c\nc: d\nd: e\ne: f\nf: a\n"}, "have 1 link each"),
        W("another rank", "ranks.txt", {"ranks.txt": RANKS.replace("0.46", "0.66").replace("3.20", "3.00")},
          "the PageRank of a is 3.1956"),
        W("a rank less", "ranks.txt", {"ranks.txt": RANKS.replace("f: 0.53\n", "")}, "no line “f: …”"),
        W("no number", "ranks.txt", {"ranks.txt": RANKS.replace("0.53", "half")}, "give one number"),
        W("not the best", "link.txt", {"link.txt": "e -> d\n"}, "a link from a brings"),
        W("there already", "link.txt", {"link.txt": "f -> d\n"}, "there is a link from f to d already"),
        W("it counts", "cheat.html", {"cheat.html": "<p><a href=pears.html>pears</a>"}, "/pears.html counts"),
        W("no link", "cheat.html", {"cheat.html": "<p>pears"}, "no link to another page"),
    ],
    8: [
        W("a sheet lost", "data", {"site/101.html": "<title>Sheet 101</title>"},
          "1 of 101 sheets are not in the index"),
        W("edited", "data", sql("UPDATE url SET state = 2"), "crawl.sqlite3"),
        W("no crawl", "data", {"data": None}, "there is no crawl in data"),
        W("four queries", "queries.txt", {"queries.txt": QUERIES.split("poems", maxsplit=1)[0]},
          "queries.txt has 3 queries"),
        W("one twice", "queries.txt", {"queries.txt": QUERIES.replace("sourdough |", "grandmother |")},
          "5 different ones"),
        W("one of the lab's", "queries.txt", {"queries.txt": QUERIES.replace("sourdough |", "wet feet |")},
          "is a query of the lab"),
        W("no such page", "queries.txt", {"queries.txt": QUERIES.replace("/fish/", "/whales/")}, "ends with /whales/"),
        W("no page", "queries.txt", {"queries.txt": QUERIES.replace(" | /fish/", "")}, "a line is a query"),
        W("another mean", "mrr.txt", {"mrr.txt": MRR.replace("0.70", "0.90")},
          "baseline: the mean reciprocal rank of your queries is 0.700"),
        W("no weights", "mrr.txt", {"mrr.txt": MRR.split("weights", maxsplit=1)[0]}, "no line “weights: …”"),
        W("unknown weight", "mrr.txt", {"mrr.txt": MRR.replace("near_text", "text")}, "text"),
        W("worse", "mrr.txt", {"mrr.txt": MRR.replace("best: 0.80", "best: 0.70").replace("near_text=2", NO_NAMES)},
          "makes it worse"),
    ],
    9: [
        W("no calm crawl", "calm", {"calm": None}, "there is no crawl in calm"),
        W("a storm twice", "calm", instead("stormy", "calm"), "of calm ended as abandoned"),
        W("not to its end", "calm", with_count("calm", "queued", 3), "has 3 queued URLs"),
        W("nothing committed", "calm", {"calm/parts/0001/terms": None}, "part 1 of calm has committed nothing"),
        W("damaged", "calm", lambda folder: committed(folder, "calm")[-1].write_text("{"), "is damaged"),
        W("no kill", "stormy", instead("calm", "stormy"), "kill a worker"),
        W("no driver killed", "stormy", without_abandoned("stormy/drivers"), "kill the driver"),
        W("a page less", "stormy", with_count("stormy", "pages", 1), "let a new driver finish it"),
        W("a pipe", "stormy", lambda folder: os.mkfifo(folder / "stormy" / "pipe"), "neither a file nor a folder"),
        W("no patience", "timeline.txt", {"timeline.txt": TIME_LINE.replace("02.4", "00.4")}, "the lease is 2 s"),
        W("too soon", "timeline.txt", {"timeline.txt": TIME_LINE.replace("00:03", "00:01")},
          "is before the term was abandoned"),
        W("no time", "timeline.txt", {"timeline.txt": TIME_LINE.replace("12:00:03", "soon")},
          "has no time; write it as 14:05:09"),
        W("no sentence", "sentence.txt", {"sentence.txt": "# todo\n"}, "no lines but comments"),
    ],
}  # fmt: skip
