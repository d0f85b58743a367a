"""The report of the event-log anonymizer."""

from collections.abc import Sequence
from datetime import datetime

from core.events.document import events_arguments, events_document
from core.events.judging import EventAudit
from core.events.measuring import Outcome
from core.events.proof import event_proof
from core.events.result import events_result
from core.events.tool import TOOL
from core.reports import InputFacts, Report, placed, report_of


def events_report(
    audit: EventAudit, *, inputs: Sequence[InputFacts], outcomes: Sequence[Outcome], created_at: datetime
) -> Report:
    """Return the report: counts, settings, whether k is reached, loss, and trace risk; no user.

    `inputs` are the log, and the mapping if one was read; `outcomes` other ways of anonymizing, for the
    chosen k or for all k of the curve; `created_at` is in UTC.
    """
    inputs = placed(inputs)
    made = report_of(
        TOOL,
        events_result(audit, outcomes),
        inputs=inputs,
        created_at=created_at,
        document=events_document(audit),
        arguments=(events_arguments(audit, inputs[0].path if inputs else "LOG.csv"),),
    )
    return made.with_tables(event_proof(audit))
