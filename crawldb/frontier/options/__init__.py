"""Which URLs of one site are one page? What its options say: none is on until a person switches it on."""

from crawldb.frontier.options.choice import Choice, OptionError, SiteOption, choice_of
from crawldb.frontier.options.options import Options

__all__ = ["Choice", "OptionError", "Options", "SiteOption", "choice_of"]
