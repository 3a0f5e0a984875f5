"""Thirty ways to win a query without deserving it, each with the page that deserves it.

The cheats were written before their writer read the rules that are to find them. Every cheat
wants one word of its own, so none helps another; the honest article on that word stands on a
site of an ordinary shape, and two other honest sites link to it. Cheats with an even number
are kept for testing: a rule may be fitted to the others only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Files = dict[str, str]
"""The text of every file of a small web by its URL; a URL that ends in `.css` is a stylesheet."""


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


def page(title: str, body: str, head: str = "") -> str:
    """Return an HTML page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"{head}</head><body>{body}</body></html>"
    )


def link(url: str, text: str) -> str:
    """Return a link."""
    return f'<a href="{url}">{text}</a>'


def _links(urls: Iterable[str], text: str) -> str:
    return "".join(f"<p>{link(url, text)}</p>" for url in urls)


# The honest web

CRAFTS = (
    "The workshop keeps an old {w} from the harbour, and visitors may hold it in both hands.",
    "Most people meet a {w} as children and never ask how the parts are joined.",
    "A good maker starts with dry wood, a steel rule and a drawing that has been checked twice.",
    "The first drawings that we know were made in Lisbon around 1650 and are kept in a library.",
    "Brass was dear, so the cheaper kind was cast from a mixture of tin and lead.",
    "Our collection has nine examples, and the oldest {w} among them still works every day.",
    "Repairs are slow, because every screw was cut by hand and fits only its own hole.",
    "In winter the cold shrinks the frame, and a careful owner loosens it before the first frost.",
    "A letter of 1794 complains that the {w} arrived broken and that nobody would pay for it.",
    "Apprentices spent four years on simple tools before they were allowed to finish a {w}.",
    "The town paid for twelve of them after the flood, and the receipts are still in the archive.",
    "Modern makers use a lathe, yet the last polish is done with chalk and a piece of leather.",
    "Anyone who wants to restore a {w} should take photographs before the first screw is turned.",
    "The sound, the weight and the smell of oil are what former owners remember best.",
    "Two of the drawings disagree about the width, and we measured both to find out why.",
    "Exports stopped in 1914 and began again ten years later with cheaper materials.",
)


def article_url(word: str) -> str:
    """Return the URL of the honest article on `word`."""
    return f"http://{word[:3]}-workshop.example/articles/{word}.html"


def honest_files(word: str) -> Files:
    """Return the site that has the article on `word`, and two others that link to it."""
    site = f"http://{word[:3]}-workshop.example/"
    turn = sum(map(ord, word))
    told = [CRAFTS[(turn + step * 3) % len(CRAFTS)].format(w=word) for step in range(14)]
    half = len(told) // 2
    article = page(
        f"How the {word} was made and repaired",
        f"<header>{link('/', 'The old workshop')}</header><main><h1>How the {word} was made and "
        f"repaired</h1><p>{' '.join(told[:half])}</p><p>{' '.join(told[half:])}</p></main>"
        f"<footer>{link('/visit.html', 'Plan a visit')}</footer>",
    )
    home = page(
        f"The old workshop at {word[:3].title()} Street",
        "<h1>The old workshop</h1><p>We show how things were made before there were factories. "
        "Volunteers open the doors on three days of the week, and children may try every tool."
        f"</p><p>{link(f'/articles/{word}.html', f'How the {word} was made')}</p>"
        f"<p>{link('/visit.html', 'Plan a visit')}</p>",
    )
    visit = page(
        "Plan a visit to the old workshop",
        "<h1>Plan a visit</h1><p>The workshop is behind the station, five minutes on foot. It is "
        "open from Wednesday to Friday, and groups of more than ten should write to us before "
        f"they come. There are steps at the door and a ramp at the back.</p>{link('/', 'Home')}",
    )
    files = {site: home, article_url(word): article, f"{site}visit.html": visit}
    for name, text in (
        ("reading-room", "A long and careful piece that we discussed on Tuesday evening"),
        ("curators", "One of the best pages on old tools that a small museum has written"),
    ):
        friend = f"http://{word[:3]}-{name}.example/"
        files[friend] = page(
            f"Notes from the {name.replace('-', ' ')} of {word[:3].title()}",
            f"<h1>Notes from the {name.replace('-', ' ')}</h1><p>{text}: "
            f"{link(article_url(word), f'how the {word} was made')}. Members bring tea, and the "
            "next evening is about the maps of the river and who drew them.</p>"
            f"<p>{link('/rules.html', 'Our rules')}</p>",
        )
        files[f"{friend}rules.html"] = page(
            "Our rules",
            "<h1>Our rules</h1><p>Be kind, bring your own cup, and wash it before you go. A talk "
            f"takes twenty minutes and questions take as long as they take.</p>{link('/', 'Home')}",
        )
    return files


# What cheats sell

OFFERS = (
    "Our prices are the lowest and the delivery is free for the next two days only.",
    "Thousands of happy customers have already ordered and they all came back.",
    "Click the button, enter your card and save up to seventy percent today.",
    "Nobody else gives you this bonus, this guarantee and this customer service.",
)


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


# Networks of sites


def _farm(hosts: int, pages: int = 1) -> Callable[[str], Files]:
    """Every host links to every other; each has `pages` pages."""

    def files(word: str) -> Files:
        homes = [f"http://{word}-{number}.example/" for number in range(hosts)]
        out: Files = {}
        for number, home in enumerate(homes):
            others = _links((other for other in homes if other != home), word)
            inner = [f"{home}p{count}.html" for count in range(1, pages)]
            out[home] = page(
                f"{word} {OFFERS[number % 4].split()[0].lower()}",
                f"<h1>{word}</h1><p>{word.title()} number {number}. {OFFERS[number % 4]}</p>"
                f"{others}{_links(inner, word)}",
            )
            for count, url in enumerate(inner, 1):
                out[url] = page(
                    f"{word} page {count}",
                    f"<h1>{word} {count}</h1><p>{OFFERS[(number + count) % 4]} "
                    f"{OFFERS[(number + count + 1) % 4]}</p>{link(home, word)}",
                )
        return out

    return files


def _star(word: str) -> Files:
    """Twenty throw-away hosts praise one shop, and it does not link back."""
    shop = f"http://{word}-shop.example/"
    out = {shop: page(word, f"<h1>{word}</h1><p>{' '.join(OFFERS)}</p>")}
    for number in range(20):
        out[f"http://blog{number}-{word}.example/"] = page(
            f"My diary {number}",
            f"<h1>My diary</h1><p>Day {number}: the weather was fine and the dog slept. I found "
            f"the best {link(shop, word)} in the world.</p>",
        )
    return out


def _ring(word: str) -> Files:
    """Ten hosts of two pages, each of which links to the next one only."""
    homes = [f"http://ring{number}-{word}.example/" for number in range(10)]
    out: Files = {}
    for number, home in enumerate(homes):
        following = homes[(number + 1) % len(homes)]
        out[home] = page(
            f"{word} guide {number}",
            f"<h1>{word} guide</h1><p>{OFFERS[number % 4]} Read all about the {word} here.</p>"
            f"<p>{link(following, f'{word} guide')}</p>{link('/about.html', 'about')}",
        )
        out[f"{home}about.html"] = page("About", f"<h1>About</h1><p>We love our readers. {link(home, 'Back')}</p>")
    return out


def _exchange(word: str) -> Files:
    """Eight shops with a page of partners each that lists the other seven."""
    shops = [f"http://{word}-world{number}.example/" for number in range(8)]
    out: Files = {}
    for number, shop in enumerate(shops):
        out[shop] = page(
            f"{word} world {number}",
            f"<h1>{word} world</h1><p>{OFFERS[number % 4]} {OFFERS[(number + 1) % 4]}</p>"
            f"{link('/partners.html', 'Our partners')}",
        )
        out[f"{shop}partners.html"] = page(
            "Our partners",
            "<h1>Our partners</h1>" + _links((one for one in shops if one != shop), f"best {word}"),
        )
    return out


def _expired(word: str) -> Files:
    """A bought domain: one good site still links to it, now it sells."""
    home = f"http://old-charity-{word}.example/"
    return {
        home: page(f"{word}", f"<h1>{word}</h1><p>{OFFERS[2]} {OFFERS[0]}</p>"),
        f"http://council-{word}.example/": page(
            "Council of the parish",
            "<h1>Council of the parish</h1><p>The council meets on the first Monday and its "
            f"minutes are read aloud. We thank {link(home, 'the charity')} for the benches.</p>",
        ),
    }


def _comments(word: str) -> Files:
    """Sixty comments below an honest article link to the shop with the word."""
    shop = f"http://{word}-shop.example/"
    forum = f"http://village-forum-{word}.example/"
    out = {shop: page(f"{word} shop", f"<h1>{word} shop</h1><p>{' '.join(OFFERS)}</p>")}
    for number in range(12):
        comments = "".join(
            f'<div class="comment"><p>Great post! {link(shop, f"best {word}")}</p></div>' for _ in range(5)
        )
        out[f"{forum}topic{number}.html"] = page(
            f"Topic {number} of the village forum",
            f"<h1>Topic {number}</h1><article><p>Who knows when the bus number {number} leaves "
            "on Sundays? The sign at the stop was painted over in spring, and the driver says "
            f"he is not sure either.</p></article>{comments}",
        )
    return out


# Pages that are made for the words alone

TOWNS = (
    "Aldham",
    "Barrow",
    "Coldwell",
    "Dunmore",
    "Eastry",
    "Farnley",
    "Gorton",
    "Hexby",
    "Ilmer",
    "Jarrow",
    "Kelso",
    "Linton",
    "Marden",
    "Norby",
    "Otley",
    "Penwith",
    "Quorn",
    "Ripley",
    "Selby",
    "Thirsk",
    "Ulverston",
    "Verwood",
    "Wigton",
    "Yarm",
)


def _doorways(word: str) -> Files:
    """Twenty-four pages of fourteen words on one host, a town each."""
    site = f"http://local-{word}.example/"
    out = {
        f"{site}{town.lower()}.html": page(
            f"{word} {town}",
            f"<p>{word.title()} in {town}? We have the best {word} near {town}. {link('/order.html', 'Call now')}!</p>",
        )
        for town in TOWNS
    }
    out[f"{site}order.html"] = page("Call now", f"<h1>Call now</h1><p>{' '.join(OFFERS)}</p>")
    return out


def _doorway_hosts(word: str) -> Files:
    """The same doorways, a host each, all of which lead to one shop."""
    shop = f"http://shop-{word}.example/order.html"
    out = {
        f"http://{word}-{town.lower()}.example/": page(
            f"{word} {town}",
            f"<p>{word.title()} in {town}? We have the best {word} near {town}. {link(shop, 'Call now')}!</p>",
        )
        for town in TOWNS[:16]
    }
    out[shop] = page("Call now", f"<h1>Call now</h1><p>{' '.join(OFFERS)}</p>")
    return out


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
    ("six one-page hosts link to each other", "barometer", _farm(6)),
    ("eight shops list each other", "kettle", _exchange),
    ("opacity 0", "compass", _hidden_by_style("div.kw { opacity: 0; }", _BOX)),
    ("letters of one pixel", "loom", _hidden_by_style(".kw p{font-size:1px}", _BOX)),
    ("one page named after the word", "violin", _buy_now),
    ("a parked domain", "sundial", _parked),
    ("far outside of the window", "telescope", _hidden_by_style(".kw{position:absolute;left:-9999px}", _BOX)),
    ("white on white", "saddle", _hidden_by_style("body{background:#fff}.kw{color:#fff}", _BOX)),
    ("twenty-four doorways on a host", "beehive", _doorways),
    ("sixteen doorways on sixteen hosts", "windmill", _doorway_hosts),
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
    ("a ring of ten hosts", "chisel", _ring),
    ("twenty diaries praise a shop", "harpsichord", _star),
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
    ("twelve hosts of three pages link to each other", "xylophone", _farm(12, 3)),
    ("comments link to a shop", "zither", _comments),
    ("a copy of the article on a host named after the word", "candle", _stolen),
    ("a bought domain sells", "quill", _expired),
    ("the word fills the URL", "gramophone", _host_words),
    ("a cloud of tags", "mandolin", _tag_cloud),
)


CHEATS: tuple[Cheat, ...] = tuple(
    Cheat(number, name, word, make(word)) for number, (name, word, make) in enumerate(_CHEATS, 1)
)


def whole_web() -> Files:
    """Return every honest file and every cheat's."""
    files: Files = {}
    for cheat in CHEATS:
        files |= honest_files(cheat.word)
        files |= cheat.files
    return files
