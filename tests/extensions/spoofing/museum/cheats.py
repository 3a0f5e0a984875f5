"""Thirty ways to win a query without deserving it, each with the page that deserves it.

The author wrote the cheats before reading the rules that must find them. Every cheat wants one word of its own, so none
helps another. The honest article on that word is on an ordinary site, and two other honest sites link to it. Cheats
with an even number are kept for testing: a rule may be fitted to the others only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.extensions.spoofing.museum.honest_web import CRAFTS, article_url, honest_files, link, page
from tests.extensions.spoofing.museum.link_schemes import (
    OFFERS,
    comments,
    doorway_hosts,
    doorways,
    exchange,
    expired,
    farm,
    ring,
    star,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.extensions.spoofing.museum.honest_web import Files


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to cheat: the word it wants, its name, and what it publishes."""

    number: int
    name: str
    word: str
    files: Mapping[str, str]

    @property
    def is_kept_for_testing(self) -> bool:
        """Whether no rule may be fitted to this cheat."""
        return self.number % 2 == 0

    @property
    def article(self) -> str:
        """The URL of the honest article on the word."""
        return article_url(self.word)


def _shop(word: str, extra: str = "", head: str = "", title: str = "") -> str:
    return page(
        title or "Best offers of the day",
        f"<h1>Best offers of the day</h1><p>{' '.join(OFFERS)}</p>{extra}"
        f'<p><a href="/order?item={word}">Order now</a></p>',
        head,
    )


def _prose(word: str) -> str:
    """Return sentences of the kind that the honest article has: no word repeats itself too often."""
    return " ".join(line.format(w=word) for line in CRAFTS)


def _hidden_by_style(css: str, mark: str) -> Callable[[str], Files]:
    def files(word: str) -> Files:
        extra = mark.format(text=_prose(word))
        return {
            f"http://offers-{word}.example/deals.html": _shop(word, extra, f"<style>{css}</style>", f"The {word} page")
        }

    return files


def _hidden_by_file(css: Mapping[str, str], mark: str) -> Callable[[str], Files]:
    def files(word: str) -> Files:
        site = f"http://offers-{word}.example/"
        head = '<link rel="stylesheet" href="/look/main.css">'
        extra = mark.format(text=_prose(word))
        return {
            f"{site}deals.html": _shop(word, extra, head, f"The {word} page"),
            **{site + path: text for path, text in css.items()},
        }

    return files


def _buy_now(word: str) -> Files:
    return {f"http://{word}.example/": page(word, f"<h1>{word}</h1><p>Buy now</p>")}


def _parked(word: str) -> Files:
    related = "".join(
        f"<li>{link(f'/s?q={word}+{kind}', f'{word} {kind}')}</li>"
        for kind in ("price", "repair", "history", "for sale", "near me", "parts", "online")
    )
    return {
        f"http://{word}-online.example/": page(
            f"{word}-online.example",
            f"<h1>{word}-online.example</h1><p>This domain may be for sale.</p><p>Related "
            f"searches</p><ul>{related}</ul>",
        )
    }


def _stuffed_title(word: str) -> Files:
    return {
        f"http://star-{word}.example/{word}.html": _shop(
            word, title=f"{word} {word} {word} cheap {word} best {word} {word} sale"
        )
    }


def _stuffed_headings(word: str) -> Files:
    headings = "".join(f"<h2>{word} {number}</h2><p>{OFFERS[number % 4]}</p>" for number in range(14))
    return {f"http://head-{word}.example/{word}.html": _shop(word, headings, title=f"{word}")}


def _tag_cloud(word: str) -> Files:
    cloud = " ".join(
        link(f"/tag/{word}-{kind}", f"{word} {kind}")
        for kind in (
            "red",
            "blue",
            "old",
            "new",
            "big",
            "small",
            "best",
            "cheap",
            "fine",
            "rare",
            "used",
            "gold",
            "iron",
            "oak",
        )
    )
    return {f"http://tags-{word}.example/": page(f"{word} tags", f"<h1>{word} tags</h1>{cloud}")}


def _stolen(word: str) -> Files:
    """The honest article word for word on a host of one page, its name the word, with an offer."""
    text = honest_files(word)[article_url(word)]
    inner = text.partition("<main>")[2].partition("</main>")[0]
    return {
        f"http://{word}.example/": page(
            f"{word}", f"<h1>{word}</h1>{inner}<p>{OFFERS[0]} {link('/order', 'Order now')}</p>"
        )
    }


def _host_words(word: str) -> Files:
    """The word in the host's name and in every folder, with hardly a text below."""
    return {
        f"http://{word}-{word}-best-{word}.example/{word}/{word}/{word}.html": page(
            f"{word} | {word} | {word}", f"<h1>{word}</h1><p>{OFFERS[0]}</p>"
        )
    }


_BOX = '<div class="kw"><p>{text}</p></div>'

_CHEATS: tuple[tuple[str, str, Callable[[str], Files]], ...] = (
    ("a class hides it", "lantern", _hidden_by_style(".kw{display:none}", _BOX)),
    ("a class makes it invisible", "anvil", _hidden_by_style(".kw{visibility:hidden}", _BOX)),
    ("six one-page hosts link to each other", "barometer", farm(6)),
    ("eight shops list each other", "kettle", exchange),
    ("opacity 0", "compass", _hidden_by_style("div.kw { opacity: 0; }", _BOX)),
    ("letters of one pixel", "loom", _hidden_by_style(".kw p{font-size:1px}", _BOX)),
    ("one page named after the word", "violin", _buy_now),
    ("a parked domain", "sundial", _parked),
    ("far outside of the window", "telescope", _hidden_by_style(".kw{position:absolute;left:-9999px}", _BOX)),
    ("white on white", "saddle", _hidden_by_style("body{background:#fff}.kw{color:#fff}", _BOX)),
    ("twenty-four doorways on a host", "beehive", doorways),
    ("sixteen doorways on sixteen hosts", "windmill", doorway_hosts),
    ("indented out of the window", "pendulum", _hidden_by_style(".kw{text-indent:-9999px;overflow:hidden}", _BOX)),
    ("a box without height", "trumpet", _hidden_by_style(".kw{height:0;overflow:hidden}", _BOX)),
    ("a stylesheet of the site hides it", "accordion", _hidden_by_file({"look/main.css": ".kw{display:none}"}, _BOX)),
    (
        "a stylesheet's import hides it",
        "abacus",
        _hidden_by_file(
            {"look/main.css": '@import "more.css";', "look/more.css": "#k9{position:absolute;top:-5000px}"},
            '<div id="k9"><p>{text}</p></div>',
        ),
    ),
    ("a ring of ten hosts", "chisel", ring),
    ("twenty diaries praise a shop", "harpsichord", star),
    ("the title says it seven times", "hourglass", _stuffed_title),
    ("every heading says it", "bellows", _stuffed_headings),
    (
        "a clip of nothing",
        "sextant",
        _hidden_by_style(".kw{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}", _BOX),
    ),
    ("a transform takes it away", "thimble", _hidden_by_style(".kw{transform:translateX(-10000px)}", _BOX)),
    (
        "nearly the ground's colour, by variables",
        "typewriter",
        _hidden_by_style(
            ":root{--g:#fafafa;--t:#fbfbfb}body{background:var(--g)}p.kw{color:var(--t)}", '<p class="kw">{text}</p>'
        ),
    ),
    ("transparent letters", "weathervane", _hidden_by_style(".kw{color:rgba(0,0,0,0)}", _BOX)),
    ("twelve hosts of three pages link to each other", "xylophone", farm(12, 3)),
    ("comments link to a shop", "zither", comments),
    ("a copy of the article on a host named after the word", "candle", _stolen),
    ("a bought domain sells", "quill", expired),
    ("the word fills the URL", "gramophone", _host_words),
    ("a cloud of tags", "mandolin", _tag_cloud),
)


CHEATS: tuple[Cheat, ...] = tuple(
    Cheat(number, name, word, make(word)) for number, (name, word, make) in enumerate(_CHEATS, 1)
)


def web_of(cheats: Iterable[Cheat]) -> Files:
    """Return every honest file and every cheat's."""
    files: Files = {}
    for cheat in cheats:
        files |= honest_files(cheat.word)
        files |= cheat.files
    return files
