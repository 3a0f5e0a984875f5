"""What would a search page be that is written in an afternoon? Flask, one template, and whatever index it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, render_template_string, request

if TYPE_CHECKING:
    from bench.rivals.engines import Engine

TEMPLATE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ question }}</title></head>
<body>
<form action="/search"><input name="q" value="{{ question }}"><button>Search</button></form>
<ol>
{% for url, title, snippet in found %}
<li><h2><a href="{{ url }}">{{ title }}</a></h2><p>{{ snippet|safe }}</p></li>
{% endfor %}
</ol>
</body>
</html>
"""


def naive_app(engine: Engine) -> Flask:
    """Return an application that answers `/search?q=` with the ten best pages of an engine that is open."""
    app = Flask(__name__)

    @app.get("/search")
    def search() -> str:
        question = request.args["q"]
        return render_template_string(TEMPLATE, question=question, found=engine.results(question))

    return app
