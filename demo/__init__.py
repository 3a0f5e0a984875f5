"""What does a robot meet on the web? The practice web: small sites on loopback with every alias, trap and rule.

`PracticeWeb` serves them, `load` tells what is true of them, `compare` says how a crawl's result differs from that.
Nothing here knows Breadcrumb: any robot may practise, `python -m demo` is enough.
"""

from demo.difference import Facts, compare
from demo.request import Request
from demo.truth import Refused, Truth, load
from demo.web import PortInUse, PracticeWeb

__all__ = ["Facts", "PortInUse", "PracticeWeb", "Refused", "Request", "Truth", "compare", "load"]
