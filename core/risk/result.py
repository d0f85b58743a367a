"""What disclosure risk says: figures of classes, intruders, what classes give away, and what was searched."""

from collections.abc import Iterator, Sequence

import numpy as np

from core.attribute_disclosure import LIMITS
from core.measures import MEASURES
from core.releases.result import releases_groups, releases_limits
from core.result import Col, Figure, Group, Note, Part, Result, Table, verdict_of
from core.risk.appendix import DISTANCES, appendix_groups
from core.risk.charts import (
    class_drawing,
    columns_drawing,
    frontier_drawing,
    intruders_drawing,
    lattice_drawing,
    people_drawing,
    special_uniques_drawing,
)
from core.risk.comparison import Comparison
from core.risk.generalizing import records_to_suppress
from core.risk.intruders import intruders
from core.risk.judging import RiskAudit, population_figures
from core.risk.measuring import RiskMeasurement
from core.risk.notes import suda_note, what_if_note
from core.risk.suda import ColumnsMeasurement, Suda, SudaSettings
from core.risk.tool import TOOL
from core.risk.what_if import USUAL_KS, Release, WhatIf, is_exact, option_for
from core.settings.form import report_lines, settings_document
from core.verdict import Finding, Verdict
from core.words import Text, Written, amount, counted, joined, listed, number, own, percent, text

_INTRUDERS = (
    Col("intruder", "Intruder", kind="words", get=lambda intruder: intruder.name),
    Col("wants", "Knows and wants", kind="words"),
    Col("risk", "Risk", kind="words", get=lambda intruder: amount("risk", intruder.risk)),
    Col("finds", "Finds", kind="words"),
)
_SIZES = (
    Col("below", "Group size below"),
    Col("n_records", "Records"),
    Col("share", "Share of records", "share"),
)
_COLUMNS = (
    Col("column", "Column"),
    Col("unique_share_gained", "Unique only because of it", "share"),
    Col("unique_share", "Unique with this column alone", "share", get=lambda each: each.alone.unique_share),
    Col(
        "distinction",
        "Records it tells apart (distinction)",
        "share",
        get=lambda each: each.alone.distinction,
    ),
    Col("separation", "Pairs it tells apart (separation)", "share", get=lambda each: each.alone.separation),
)
_SETS = (Col("columns", "Columns"), Col("unique_share", "Records unique in them", "share"))
_WITH_FURTHER = (
    Col("columns", "Known beside the quasi-identifiers"),
    Col("share_below_k", "Records in groups smaller than k", "share"),
    Col("unique_share", "Records alone", "share"),
)
_SCORES = (Col("column", "Column"), Col("suda_contribution_share", "Part of the scores", "share"))
_CHANGES = (
    Col("column", "Column"),
    Col(
        "released", "In the table", kind="words", get=lambda each: own("yes") if each.released else own("no")
    ),
    Col("changed_share", "Cells changed", "share"),
    Col("ncp", "Precision lost (NCP)", "share"),
    Col("n_values_original", "Distinct values, original"),
    Col("n_values", "Distinct values"),
    Col("n_missing_original", "Missing, original"),
    Col("n_missing", "Missing"),
)
_SUPPRESSION = (
    Col("k", "k"),
    Col("n_to_suppress", "Records to suppress"),
    Col("share", "Share of records", "share"),
)
_OPTIONS = (
    Col("k", "k asked for"),
    Col("smallest_class", "Smallest group"),
    Col("highest_risk", "Highest risk", "risk"),
    Col("generalization_loss", "Precision lost", "share"),
    Col("suppressed_share", "Records suppressed", "share"),
    Col("cheaper_ones", "Cheaper ones", kind="words"),
)
_LEVELS = (
    Col("column", "Column"),
    Col("becomes", "Becomes", kind="words"),
    Col("n_groups", "Different values"),
)
_FURTHER = (
    "sample_unique_share",
    "unchosen_unique_share",
    "further_column_at_risk_share",
    "persons_alone_share",
    "household_highest_risk",
    "linked_share",
)
_MOST_SETS = _MOST_SCORED = 50


def risk_result(
    audit: RiskAudit,
    *,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
    other: RiskAudit | None = None,
) -> Result:
    """Return all that the audit says: counts, figures and names of columns, no cell.

    Parameters
    ----------
    audit
        The result, in memory or in an engine.
    columns, suda, what_if
        What the searches found, where they were made.
    other
        The audit of the table that this one was made from.
    """
    settings = _settings_of(audit, suda=suda, what_if=what_if)
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        verdicts={"Thresholds": audit.verdict, "Beyond the thresholds": audit.exposure_verdict},
        headline=_gravest(audit).message,
        findings=audit.all_findings,
        groups=(
            *_class_groups(audit),
            disclosure_group(audit.measurement),
            *_intruder_groups(audit),
            columns_group(audit.measurement, columns),
            unchosen_group(audit),
            *(() if suda is None else (special_uniques_group(suda, file=audit.measurement.name),)),
            compared_group(audit, other),
            *releases_groups(audit.releases),
            Group("suppression", "With nothing generalized", (_suppression_table(audit),), where="page"),
            *(() if what_if is None else _what_if_groups(what_if, audit.thresholds.k)),
            *appendix_groups(audit, suda, what_if),
        ),
        limits=releases_limits(audit.releases),
        settings=report_lines(*settings),
        asked=settings_document(*settings),
    )


def _settings_of(audit: RiskAudit, *, suda: Suda | None, what_if: WhatIf | None) -> list[object]:
    """Return all settings that a result depends on."""
    found: list[object] = [audit.measurement.settings, audit.thresholds]
    if suda is not None:
        found.append(SudaSettings(max_size=suda.requested_size))
    return found if what_if is None else [*found, what_if.settings]


def _gravest(audit: RiskAudit) -> Finding:
    """Return the finding that explains the overall verdict: that no figure holds, else the worst."""
    if audit.overall is Verdict.PASS:
        return audit.findings[0]
    of_counts = (finding for finding in audit.all_findings if finding.check == "table_of_counts")
    return next(of_counts, audit.all_findings[0])


def _class_groups(audit: RiskAudit) -> Iterator[Group]:
    """Yield people and classes, and figures."""
    of_classes, of_attributes = _class_figures(audit), _sensitive_figures(audit)
    yield Group("people", "People", people_drawing(audit), where="page")
    yield classes_group(audit)
    yield Group("first", "What was found", _first_figures(of_classes, of_attributes), where="page")
    yield Group("figures", "What was found", (*of_classes, *of_attributes), where="report")
    yield Group("sizes", "Records in small groups", (_sizes_table(audit),), where="report")


def _intruder_groups(audit: RiskAudit) -> Iterator[Group]:
    """Yield what intruders find, and the figures against a population."""
    against = tuple(Figure(key, value) for key, value in population_figures(audit.measurement).items())
    note = _models_note(audit)
    yield Group(
        "intruders",
        "Three intruders",
        (Table("intruders", "Three intruders", _INTRUDERS, intruders(audit)), *intruders_drawing(audit)),
    )
    yield Group(
        "population",
        "Against the population, figure by figure",
        (*against, *([Note(note)] if note else [])),
        where="page",
    )


def classes_group(audit: RiskAudit, *, log: bool = False) -> Group:
    """Return the records by class size."""
    empty = "No record is assessed, so there is no group."
    return Group("classes", "Records by group size", class_drawing(audit, log=log), empty=empty)


def _class_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of the classes, k and what else has a limit with their thresholds."""
    limits, measured = audit.thresholds, audit.measurement
    n_records, by_all = measured.classes.n_records, measured.persons_by_all_records
    judged = {
        "k": (text("at least {least}", least=limits.k), "k"),
        "records_at_risk_share": (own("none allowed"), "k"),
        "prosecutor_highest_risk": (text("at most 1 / {k}", k=limits.k), "k"),
        "prosecutor_average_risk": (_at_most(limits.average_risk), "average_risk"),
        "household_highest_risk": (_at_most(limits.household_risk), "household_limit"),
        "persons_alone_share": (
            "" if limits.person_k is None else text("none of fewer than {k}", k=limits.person_k),
            "person_limit",
        ),
    }
    totals = {
        "unchosen_unique_share": measured.unchosen.n_records,
        "persons_at_risk_share": None if measured.persons is None else measured.persons.n_persons,
        "persons_alone_share": None if by_all is None else by_all.n,
        **dict.fromkeys(
            ("sample_unique_share", "records_at_risk_share", "further_column_at_risk_share"), n_records
        ),
    }
    found = []
    for key, value in audit.figures.items():
        threshold, check = judged.get(key, ("", ""))
        verdict = verdict_of(audit.findings, check)
        found.append(Figure(key, value, threshold, verdict, total=totals.get(key)))
    return tuple(found)


def _at_most(limit: float | None) -> str:
    return "" if limit is None else text("at most {most}", most=percent(limit))


def limits_asked(thresholds: object) -> dict[str, Text]:
    """Return what is asked of each figure of classes, of those of which anything is."""
    asked = {}
    for limit in LIMITS:
        if (limited := getattr(thresholds, limit.threshold)) is not None:
            bound = number(limited)
            least, most = text("at least {least}", least=bound), text("at most {most}", most=bound)
            asked[limit.figure] = least if limit.is_least else most
    return asked


def _sensitive_figures(audit: RiskAudit) -> tuple[Figure, ...]:
    """Return the figures of every sensitive attribute, those with a threshold judged."""
    asked = limits_asked(audit.thresholds)
    verdicts = {(finding.column, finding.check): finding.verdict for finding in audit.findings}
    found = []
    for sensitive in audit.measurement.sensitive:
        for key, value in sensitive.figures.items():
            threshold = asked.get(key.removeprefix("folded_"), "")
            verdict = verdicts.get((sensitive.column, key))
            if verdict is None and key.startswith("folded_"):
                threshold = ""  # no worse than as written
            judged = (verdict or Verdict.NOT_ASSESSED) if threshold else None
            found.append(Figure(key, value, threshold, judged, of=sensitive.column))
    return tuple(found)


def _first_figures(of_classes: Sequence[Figure], of_attributes: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the figures that a page shows: who is at risk, then what is judged, the worst first."""
    by_key = {figure.measure: figure for figure in of_classes}
    at_risk = "persons_at_risk_share" if "persons_at_risk_share" in by_key else "records_at_risk_share"
    judged = [figure for figure in of_attributes if figure.verdict]
    judged.sort(key=lambda figure: -(figure.verdict or Verdict.PASS).severity)
    return (
        *(by_key[key] for key in ("k", at_risk, "prosecutor_average_risk")),
        *judged,
        *(by_key[key] for key in _FURTHER if key in by_key),
    )


def _models_note(audit: RiskAudit) -> str:
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


def _sizes_table(audit: RiskAudit) -> Table:
    """Return the records in classes smaller than usual thresholds and k."""
    classes = audit.measurement.classes
    sizes = sorted({2, 3, 5, 11, 20, audit.thresholds.k})
    rows = [(size, classes.n_records_below(size), classes.share_below(size)) for size in sizes]
    return Table("small_classes", "Records in small groups", _SIZES, rows)


def disclosure_group(measured: RiskMeasurement) -> Group:
    """Return what classes give away about each sensitive attribute: a row a figure, written out."""
    keys = list(measured.sensitive[0].figures) if measured.sensitive else []
    labels = [
        *(MEASURES[key].label for key in keys),
        "Different values in the table",
        "Records without a known value",
        "Groups with one value",
        "Records in groups with one value",
        "Distance between values",
    ]
    cells = [
        [
            *(amount(MEASURES[key].unit, each.figures[key]) for key in keys),
            *(Written(f"{n:,}") for n in (each.n_values, each.n_missing, *each.beyond(LIMITS[0], 2))),
            DISTANCES[each.distance],
        ]
        for each in measured.sensitive
    ]
    table = Table(
        "attribute_disclosure",
        "What groups give away",
        _beside_each_other([each.column for each in measured.sensitive]),
        list(zip(labels, *cells, strict=True)),
        "Every figure is that of the group where it is worst.",
    )
    return Group(
        "disclosure",
        "Attribute disclosure",
        (table,) if measured.sensitive else (),
        empty="Choose a sensitive attribute among the roles to see what groups give away about it.",
    )


def _beside_each_other(names: Sequence[str]) -> tuple[Col, ...]:
    """Return a column of figures, and one for each of what they are of."""
    headings = [
        text("{name} (second)" if name in names[:place] else "{name}", name=name)
        for place, name in enumerate(names)
    ]
    cells = (Col(f"of_{place}", heading, kind="words") for place, heading in enumerate(headings))
    return (Col("figure", "Figure", kind="words"), *cells)


def columns_group(measured: RiskMeasurement, columns: ColumnsMeasurement | None) -> Group:
    """Return what each quasi-identifier does, the one that makes most records unique first."""
    if columns is None:
        return Group(
            "columns",
            "Columns",
            (),
            empty="There are too many groups to look at each column."
            if measured.classes.n_classes
            else "No record is assessed, so no column singles anybody out.",
        )
    ordered = sorted(columns.contributions, key=lambda each: -each.n_unique_gained)
    smallest = Table(
        "singling_out_sets",
        "Smallest sets of columns that single out most records",
        _SETS,
        _set_rows([(each.columns, each.unique_share) for each in columns.sets.sets]),
    )
    return Group(
        "columns",
        "Columns",
        (
            columns_drawing(ordered),
            Table("columns", "What each quasi-identifier does", _COLUMNS, ordered, sets_note(columns)),
            *([smallest] if smallest.rows else []),
        ),
    )


def _set_rows(
    sets: Sequence[tuple[Sequence[str], float | None]],
) -> list[tuple[str, float | None]]:
    return [(", ".join(names), share) for names, share in sets[:_MOST_SETS]]


def sets_note(columns: ColumnsMeasurement) -> str:
    """Say which smallest sets of columns single out most records, and whether all were looked at."""
    found = columns.sets
    if not found.sets:
        return "No set of the quasi-identifiers, not even all, singles out more than half of the records."
    first = found.sets[0]
    share = percent(first.unique_share or 0.0)
    if found.method == "greedy":
        return text(
            "{columns} together single out {share} of the records. All sets of up to {searched} were looked "
            "at and do not single out more than half; this larger one was grown column by column, so a "
            "smaller one may exist.",
            columns=listed(first.columns),
            share=share,
            searched=counted(found.searched_size, "column"),
        )
    smallest = text(
        "{columns} alone singles out {share} of the records, and no smaller set singles out more than half.",
        "{columns} together single out {share} of the records, and no smaller set singles out more than "
        "half.",
        n=len(first.columns),
        columns=listed(first.columns),
        share=share,
    )
    others = len(found.sets) - 1
    if not others:
        return smallest
    more = text(
        "{n} other set of this size also singles out over half.",
        "{n} other sets of this size also single out over half.",
        n=others,
    )
    return joined([smallest, more])


def unchosen_group(audit: RiskAudit) -> Group:
    """Return what columns nobody chose do to classes, and the smallest sets that single most records out."""
    measured, k = audit.measurement, max(audit.thresholds.k, 2)
    note, n_records = _unchosen_note(measured), max(measured.classes.n_records, 1)
    joined_with = Table(
        "further_columns",
        text("Records at risk with a further column known (groups of fewer than {k})", k=k),
        _WITH_FURTHER,
        [
            (", ".join(each.columns), each.n_below(k) / n_records, each.n_below(2) / n_records)
            for each in sorted(measured.further, key=lambda each: (-each.n_below(k), len(each.columns)))
        ],
    )
    table = Table(
        "unchosen_columns",
        "Smallest sets of columns nobody chose that single out over half",
        _SETS,
        _set_rows(measured.unchosen.sets),
        note,
    )
    parts = (*((joined_with,) if measured.further else ()), *((table,) if measured.unchosen.sets else ()))
    return Group("unchosen", "Columns nobody chose", parts, empty=note)


def _unchosen_note(measured: RiskMeasurement) -> str:
    """Say what the columns nobody chose single out together, and among what sets were searched."""
    found = measured.unchosen
    if not found.columns or found.unique_share is None:
        return "Every released column was chosen for something."
    if not found.sets:
        return text(
            "{columns}, which nobody has marked as known to others, singles out {share} of the records; no "
            "set of such columns singles out over half.",
            "The {n} released columns that nobody has marked as known to others, put together, single out "
            "{share} of the records; no set of such columns singles out over half.",
            n=len(found.columns),
            columns=listed(found.columns),
            share=percent(found.unique_share),
        )
    together = text(
        "{columns}, which nobody has marked as known to others, singles out {share} of the records.",
        "The {n} released columns that nobody has marked as known to others, put together, single out "
        "{share} of the records.",
        n=len(found.columns),
        columns=listed(found.columns),
        share=percent(found.unique_share),
    )
    searched = (
        "The smallest sets that single out over half, searched on {records} and among {columns}:"
        if found.is_exact
        else "The smallest sets that single out over half, searched on {records} and among {columns}; the "
        "search was bounded, so smaller sets may exist:"
    )
    among = text(
        searched,
        records=counted(found.n_looked_at, "record"),
        columns=counted(found.n_columns_looked_at, "column"),
    )
    return joined([together, among])


def special_uniques_group(suda: Suda, *, file: str) -> Group:
    """Return where the scores of special uniques come from, and the records with the highest, by number."""
    shares = zip(suda.quasi_identifiers, suda.column_contribution.tolist(), strict=True)
    parts = sorted(shares, key=lambda each: -each[1])
    table = Table(
        "special_uniques",
        "Special uniques (SUDA2): what the scores come from",
        _SCORES,
        parts,
        suda_note(suda),
    )
    drawn = (special_uniques_drawing(parts),) if len(suda.scored_records) else ()
    # in an engine records have no number
    scored = (_scored_table(suda, file),) if len(suda.contribution_of_record) else ()
    return Group("special", "Special uniques", (table, *drawn, *scored))


def _scored_table(suda: Suda, file: str) -> Table:
    """Return the records with the highest scores, by their position in the table from 1, without values.

    DIS-SUDA has no column where it is not assessed.
    """
    scores = suda.score_of_record[suda.scored_records]
    order = np.argsort(-scores, kind="stable")[:_MOST_SCORED]
    records = suda.scored_records[order]
    most = suda.contribution_of_record[order].argmax(axis=1).tolist()
    columns = [Col("record", text("Record of {file}", file=file)), Col("score", "SUDA score")]
    cells = [(records + 1).tolist(), scores[order].tolist()]
    if suda.dis_of_record is not None:
        columns.append(Col("dis", "DIS-SUDA"))
        cells.append(suda.dis_of_record[records].tolist())
    columns.append(Col("because_of", "Mostly because of"))
    cells.append([suda.quasi_identifiers[one] for one in most])
    rows = list(zip(*cells, strict=True))
    return Table("scores", "Records with the highest scores", tuple(columns), rows, where="page")


def compared_group(audit: RiskAudit, other: RiskAudit | None) -> Group:
    """Return what anonymization cost, what became of each column, and the figures of both tables."""
    comparison = audit.measurement.comparison
    parts: list[Part] = []
    if comparison is not None:
        of = text("against {file}", file=comparison.original_name)
        title = text("Columns of {file} and what became of them", file=comparison.original_name)
        lacking = _columns_the_other_lacks(audit, other)
        parts = [
            Figure("ncp", comparison.ncp, of=of),
            Figure("discernibility", comparison.discernibility, of=of),
            *map(Note, filter(None, (_unequal_rows(comparison), lacking))),
            Table("changes", title, _CHANGES, comparison.columns),
        ]
    if other is not None:
        parts.append(_side_by_side_table(audit, other))
    return Group(
        "compared",
        "Side by side",
        tuple(parts),
        empty="Add the original above to see it beside this table.",
    )


def _unequal_rows(comparison: Comparison) -> str:
    """Say that cells cannot be compared, where the tables have not the same rows; empty where they have."""
    if comparison.same_rows:
        return ""
    return text(
        "The tables have {records} and {originals} rows, so cells cannot be compared row by row.",
        records=comparison.n_records,
        originals=comparison.n_records_original,
    )


def _columns_the_other_lacks(audit: RiskAudit, other: RiskAudit | None) -> str:
    """Say which quasi-identifiers a second table lacks, so that its classes are larger; empty for none."""
    if other is None:
        return "The second table has none of the quasi-identifiers, so its groups cannot be formed."
    there = other.measurement.classes.quasi_identifiers
    lacking = [name for name in audit.measurement.classes.quasi_identifiers if name not in there]
    if not lacking:
        return ""
    return text(
        "The second table has no {lacking}: its groups are formed over {columns} alone, which makes them "
        "larger than they would be with all.",
        lacking=listed(lacking),
        columns=listed(there),
    )


def _side_by_side_table(audit: RiskAudit, other: RiskAudit) -> Table:
    """Return a row per figure: this table beside another one, written out."""
    mine, theirs = _all_figures(audit), _all_figures(other)
    rows = [(label, value, theirs.get(label, "not assessed")) for label, value in mine.items()]
    names = [audit.measurement.name, other.measurement.name]
    return Table("side_by_side", "Side by side", _beside_each_other(names), rows)


def _all_figures(audit: RiskAudit) -> dict[str, Text]:
    found: dict[str, Text] = {
        MEASURES[key].label: amount(MEASURES[key].unit, value) for key, value in audit.figures.items()
    }
    for sensitive in audit.measurement.sensitive:
        for key, value in sensitive.figures.items():
            measure = MEASURES[key]
            label = text("{column}: {figure}", column=sensitive.column, figure=own(measure.label))
            found[label] = amount(measure.unit, value)
    return found


def _suppression_table(audit: RiskAudit) -> Table:
    """Return per k the records to suppress so that, with nothing generalized, no class is smaller."""
    ks = sorted({*USUAL_KS, max(audit.thresholds.k, 2)})
    needs = records_to_suppress(audit.measurement.classes, ks)
    return Table("records_to_suppress", "Records to suppress for each k", _SUPPRESSION, needs)


def _what_if_groups(what_if: WhatIf, k: int) -> tuple[Group, ...]:
    """Return the options, and the cheapest that reaches k; what was searched, where there is none."""
    if what_if.options:
        return what_if_group(what_if), option_group(what_if, option_for(what_if, k))
    nothing = Table(
        "what_if_result",
        "What if columns were made coarser",
        (Col("result", "Result", kind="words"),),
        [(what_if_note(what_if),)],
    )
    return (Group("what_if", "What if", (nothing,)),)


def what_if_group(what_if: WhatIf) -> Group:
    """Return the options: what each reaches, what it costs, whether a cheaper one was ruled out."""
    rows = [
        (
            best.k,
            best.smallest_class,
            best.highest_risk,
            best.loss,
            best.suppressed_share,
            "ruled out" if is_exact(what_if, each) else "not all looked at",
        )
        for each in what_if.options
        if (best := each.best) is not None
    ]
    table = Table("what_if", "What if columns were made coarser", _OPTIONS, rows, what_if_note(what_if))
    return Group("what_if", "What if", (frontier_drawing(what_if), table))


def option_labels(what_if: WhatIf) -> list[Text]:
    """Return a line for each option, to choose from."""
    return [
        text(
            "k = {k}: {loss} of precision lost, {suppressed} of records suppressed",
            k=each.best.k,
            loss=percent(each.best.loss),
            suppressed=percent(each.best.suppressed_share),
        )
        for each in what_if.options
        if each.best is not None
    ]


def option_cards(what_if: WhatIf) -> list[tuple[Text, Text]]:
    """Return for each option what it reaches, and what becomes of the columns for it."""
    return [
        (
            text(
                "All groups of {k} or more, {suppressed} removed",
                k=each.best.k,
                suppressed=percent(each.best.suppressed_share),
            ),
            _changes(what_if, each.best.levels),
        )
        for each in what_if.options
        if each.best is not None
    ]


def _changes(what_if: WhatIf, levels: Sequence[int]) -> Text:
    """Say what becomes of each quasi-identifier that is made coarser."""
    chosen = [(ladder, level) for ladder, level in zip(what_if.lattice.ladders, levels, strict=True) if level]
    if not chosen:
        return text("No column is made coarser.")
    changes = (
        text("{column}: {what}", column=f"`{ladder.column}`", what=own(ladder.levels[level].description))
        for ladder, level in chosen
    )
    return joined(list(changes), "; ")


def option_group(what_if: WhatIf, option: int) -> Group:
    """Return what one option does to each quasi-identifier, and the generalizations around it."""
    best, rows = what_if.options[option].best, []
    if best is not None:
        chosen = zip(what_if.lattice.ladders, best.levels, strict=True)
        rows = [
            (ladder.column, ladder.levels[level].description, ladder.levels[level].n_groups)
            for ladder, level in chosen
        ]
    title = text("What happens to each quasi-identifier: {option}", option=option_labels(what_if)[option])
    return Group(
        "generalization",
        "Generalization",
        (*lattice_drawing(what_if, option), Table("generalization", title, _LEVELS, rows)),
    )


def released_note(made: Release) -> Text:
    """Say which columns the table holds, and which it leaves out because nobody chose them."""
    held = text("It holds {columns}.", columns=listed(made.columns, at_most=20))
    if not made.columns_left_out:
        return held
    left_out = text(
        "Left out, because nobody chose them for anything: {columns}. Give a column the role other to keep "
        "it.",
        columns=listed(made.columns_left_out),
    )
    return joined([held, left_out])
