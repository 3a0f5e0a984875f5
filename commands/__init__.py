"""What can a person ask of Breadcrumb? One module a command; `commands/in_scrapy` makes the same known to Scrapy."""
