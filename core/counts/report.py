"""The report of an audit of counts."""

from collections.abc import Sequence
from datetime import datetime

from core.counts.judging import CountsAudit
from core.counts.result import counts_result
from core.counts.tool import TOOL
from core.reports import InputFacts, Report, placed, report_of
from core.settings_form import option_words


def counts_report(
    audit: CountsAudit, *, inputs: Sequence[InputFacts], created_at: datetime, settings: object
) -> Report:
    """Return the report of a run."""
    inputs = placed(inputs)
    table, *others = (facts.path for facts in inputs)
    words = [*option_words(settings), *option_words(audit.thresholds)]
    return report_of(
        TOOL,
        counts_result(audit, settings),
        inputs=inputs,
        created_at=created_at,
        arguments=((table, *words, *(["--also", *others] if others else [])),),
    )
