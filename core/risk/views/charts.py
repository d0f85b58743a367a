"""The charts of a disclosure-risk audit."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from core.charts import Chart, chart, class_size_chart, field, horizontal_bars, layer, legend, meaning
from core.reports import ReportChart
from core.risk import ColumnsMeasurement, RiskAudit, Suda
from core.risk.views.tables import columns_table, suda_columns_table
from core.words import Text, counted, joined, own, percent, say, share_of, text


def class_chart(audit: RiskAudit, *, log: bool = False) -> ReportChart | None:
    """Draw the records by class size with k, and the cumulative share on the right; None of no record."""
    classes, k = audit.measurement.classes, audit.thresholds.k
    if not classes.n_records:
        return None
    sizes, records = classes.size_histogram
    return ReportChart(
        "Records by class size"
        if audit.measurement.persons is None
        else "Records by class size, sizes in persons",
        class_size_chart(sizes, records, k, log=log, cumulative=True),
        text(
            "Histogram of records by class size with the cumulative share of records: {found} is in a "
            "class smaller than {k}.",
            "Histogram of records by class size with the cumulative share of records: {found} are in "
            "classes smaller than {k}.",
            n=audit.n_at_risk,
            found=share_of(audit.n_at_risk, classes.n_records, "records"),
            k=k,
        ),
    )


def risk_bars(audit: RiskAudit) -> ReportChart | None:
    """Draw the risk of the three intruders that could be assessed."""
    measured = audit.measurement
    rows = [("Prosecutor, highest", measured.highest_risk), ("Prosecutor, average", measured.average_risk)]
    if measured.population is not None:
        rows.append(("Journalist, highest", measured.population.journalist_highest_risk))
        rows.append(("Marketer, expected share", measured.population.marketer_risk))
    known = [(own(label), risk) for label, risk in rows if risk is not None]
    if not known:
        return None
    limit = 1 / audit.thresholds.k
    return ReportChart(
        "Risk of three intruders",
        horizontal_bars(
            pd.DataFrame([(say(label), risk) for label, risk in known], columns=["intruder", "risk"]),
            label="intruder",
            value="risk",
            unit="risk",
            value_title="Risk (%)",
            label_title="Intruder",
            rule=limit,
            rule_label=text("at most 1 / {k}", k=audit.thresholds.k),
        ),
        text("Bars of {bars}, with the threshold {limit}.", bars=_shares(known), limit=percent(limit)),
    )


_SQUARES, _SQUARES_A_ROW = 100, 10


def people_chart(audit: RiskAudit) -> ReportChart | None:
    """Draw of 100 people those alone in a class, in one below k, and in a large one; None of no record."""
    persons, classes, k = audit.measurement.persons, audit.measurement.classes, audit.thresholds.k
    if persons is not None and persons.n_persons:
        total, n_alone, n_small = persons.n_persons, persons.n_below(2), persons.n_below(max(k, 2))
        of: Text = counted(total, "person")
    else:
        total, n_alone = classes.n_records, classes.n_records_below(2)
        n_small, of = classes.n_records_below(max(k, 2)), counted(total, "record")
    if not total:
        return None
    counts = (n_alone, n_small - n_alone, total - n_small)
    labels = (
        text("found for certain: {n} of {total}", n=n_alone, total=of),
        text("in a class of fewer than {k}: {n} of {total}", k=k, n=counts[1], total=of),
        text("in a class of {k} or more: {n} of {total}", k=max(k, 2), n=counts[2], total=of),
    )
    squares = _squares(counts)
    return ReportChart(
        _people_title(squares[0], n_alone, of),
        _people(labels, squares, counts),
        text("Of 100 squares {parts}.", parts=joined(labels, "; ")),
    )


def _people_title(n_squares: int, n_alone: int, of: Text) -> str:
    if not n_alone:
        return "Of 100 people, nobody is found for certain"
    if not n_squares:
        return text("Of 100 people, fewer than 1 is found for certain: {n} of {total}", n=n_alone, total=of)
    return text(
        "Of 100 people, {n} is found for certain", "Of 100 people, {n} are found for certain", n=n_squares
    )


def _squares(counts: Sequence[int]) -> list[int]:
    """Return how many of 100 squares stand for each count: rounded down, the rest to the largest rests."""
    total = sum(counts)
    squares = [_SQUARES * count // total for count in counts]
    rests = sorted(range(len(counts)), key=lambda part: -(_SQUARES * counts[part] % total))
    for part in rests[: _SQUARES - sum(squares)]:
        squares[part] += 1
    return squares


def _people(labels: Sequence[Text], squares: Sequence[int], n_of: Sequence[int]) -> Chart:
    """Draw squares row by row; a part too small for one has a pale one, so that it is seen."""
    parts = [(part, 1.0) for part, n in enumerate(squares) for _ in range(n)]
    for part in reversed(range(len(n_of))):
        if n_of[part] and not squares[part]:
            parts.remove((int(np.argmax(squares)), 1.0))
            parts.append((part, 0.45))
    rows = [
        {
            "x": place % _SQUARES_A_ROW,
            "y": place // _SQUARES_A_ROW,
            "part": say(labels[part]),
            "opacity": opacity,
        }
        for place, (part, opacity) in enumerate(sorted(parts))
    ]
    meanings = ("FAIL", "WARN", "neutral")
    shown = {labels[part]: meanings[part] for part in range(len(n_of)) if n_of[part]}
    cells = {"axis": None, "scale": {"paddingInner": 0.18}}
    people = layer(
        rows,
        "rect",
        {"cornerRadius": 2},
        x=field("x:O", **cells),
        y=field("y:O", **cells),
        color=meaning("part:N", shown, legend=legend(orient="bottom", labelExpr="split(datum.label, ': ')")),
        opacity=field("opacity:Q", scale=None),
        tooltip=field("part:N", "People"),
    )
    return chart(people, height=300)


def _shares(named: Iterable[tuple[str, float]]) -> Text:
    """Return names with their shares, separated by commas."""
    return joined([text("{name} {share}", name=name, share=percent(share)) for name, share in named], ", ")


def contribution_chart(columns: ColumnsMeasurement) -> ReportChart:
    """Draw the share of records that each quasi-identifier alone makes unique."""
    table = columns_table(columns)
    return ReportChart(
        "Records that are unique only because of one column",
        horizontal_bars(
            table,
            label="column",
            value="gained_share",
            value_title="Records that would not be unique without it (%)",
            label_title="Quasi-identifier",
        ),
        text(
            "Bars of the share of records that are unique only because of a column: {bars}.",
            bars=_shares(zip(table["column"], table["gained_share"], strict=True)),
        ),
    )


def suda_chart(suda: Suda) -> ReportChart:
    """Draw the part of all SUDA scores that comes from sets with each quasi-identifier."""
    table = suda_columns_table(suda)
    return ReportChart(
        "What the scores come from",
        horizontal_bars(
            table,
            label="column",
            value="part",
            value_title="Part of all scores (%); sets have several columns",
            label_title="Quasi-identifier",
        ),
        text(
            "Bars of the part of all SUDA scores by column: {bars}.",
            bars=_shares(zip(table["column"], table["part"].clip(upper=1.0), strict=True)),
        ),
    )
