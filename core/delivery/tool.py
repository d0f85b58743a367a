"""What the audit of a data set asks for, answers, and cannot tell."""

from core.attribute_disclosure import LIMITS
from core.delivery.settings import DeliverySettings, DeliveryThresholds
from core.demo import DATASET
from core.measures import releases
from core.options import CONTEXT, EVIDENCE, LEDGER, MEMORY_LIMIT, NOT_READ, READING, TEXT, files_option
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
    measures=(
        "joined_below_k_share",
        "all_records_below_k_share",
        "random_found_share",
        "attack_share",
        "table_below_k_share",
        "n_persons",
        "smallest_known_class",
        "smallest_table_class",
        "alone_share",
        "all_columns_found_share",
        *(each.figure for each in LIMITS),
        *(measure.key for measure in releases.MEASURES),
    ),
    needs="two or more tables about the same people that are released together",
    upload=(
        "Upload **all tables** of one delivery that are about the same people, such as patients, visits and"
        " tests: CSV, TSV, Excel or Parquet. The columns that join them are proposed."
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
    ),
    settings=DeliverySettings,
    thresholds=DeliveryThresholds,
    demos=DATASET,
    forms=(DeliverySettings, DeliveryThresholds),
    options=(*CONTEXT, *LEDGER, NOT_READ, MEMORY_LIMIT, *TEXT, *READING, EVIDENCE),
)
