"""The report of a risk audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions
from core.risk import ColumnsMeasurement, RiskAudit, Suda, WhatIf, option_for
from core.risk.document import settings_of
from core.risk.judging import population_figures
from core.risk.population_estimates import estimates_note
from core.risk.views.tables import (
    CHANGE_UNITS,
    COLUMN_UNITS,
    LIMITS,
    QUESTION,
    SET_UNITS,
    TITLE,
    changes_table,
    class_chart,
    class_size_shares,
    columns_table,
    contribution_chart,
    disclosure_table,
    headline,
    risk_bars,
    sets_note,
    side_by_side_table,
    suda_chart,
    suda_tables,
    unchosen_note,
    unchosen_sets_table,
)
from core.risk.views.what_if import frontier_chart, lattice_chart, what_if_tables
from core.settings_form import report_lines
from core.verdict import Verdict
from core.words import counted, listed, number, percent

_ASK_FOR_POPULATION = "Not assessed: give a table of the population or its size."


@dataclass(frozen=True, kw_only=True)
class Intruder:
    """One kind of intruder."""

    name: str  # as the literature calls it
    wants: str  # what the intruder knows and wants, a sentence
    measure: str  # key of the measure that `risk` is
    risk: float | None  # highest or expected risk in [0, 1]; None where not assessed
    finds: str  # what the intruder finds in this table, one or two sentences


def intruders(audit: RiskAudit) -> tuple[Intruder, Intruder, Intruder]:
    """Return prosecutor, journalist and marketer with what they find in this table."""
    return _prosecutor(audit), _journalist(audit), _marketer(audit)


def _known_facts(audit: RiskAudit) -> str:
    """Return such as "these 2 facts about somebody (`age`, `sex`)"."""
    names = audit.measurement.classes.quasi_identifiers
    facts = "this fact" if len(names) == 1 else f"these {len(names)} facts"
    return f"{facts} about somebody ({listed(names)})"


def _prosecutor(audit: RiskAudit) -> Intruder:
    measured = audit.measurement
    finds = "No record is assessed."
    if measured.highest_risk is not None and measured.average_risk is not None:
        finds = (
            f"{_singled_out(audit)} A guess among the {measured.unit}s of the class is right with "
            f"{percent(measured.average_risk)} on average over all records, and with "
            f"{percent(measured.highest_risk)} at worst."
        )
    return Intruder(
        name="Prosecutor",
        wants=f"Knows {_known_facts(audit)}, and that the person is in the table; looks for that one record.",
        measure="prosecutor_highest_risk",
        risk=measured.highest_risk,
        finds=finds,
    )


def _singled_out(audit: RiskAudit) -> str:
    persons = audit.measurement.persons
    if persons is not None and persons.n_persons:
        n, total, what = persons.n_below(2), persons.n_persons, "person"
    else:
        classes = audit.measurement.classes
        n, total, what = classes.n_records_below(2), classes.n_records, "record"
    if not n:
        return "Finds nobody for certain."
    return f"Finds {percent(n / total)} for certain: {n:,} of {counted(total, what)} are alone in a class."


def _journalist(audit: RiskAudit) -> Intruder:
    population, highest = audit.measurement.population, audit.measurement.highest_risk
    if population is None:
        finds = _ASK_FOR_POPULATION
        finds += "" if highest is None else f" At most it is the prosecutor's {percent(highest)}."
    elif population.based_on == "size":
        finds = (
            f"Of the population only the size is known ({population.population_size:,}), so the smallest "
            "class of the table may be all there is of it: the best guess is right with at most "
            f"{percent(population.journalist_highest_risk)}.{_unique_in_population(audit)}"
        )
    else:
        finds = (
            f"In the population of {population.population_size:,} the smallest class that somebody of the "
            f"table is in has {_people(population.k_map)}; the best guess is right with "
            f"{percent(population.journalist_highest_risk)}. "
            f"{counted(population.n_records_at_risk(2), 'record')} stand for fewer than two people."
        )
    return Intruder(
        name="Journalist",
        wants=f"Knows {_known_facts(audit)} from a register of the population, not who is in the table; "
        "wants to show that somebody can be found.",
        measure="journalist_highest_risk",
        risk=None if population is None else population.journalist_highest_risk,
        finds=finds,
    )


def _unique_in_population(audit: RiskAudit) -> str:
    uniques = audit.measurement.uniques
    n = None if uniques is None else uniques.n_records_population_unique
    if uniques is None or n is None or not uniques.n_sample_uniques:
        return ""
    return (
        f" Of {counted(uniques.n_sample_uniques, 'unique record')} about {n:,.0f} are estimated to be "
        "unique in the population too."
    )


def _people(n: float) -> str:
    return f"{n:,.0f} {'person' if n == 1 else 'people'}"


def _marketer(audit: RiskAudit) -> Intruder:
    population, average = audit.measurement.population, audit.measurement.average_risk
    if population is None:
        finds = _ASK_FOR_POPULATION
        if average is not None:
            finds += f" At most {percent(average)} are matched rightly, the average risk."
    elif population.based_on == "size":
        finds = (
            f"At most {percent(population.marketer_risk)} of the matches are right, as of somebody known to "
            f"be in the table. {estimates_note(population.estimates)}"
        ).strip()
    else:
        finds = (
            f"Expects {percent(population.marketer_risk)} of the matches to be right: about "
            f"{population.marketer_risk * population.n_records:,.0f} of "
            f"{counted(population.n_records, 'record')}."
        )
    return Intruder(
        name="Marketer",
        wants="Matches every record with a register, and is content when many of the matches are right.",
        measure="marketer_risk",
        risk=None if population is None else population.marketer_risk,
        finds=finds,
    )


def intruder_figure(intruder: Intruder) -> Figure:
    """Return the intruder's risk as a figure; None, never 0, where not assessed."""
    return Figure(intruder.measure, intruder.risk, of=intruder.name.lower())


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
    return (Figure("ncp", comparison.ncp, of=of), Figure("discernibility", comparison.discernibility, of=of))


def _figure(
    key: str, value: float | None, judged: tuple[str, Verdict] | None = None, *, of: str = ""
) -> Figure:
    threshold, verdict = judged or ("", None)
    return Figure(key, value, threshold=threshold, verdict=verdict, of=of)


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
        settings=report_lines(*settings_of(audit, suda=suda, what_if=what_if)),
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


def _tables(audit: RiskAudit, columns: ColumnsMeasurement | None) -> tuple[ReportTable, ...]:
    measured = audit.measurement
    tables = [
        ReportTable("Intruders", "Three intruders", intruders_table(audit)),
        ReportTable(
            "Class sizes",
            "Records in small classes",
            class_size_shares(audit),
            units={"Share of records": "share"},
        ),
    ]
    if measured.sensitive:
        tables.append(
            ReportTable(
                "Attribute disclosure",
                "What classes give away",
                disclosure_table(measured),
                note="Every figure is that of the class where it is worst.",
            )
        )
    if columns is not None:
        tables.append(
            ReportTable(
                "Columns",
                "What each quasi-identifier does",
                columns_table(columns),
                note=sets_note(columns).replace("`", ""),
                units=COLUMN_UNITS,
            )
        )
    if measured.unchosen.sets:
        tables.append(
            ReportTable(
                "Columns nobody chose",
                "Smallest sets of columns nobody chose that single out over half",
                unchosen_sets_table(measured),
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
                "Changes",
                f"Columns of {measured.comparison.original_name} and what became of them",
                changes_table(measured.comparison),
                units=CHANGE_UNITS,
            )
        )
    if other is not None:
        tables.append(ReportTable("Side by side", "Side by side", side_by_side_table(audit, other)))
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
