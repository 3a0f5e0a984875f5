"""What can a person ask of Breadcrumb? One module a command."""

LIGHT = (
    "demo",
    "index",
    "search",
    "serve",
    "why",
    "robots",
    "submit",
    "forget",
    "block",
    "suggest",
    "release",
    "plan",
    "report",
    "audit",
    "compare",
    "farm",
)
NEED_SCRAPY = {"crawl": "fetch sites from their seeds; the index follows along"}
COMMANDS = (*LIGHT, *NEED_SCRAPY)
