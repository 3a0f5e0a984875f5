"""Eighteen honest networks: sites of friends, branches, projects and clubs that link to each other.

The author wrote them before reading the rules that must spare them. Those with an even number are kept for testing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.extensions.spoofing.museum.honest_web import link, page
from tests.extensions.spoofing.museum.prose import diary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.extensions.spoofing.museum.honest_web import Files

Linked = tuple[str, str]  # a URL and the words of the link to it


def _site(title: str, text: str, linked: Iterable[Linked] = (), lang: str = "en") -> str:
    said = page(title, f"<h1>{title}</h1><p>{text}</p>" + "".join(f"<p>{link(*one)}</p>" for one in linked))
    return said.replace('lang="en"', f'lang="{lang}"')


def _names(sites: dict[str, str], *, without: str = "") -> list[Linked]:
    return [(url, name) for url, name in sites.items() if url != without]


def three_blogs() -> Files:
    """Three friends with little text; each blog has two entries and lists the other two."""
    sites = {f"http://{name}-blog.example/": f"{name.title()}'s blog" for name in ("anna", "boris", "carla")}
    out: Files = {}
    for home, name in sites.items():
        entries = [(f"{home}{at}.html", f"Entry {at}") for at in (1, 2)]
        out[home] = _site(name, diary(25, home), [*entries, *_names(sites, without=home)])
        out |= {url: _site(f"{title} of {name}", diary(60, url), [(home, name)]) for url, title in entries}
    return out


def countries() -> Files:
    """A company's hosts for three countries of one language, a page each."""
    sites = {
        f"http://{code}.brackwell.example/": f"Brackwell Pumps {name}"
        for code, name in (("uk", "UK"), ("ie", "Ireland"), ("nz", "New Zealand"))
    }
    text = "Pumps for farms and gardens. Call our office in {}, we are open from nine to five on working days."
    towns = ("Leeds", "Cork", "Nelson")
    return {
        home: _site(name, text.format(town), _names(sites, without=home))
        for (home, name), town in zip(sites.items(), towns, strict=True)
    }


def project_hosts() -> Files:
    """The site, the documentation and the blog of one program."""
    www, docs, blog = (f"http://{kind}.tallowmq.example/" for kind in ("www", "docs", "blog"))
    both = [(www, "TallowMQ"), (docs, "Documentation"), (blog, "Blog")]
    return {
        www: _site("TallowMQ", "A small message queue that fits in one file. Version 2.4 is out.", both),
        docs: _site("TallowMQ documentation", "Install it with your package manager, then start it.", both),
        f"{docs}install.html": _site("Install TallowMQ", "Copy the file and run it. " + diary(40, "tq"), both),
        blog: _site("TallowMQ blog", "TallowMQ 2.4 has faster restarts and two repairs.", both),
    }


def hobby_ring() -> Files:
    """Eight hobby sites in a web ring; most have a page of few words."""
    hobbies = ("kites", "stamps", "cacti", "radios", "chess", "knots", "moths", "trams")
    homes = [f"http://{hobby}-corner.example/" for hobby in hobbies]
    out: Files = {}
    for at, (hobby, home) in enumerate(zip(hobbies, homes, strict=True)):
        ring = [(homes[at - 1], "previous site"), (homes[(at + 1) % 8], "next site")]
        out[home] = _site(
            f"My corner of {hobby}",
            f"I have loved {hobby} since I was a child. {diary(40 + 20 * at, home)}",
            [*ring, (f"{home}more.html", f"More {hobby}")],
        )
        out[f"{home}more.html"] = _site(f"More about {hobby}", diary(140, f"{home} more"), [(home, "Back")])
    return out


def three_languages() -> Files:
    """A project on a host for each of three languages."""
    said = {
        "en": ("Quarry Choir", "We sing on Tuesdays in the old quarry, and new voices are welcome."),
        "de": ("Steinbruch-Chor", "Wir singen dienstags im alten Steinbruch, neue Stimmen sind willkommen."),
        "fr": ("Chœur de la carrière", "Nous chantons le mardi dans l'ancienne carrière, venez nombreux."),
    }
    sites = {f"http://{code}.quarrychoir.example/": code for code in said}
    return {home: _site(*said[code], _names(sites, without=home), code) for home, code in sites.items()}


def museum_partners() -> Files:
    """A museum and four partners that link back to it."""
    museum = "http://saltmuseum.example/"
    partners = {
        f"http://{name}.example/": title
        for name, title in (
            ("saltboats", "Salt boats of the estuary"),
            ("brine-cafe", "The Brine café"),
            ("friends-of-salt", "Friends of the salt museum"),
            ("panhouse", "The pan house"),
        )
    }
    out = {
        museum: _site("The salt museum", diary(70, museum), [(f"{museum}partners.html", "Our partners")]),
        f"{museum}partners.html": _site("Our partners", "We work with these four.", _names(partners)),
    }
    return (
        out
        | {
            home: _site(title, diary(50, home), [(museum, "The salt museum"), (f"{home}when.html", "Opening times")])
            for home, title in partners.items()
        }
        | {f"{home}when.html": _site("Opening times", "Daily from ten to four.", [(home, "Home")]) for home in partners}
    )


def departments() -> Files:
    """Six departments of a university, each with all the others in its menu."""
    names = ("physics", "botany", "history", "music", "law", "geology")
    sites = {f"http://{name}.uni-hexby.example/": f"Department of {name}" for name in names}
    uni = ("http://www.uni-hexby.example/", "University of Hexby")
    out = {uni[0]: _site(uni[1], "Teaching since 1874.", _names(sites))}
    for home, name in sites.items():
        menu = [uni, *_names(sites)]
        out[home] = _site(
            f"{name}, University of Hexby", "Term begins in October.", [*menu, (f"{home}staff.html", "Staff")]
        )
        out[f"{home}staff.html"] = _site(f"Staff, {name}", diary(50, home), menu)
    return out


def band() -> Files:
    """A band and the sites of its four members, a page each."""
    the_band = "http://the-gravel-pits.example/"
    members = {
        f"http://{name}-plays.example/": f"{name.title()} of The Gravel Pits"
        for name in ("olga", "pete", "rosa", "sam")
    }
    out = {the_band: _site("The Gravel Pits", "Loud songs from a quiet town. New record in May.", _names(members))}
    return out | {
        home: _site(title, diary(25, home), [(the_band, "The Gravel Pits")]) for home, title in members.items()
    }


def conferences() -> Files:
    """A conference with a host for each year, which lists the other years."""
    sites = {f"http://{year}.lichencon.example/": f"LichenCon {year}" for year in (2022, 2023, 2024, 2025)}
    return {
        home: _site(name, f"{name} is in Oban. {diary(30, home)}", [(url, other[-4:]) for url, other in sites.items()])
        for home, name in sites.items()
    }


def town_clubs() -> Files:
    """A town and six clubs whose titles name it; each links back with the town's name."""
    town = "http://marlhampton.example/"
    clubs = {
        f"http://marlhampton-{name}.example/": f"{name.title()} club of Marlhampton"
        for name in ("chess", "tennis", "rowing", "garden", "bridge", "film")
    }
    out = {town: _site("Marlhampton", "A town of nine thousand on the river Marl.", _names(clubs))}
    return out | {home: _site(title, diary(35, home), [(town, "Marlhampton")]) for home, title in clubs.items()}


def two_mirrors() -> Files:
    """One handbook on two hosts that name each other."""
    out: Files = {}
    hosts = {"http://handbook.example/": "Main site", "http://mirror.handbook.example/": "Mirror"}
    for home in hosts:
        for at in range(4):
            name = f"chapter{at}.html" if at else ""
            chapters = [(f"{home}chapter{other}.html", f"Chapter {other}") for other in (1, 2, 3)]
            text = diary(60 if at else 30, f"handbook {at}")
            out[f"{home}{name}"] = _site(f"Beekeeper's handbook {at}", text, [*chapters, *_names(hosts)])
    return out


def company_services() -> Files:
    """The shop, help, status and jobs hosts of one company, all named after it."""
    kinds = {"www": "Orlo", "help": "Orlo help", "status": "Orlo status", "jobs": "Orlo jobs"}
    text = {
        "www": "Orlo makes folding bicycles in Ghent.",
        "help": "Ask us anything about your Orlo.",
        "status": "All systems work.",
        "jobs": "We look for a welder and a driver.",
    }
    sites = {f"http://{kind}.orlo.example/": name for kind, name in kinds.items()}
    return {
        home: _site(name, text[kind], [(url, other) for url, other in sites.items() if url != home])
        for (home, name), kind in zip(sites.items(), kinds, strict=True)
    }


def sister_shops() -> Files:
    """A café and a bakery of one family, a page each."""
    cafe, bakery = "http://cafe-minna.example/", "http://bakery-minna.example/"
    return {
        cafe: _site("Café Minna", "Coffee and cake by the canal, closed on Mondays.", [(bakery, "Our bakery")]),
        bakery: _site("Bakery Minna", "Bread from six in the morning.", [(cafe, "Our café")]),
    }


def local_groups() -> Files:
    """Six groups of one association, a page each, which link to each other by their names."""
    towns = ("Linton", "Selby", "Kelso", "Otley", "Yarm", "Norby")
    sites = {f"http://repair-{town.lower()}.example/": f"Repair café {town}" for town in towns}
    head = ("http://repaircafes.example/", "All repair cafés")
    out = {head[0]: _site("Repair cafés of the north", diary(60, "repair"), _names(sites))}
    return out | {
        home: _site(name, f"Bring what is broken. {diary(20, home)}", [head, *_names(sites, without=home)])
        for home, name in sites.items()
    }


def photographers() -> Files:
    """Four photographers who write nearly nothing, and list each other."""
    names = ("Ida Holm", "Jan Brix", "Kim Oda", "Lea Roth")
    sites = {f"http://{name.lower().replace(' ', '')}.example/": name for name in names}
    out: Files = {}
    for home, name in sites.items():
        shots = [(f"{home}{at}.html", f"Picture {at}") for at in (1, 2, 3)]
        out[home] = _site(name, "Photographs.", [*shots, *_names(sites, without=home)])
        out |= {url: _site(title, "Silver print, 1998.", [(home, name)]) for url, title in shots}
    return out


def packages() -> Files:
    """Five packages of one author, a host each, which list the other four."""
    names = ("pebble", "gravel", "boulder", "shingle", "cobble")
    sites = {f"http://{name}.readthe.example/": name for name in names}
    out: Files = {}
    for at, (home, name) in enumerate(sites.items()):
        out[home] = _site(
            f"{name}: a library for Python",
            f"{name} parses one kind of file and nothing else. {diary(50 + 40 * at, home)}",
            [(f"{home}api.html", "Reference"), *_names(sites, without=home)],
        )
        out[f"{home}api.html"] = _site(f"{name} reference", diary(120, f"{home} api"), [(home, name)])
    return out


def one_person() -> Files:
    """A person's page, photographs and papers on three hosts, each named after the person."""
    sites = {f"http://{kind}janemillrood.example/": "Jane Millrood" for kind in ("", "photos-", "papers-")}
    text = ("Botanist, walker, aunt.", "Pictures of mosses.", "Two papers on mosses and one on rain.")
    return {
        home: _site("Jane Millrood", said, _names(sites, without=home))
        for (home, said) in zip(sites, text, strict=True)
    }


def school() -> Files:
    """A school and the blogs of five classes, which link back."""
    home = "http://school-marl.example/"
    classes = {f"http://class{number}-marl.example/": f"Class {number}" for number in range(1, 6)}
    out = {home: _site("Marl primary school", "Lessons begin at eight.", _names(classes))}
    for url, name in classes.items():
        out[url] = _site(f"{name}, Marl primary school", diary(40, url), [(home, "Marl primary school")])
    return out


NETWORKS: tuple[tuple[str, Callable[[], Files]], ...] = (
    ("three blogs of friends", three_blogs),
    ("three countries of a company", countries),
    ("site, documentation and blog of a project", project_hosts),
    ("a web ring of hobbies", hobby_ring),
    ("a project in three languages", three_languages),
    ("a museum and its partners", museum_partners),
    ("departments of a university", departments),
    ("a band and its members", band),
    ("a conference of four years", conferences),
    ("a town and its clubs", town_clubs),
    ("a handbook and its mirror", two_mirrors),
    ("shop, help, status and jobs", company_services),
    ("two shops of a family", sister_shops),
    ("local groups of an association", local_groups),
    ("four photographers", photographers),
    ("five packages of an author", packages),
    ("three hosts of a person", one_person),
    ("a school and its classes", school),
)
