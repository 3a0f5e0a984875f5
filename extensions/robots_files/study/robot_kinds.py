"""What is a robot for? A few say so by their name: of the kinds of old, and of one that came later.

docs/book.md has the kinds of robots that the book begins with: for stocks, statistics, search, prices and links. Those
that serve language models, by gathering text for one or by fetching a page for somebody who asks one, came twenty years
later. A kind stands here where it is commonly known what a robot of that name is for; of all others nothing is guessed,
nor of those that serve several ends, as ccbot does. Robots that draw graphs of stocks ask a few servers that know them,
and no file is known to name one.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class RobotKind(StrEnum):
    """What a robot fetches pages for."""

    SEARCH = "search engines"
    LINKS = "checkers of links"
    PRICE = "price comparison"
    STOCK = "graphs of stocks"
    STATISTICS = "statistics of the web"
    MODELS = "language models"
    UNKNOWN = "name does not tell"


_TOKENS: Final = MappingProxyType(
    {
        RobotKind.SEARCH: "googlebot googlebot-image googlebot-mobile googlebot-news googlebot-video bingbot msnbot "
        "msnbot-media slurp yandex yandexbot yandeximages baiduspider baiduspider-image baiduspider-news "
        "baiduspider-video applebot duckduckbot seznambot sogou sosospider 360spider haosouspider yisouspider "
        "petalbot yeti naverbot exabot gigabot teoma qwantbot mojeekbot coccocbot coccocbot-web daum daumoa "
        "webcrawler scooter lycos_spider zyborg oai-searchbot claude-searchbot perplexitybot",
        RobotKind.LINKS: "linkchecker linkscan linkwalker w3c-checklink checkbot momspider xenu",
        RobotKind.PRICE: "becomebot shopwiki storebot-google idealobot twengabot",
        RobotKind.STOCK: "",
        RobotKind.STATISTICS: "netcraftsurveyagent censysinspect internetmeasurement",
        RobotKind.MODELS: "gptbot chatgpt-user anthropic-ai claudebot claude-web claude-user google-extended "
        "applebot-extended bytespider perplexity-user cohere-ai cohere-training-data-crawler meta-externalagent "
        "meta-externalfetcher ai2bot mistralai-user",
    }
)
_KINDS: Final[Mapping[str, RobotKind]] = MappingProxyType(
    {token: kind for kind, tokens in _TOKENS.items() for token in tokens.split()}
)


def kind_of(token: str) -> RobotKind:
    """Return what a robot is for, by its product token in lower case."""
    return _KINDS.get(token, RobotKind.UNKNOWN)
