"""How the tables of a command are read, in the same options for all."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from core import tables
from core.settings.asked import Asked

_NAMED_DELIMITERS: Mapping[str, str] = {str(name): delimiter for delimiter, name in tables.DELIMITERS.items()}


def read_options(arguments: Asked) -> tables.ReadOptions:
    """Return how tables are read; refuse what no file can be read with."""
    given = arguments.delimiter
    options = tables.ReadOptions(
        encoding=arguments.encoding,
        delimiter=_NAMED_DELIMITERS.get(given, "\t" if given == "\\t" else given),
        sheet=arguments.sheet,
        header=arguments.header_row,
        missing_spellings=() if arguments.no_missing_words else tables.MISSING_SPELLINGS,
    )
    tables.check_options(options)
    return options


def table_reader(arguments: Asked) -> Callable[[Path], tables.Dataset]:
    """Return a function that reads a table as the options say."""
    return partial(tables.read_dataset, options=read_options(arguments))
