"""The report of a risk audit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pandas as pd

from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions
from core.risk import ColumnsMeasurement, RiskAudit, Suda, WhatIf, option_for
from core.risk.judging import population_figures
from core.risk.views.charts import class_chart, risk_bars
from core.risk.views.columns import (
    COLUMN_UNITS,
    SET_UNITS,
    columns_table,
    contribution_chart,
    sets_note,
    suda_chart,
    suda_tables,
    unchosen_note,
    unchosen_sets_table,
)
from core.risk.views.intruders import intruders
from core.risk.views.tables import (
    CHANGE_UNITS,
    changes_table,
    class_size_shares,
    disclosure_table,
    side_by_side_table,
)
from core.risk.views.what_if import frontier_chart, lattice_chart, what_if_tables
from core.risk.views.words import LIMITS, QUESTION, TITLE, headline
from core.risk.words import number, percent
from core.verdict import Verdict


def class_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of the classes, k and the average risk with their thresholds."""
    limits = audit.thresholds
    verdicts = {finding.check: finding.verdict for finding in audit.findings}
    judged = {
        "k": (f"at least {limits.k:,}", verdicts["k"]),
        "records_at_risk_share": ("none", verdicts["k"]),
        "prosecutor_highest_risk": (f"at most 1 / {limits.k:,}", verdicts["k"]),
    }
    if limits.average_risk is not None:
        judged["prosecutor_average_risk"] = (
            f"at most {percent(limits.average_risk)}",
            verdicts["average_risk"],
        )
    if limits.household_risk is not None:
        judged["household_highest_risk"] = (
            f"at most {percent(limits.household_risk)}",
            verdicts["household_limit"],
        )
    if limits.person_k is not None:
        judged["persons_alone_share"] = (f"none of fewer than {limits.person_k:,}", verdicts["person_limit"])
    return tuple(_figure(key, value, judged.get(key)) for key, value in audit.figures.items())


def headline_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures that the page shows first."""
    chosen = ("k", "records_at_risk_share", "prosecutor_average_risk", "sample_unique_share")
    by_key = {figure.measure: figure for figure in class_figures(audit)}
    shown = [by_key[key] for key in chosen]
    if "persons_at_risk_share" in by_key:
        shown[1] = by_key["persons_at_risk_share"]
    further = ("unchosen_unique_share", "persons_alone_share", "household_highest_risk", "linked_share")
    shown += [by_key[key] for key in further if key in by_key]
    return (*shown, *(figure for figure in sensitive_figures(audit) if figure.verdict is not None))


def against_population(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures against a population and by weights; nothing where neither is known."""
    return tuple(_figure(key, value) for key, value in population_figures(audit.measurement).items())


def models_note(audit: RiskAudit) -> str:
    """Say which model estimates people unique in the population, and which had no answer; empty without."""
    uniques = audit.measurement.uniques
    if uniques is None:
        return ""
    names = {"zayatz": "Zayatz's", "pitman": "Pitman's", "snb": "the SNB"}
    silent = [each for each in (uniques.zayatz, uniques.pitman, uniques.snb) if each.reason]
    reasons = "".join(f" {each.reason}" for each in silent)
    return (
        f"People unique in the population are estimated by {names[uniques.chosen.model]} model, which the "
        f"usual decision rule takes for a table that holds {percent(uniques.sampling_fraction)} of the "
        f"population and models that have an answer.{reasons}"
    )


def sensitive_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of every sensitive attribute, those with a threshold judged."""
    limits = audit.thresholds
    asked = {
        "distinct_l": None if limits.l is None else f"at least {limits.l:,}",
        "entropy_l": None if limits.entropy_l is None else f"at least {number(limits.entropy_l)}",
        "t": None if limits.t is None else f"at most {number(limits.t)}",
        "alpha": None if limits.alpha is None else f"at most {number(limits.alpha)}",
        "basic_beta": None if limits.beta is None else f"at most {number(limits.beta)}",
        "delta_ln": None if limits.delta is None else f"at most {number(limits.delta)}",
    }
    verdicts = {(finding.column, finding.check): finding.verdict for finding in audit.findings}
    found = []
    for sensitive in audit.measurement.sensitive:
        for key, value in sensitive.figures.items():
            threshold = asked.get(key.removeprefix("folded_"))
            known = verdicts.get((sensitive.column, key))
            if known is None and key.startswith("folded_"):
                threshold = None  # no worse than as written
            judged = None if threshold is None else (threshold, known or Verdict.NOT_ASSESSED)
            found.append(_figure(key, value, judged, of=sensitive.column))
    return tuple(found)


def comparison_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return what anonymization cost; nothing where no original was given."""
    comparison = audit.measurement.comparison
    if comparison is None:
        return ()
    of = f"against {comparison.original_name}"
    return (
        Figure(measure="ncp", value=comparison.ncp, of=of),
        Figure(measure="discernibility", value=comparison.discernibility, of=of),
    )


def _figure(
    key: str, value: float | None, judged: tuple[str, Verdict] | None = None, *, of: str = ""
) -> Figure:
    threshold, verdict = judged or ("", None)
    return Figure(measure=key, value=value, threshold=threshold, verdict=verdict, of=of)


def risk_report(
    audit: RiskAudit,
    *,
    inputs: Sequence[InputFacts],
    created_at: datetime,
    other: RiskAudit | None = None,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> Report:
    """Return the report of a run; it holds counts, figures and column names, no cell values."""
    return Report(
        tool="risk",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=tuple(inputs),
        settings=report_settings(audit),
        figures=(*class_figures(audit), *sensitive_figures(audit), *comparison_figures(audit)),
        findings=audit.all_findings,
        tables=(
            *_tables(audit, columns),
            *(() if suda is None else suda_tables(suda)),
            *_compared_tables(audit, other),
            *(() if what_if is None else what_if_tables(what_if, audit.thresholds.k)),
        ),
        charts=_charts(audit, columns, suda, what_if),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={"Thresholds": audit.verdict, "Beyond the thresholds": audit.exposure_verdict},
    )


def report_settings(audit: RiskAudit) -> dict[str, object]:
    """Return what was chosen and what the figures were held against."""
    settings, limits = audit.measurement.settings, audit.thresholds
    return {
        "quasi-identifiers": list(settings.quasi_identifiers),
        "sensitive attributes": list(settings.sensitive),
        "person column": settings.person,
        "household column": settings.household,
        "weight column": settings.weight,
        "not released": list(settings.leave_out),
        "direct identifiers": list(settings.direct_identifiers),
        "harmless": list(settings.other),
        "a missing quasi-identifier": settings.missing,
        "distance between sensitive values": settings.distance,
        "several sensitive attributes": settings.several_sensitive,
        "a missing sensitive value": settings.missing_sensitive,
        "c of recursive diversity": settings.recursive_c,
        "numbers taken as one, share of their spread": settings.closeness,
        "population size": settings.population_size,
        "k at least": limits.k,
        "distinct l at least": limits.l,
        "entropy l at least": limits.entropy_l,
        "t at most": limits.t,
        "average risk at most": limits.average_risk,
        "α at most": limits.alpha,
        "β at most": limits.beta,
        "δ at most": limits.delta,
        "risk of a household at most": limits.household_risk,
        "persons alike in all records at least": limits.person_k,
    }


def _tables(audit: RiskAudit, columns: ColumnsMeasurement | None) -> tuple[ReportTable, ...]:
    measured = audit.measurement
    tables = [
        ReportTable(name="Intruders", title="Three intruders", frame=intruders_table(audit)),
        ReportTable(
            name="Class sizes",
            title="Records in small classes",
            frame=class_size_shares(audit),
            units={"Share of records": "share"},
        ),
    ]
    if measured.sensitive:
        tables.append(
            ReportTable(
                name="Attribute disclosure",
                title="What classes give away",
                frame=disclosure_table(measured),
                note="Every figure is that of the class where it is worst.",
            )
        )
    if columns is not None:
        tables.append(
            ReportTable(
                name="Columns",
                title="What each quasi-identifier does",
                frame=columns_table(columns),
                note=sets_note(columns).replace("`", ""),
                units=COLUMN_UNITS,
            )
        )
    if measured.unchosen.sets:
        tables.append(
            ReportTable(
                name="Columns nobody chose",
                title="Smallest sets of columns nobody chose that single out over half",
                frame=unchosen_sets_table(measured),
                note=unchosen_note(measured),
                units=SET_UNITS,
            )
        )
    return tuple(tables)


def _compared_tables(audit: RiskAudit, other: RiskAudit | None) -> tuple[ReportTable, ...]:
    measured, tables = audit.measurement, []
    if measured.comparison is not None:
        tables.append(
            ReportTable(
                name="Changes",
                title=f"Columns of {measured.comparison.original_name} and what became of them",
                frame=changes_table(measured.comparison),
                units=CHANGE_UNITS,
            )
        )
    if other is not None:
        tables.append(
            ReportTable(name="Side by side", title="Side by side", frame=side_by_side_table(audit, other))
        )
    return tuple(tables)


def intruders_table(audit: RiskAudit) -> pd.DataFrame:
    """Return a row per intruder: what each wants, risks and finds."""
    found = intruders(audit)
    return pd.DataFrame(
        {
            "Intruder": [each.name for each in found],
            "Knows and wants": [each.wants.replace("`", "") for each in found],
            "Risk": ["not assessed" if each.risk is None else percent(each.risk) for each in found],
            "Finds": [each.finds for each in found],
        }
    )


def _what_if_charts(what_if: WhatIf, k: int) -> tuple[ReportChart | None, ...]:
    return frontier_chart(what_if), lattice_chart(what_if, option_for(what_if, k))


def _charts(
    audit: RiskAudit, columns: ColumnsMeasurement | None, suda: Suda | None, what_if: WhatIf | None
) -> tuple[ReportChart, ...]:
    drawn = (
        class_chart(audit),
        risk_bars(audit),
        None if columns is None else contribution_chart(columns),
        None if suda is None or not len(suda.scored_records) else suda_chart(suda),
        *(() if what_if is None or not what_if.options else _what_if_charts(what_if, audit.thresholds.k)),
    )
    return tuple(chart for chart in drawn if chart is not None)
