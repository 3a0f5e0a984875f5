"""What do the pages that no file holds look like? Like those that one holds: the same frame, filled in."""

from __future__ import annotations

from html import escape

_FRAME = """<!doctype html>
<html lang="{language}" style="--hue: {hue}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · {site}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">{site}</a></header>
<main>
<h1>{title}</h1>
{body}
</main>
<footer>Seedville, a town for robots. <a href="http://127.0.0.1:8400/">All its sites</a></footer>
</body>
</html>
"""


def framed(title: str, body: str, *, site: str, hue: int, language: str = "en") -> bytes:
    """Return a whole page. `title` and `site` are text, `body` is HTML, `hue` is the site's colour in degrees."""
    return _FRAME.format(title=escape(title), body=body, site=escape(site), hue=hue, language=escape(language)).encode()


def paragraphs(*texts: str) -> str:
    """Return plain texts as HTML paragraphs."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)
