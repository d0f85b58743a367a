"""A risk audit and its searches as one JSON document and as lines of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.free_text import reading_words, texts_document
from core.plain import plain_fields
from core.releases import earlier_words, releases_document
from core.risk.columns import ColumnContribution, SinglingOutSets, UnchosenColumns
from core.risk.comparison import Comparison
from core.risk.judging import RiskAudit
from core.risk.lattice_search import SearchOutcome
from core.risk.sensitive import SensitiveMeasurement
from core.risk.suda import ColumnsMeasurement, Suda, SudaSettings
from core.risk.what_if import Release, WhatIf, what_if_settings
from core.settings_form import option_words, settings_document
from core.words import Text, counted, joined, listed, own, text

if TYPE_CHECKING:
    from core.reports import InputFacts

GROUPS = "groups of values"  # the part of files of hierarchies in an audit


def suda_note(suda: Suda) -> Text:
    """Say how many records have a set of few values that nobody shares, and what was not searched."""
    sentences: list[str] = []
    if not suda.max_size:
        sentences.append("No set of values was searched.")
    elif not len(suda.scored_records):
        sentences.append(
            text("No record is singled out by up to {values}.", values=counted(suda.max_size, "value"))
        )
    else:
        sizes = [
            text("{found} of {values}", found=n, values=counted(size, "value"))
            for size, n in enumerate(suda.n_by_size.tolist(), start=1)
        ]
        sentences.append(
            text(
                "{n} of {records} has a set of up to {values} that no other record has and that gets shared "
                "when any of them is left out. Such sets: {sizes}.",
                "{n} of {records} have a set of up to {values} that no other record has and that gets shared "
                "when any of them is left out. Such sets: {sizes}.",
                n=len(suda.scored_records),
                records=counted(suda.n_records, "record"),
                values=counted(suda.max_size, "value"),
                sizes=joined(sizes, ", "),
            )
        )
    if not suda.is_complete:
        sentences.append(_bounded(suda))
    if suda.max_size and suda.dis_of_record is None:
        sentences.append(
            "DIS-SUDA, the chance that a match is right, is not assessed: it needs a table of the population "
            "or its size."
        )
    return joined(sentences)


def _bounded(suda: Suda) -> Text:
    if suda.was_stopped:
        return text(
            "The search was stopped before all sets of {next} were looked at; only sets of up to {size} were "
            "searched."
            if suda.max_size
            else "The search was stopped before all sets of {next} were looked at; none was finished.",
            next=suda.max_size + 1,
            size=suda.max_size,
        )
    return text(
        "The table is too large for sets of {asked}; only sets of up to {size} were searched."
        if suda.max_size
        else "The table is too large for sets of {asked}; none was finished.",
        asked=suda.requested_size,
        size=suda.max_size,
    )


def _suda_document(suda: Suda) -> dict[str, object]:
    """Return the search as JSON-able values; null where DIS-SUDA is not assessed."""
    dis = suda.dis_of_record
    return {
        **plain_fields(suda, "max_size", "requested_size", "was_stopped"),
        "n_minimal_sample_uniques": suda.n_by_size.tolist(),
        "n_records_with_score": len(suda.scored_records),
        "suda_score": float(suda.score_of_record.max(initial=0.0)),
        "dis_suda": None if dis is None else float(dis.max(initial=0.0)),
        "suda_contribution_share": dict(
            zip(suda.quasi_identifiers, suda.column_contribution.tolist(), strict=True)
        ),
        "note": suda_note(suda),
    }


_LARGEST_EXACT = 2**53  # a larger whole number is not read exactly from JSON


def option_for(what_if: WhatIf, k: int) -> int:
    """Return the position of the first option that reaches k, of the last where none does."""
    sizes = [each.best.smallest_class if each.best else 0 for each in what_if.options]
    reached = [number for number, size in enumerate(sizes) if size >= k]
    return reached[0] if reached else len(what_if.options) - 1


def what_if_note(what_if: WhatIf) -> Text:
    """Say how many generalizations there are, which were left out, and how many had to be counted."""
    left_out = _left_out(what_if)
    if not what_if.options:
        none = _STOPPED_BEFORE if what_if.is_stopped else _NOTHING_REACHES
        return joined([none, *left_out])
    n_measured = sum(each.n_measured for each in what_if.options)
    if not what_if.lattice.is_listed:
        return text(
            "The columns allow {possible} generalizations, too many to search. From showing nothing, one "
            "column at a time was shown finer, the one that saved most for the classes it split, until none "
            "could be: {measured} generalizations were counted, and a cheaper one may exist. Fewer "
            "quasi-identifiers are searched whole.",
            possible=_how_many(what_if.lattice.n_nodes),
            measured=n_measured,
        )
    exact = all(each.is_exact for each in what_if.options)
    searched = text(
        "{n} generalization of the columns' values was searched, {measured} of them counted; {found}.",
        "{n} generalizations of the columns' values were searched, {measured} of them counted; {found}.",
        n=what_if.lattice.n_nodes,
        measured=n_measured,
        found=own(_CHEAPER[exact, what_if.settings.objective]),
    )
    return joined([searched, *left_out])


_NOTHING_REACHES = (
    "No generalization reaches what was asked for within the suppression limit, not even showing no "
    "quasi-identifier at all. Allow more suppression, or ask for less."
)
_STOPPED_BEFORE = (
    "Nothing useful found yet: the search was stopped before it found more than a table in which no "
    "quasi-identifier is shown. Start again and let it run longer."
)
# By whether the search went to its end, and by what was made as small as possible.
_CHEAPER = {
    (True, "ncp"): "no cheaper one exists among them",
    (True, "discernibility"): "no cheaper one exists among them (cheapest by discernibility)",
    (True, "average_class_size"): "no cheaper one exists among them (cheapest by average class size)",
    (False, "ncp"): "the search was bounded, so a cheaper one may exist",
    (
        False,
        "discernibility",
    ): "the search was bounded, so a cheaper one may exist (cheapest by discernibility)",
    (False, "average_class_size"): (
        "the search was bounded, so a cheaper one may exist (cheapest by average class size)"
    ),
}


def _how_many(n: int) -> int | Text:
    """Return a number of any size, in words where it is not exact."""
    return n if n < _LARGEST_EXACT else text("over 10^{power}", power=math.floor(math.log10(n)))


def _left_out(what_if: WhatIf) -> list[Text]:
    lattice = what_if.lattice
    if not lattice.thinned_columns:
        return []
    return [
        text(
            "The columns allow {possible}, too many to search: levels in the middle of {columns} were left "
            "out, so a cheaper one may exist among those. Fewer quasi-identifiers leave more levels of each.",
            possible=_how_many(lattice.n_nodes_possible),
            columns=listed(lattice.thinned_columns),
        )
    ]


def what_if_document(what_if: WhatIf, *, k: int) -> dict[str, object]:
    """Return the search as JSON-able values; the chosen option is the cheapest that reaches k."""
    asked, lattice = what_if.settings, what_if.lattice
    options = [_option(what_if, outcome) for outcome in what_if.options]
    return {
        "ks": list(asked.ks),
        "max_suppression_share": asked.suppression_limit,
        **vars(asked.limits),
        **plain_fields(asked, "average_risk", "k_map", "objective"),
        "weights": dict(asked.weights),
        "local_recoding": asked.locally,
        "own_hierarchies": list(what_if.own_hierarchies),
        "n_generalizations": lattice.n_nodes if lattice.n_nodes < _LARGEST_EXACT else None,
        "n_generalizations_possible": lattice.n_nodes_possible
        if lattice.n_nodes_possible < _LARGEST_EXACT
        else None,
        "columns_with_levels_left_out": list(lattice.thinned_columns),
        "options": options,
        "chosen": options[option_for(what_if, k)] if reaches(what_if, k) else None,
        "note": what_if_note(what_if),
    }


def reaches(what_if: WhatIf, k: int) -> bool:
    """Return whether any option reaches k."""
    return any(each.best is not None and each.best.smallest_class >= k for each in what_if.options)


def _option(what_if: WhatIf, outcome: SearchOutcome) -> dict[str, object]:
    best = outcome.best
    if best is None:
        return {}
    return {
        **plain_fields(best, "k", "smallest_class", "highest_risk"),
        "generalization_loss": best.loss,
        **plain_fields(
            best, "discernibility", "average_class_size", "average_risk", "n_suppressed", "suppressed_share"
        ),
        "is_exact": is_exact(what_if, outcome),
        "columns": [
            {
                "column": ladder.column,
                "generalization": ladder.levels[level].description,
                "n_groups": ladder.levels[level].n_groups,
            }
            for ladder, level in zip(what_if.lattice.ladders, best.levels, strict=True)
        ],
    }


def is_exact(what_if: WhatIf, outcome: SearchOutcome) -> bool:
    """Return whether no cheaper one exists: the search went to its end, and no level was left out."""
    return outcome.is_exact and not what_if.lattice.thinned_columns


def release_document(made: Release, again: RiskAudit) -> dict[str, object]:
    """Return the generalized table's figures, measured in its bytes read back, as JSON-able values."""
    return {
        "k_asked": made.k,
        "k": again.figures["k"],
        **plain_fields(made, "k_map", "n_suppressed", "columns", "columns_left_out"),
        "sensitive": {
            each.column: {key: each.figures[key] for key in ("distinct_l", "entropy_l", "t")}
            for each in again.measurement.sensitive
        },
        "verdict": again.verdict.value,
        "findings": [
            {"check": each.check, "verdict": each.verdict.value, "message": each.message}
            for each in again.findings
        ],
    }


def risk_document(
    audit: RiskAudit,
    *,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> dict[str, object]:
    """Return the audit as JSON-able values; shares in [0, 1], null for infinite and for not assessed.

    Parameters
    ----------
    audit
        The result.
    columns, suda, what_if
        What the searches found, where they were made.
    """
    measured = audit.measurement
    return {
        "tool": "risk",
        "file": measured.name,
        "verdict": audit.verdict.value,
        "exposure_verdict": audit.exposure_verdict.value,
        "overall": audit.overall.value,
        "quasi_identifiers": list(measured.classes.quasi_identifiers),
        "sensitive_attributes": [sensitive.column for sensitive in measured.sensitive],
        "unit": measured.unit,
        "missing": measured.settings.missing,
        **{key: finite(value) for key, value in audit.figures.items()},
        **_entered(audit),
        "class_sizes": _class_sizes(audit),
        "sensitive": {sensitive.column: _sensitive(sensitive) for sensitive in measured.sensitive},
        **_of_population(audit),
        "unchosen_columns": _unchosen(measured.unchosen),
        "texts": texts_document(measured.texts, audit.read),
        "related_sensitive": [vars(each) for each in measured.related],
        "record_linkage": None if measured.linkage is None else vars(measured.linkage),
        "columns": [] if columns is None else [_column(each) for each in columns.contributions],
        "singling_out_sets": None if columns is None else _sets(columns.sets),
        "suda": None if suda is None else _suda_document(suda),
        "what_if": None if what_if is None else what_if_document(what_if, k=audit.thresholds.k),
        "original": None if measured.comparison is None else _comparison(measured.comparison),
        "releases": None if audit.releases is None else releases_document(audit.releases),
        "thresholds": vars(audit.thresholds),
        "settings": settings_document(*settings_of(audit, suda=suda, what_if=what_if)),
        "findings": [finding.document() for finding in audit.all_findings],
    }


def _of_population(audit: RiskAudit) -> dict[str, object]:
    population, uniques = audit.measurement.population, audit.measurement.uniques
    found: dict[str, object] = {
        "population_known_by": None if population is None else population.based_on,
        "marketer_estimates": [] if population is None else [vars(each) for each in population.estimates],
        "population_uniques": None,
    }
    if uniques is not None:
        models = {
            each.model: {"n_population_uniques": each.n_population_uniques, "reason": each.reason or None}
            for each in (uniques.zayatz, uniques.pitman, uniques.snb)
        }
        known = {"sampling_fraction": uniques.sampling_fraction, "chosen_model": uniques.chosen.model}
        found["population_uniques"] = known | models
    return found


def _entered(audit: RiskAudit) -> dict[str, object]:
    entry = audit.measurement.entry
    return {
        "n_records_in_table": entry.n_in_table,
        "n_records_fully_suppressed": entry.n_fully_suppressed,
        "n_records_dropped": entry.n_dropped,
        "n_records_at_risk": audit.n_at_risk,
    }


def settings_of(audit: RiskAudit, *, suda: Suda | None, what_if: WhatIf | None) -> list[object]:
    """Return all settings that a result depends on."""
    found: list[object] = [audit.measurement.settings, audit.thresholds]
    if suda is not None:
        found.append(SudaSettings(max_size=suda.requested_size))
    return found if what_if is None else [*found, what_if.settings]


def finite(value: float | None) -> float | None:
    """Return the value, None where it is infinite: JSON has no infinity."""
    return None if value is None or math.isinf(value) else value


def _counted_value(key: str, value: float | None) -> float | None:
    """Return a figure as JSON writes it: whole numbers for what is counted."""
    counts = ("distinct_l", "recursive_l", "folded_distinct_l")
    return int(value) if value is not None and key in counts else finite(value)


def _class_sizes(audit: RiskAudit) -> list[dict[str, int]]:
    sizes, records = audit.measurement.classes.size_histogram
    return [
        {"class_size": size, "n_records": n} for size, n in zip(sizes.tolist(), records.tolist(), strict=True)
    ]


def _sensitive(sensitive: SensitiveMeasurement) -> dict[str, object]:
    return {
        **{key: _counted_value(key, value) for key, value in sensitive.figures.items()},
        "distance": sensitive.distance,
        "quasi_identifiers": list(sensitive.classes.quasi_identifiers),
        "n_values": sensitive.n_values,
        "n_missing": sensitive.n_missing,
        "n_values_meaning_the_same": sensitive.folded.n_merged,
        "n_words_for_unknown": sensitive.folded.n_unknown,
        "closeness_width": sensitive.folded.width,
        "likely_values": {
            "dominant": vars(sensitive.likelihood.dominant),
            "skewed": vars(sensitive.likelihood.skewed),
        },
    }


def _unchosen(found: UnchosenColumns) -> dict[str, object]:
    return {
        **plain_fields(found, "columns", "n_records", "n_unique", "unique_share"),
        "smallest_set": list(found.smallest),
        "n_unique_in_smallest_set": found.n_unique_in_smallest,
        "n_sets_of_that_size": found.n_sets,
        "is_exact": found.is_exact,
        "n_records_searched": found.n_looked_at,
        "n_columns_searched": found.n_columns_looked_at,
    }


def _column(column: ColumnContribution) -> dict[str, object]:
    return {
        "column": column.column,
        **plain_fields(column.alone, "distinction", "separation", "unique_share"),
        "unique_share_gained": column.unique_share_gained,
    }


def _sets(found: SinglingOutSets) -> dict[str, object]:
    return {
        "above_share": found.share,
        "method": found.method,
        "searched_size": found.searched_size,
        "sets": [{"columns": list(each.columns), "unique_share": each.unique_share} for each in found.sets],
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    original = comparison.classes_original
    return {
        "file": comparison.original_name,
        "n_records": comparison.n_records_original,
        "k": None if original is None else original.k,
        **plain_fields(
            comparison, "ncp", "discernibility", "discernibility_original", "average_class_size_original"
        ),
        "columns": [vars(column) for column in comparison.columns],
    }


def risk_arguments(
    audit: RiskAudit,
    inputs: Sequence[InputFacts],
    *,
    groups: Sequence[str] = (),
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> tuple[str, ...]:
    """Return the words that repeat the audit; `groups`: the columns that the files of groups are for."""
    measured = audit.measurement
    suggested = ("quasi_identifiers",) if measured.settings.roles_suggested else ()
    paths = {str(facts.role): facts.path for facts in inputs}
    files = [facts.path for facts in inputs if facts.role == GROUPS]
    return (
        paths["table"],
        *(
            word
            for part in ("original", "population")
            if part in paths
            for word in (f"--{part}", paths[part])
        ),
        *option_words(measured.settings, left_out=suggested),
        *option_words(audit.thresholds),
        *earlier_words(audit.releases, inputs),
        *reading_words(audit.read, measured.texts),
        *(word for pair in zip(groups, files, strict=True) for word in ("--hierarchy", "=".join(pair))),
        *([] if suda is None else ["--suda", *option_words(SudaSettings(max_size=suda.requested_size))]),
        *([] if what_if is None else _what_if_words(audit, what_if)),
    )


def _what_if_words(audit: RiskAudit, what_if: WhatIf) -> list[str]:
    usual = what_if_settings(audit.measurement, audit.thresholds).limits
    alone = ["--what-if-k-alone"] if what_if.settings.limits != usual else []
    return ["--what-if", *alone, *option_words(what_if.settings)]
