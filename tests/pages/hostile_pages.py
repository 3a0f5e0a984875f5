"""Which pages are made to hurt their reader? One page for each way that we know, as large as a page may be.

The first are those of common catalogues of hostile input. The others aim at our own steps: at the proof that a tree is
harmless, at the work for each element, at the second reader, and at the filters behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MB = 1_000_000


def hostile_pages() -> Iterator[tuple[str, str]]:
    """Yield name and markup of each page, one at a time: together they would take 200 MB."""
    yield "100,000 nested div", "<div>" * 100_000 + "x" + "</div>" * 100_000
    yield "1,000,000 nested b", "<b>" * MB + "x"
    yield "one b of 1 MB", f"<b {'x' * MB}>text"
    yield "an attribute of 10 MB", f'<a href="/ok" title="{"a" * 10 * MB}">x</a>'
    yield "100,000 attributes on one tag", f"<a {' '.join(f'a{n}=1' for n in range(100_000))} href=/ok>x</a>"
    yield "200,000 links", "".join(f'<a href="/ok?n={n}">x</a>' for n in range(200_000))
    yield "10,000 link tags", "".join(f'<link rel=alternate hreflang=en href="/{n}">' for n in range(10_000)) + "<p>x"
    yield "one word of 10 MB", "<p>" + "a" * 10 * MB
    yield "10 MB of words", "<p>" + "word " * (2 * MB)
    yield "1,200,000 different words", "<p>" + " ".join(f"w{n}" for n in range(1_200_000))
    yield "20,000 open tables", "<table><tr><td><a href='/ok'><p><table>" * 5000
    yield "an open comment of 10 MB", "<p>before<!-- " + "x" * 10 * MB
    yield "200 MB of comments, as far as they are read", "<p>before" + "<!--x-->" * 1_300_000
    yield "an open script of 10 MB", "<p>before<script>" + "var x = '</p><a href=/ok>';\n" * 350_000
    yield "500,000 entities", "<p>" + "&amp;" * 500_000 + "&#99999999;&#x110000;&#0;&bogus;"
    yield "a title of 1 MB", f"<title>{'t' * MB}</title>"
    yield "formatting that comes back", "".join(f"<b id={n}>" for n in range(1000)) + "<p>x" * 100_000
    few = f"<b {' '.join(f'a{n}' for n in range(150))}>"
    yield "attributes that come back in a small page", "<frameset></frameset>" + few * 15 + "<p>x" * 1400
    yield "attributes that come back", few * 100 + "<p>x" * 10_000
    yield "formatting closed across blocks", "<b><i><u><p>x</b>y</p>" * 60_000
    yield "100,000 options", f"<select>{'<option>x</option>' * 100_000}</select>"
    yield "roots of different attributes", "".join(f"<html a{n}=1>" for n in range(60_000)) + "<p>x"
    yield "490 headings in each other", "<h1><div>" * 490 + "word " * 400_000 + "</div></h1>" * 490
    yield "100 refreshes after many digits", f'<meta http-equiv=refresh content="{"0" * 65_000}">' * 100 + "<p>x"
    yield "refreshes deep inside", "<noscript>" * 4000 + '<meta http-equiv=refresh content="1;url=/x">' * 9000
    yield "menus in menus", "<nav>" * 1500 + "<p>x <a href=y>z</a></p>" * 9000 + "</nav>" * 1500
    yield "30,000 menus", "<nav><a href=x>y</a></nav>" * 30_000
    yield "100,000 hidden paragraphs", "<p hidden>x</p>" * 100_000
    yield "a table of 70,000 rows", f"<table>{'<tr><td>a</td></tr>' * 70_000}</table>"
    yield "60,000 pictures in links", "<a href=x><img alt=y></a>" * 60_000
    yield "100,000 metas", "<meta name=a content=b>" * 100_000
    yield "long tags", f"<p {' '.join(f'a{n}' for n in range(290))}></p>" * 6000
    yield "half a tag 300,000 times", '<a title="' * 300_000
    yield "5,000,000 less-than signs", "<" * 5 * MB
    yield "tags without an end", "a<b " * (2 * MB)
    yield "open quotes", '="' * (3 * MB)
    yield "19,000 text areas", "<textarea>x</textarea>" * 19_000
    yield "frames in frames", "<frameset><noframes>" * 20_000 + "<a href=x>y</a>"
    yield "300,000 drawings", "<svg><path/></svg>" * 300_000
