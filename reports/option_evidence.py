"""What is evidence for an option of a site? Cases in which pages that would be one under it said the same, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from urls.records import CanonicalUrl
from urls.site_options import SiteOption
from urls.wording import counted

if TYPE_CHECKING:
    from urls.site_options import ChosenOption

MIN_SAMPLES = 5  # cases: fewer may agree by chance, as five empty folders do
MAX_PAGES = 20_000  # of a site, the newest: the comparison is done within seconds
SHOWN = 3  # samples and counter-examples that are kept

Pair = tuple[CanonicalUrl, CanonicalUrl]


@dataclass(frozen=True, slots=True)
class AliasEvidence:
    """How often an option of a site would have been right. `samples` and `counter` are pairs of URLs."""

    site: str
    choice: ChosenOption
    agree: int  # cases in which all pages said the same
    differ: int
    contents: int  # different contents among those that agree
    samples: tuple[Pair, ...]
    counter: tuple[Pair, ...]
    share: float = 1.0  # of the cases, that must agree

    @property
    def proposed(self) -> bool:
        """Whether a person should be asked to switch it on."""
        return self.contents >= MIN_SAMPLES and self.agree >= self.share * (self.agree + self.differ)

    @property
    def reason(self) -> str:
        """The evidence as a sentence's end."""
        one, other = (self.counter or self.samples)[0]
        verb = "differ" if self.counter else "are the same"
        total = self.agree + self.differ
        if self.choice.option is SiteOption.MIRROR:
            where = f"say the same under the same path on {self.choice.names[0]}"
            return f"of {counted(total, 'page')} {self.agree} {where}; {one} and {other} {verb}"
        return f"the same page in {self.agree} of {total} cases; {one} and {other} {verb}"


def evidence_as_dict(evidence: AliasEvidence) -> dict[str, Any]:
    """Return evidence ready for `json.dumps`."""
    return {
        "site": evidence.site,
        "option": evidence.choice.option.value,
        "names": evidence.choice.names,
        "agree": evidence.agree,
        "differ": evidence.differ,
        "contents": evidence.contents,
        "proposed": evidence.proposed,
        "samples": evidence.samples,
        "counter_examples": evidence.counter,
        "reason": evidence.reason,
    }
