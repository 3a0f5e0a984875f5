"""Stages with a fault, as one of ours may have: they fail on pages about the moon."""

from pipelines.item_pipelines import StoreStage
from urls.records import Outcome, Page, Stylesheet


class Moonstruck:
    async def process_item(self, item: Page | Outcome) -> Page | Outcome:
        if isinstance(item, Page) and "moon" in item.text:
            raise ZeroDivisionError("the moon is out")
        return item


class Eclipsed(StoreStage):
    """The stage that stores, with the fault in the midst of what it writes together."""

    def _end(self, item: Page | Outcome | Stylesheet) -> None:
        if isinstance(item, Page) and "moon" in item.text:
            raise ZeroDivisionError("the moon is out")
        super()._end(item)
