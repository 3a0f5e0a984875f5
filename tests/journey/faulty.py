"""A stage with a fault, as one of ours may have: it can't judge pages that speak of the moon."""

from urls.records import Outcome, Page


class Moonstruck:
    async def process_item(self, item: Page | Outcome) -> Page | Outcome:
        if isinstance(item, Page) and "moon" in item.text:
            raise ZeroDivisionError("the moon is out")
        return item
