"""How the tables of a command are read, in the same options for all."""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from core import tables
from core.free_text import ModelName

READING_OPTIONS = (
    "--encoding",
    "--delimiter",
    "--sheet",
    "--header-row",
    "--no-header",
    "--no-missing-words",
)
_NAMED_DELIMITERS: Mapping[str, str] = {str(name): delimiter for delimiter, name in tables.DELIMITERS.items()}


def place(given: str) -> str | Path:
    """Return a word of the command line as the table it names: an address as it is, or a path."""
    return given if given.startswith(("duckdb:", "postgresql:", "postgres:", "spark:")) else Path(given)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Declare how tables are read where what is found by itself is wrong; it holds for every table given."""
    group = parser.add_argument_group("how tables are read; found by itself where nothing is given")
    group.add_argument(
        "--encoding", metavar="NAME", help=f"of text files, such as {', '.join(tables.ENCODINGS)}"
    )
    group.add_argument(
        "--delimiter", metavar="CHARACTER", help="of text files: a character, or one of "
        f"{', '.join(_NAMED_DELIMITERS)}"
    )  # fmt: skip
    group.add_argument("--sheet", metavar="NAME", help="of workbooks")
    header = group.add_mutually_exclusive_group()
    header.add_argument(
        "--header-row",
        default="auto",
        metavar="N",
        help="the line that holds the column names, counted without blank lines, or one of "
        f"{', '.join(tables.HEADERS)}",
    )
    header.add_argument(
        "--no-header",
        action="store_const",
        const="none",
        dest="header_row",
        help="the first line is a record, not names",
    )
    group.add_argument(
        "--no-missing-words", action="store_true", help="NA, null and the like are values, not missing"
    )


def read_options(arguments: argparse.Namespace) -> tables.ReadOptions:
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


def table_reader(arguments: argparse.Namespace) -> Callable[[Path], tables.Dataset]:
    """Return a function that reads a table as the options say."""
    return partial(tables.read_dataset, options=read_options(arguments))


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Declare what a person has read of free text, and the model that looks for names in it."""
    parser.add_argument(
        "--read",
        action="extend",
        nargs="+",
        default=[],
        metavar="COL=N",
        help="cells of free text, drawn at random, that a person has read and found nobody named in; "
        "COL=N/M where M of them name somebody",
    )
    parser.add_argument(
        "--text-model",
        choices=get_args(ModelName),
        default="none",
        help="a model that looks for names in free text too, if it is installed (default: none)",
    )
