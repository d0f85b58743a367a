"""What commands take beside settings, as data: files, switches, how files are read, where results go."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from core.settings.form import Setting, described
from core.settings.reading import DELIMITERS, ENCODINGS, HEADERS, ModelName


@dataclass(frozen=True, kw_only=True, eq=False)
class Option(Setting):
    """An option of a command, or an argument that stands by its place.

    Attributes
    ----------
    is_field
        Whether it is a field of a form, which checks its values; `label` is all of the help of others.
    use
        A setting may stand in a settings file, an input belongs to one run and to its repetition, and what is
        of one run alone, such as a file to write, is no part of what a report asks.
    short
        Another name of the option.
    n_values
        How many each use takes, where it takes a fixed number; `metavar` has commas between them then.
    adds_up
        Whether each use adds one value, or one group of them, to a list.
    in_engine
        Whether a file may be the address of a table in an engine too.
    of_records
        Whether it needs the records themselves, so that tables in engines go without.
    is_needed
        Whether nothing is asked without it, or without the one that it excludes.
    excludes
        What it cannot stand beside.
    sets, to
        The option that a switch is another way to give, and the value that it gives.
    group
        The heading in the help that it stands under.
    is_hidden
        Whether only reports give it.
    """

    about: str = ""
    is_field: bool = False
    use: Literal["setting", "input", "once"] = "setting"
    short: str = ""
    n_values: int = 1
    adds_up: bool = False
    in_engine: bool = False
    of_records: bool = False
    is_needed: bool = False
    excludes: str = ""
    sets: str = ""
    to: str = ""
    group: str = ""
    is_hidden: bool = False

    @property
    def dest(self) -> str:
        """Return what the parsed command line calls it."""
        return self.sets or (super().dest if self.flag else self.name)

    @property
    def flags(self) -> tuple[str, ...]:
        """Return its names on the command line; none of an argument that stands by its place."""
        return tuple(flag for flag in (self.short, self.flag) if flag)

    @property
    def usual(self) -> Any:
        """Return what a command is asked where it is not given; a form has defaults of its own."""
        if self.is_field:
            return None
        if self.default is not None:
            return self.default
        return False if self.kind is bool else [] if self.is_several or self.adds_up else None


def options_of(form: type, *, left_out: Collection[str] = ()) -> tuple[Option, ...]:
    """Return the settings of a form as options, in order."""
    return tuple(
        Option(**vars(told), adds_up=told.is_grouped, is_field=True)
        for name, told in described(form).items()
        if name not in left_out
    )


def option(flag: str, label: str, **further: Any) -> Option:
    """Return an option of one value; without hyphens it is an argument that stands by its place."""
    name = flag.lstrip("-").replace("-", "_")
    return Option(flag=flag if flag.startswith("-") else "", name=name, label=label, **further)


def switch(flag: str, label: str, **further: Any) -> Option:
    """Return an option that is given or not."""
    return option(flag, label, kind=bool, **further)


def file_option(flag: str, label: str, **further: Any) -> Option:
    """Return an option that names a file to read."""
    return option(flag, label, **{"kind": Path, "use": "input", "metavar": "FILE", **further})


def files_option(flag: str, label: str, **further: Any) -> Option:
    """Return an option that names files to read."""
    return file_option(flag, label, is_several=True, **further)


def written_option(flag: str, label: str, **further: Any) -> Option:
    """Return an option that names a file or a folder to write."""
    return option(flag, label, **{"kind": Path, "use": "once", "metavar": "FILE", **further})


def hidden_option(flag: str, **further: Any) -> Option:
    """Return an option that only reports give, to say what their repetition is not given."""
    return option(flag, "", use="input", adds_up=True, is_hidden=True, **further)


def place(given: str) -> str | Path:
    """Return a word of the command line as the table it names: an address as it is, or a path."""
    return given if given.startswith(("duckdb:", "postgresql:", "postgres:", "spark:")) else Path(given)


_TABLES = "how tables are read; found by itself where nothing is given"
READING = (
    option("--encoding", f"of text files, such as {', '.join(ENCODINGS)}", metavar="NAME", group=_TABLES),
    option(
        "--delimiter",
        f"of text files: a character, or one of {', '.join(map(str, DELIMITERS.values()))}",
        metavar="CHARACTER",
        group=_TABLES,
    ),
    option("--sheet", "of workbooks", metavar="NAME", group=_TABLES),
    option(
        "--header-row",
        f"the line that holds the column names, counted without blank lines, or one of {', '.join(HEADERS)}",
        default="auto",
        metavar="N",
        group=_TABLES,
    ),
    switch(
        "--no-header",
        "the first line is a record, not names",
        sets="header_row",
        to="none",
        excludes="header_row",
        group=_TABLES,
    ),
    switch("--no-missing-words", "NA, null and the like are values, not missing", group=_TABLES),
)
TEXT = (
    option(
        "--read",
        "cells of free text, drawn at random, that a person has read and found nobody named in; "
        "COL=N/M where M of them name somebody",
        metavar="COL=N",
        is_several=True,
        of_records=True,
    ),
    option(
        "--text-model",
        "a model that looks for names in free text too, if it is installed (default: none)",
        choices=dict.fromkeys(get_args(ModelName), ""),
        default="none",
        of_records=True,
    ),
)
EVIDENCE = option(
    "--evidence",
    "show the records behind findings by number, their cells masked: letters as A, digits as 9 "
    "(default: none)",
    choices=dict.fromkeys(("none", "masked"), ""),
    default="none",
    of_records=True,
)
MEMORY_LIMIT = option(
    "--memory-limit",
    "with duckdb: what may be in memory at once, such as 8GB, before the rest goes to disk (default: four "
    "fifths of the machine's)",
    metavar="SIZE",
)
EARLIER_RELEASES = files_option(
    "--earlier",
    "an earlier release of the same people: a table, a folder of tables, or its ledger (.json); where the "
    "table is in an engine, in the same one; repeatable",
    metavar="RELEASE",
    in_engine=True,
)
LEDGER = (
    written_option(
        "--ledger",
        "write what the next release is held against: counts of groups by salted hash, no data; the file "
        "may not exist, and only you may read it",
        of_records=True,
    ),
    file_option(
        "--ledger-salt",
        "a secret of at least 16 bytes, kept apart from ledgers (default: the salt stands in the ledger, the "
        "same as in the first one given)",
    ),
)
NOT_READ = hidden_option("--not-read", metavar="SENTENCE")
_PAIRS = "many pairs"
MOST_JOBS = 256
BATCH = (
    option(
        "--scheduler",
        "of a Dask cluster that is there already, such as tcp://node1:8786: each pair is a task of it; all "
        "workers must see the files under the same paths",
        use="once",
        of_records=True,
        metavar="ADDRESS",
        group=_PAIRS,
    ),
    switch(
        "--resume",
        "continue a run that was interrupted: take from the folder of --report what was done there with the "
        "same files, settings and version",
        use="once",
        of_records=True,
        group=_PAIRS,
    ),
)
FORMATS = ("html", "xlsx", "csv", "json", "pdf")  # of core.reports, which takes long to import
JSON = switch("--json", "print one JSON document", use="once")
OF_EVERY_AUDIT = (
    written_option(
        "--report",
        "write the report that the page downloads into a folder; nothing in it is overwritten",
        metavar="FOLDER",
    ),
    option(
        "--formats",
        f"of the report, with commas between them: {', '.join(FORMATS)} (default: html,json)",
        use="once",
        default="html,json",
        metavar="FORMATS",
    ),
    option(
        "--memory",
        "that no process may go beyond, this one included; an input that takes more ends in a sentence "
        "(default: for what reads files, three quarters of this machine's)",
        use="once",
        kind=int,
        metavar="MB",
    ),
    file_option(
        "--settings",
        "a settings file (TOML), or a report (JSON) whose audit is asked again; typed options come first",
        use="once",
    ),
)


CONTEXT = (
    option(
        "--recipient",
        "who receives the data; with --impact it chooses the limits, and whether the highest or the average "
        "risk counts (IHE De-Identification Handbook); options come before it",
        choices={
            "public": "anybody: it is published",
            "contract": "named recipients, under contract",
            "inside": "people inside the organization",
        },
    ),
    option(
        "--impact",
        "how bad it would be for people to be found; see --recipient",
        choices={
            "low": "hardly any harm",
            "medium": "harm that can be mended",
            "high": "lasting harm, to money, work, health or reputation",
        },
    ),
)


def policy_option(names: Iterable[str] = ()) -> Option:
    """Return the option that names a policy, a file or one of those that come along."""
    words = (
        f"take the limits of a policy, a file of your own (TOML) or one of {', '.join(names)}; options and "
        "settings file come before it"
    )
    return option("--policy", words, use="input", metavar="FILE|NAME")
