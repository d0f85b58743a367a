"""What row leakage asks for, answers, and cannot tell."""

from core.demo import LEAKAGE
from core.leakage.settings import LeakageSettings, LeakageThresholds
from core.measures import keys_of
from core.settings.options import EVIDENCE, MEMORY_LIMIT, READING, TEXT, Option, file_option, option
from core.tools import Input, Tool

_LIMITS = (
    "The second look does not undo changes that differ from row to row, decreasing scales, and words merged.",
    "Where the original holds a person several times, few near copies stand out without a hold-out.",
    "Distances to the closest record alone can miss leaks: a few copied rows hardly move a median.",
    "With few rows, or few columns of few values, only a large excess can be told from chance.",
    "Near copies are looked for among up to 1,000 scrambled rows: few persons of very many may be missed.",
    "Nothing here calls a table anonymous.",
)


def _table(role: str, words: str) -> Option:
    """Return the argument that names one of the two tables."""
    return file_option(role, words, metavar=role.upper(), in_engine=True, is_needed=True)


TOOL = Tool(
    key="leakage",
    title="Row leakage",
    section="measure",
    icon=":material/compare_arrows:",
    question="Is a participant still in the scrambled table?",
    limits=_LIMITS,
    measures=keys_of("leakage"),
    needs="the original table and its scrambled copy",
    upload=(
        "Upload the **original** table and its **scrambled** copy, whether shuffled, noised or synthetic. "
        "Columns are matched by name, rows by position or by a column of your choice. CSV, Excel, "
        "Parquet, Feather, JSON lines, SPSS, Stata or SAS."
    ),
    inputs=(
        Input(
            role="original",
            label="Original table",
            taken_by=(_table("original", "the original table"),),
        ),
        Input(
            role="scrambled",
            label="Scrambled table",
            taken_by=(_table("scrambled", "the scrambled table"),),
        ),
        Input(
            role="holdout",
            label="Hold-out table",
            part="hold-out",
            needed=False,
            help="Records of the same kind that the scrambled table was **not** made from. If scrambled rows "
            "are closer to the original than to these, something of the original persons was kept.",
            taken_by=(file_option("--holdout", "records that were not scrambled", of_records=True),),
        ),
    ),
    settings=LeakageSettings,
    thresholds=LeakageThresholds,
    demos=LEAKAGE,
    forms=(LeakageSettings, LeakageThresholds),
    options=(
        option(
            "value",
            "a value to ignore, such as -999; the same as --ignore-value",
            use="input",
            metavar="VALUE",
        ),
        option(
            "columns",
            "columns to ignore, such as 0,1; the same as --ignore-column",
            use="input",
            metavar="COLUMNS",
        ),
        MEMORY_LIMIT,
        *TEXT,
        *READING,
        EVIDENCE,
    ),
)
