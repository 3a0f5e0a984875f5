"""The honest pages of the museum: a site for each word, with the article that deserves the first place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Files = dict[str, str]  # the text of each file of a small web by its URL; one that ends in `.css` is a stylesheet


def page(title: str, body: str, head: str = "") -> str:
    """Return an HTML page."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"{head}</head><body>{body}</body></html>"
    )


def link(url: str, text: str) -> str:
    """Return a link."""
    return f'<a href="{url}">{text}</a>'


def links(urls: Iterable[str], text: str) -> str:
    """Return a paragraph for each link, all with the same words."""
    return "".join(f"<p>{link(url, text)}</p>" for url in urls)


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
