"""What the audit of a data set asks for, answers, and cannot tell."""

from core.attribute_disclosure import LIMITS
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.demo import DATASET
from core.measures import keys_of
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
    written_option,
)
from core.tools import EARLIER, Input, Tool

_LIMITS = (
    "Only the tables given are read together. What else has been released, or what others hold, finds more.",
    "An intruder who knows a person is in the data is assumed; what is known is assumed to be exact.",
    "Of two and three known records everybody is looked at only where that is said; else a sample.",
    "The cheapest facts are searched step by step; a cheaper set may exist.",
)
TOOL = Tool(
    key="dataset",
    title="Data set",
    section="measure",
    icon=":material/account_tree:",
    question="Who is found when the tables of one delivery are read together?",
    limits=_LIMITS,
    measures=(*keys_of("delivery"), "n_persons", *(each.figure for each in LIMITS), *keys_of("releases")),
    needs="two or more tables about the same people",
    upload=(
        "Upload **all tables** of one delivery that are about the same people, such as patients, visits and"
        " tests: CSV, Excel, Parquet, Feather, JSON lines, SPSS, Stata or SAS. The columns that "
        "join them are proposed."
    ),
    inputs=(
        Input(
            role="tables",
            label="The tables of the delivery",
            kind="tables",
            taken_by=(
                files_option(
                    "tables",
                    "the tables of the delivery, or the folder they are in",
                    metavar="TABLE",
                    in_engine=True,
                    is_needed=True,
                ),
            ),
        ),
        EARLIER,
        Input(
            role="originals",
            label="The originals that these tables were made of",
            kind="tables",
            needed=False,
            help="Then each rule of what was done is held against what was done; without rules they are "
            "proposed from what is seen.",
            part="original",
            taken_by=(
                files_option(
                    "--original",
                    "the originals that the tables were made of, or the folder they are in",
                    metavar="TABLE",
                    of_records=True,
                ),
            ),
        ),
        Input(
            role="mapping",
            label="The mapping: original identifier, pseudonym",
            needed=False,
            taken_by=(
                file_option(
                    "--mapping",
                    "with --original: a table of two columns, original identifiers and their pseudonyms",
                    of_records=True,
                ),
            ),
        ),
        Input(
            role="shifts",
            label="The shifts: person, days",
            needed=False,
            taken_by=(
                file_option(
                    "--shifts",
                    "with --original: a table of two columns, persons and the days that their dates are "
                    "shifted by (default: derived from the dates)",
                    of_records=True,
                ),
            ),
        ),
        Input(
            role="rules",
            label="The rules of what was done (TOML)",
            kind="files",
            needed=False,
            taken_by=(
                file_option(
                    "--rules",
                    "with --original: what was done to each column, as TOML (default: proposed)",
                    of_records=True,
                ),
            ),
        ),
    ),
    settings=DeliverySettings,
    thresholds=DeliveryThresholds,
    demos=DATASET,
    forms=(DeliverySettings, DeliveryThresholds),
    options=(
        written_option(
            "--write-rules",
            "with --original: write the rules, where none were given those proposed, with the exceptions",
            of_records=True,
        ),
        *CONTEXT,
        *LEDGER,
        NOT_READ,
        MEMORY_LIMIT,
        *TEXT,
        *READING,
        EVIDENCE,
    ),
)
