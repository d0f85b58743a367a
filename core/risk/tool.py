"""What disclosure risk asks for, answers, and cannot tell."""

from core.demo import RISK
from core.measures import releases, risk, risk_models, shared
from core.risk.settings import GROUPS, RiskSettings, RiskThresholds
from core.tools import EARLIER, Input, Tool

_LIMITS = (
    (
        "The figures speak of the columns chosen as quasi-identifiers. What others know, now or later, is "
        "theirs."
    ),
    (
        "A large class protects who somebody is, not what is true of everybody in it: look at the sensitive "
        "attributes."
    ),
    "t, β and δ say how far a class is from the whole table, not whether that hurts anybody.",
    (
        "Risk against a population is as good as the population's table or size; estimates assume a random "
        "sample."
    ),
    "Nothing here calls a table anonymous.",
)
_MEASURES = (
    *(*shared.MEASURES, *risk.MEASURES, *risk_models.MEASURES, *shared.DISCLOSURE, *shared.COST),
    *releases.MEASURES,
)
TOOL = Tool(
    key="risk",
    title="Disclosure risk",
    section="measure",
    icon=":material/policy:",
    question="How easily are people found in this table, and what does it give away about them?",
    limits=_LIMITS,
    measures=tuple(measure.key for measure in _MEASURES),
    asked="How easily are people found in this table, and what does it give away?",
    needs="one table of people that is about to be released",
    upload=(
        "Upload **one table** of people that is about to be released: CSV, TSV, Excel or Parquet, a record "
        "a row. No log and no original is needed."
    ),
    inputs=(
        Input(role="table", label="The table to be released"),
        Input(
            role="original",
            label="The original",
            needed=False,
            help="Shows what anonymization cost and changed; rows correspond by position.",
        ),
        Input(
            role="population",
            label="A table of the population",
            needed=False,
            help="Everybody the table was drawn from, with the same quasi-identifiers.",
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
        ),
        EARLIER,
    ),
    settings=RiskSettings,
    thresholds=RiskThresholds,
    demos=RISK,
)
