"""Where are spiders of your own? Here: `scrapy genspider NAME URL` makes one, and `scrapy list` shows it.

`scrapy runspider own_spiders/NAME.py` runs it. Git leaves them out, and `./breadcrumb crawl` does not load them. With
an installed package they are in the folder `spiders` beside the settings, and `breadcrumb` has these commands.
"""

from urls.wording import IS_INSTALLED

if IS_INSTALLED:
    from spiders.own_folders import packages_spiders

    __path__ = [str(packages_spiders())]
    __file__ = f"{__path__[0]}/__init__.py"  # `genspider` writes beside it
