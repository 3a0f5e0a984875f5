"""The practice web: small sites on loopback with every alias, trap and rule that a robot meets on the web.

`PracticeWeb` serves them, `load` returns the truth about them, and `compare` lists where a crawl differs from it.
Nothing here imports Breadcrumb: any robot may practise with `python -m demo`.
"""

from demo.messages import Request
from demo.server import PortInUse, PracticeWeb
from demo.truth import Facts, Refused, Truth, compare, load

__all__ = ["Facts", "PortInUse", "PracticeWeb", "Refused", "Request", "Truth", "compare", "load"]
