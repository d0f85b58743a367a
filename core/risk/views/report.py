"""The report of a risk audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.engines import Origin
from core.releases.result import releases_figures, releases_limits, releases_tables
from core.reports import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    current_versions,
    placed,
    report_table,
)
from core.reports.model import Column, Table, table_by
from core.risk import ColumnsMeasurement, RiskAudit, Suda, WhatIf, option_for
from core.risk.document import risk_arguments, risk_document, settings_of
from core.risk.judging import population_figures
from core.risk.population_estimates import estimates_note
from core.risk.views.charts import class_chart, contribution_chart, risk_bars, suda_chart
from core.risk.views.tables import (
    LIMITS,
    QUESTION,
    TITLE,
    changes_table,
    class_size_shares,
    columns_table,
    disclosure_table,
    headline,
    sets_note,
    side_by_side_table,
    suda_tables,
    unchosen_note,
    unchosen_sets_table,
)
from core.risk.views.what_if import frontier_chart, lattice_chart, what_if_tables
from core.settings_form import report_lines
from core.verdict import Verdict
from core.words import Amount, Text, counted, joined, listed, number, percent, share_of, text

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


def _prosecutor(audit: RiskAudit) -> Intruder:
    measured = audit.measurement
    names = measured.classes.quasi_identifiers
    finds = "No record is assessed."
    if measured.highest_risk is not None and measured.average_risk is not None:
        guess = text(
            "A guess among the records of the class is right with {average} on average over all records, and "
            "with {highest} at worst."
            if measured.persons is None
            else "A guess among the persons of the class is right with {average} on average over all "
            "records, and with {highest} at worst.",
            average=percent(measured.average_risk),
            highest=percent(measured.highest_risk),
        )
        finds = joined([_singled_out(audit), guess])
    return Intruder(
        name="Prosecutor",
        wants=text(
            "Knows this fact about somebody ({columns}), and that the person is in the table; looks for that "
            "one record.",
            "Knows these {n} facts about somebody ({columns}), and that the person is in the table; looks "
            "for that one record.",
            n=len(names),
            columns=listed(names),
        ),
        measure="prosecutor_highest_risk",
        risk=measured.highest_risk,
        finds=finds,
    )


def _singled_out(audit: RiskAudit) -> str:
    persons = audit.measurement.persons
    if persons is not None and persons.n_persons:
        n = persons.n_below(2)
        found = share_of(n, persons.n_persons, "persons")
    else:
        classes = audit.measurement.classes
        n = classes.n_records_below(2)
        found = share_of(n, classes.n_records, "records")
    if not n:
        return "Finds nobody for certain."
    return text(
        "Finds {found} for certain: it is alone in a class.",
        "Finds {found} for certain: they are alone in a class.",
        n=n,
        found=found,
    )


def _journalist(audit: RiskAudit) -> Intruder:
    population, highest = audit.measurement.population, audit.measurement.highest_risk
    names = audit.measurement.classes.quasi_identifiers
    found: list[str]
    if population is None:
        found = [_ASK_FOR_POPULATION]
        if highest is not None:
            found.append(text("At most it is the prosecutor's {risk}.", risk=percent(highest)))
    elif population.based_on == "size":
        bound = text(
            "Of the population only the size is known ({size}), so the smallest class of the table may be "
            "all there is of it: the best guess is right with at most {risk}.",
            size=population.population_size,
            risk=percent(population.journalist_highest_risk),
        )
        found = [bound, *_unique_in_population(audit)]
    else:
        smallest = text(
            "In the population of {size} the smallest class that somebody of the table is in has {people}; "
            "the best guess is right with {risk}.",
            size=population.population_size,
            people=counted(round(population.k_map), "person", "people"),
            risk=percent(population.journalist_highest_risk),
        )
        at_risk = text(
            "{n} record stands for fewer than two people.",
            "{n} records stand for fewer than two people.",
            n=population.n_records_at_risk(2),
        )
        found = [smallest, at_risk]
    return Intruder(
        name="Journalist",
        wants=text(
            "Knows this fact about somebody ({columns}) from a register of the population, not who is in the "
            "table; wants to show that somebody can be found.",
            "Knows these {n} facts about somebody ({columns}) from a register of the population, not who is "
            "in the table; wants to show that somebody can be found.",
            n=len(names),
            columns=listed(names),
        ),
        measure="journalist_highest_risk",
        risk=None if population is None else population.journalist_highest_risk,
        finds=joined(found),
    )


def _unique_in_population(audit: RiskAudit) -> Iterator[Text]:
    uniques = audit.measurement.uniques
    n = None if uniques is None else uniques.n_records_population_unique
    if uniques is None or n is None or not uniques.n_sample_uniques:
        return
    yield text(
        "Of {records} about {n} is estimated to be unique in the population too.",
        "Of {records} about {n} are estimated to be unique in the population too.",
        n=round(n),
        records=counted(uniques.n_sample_uniques, "unique record"),
    )


def _marketer(audit: RiskAudit) -> Intruder:
    population, average = audit.measurement.population, audit.measurement.average_risk
    found: list[str]
    if population is None:
        found = [_ASK_FOR_POPULATION]
        if average is not None:
            most = "At most {share} are matched rightly, the average risk."
            found.append(text(most, share=percent(average)))
    elif population.based_on == "size":
        bound = text(
            "At most {share} of the matches are right, as of somebody known to be in the table.",
            share=percent(population.marketer_risk),
        )
        found = [bound, *filter(None, [estimates_note(population.estimates)])]
    else:
        expects = text(
            "Expects {share} of the matches to be right: about {n} of {records}.",
            share=percent(population.marketer_risk),
            n=round(population.marketer_risk * population.n_records),
            records=counted(population.n_records, "record"),
        )
        found = [expects]
    return Intruder(
        name="Marketer",
        wants="Matches every record with a register, and is content when many of the matches are right.",
        measure="marketer_risk",
        risk=None if population is None else population.marketer_risk,
        finds=joined(found),
    )


def class_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of the classes, k and the average risk with their thresholds."""
    limits = audit.thresholds
    verdicts = {finding.check: finding.verdict for finding in audit.findings}
    judged = {
        "k": (text("at least {least}", least=limits.k), verdicts["k"]),
        "records_at_risk_share": (text("none allowed"), verdicts["k"]),
        "prosecutor_highest_risk": (text("at most 1 / {k}", k=limits.k), verdicts["k"]),
    }
    if limits.average_risk is not None:
        most = text("at most {most}", most=percent(limits.average_risk))
        judged["prosecutor_average_risk"] = (most, verdicts["average_risk"])
    if limits.household_risk is not None:
        most = text("at most {most}", most=percent(limits.household_risk))
        judged["household_highest_risk"] = (most, verdicts["household_limit"])
    if limits.person_k is not None:
        fewer = text("none of fewer than {k}", k=limits.person_k)
        judged["persons_alone_share"] = (fewer, verdicts["person_limit"])
    measured = audit.measurement
    n_records = measured.classes.n_records
    of = {
        "records_at_risk_share": text(
            "{found} of {records}", found=audit.n_at_risk, records=counted(n_records, "record")
        )
    }
    by_all = measured.persons_by_all_records
    totals = {
        "unchosen_unique_share": measured.unchosen.n_records,
        "persons_at_risk_share": None if measured.persons is None else measured.persons.n_persons,
        "persons_alone_share": None if by_all is None else by_all.n,
        **dict.fromkeys(("sample_unique_share", "records_at_risk_share"), n_records),
    }
    return tuple(
        _figure(key, value, judged.get(key), of=of.get(key, ""), total=totals.get(key))
        for key, value in audit.figures.items()
    )


def headline_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures that the page shows first."""
    by_key = {figure.measure: figure for figure in class_figures(audit)}
    at_risk = "persons_at_risk_share" if "persons_at_risk_share" in by_key else "records_at_risk_share"
    first = ("k", at_risk, "prosecutor_average_risk")
    further = (
        "sample_unique_share",
        "unchosen_unique_share",
        "persons_alone_share",
        "household_highest_risk",
        "linked_share",
    )
    judged = [figure for figure in sensitive_figures(audit) if figure.verdict is not None]
    judged.sort(key=lambda figure: -figure.verdict.severity if figure.verdict else 0)
    return (*(by_key[key] for key in first), *judged, *(by_key[key] for key in further if key in by_key))


def against_population(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures against a population and by weights; nothing where neither is known."""
    return tuple(_figure(key, value) for key, value in population_figures(audit.measurement).items())


def models_note(audit: RiskAudit) -> str:
    """Say which model estimates people unique in the population, and which had no answer; empty without."""
    uniques = audit.measurement.uniques
    if uniques is None:
        return ""
    taken = text(_MODELS[uniques.chosen.model], share=percent(uniques.sampling_fraction))
    reasons = [each.reason for each in (uniques.zayatz, uniques.pitman, uniques.snb) if each.reason]
    return joined([taken, *reasons])


_MODELS = {
    "zayatz": (
        "People unique in the population are estimated by Zayatz's model, which the usual decision rule "
        "takes for a table that holds {share} of the population and models that have an answer."
    ),
    "pitman": (
        "People unique in the population are estimated by Pitman's model, which the usual decision rule "
        "takes for a table that holds {share} of the population and models that have an answer."
    ),
    "snb": (
        "People unique in the population are estimated by the SNB model, which the usual decision rule takes "
        "for a table that holds {share} of the population and models that have an answer."
    ),
}


def sensitive_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of every sensitive attribute, those with a threshold judged."""
    limits = audit.thresholds
    least = {"distinct_l": limits.l, "entropy_l": limits.entropy_l}
    most = {"t": limits.t, "alpha": limits.alpha, "basic_beta": limits.beta, "delta_ln": limits.delta}
    asked = {key: text("at least {least}", least=number(x)) for key, x in least.items() if x is not None}
    asked |= {key: text("at most {most}", most=number(x)) for key, x in most.items() if x is not None}
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
    of = text("against {file}", file=comparison.original_name)
    return (Figure("ncp", comparison.ncp, of=of), Figure("discernibility", comparison.discernibility, of=of))


def _figure(
    key: str,
    value: float | None,
    judged: tuple[str, Verdict] | None = None,
    *,
    of: str = "",
    total: int | None = None,
) -> Figure:
    threshold, verdict = judged or ("", None)
    return Figure(key, value, threshold=threshold, verdict=verdict, of=of, total=total)


def origin_facts(origin: Origin, role: str = "table") -> InputFacts:
    """Return what a report says of a table in an engine."""
    return InputFacts(
        role=role,
        name=origin.address,
        n_bytes=origin.n_bytes,
        sha256=origin.sha256,
        reading=text("asked where it is, by {engine}", engine=origin.engine),
    )


def risk_report(
    audit: RiskAudit,
    *,
    inputs: Sequence[InputFacts],
    created_at: datetime,
    other: RiskAudit | None = None,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
    groups: Sequence[str] = (),
) -> Report:
    """Return the report of a run; it holds counts, figures and column names, no cell values.

    `groups`: the columns that the files of groups among the inputs are for.
    """
    inputs = placed(inputs)
    return Report(
        tool="risk",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=headline(audit),
        inputs=inputs,
        settings=report_lines(*settings_of(audit, suda=suda, what_if=what_if)),
        figures=(
            *class_figures(audit),
            *sensitive_figures(audit),
            *comparison_figures(audit),
            *releases_figures(audit.releases),
        ),
        findings=audit.all_findings,
        tables=(
            *_tables(audit, columns),
            *(() if suda is None else suda_tables(suda)),
            *_compared_tables(audit, other),
            *map(report_table, releases_tables(audit.releases)),
            *(() if what_if is None else what_if_tables(what_if, audit.thresholds.k)),
        ),
        charts=_charts(audit, columns, suda, what_if),
        limits=(*LIMITS, *releases_limits(audit.releases)),
        created_at=created_at,
        versions=current_versions(),
        verdicts={"Thresholds": audit.verdict, "Beyond the thresholds": audit.exposure_verdict},
        result=risk_document(audit, columns=columns, suda=suda, what_if=what_if),
        arguments=(risk_arguments(audit, inputs, groups=groups, suda=suda, what_if=what_if),)
        if inputs and not audit.measurement.elsewhere
        else (),
    )


def _tables(audit: RiskAudit, columns: ColumnsMeasurement | None) -> tuple[ReportTable, ...]:
    measured = audit.measurement
    tables = [
        ReportTable("Intruders", "Three intruders", intruders_table(audit)),
        ReportTable("Class sizes", "Records in small classes", class_size_shares(audit)),
    ]
    if measured.sensitive:
        frame = disclosure_table(measured)
        tables.append(
            ReportTable(
                "Attribute disclosure",
                "What classes give away",
                frame,
                note="Every figure is that of the class where it is worst.",
            )
        )
    if columns is not None:
        tables.append(
            ReportTable(
                "Columns", "What each quasi-identifier does", columns_table(columns), note=sets_note(columns)
            )
        )
    if measured.unchosen.sets:
        tables.append(
            ReportTable(
                "Columns nobody chose",
                "Smallest sets of columns nobody chose that single out over half",
                unchosen_sets_table(measured),
                note=unchosen_note(measured),
            )
        )
    return tuple(tables)


def _compared_tables(audit: RiskAudit, other: RiskAudit | None) -> tuple[ReportTable, ...]:
    measured, tables = audit.measurement, []
    if measured.comparison is not None:
        tables.append(
            ReportTable(
                "Changes",
                text("Columns of {file} and what became of them", file=measured.comparison.original_name),
                changes_table(measured.comparison),
            )
        )
    if other is not None:
        tables.append(ReportTable("Side by side", "Side by side", side_by_side_table(audit, other)))
    return tuple(tables)


def intruders_table(audit: RiskAudit) -> Table:
    """Return a row per intruder: what each wants, risks and finds."""
    found = intruders(audit)
    return table_by(
        {
            Column("intruder", "Intruder", kind="words"): [each.name for each in found],
            Column("wants", "Knows and wants", kind="words"): [each.wants for each in found],
            Column("risk", "Risk", kind="words"): [Amount("risk", each.risk) for each in found],
            Column("finds", "Finds", kind="words"): [each.finds for each in found],
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
