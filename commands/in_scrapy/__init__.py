"""The commands as Scrapy finds them: a module each, named like the command (setting COMMANDS_MODULE)."""
