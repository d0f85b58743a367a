"""What is asked of a table of counts, and what no answer tells."""

from core.counts.settings import CountThresholds
from core.measures import keys_of
from core.tools import Tool

_LIMITS = (
    "Rows are cells of one table; what others publish of the same people is looked at where it is given.",
    "A suppression that holds says that totals do not give counts away, not that people cannot be found.",
    "Rounded or noisy totals do not add up; what they tell is not assessed.",
)
TOOL = Tool(
    key="risk",
    title="Disclosure risk of a table of counts",
    question="Which counts are small, which suppressed ones follow from the others, and what has to be "
    "suppressed?",
    limits=_LIMITS,
    measures=keys_of("counts"),
    needs="a table of counts that is about to be published: `risk TABLE --counts COLUMN`",
    forms=(CountThresholds,),
)
