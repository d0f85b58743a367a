"""What disclosure risk asks for, answers, and cannot tell."""

from core.counts.settings import CountThresholds
from core.demo import RISK
from core.measures import keys_of
from core.risk.released import PERSON_RELEASED
from core.risk.settings import GROUPS, RiskSettings, RiskThresholds
from core.risk.suda import SudaSettings
from core.risk.what_if import WhatIfSettings
from core.settings.options import (
    CONTEXT,
    EVIDENCE,
    LEDGER,
    MEMORY_LIMIT,
    NOT_READ,
    READING,
    TEXT,
    file_option,
    files_option,
    option,
    options_of,
    switch,
    written_option,
)
from core.tools import EARLIER, Input, Tool

_LIMITS = (
    (
        "The figures speak of the columns chosen as quasi-identifiers. What others know, now or later, is "
        "theirs."
    ),
    (
        "A large group protects who somebody is, not what is true of everybody in it: look at the sensitive "
        "attributes."
    ),
    "t, β and δ say how far a group is from the whole table, not whether that hurts anybody.",
    (
        "Risk against a population is as good as the population's table or size; estimates assume a random "
        "sample."
    ),
    "Nothing here calls a table anonymous.",
)
_SEARCHES = (
    switch("--suda", "search the smallest sets of values that single records out"),
    switch(
        "--what-if",
        "search the cheapest generalizations that reach k, and with --sensitive ℓ, entropy ℓ and t",
        of_records=True,
    ),
    switch(
        "--what-if-k-alone",
        "with --what-if: leave out what is asked of sensitive attributes",
        of_records=True,
    ),
    written_option(
        "--write-hierarchies",
        "with --what-if: write the hierarchies searched, a file for each quasi-identifier, in the form of "
        "--hierarchy; they hold the table's values",
        metavar="DIR",
        of_records=True,
    ),
    written_option(
        "--release",
        "with --what-if: write the cheapest generalized table that holds when counted again, as CSV, and how "
        "it was made beside it, as .json; neither may exist. It holds only columns named above",
        of_records=True,
    ),
    option(
        "--person-released",
        "whether fresh random pseudonyms stand in the person column of a release, or it is left out "
        "(default: pseudonym)",
        choices=dict.fromkeys(PERSON_RELEASED, ""),
        default=PERSON_RELEASED[0],
    ),
)
_OF_COUNTS = (
    *options_of(CountThresholds, left_out=["least"]),  # which is k
    files_option(
        "--also", "with --counts: further tables of the same columns that are published too", of_records=True
    ),
)
TOOL = Tool(
    key="risk",
    title="Disclosure risk",
    section="measure",
    icon=":material/policy:",
    question="How easily are people found in this table, and what does it give away about them?",
    limits=_LIMITS,
    measures=keys_of("classes", "risk", "disclosure", "cost", "releases"),
    asked="How easily are people found in this table, and what does it give away?",
    needs="a table of people",
    upload=(
        "Upload **one table** of people that is about to be released: CSV, Excel, Parquet, "
        "Feather, JSON lines, SPSS, Stata or SAS, a record a row. No log and no original is needed."
    ),
    inputs=(
        Input(
            role="table",
            label="The table to be released",
            taken_by=(
                file_option(
                    "table",
                    "the table to be released: a file, a folder of Parquet or CSV, or where it is held, as "
                    "duckdb:FILE, postgresql://HOST/DATABASE/SCHEMA.TABLE, spark:TABLE or spark:FILE",
                    metavar="TABLE",
                    in_engine=True,
                    is_needed=True,
                ),
            ),
        ),
        Input(
            role="original",
            label="The original",
            needed=False,
            help="Shows what anonymization cost and changed; rows correspond by position.",
            taken_by=(
                file_option(
                    "--original",
                    "the table before anonymization; where the table is in an engine, in one too",
                    in_engine=True,
                ),
            ),
        ),
        Input(
            role="population",
            label="A table of the population",
            needed=False,
            help="Everybody the table was drawn from, with the same quasi-identifiers.",
            taken_by=(
                file_option(
                    "--population",
                    "a table of everybody the records were drawn from",
                    excludes="population_size",
                    of_records=True,
                ),
            ),
        ),
        Input(
            role="hierarchies",
            label="Groups of a column's values",
            part=GROUPS,
            kind="tables",
            needed=False,
            help="Of a quasi-identifier for What if, of a sensitive attribute for t-closeness: a "
            "line for each value, the value first, then its groups from small to large. The first column "
            "is named as that column is, or, without a header, the file is: hierarchy_age.csv.",
            taken_by=(
                option(
                    "--hierarchy",
                    "groups of a column's values, a line each, as value;level 1;level 2;…: of a "
                    "quasi-identifier for --what-if, of a sensitive attribute for t; repeatable",
                    use="input",
                    metavar="COL=FILE",
                    of_records=True,
                    is_several=True,
                ),
            ),
        ),
        EARLIER,
    ),
    settings=RiskSettings,
    thresholds=RiskThresholds,
    demos=RISK,
    forms=(RiskSettings, RiskThresholds, SudaSettings, WhatIfSettings),
    options=(
        *CONTEXT,
        *LEDGER,
        NOT_READ,
        *_SEARCHES,
        MEMORY_LIMIT,
        *TEXT,
        *READING,
        EVIDENCE,
        *_OF_COUNTS,
        written_option(
            "--violations",
            "write the records that miss a threshold, by their position, as CSV; the file may not exist",
            of_records=True,
        ),
        switch(
            "--violations-with-values",
            "with --violations: the records' quasi-identifiers too, which the file then gives away",
            of_records=True,
        ),
    ),
)
