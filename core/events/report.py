"""The report of the event-log anonymizer."""

import json
from collections.abc import Sequence
from datetime import datetime

from core.events.judging import EventAudit
from core.events.mapping import BUILT_IN_MAPPING
from core.events.measuring import Outcome
from core.events.proof import event_proof
from core.events.result import events_result
from core.events.tool import TOOL
from core.releases import earlier_words
from core.reports import InputFacts, Report, placed, report_of
from core.settings.form import option_words


def events_report(
    audit: EventAudit, *, inputs: Sequence[InputFacts], outcomes: Sequence[Outcome], created_at: datetime
) -> Report:
    """Return the report: counts, settings, whether k is reached, loss, and trace risk; no user.

    `inputs` are the log, the mapping if one was read, and earlier exports; `outcomes` other ways of
    anonymizing, for the chosen k or for all k of the curve; `created_at` is in UTC.
    """
    inputs = placed(inputs)
    made = report_of(
        TOOL,
        events_result(audit, outcomes),
        inputs=inputs,
        created_at=created_at,
        arguments=(events_arguments(audit, inputs),),
    )
    return made.with_tables(event_proof(audit))


def events_arguments(audit: EventAudit, inputs: Sequence[InputFacts]) -> tuple[str, ...]:
    """Return the words that repeat the audit; a seed of pseudonyms, which only the person has, by name."""
    settings, options = audit.measured.log.settings, audit.release.options
    mapping = json.dumps(dict(settings.mapping.pairs), ensure_ascii=False)
    return (
        inputs[0].path if inputs else "LOG.csv",
        *option_words(settings, left_out=("mapping", *settings.found_columns)),
        *option_words(audit.anonymized.rule),
        *option_words(options, left_out=("pseudonym_seed",)),
        *([] if settings.leave_out else ["--leave-out-none"]),
        *([] if settings.mapping == BUILT_IN_MAPPING else ["--mapping", mapping]),
        *([] if options.pseudonym_seed is None else ["--pseudonym-seed", "SEED"]),
        *earlier_words(audit.releases, inputs),
    )
