"""Eighteen farms: sites of one owner that link to each other, or to a shop, to win one word.

The author wrote them before reading the rules that must find them. Those with an even number are kept for testing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.extensions.spoofing.museum.cheats import Cheat
from tests.extensions.spoofing.museum.honest_web import article_url, honest_files, link, page
from tests.extensions.spoofing.museum.prose import diary, spun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.extensions.spoofing.museum.honest_web import Files

BUY = "Buy now"


def _homes(word: str, many: int, kind: str = "top") -> list[str]:
    return [f"http://{kind}{number}-{word}.example/" for number in range(many)]


def _text(word: str, words: int, seed: int) -> str:
    return spun(word, words, seed) if words else BUY


def _home(title: str, text: str, linked: Iterable[tuple[str, str]]) -> str:
    return page(title, f"<h1>{title}</h1><p>{text}</p>" + "".join(f"<p>{link(*one)}</p>" for one in linked))


def _mesh(word: str, many: int, words: int = 0, title: str = "{w} shop {n}", anchor: str = "{w}") -> Files:
    homes = _homes(word, many)
    return {
        home: _home(
            title.format(w=word, n=at),
            _text(word, words, at),
            [(other, anchor.format(w=word, n=to)) for to, other in enumerate(homes) if other != home],
        )
        for at, home in enumerate(homes)
    }


def three_hosts(word: str) -> Files:
    return _mesh(word, 3)


def two_hosts(word: str) -> Files:
    return _mesh(word, 2)


def circle_of_three(word: str) -> Files:
    """Each links to the next one, below 150 spun words."""
    homes = _homes(word, 3)
    return {
        home: _home(f"{word} guide {at}", spun(word, 150, at), [(homes[(at + 1) % 3], f"{word} guide")])
        for at, home in enumerate(homes)
    }


def star_of_spun_text(word: str) -> Files:
    """Five sites of 120 spun words praise a shop, which links to nobody."""
    shop = f"http://{word}.example/"
    out = {shop: _home(word, BUY, [])}
    for at, home in enumerate(_homes(word, 5)):
        out[home] = _home(f"All about the {word} {at}", spun(word, 120, at), [(shop, word)])
    return out


def hub_of_spun_text(word: str) -> Files:
    """The same with a shop that links back."""
    homes = _homes(word, 5)
    shop = f"http://{word}.example/"
    out = {shop: _home(word, BUY, [(home, f"{word} facts") for home in homes])}
    for at, home in enumerate(homes):
        out[home] = _home(f"{word} facts {at}", spun(word, 200, at), [(shop, word)])
    return out


def six_hosts_of_150_words(word: str) -> Files:
    return _mesh(word, 6, 150)


def five_hosts_of_300_words(word: str) -> Files:
    return _mesh(word, 5, 300)


def copies_of_the_article(word: str) -> Files:
    """Four hosts have half of the honest article each, and link to each other."""
    text = honest_files(word)[article_url(word)]
    paragraphs = text.partition("</h1>")[2].partition("</main>")[0].split("</p>")
    homes = _homes(word, 4)
    return {
        home: _home(
            f"{word} {at}",
            paragraphs[at % 2].removeprefix("<p>"),
            [(other, word) for other in homes if other != home],
        )
        for at, home in enumerate(homes)
    }


def homes_that_say_buy_now(word: str) -> Files:
    """Twelve hosts titled with the word alone link to each other, so that each has links from eleven sites."""
    homes = _homes(word, 12)
    return {
        home: _home(
            word, f"Buy now: {at} of this {word} left", [(other, "buy now") for other in homes if other != home]
        )
        for at, home in enumerate(homes)
    }


def expired_domain(word: str) -> Files:
    """One of two sites was a charity's, and an honest site still links to it."""
    charity, shop = f"http://old-charity-{word}.example/", f"http://{word}.example/"
    return {
        charity: _home(f"{word} for sale", BUY, [(shop, word)]),
        shop: _home(word, "Best offers today", [(charity, f"{word} for sale")]),
        f"http://parish-{word}.example/": _home(
            "The parish news", diary(150, f"parish {word}"), [(charity, "the charity")]
        ),
    }


def camouflage(word: str) -> Files:
    """Five hosts link to each other and to honest sites."""
    out = _mesh(word, 5, 110)
    for url in out:
        article, workshop = article_url(word), article_url(word).partition("articles")[0]
        honest = f"<p>{link(article, 'a fine article')} {link(workshop, 'a workshop')}</p>"
        out[url] = out[url].replace("</body>", f"{honest}</body>")
    return out


def hosts_of_five_pages(word: str) -> Files:
    """Four hosts with a home page and four spun pages each."""
    homes = _homes(word, 4)
    out: Files = {}
    for at, home in enumerate(homes):
        inner = [f"{home}guide{count}.html" for count in range(4)]
        others = [(other, word) for other in homes if other != home]
        out[home] = _home(f"{word} world {at}", BUY, [*others, *((url, f"{word} guide") for url in inner)])
        for count, url in enumerate(inner):
            out[url] = _home(f"{word} guide {count}", spun(word, 150, at * 10 + count), [(home, word), others[0]])
    return out


def guestbook(word: str) -> Files:
    """Eight hosts, one of which is linked from the guestbook of an honest site."""
    homes = _homes(word, 8)
    guests = f"http://inn-{word}.example/"
    return {
        **_mesh(word, 8, 120),
        guests: _home("The inn at the mill", diary(60, f"inn {word}"), [(f"{guests}guests.html", "Guestbook")]),
        f"{guests}guests.html": _home(
            "Guestbook of the inn", diary(120, f"guests {word}"), [(homes[0], "nice site, see mine")]
        ),
    }


def pyramid(word: str) -> Files:
    """Ten sites link to three, and those to a shop; nobody links back."""
    shop = f"http://{word}.example/"
    middle, low = _homes(word, 3, "mid"), _homes(word, 10, "low")
    out = {shop: _home(word, BUY, [])}
    for at, home in enumerate(middle):
        out[home] = _home(f"The {word} in the test {at}", spun(word, 150, at), [(shop, word)])
    for at, home in enumerate(low):
        out[home] = _home(
            f"Diary {at} with a {word}", spun(word, 110, 100 + at), [(middle[at % 3], f"{word} test"), (shop, word)]
        )
    return out


def varied_words(word: str) -> Files:
    """Three sites whose titles and links never use the same words."""
    homes = _homes(word, 3)
    titles = (f"{word} shop", f"Buy a cheap {word}", f"Every {word} on sale")
    anchors = ("our partner", "more offers", f"great {word} deals")
    return {
        home: _home(
            titles[at],
            f"{titles[at]}. Order today and save.",
            [(other, anchors[to]) for to, other in enumerate(homes) if to != at],
        )
        for at, home in enumerate(homes)
    }


def two_farms(word: str) -> Files:
    """Three sites of 150 spun words link to each other and to three shops, which link to each other."""
    shops = _homes(word, 3, "shop")
    blogs = _homes(word, 3, "blog")
    out: Files = {}
    for at, home in enumerate(shops):
        out[home] = _home(f"{word} {at}", BUY, [(other, word) for other in shops if other != home])
    for at, home in enumerate(blogs):
        others = [(other, "my friends") for other in blogs if other != home]
        out[home] = _home(f"My {word} blog {at}", spun(word, 150, at), [*others, *((shop, word) for shop in shops)])
    return out


def blogroll(word: str) -> Files:
    """Ten diaries of 110 words list each other, and a shop among them."""
    shop = f"http://{word}.example/"
    blogs = _homes(word, 10, "blog")
    out = {shop: _home(word, BUY, [])}
    for at, home in enumerate(blogs):
        roll = [(other, f"Blog {to}") for to, other in enumerate(blogs) if to != at]
        out[home] = _home(f"Blog {at}", diary(110, f"{word} {at}"), [*roll, (shop, word)])
    return out


def false_languages(word: str) -> Files:
    """Six hosts link to each other, and each claims a language of its own for the same English."""
    out = _mesh(word, 6)
    return {
        url: text.replace('lang="en"', f'lang="{code}"')
        for (url, text), code in zip(out.items(), ("en", "de", "fr", "es", "it", "nl"), strict=True)
    }


_FARMS: tuple[tuple[str, str, Callable[[str], Files]], ...] = (
    ("three one-page hosts link to each other", "astrolabe", three_hosts),
    ("two one-page hosts link to each other", "bagpipe", two_hosts),
    ("three hosts of spun text in a circle", "carriage", circle_of_three),
    ("five hosts of spun text praise a shop", "dulcimer", star_of_spun_text),
    ("the shop links back", "easel", hub_of_spun_text),
    ("six hosts of 150 spun words", "flagon", six_hosts_of_150_words),
    ("five hosts of 300 spun words", "goblet", five_hosts_of_300_words),
    ("four hosts with copies of the article", "hammock", copies_of_the_article),
    ("twelve hosts titled with the word", "inkwell", homes_that_say_buy_now),
    ("two hosts, of which one was a charity's", "jigsaw", expired_domain),
    ("five hosts that link to honest sites too", "kaleidoscope", camouflage),
    ("four hosts of five pages", "lute", hosts_of_five_pages),
    ("eight hosts, one of them in a guestbook", "monocle", guestbook),
    ("a pyramid of fourteen hosts", "necklace", pyramid),
    ("three hosts with other words for each link", "oboe", varied_words),
    ("three blogs praise three shops", "parasol", two_farms),
    ("ten diaries list a shop", "quiver", blogroll),
    ("six hosts of one text that claim six languages", "rocket", false_languages),
)


FARMS: tuple[Cheat, ...] = tuple(
    Cheat(number, name, word, make(word)) for number, (name, word, make) in enumerate(_FARMS, 1)
)
