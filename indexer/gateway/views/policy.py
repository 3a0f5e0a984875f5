"""Who runs this robot, what does it obey, and how is it kept away? The page that its User-Agent leads to."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from indexer.gateway.holdings import holdings

views = Blueprint("policy", __name__)


@views.get("/bot")
def bot() -> str:
    """Show the policy of the robot."""
    held = holdings()
    settings = held.crawl_settings
    return render_template(
        "bot.html",
        contact=held.contact,
        bot_url=held.bot_url,
        delay=float(str(settings.get("DOWNLOAD_DELAY", 1.0))),
        longest=float(str(settings.get("MAX_CRAWL_DELAY", 60.0))),
        connections=settings.get("CONCURRENT_REQUESTS_PER_DOMAIN", 1),
    )


@views.get("/robots.txt")
def robots_txt() -> Response:
    """Keep other robots out of what is made anew for each question: an endless space, and no source of its own."""
    lines = ["User-agent: *", "Allow: /bot", "Disallow: /"]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")
