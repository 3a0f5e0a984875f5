"""Cheats of several pages: sites that link to each other, bought links, and doorways that lead to one shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.extensions.spoofing.museum.honest_web import link, links, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.extensions.spoofing.museum.honest_web import Files

OFFERS = (
    "Our prices are the lowest and the delivery is free for the next two days only.",
    "Thousands of happy customers have already ordered and they all came back.",
    "Click the button, enter your card and save up to seventy percent today.",
    "Nobody else gives you this bonus, this guarantee and this customer service.",
)
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


def farm(hosts: int, pages: int = 1) -> Callable[[str], Files]:
    """Every host links to every other; each has `pages` pages."""

    def files(word: str) -> Files:
        homes = [f"http://{word}-{number}.example/" for number in range(hosts)]
        out: Files = {}
        for number, home in enumerate(homes):
            others = links((other for other in homes if other != home), word)
            inner = [f"{home}p{count}.html" for count in range(1, pages)]
            out[home] = page(
                f"{word} {OFFERS[number % 4].split()[0].lower()}",
                f"<h1>{word}</h1><p>{word.title()} number {number}. {OFFERS[number % 4]}</p>"
                f"{others}{links(inner, word)}",
            )
            for count, url in enumerate(inner, 1):
                out[url] = page(
                    f"{word} page {count}",
                    f"<h1>{word} {count}</h1><p>{OFFERS[(number + count) % 4]} "
                    f"{OFFERS[(number + count + 1) % 4]}</p>{link(home, word)}",
                )
        return out

    return files


def star(word: str) -> Files:
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


def ring(word: str) -> Files:
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


def exchange(word: str) -> Files:
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
            "<h1>Our partners</h1>" + links((one for one in shops if one != shop), f"best {word}"),
        )
    return out


def expired(word: str) -> Files:
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


def comments(word: str) -> Files:
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


def doorway(word: str, town: str, shop: str) -> str:
    """Return a page of fourteen words that leads to one place."""
    text = f"{word.title()} in {town}? We have the best {word} near {town}."
    return page(f"{word} {town}", f"<p>{text} {link(shop, 'Call now')}!</p>")


def doorways(word: str) -> Files:
    """Twenty-four pages of fourteen words on one host, a town each."""
    site = f"http://local-{word}.example/"
    out = {f"{site}{town.lower()}.html": doorway(word, town, "/order.html") for town in TOWNS}
    out[f"{site}order.html"] = page("Call now", f"<h1>Call now</h1><p>{' '.join(OFFERS)}</p>")
    return out


def doorway_hosts(word: str) -> Files:
    """The same doorways, a host each, all of which lead to one shop."""
    shop = f"http://shop-{word}.example/order.html"
    out = {f"http://{word}-{town.lower()}.example/": doorway(word, town, shop) for town in TOWNS[:16]}
    out[shop] = page("Call now", f"<h1>Call now</h1><p>{' '.join(OFFERS)}</p>")
    return out
