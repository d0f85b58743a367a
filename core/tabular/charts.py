"""Charts of the tabular verifier: figures against thresholds, and records by class size."""

from functools import partial

from core.charts import class_size_chart, horizontal_bars
from core.measures import MEASURES
from core.result import Drawing
from core.tabular.judging import TabularAudit
from core.words import Value, counted, own, percent, say, text


def figures_drawing(audit: TabularAudit) -> Drawing:
    """Draw the published figures as bars, each with a tick at its threshold."""
    measured, limits = audit.measurement, audit.thresholds
    least, most, below = (
        "{figure} (at least {limit})",
        "{figure} (at most {limit})",
        "{figure} (below {limit})",
    )
    rows = [
        (say(message, figure=own(MEASURES[key].label), limit=percent(limit)), value, limit)
        for key, message, value, limit in (
            ("policy_consistency", least, measured.policy_consistency, limits.policy_consistency_share),
            ("high_risk_handling", least, measured.high_risk_handling, limits.high_risk_handling_share),
            ("pattern_residual", most, measured.pattern_residual, limits.pattern_residual_share),
            ("warn_share", below, measured.warn_share, limits.warn_share),
        )
    ]
    return Drawing(
        title=text("Figures of {file} against their thresholds", file=audit.name),
        chart=partial(
            horizontal_bars,
            rows,
            value_title="Share (%)",
            label_title="Figure and threshold",
            compared_with="threshold",
        ),
        where="page",
    )


def class_drawing(audit: TabularAudit, k: int, *, log: bool = False) -> Drawing | None:
    """Draw the records by class size with k as a line; None where nothing was assessed."""
    classes = audit.counted_classes
    if classes is None or not classes.n_records:
        return None
    return Drawing(
        title=text("Records of {file} by group size", file=audit.name),
        chart=partial(class_size_chart, *classes.size_histogram, k, log=log),
        alt=text(
            "Histogram of records by group size: {below} of {records} records are in groups smaller "
            "than {k}. {note}",
            below=classes.n_records_below(k),
            records=classes.n_records,
            k=k,
            note=own(class_note(audit)),
        ),
    )


def class_note(audit: TabularAudit) -> str:
    """Return which records the class figures speak of, in a sentence."""
    classes = audit.counted_classes
    if classes is None:
        return "No quasi-identifier in the log and none chosen, so the size of groups was not assessed."
    facts: dict[str, Value] = {
        "records": counted(classes.n_records, "record"),
        "classes": counted(classes.n_classes, "group"),
        "columns": ", ".join(classes.quasi_identifiers),
    }
    if not classes.n_left_out:
        return text("{records} in {classes} over {columns}.", **facts)
    return text(
        "{records} in {classes} over {columns}; {n} record blank in all of them left out.",
        "{records} in {classes} over {columns}; {n} records blank in all of them left out.",
        n=classes.n_left_out,
        **facts,
    )
