"""The report of an audit of counts."""

from collections.abc import Sequence
from datetime import datetime

from core.counts.judging import CountsAudit
from core.counts.result import counts_result
from core.counts.tool import TOOL
from core.reports import Report, input_facts, placed, report_of
from core.settings.form import option_words
from core.tables import Dataset


def counts_report(
    audit: CountsAudit, tables: Sequence[Dataset], settings: object, created_at: datetime
) -> Report:
    """Return the report of a run on a table, the first one, beside others that are published too."""
    inputs = placed(input_facts(each, "published too" if n else "table") for n, each in enumerate(tables))
    table, *others = (facts.path for facts in inputs)
    words = [*option_words(settings), *option_words(audit.thresholds)]
    return report_of(
        TOOL,
        counts_result(audit, settings),
        inputs=inputs,
        created_at=created_at,
        arguments=((table, *words, *(["--also", *others] if others else [])),),
    )
