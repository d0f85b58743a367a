"""What a pair's release gives away: columns beside the quasi-identifiers, and what finished tables tell."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from core.attribute_disclosure import distinct_l
from core.classes import equivalence_classes, items_of_classes
from core.coding import coded_column
from core.diversity.measuring import Configuration, DiversitySearch, KeptSet
from core.diversity.problem import SearchProblem
from core.diversity.release import read_back, released_table
from core.files.plain_text import table_csv
from core.releases import EarlierTable, Ledger, ReleasedTable
from core.risk import RiskAudit, RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.risk import released_table as risk_released_table
from core.risk.folding import fold_values
from core.risk.sensitive import guessed_text, related_attributes
from core.tables import Dataset
from core.verdict import Finding, Verdict
from core.words import counted, joined, own


def about_columns(problem: SearchProblem, configuration: Configuration) -> Iterator[Finding]:
    """Yield what columns released as they are give away: k and ℓ hold over quasi-identifiers only."""
    if configuration.kept_set is not None and configuration.kept_set.n_kept:
        yield from _about_untouched_columns(problem, configuration.kept_set)
        yield from _about_what_columns_tell(problem, configuration.kept_set)
    yield from _about_homogeneous_classes(configuration)


def _about_what_columns_tell(problem: SearchProblem, kept_set: KeptSet) -> Iterator[Finding]:
    """Yield which released columns give a sensitive attribute, and what groups tell of the label."""
    release, asked = _read_release(problem, kept_set)
    further = [name for name in release.columns if name not in {*asked.quasi_identifiers, *asked.sensitive}]
    columns = [coded_column(release.table, name) for name in (*asked.sensitive, *further)]
    folded = {each.name: fold_values(each, asked) for each in columns}
    related = related_attributes(columns, folded, assessed=np.ones(release.n_records, dtype=bool))
    for name in asked.sensitive:
        told = [each for each in related if each.guessed == name and each.known in further]
        for best in sorted(told, key=lambda each: -each.right_share)[:1]:
            only = "It is released as it is: ℓ holds only against somebody who does not know it."
            yield Finding.of("related_sensitive", Verdict.WARN, column=best.known, n_affected=best.n_records)(
                joined([guessed_text(best), only])
            )
    if problem.settings.task == "classification" and problem.settings.label in further:
        yield _about_the_label(release, asked, problem.settings.label)


_MOST_OF_ONE_LABEL = 0.75  # share of the records in groups of one label, from which groups tell it


def _about_the_label(release: Dataset, asked: RiskSettings, label: str) -> Finding:
    """Return how many records are in groups of one label, which ℓ does not count."""
    classes = equivalence_classes(release.table, asked.quasi_identifiers)
    items = items_of_classes(classes, coded_column(release.table, label).codes_with_missing)
    n_same, n = int(classes.class_sizes[distinct_l(items) == 1].sum()), release.n_records
    told = n_same >= _MOST_OF_ONE_LABEL * n
    found = Finding.of(
        "homogeneous_label", Verdict.WARN if told else Verdict.PASS, column=label, n_affected=n_same
    )(
        "{same} of {n} record is in groups where everybody has the same {label}, the label: whoever is known "
        "to be in such a group has it. ℓ does not count the label.",
        "{same} of {n} records are in groups where everybody has the same {label}, the label: whoever is "
        "known to be in such a group has it. ℓ does not count the label.",
        n=n,
        same=n_same,
        label=f"`{label}`",
    )
    step = "Release the label only where everybody may learn it, or add it to the quasi-identifiers."
    return found.told(step=own(step))


def _about_homogeneous_classes(configuration: Configuration) -> Iterator[Finding]:
    """Return how many records are in classes where everybody has the same sensitive value."""
    verification = configuration.verification
    if verification is None:
        return
    same = np.max([distinct_l(counts) <= 1 for counts in verification.counts], axis=0)
    n_records = int(verification.classes.class_sizes[same].sum())
    if not n_records:
        return
    yield Finding.of("homogeneous_classes", Verdict.WARN, n_affected=n_records)(
        "At k = {k}, ℓ = {l}, {same} of {n} record is in groups where everybody has the same sensitive "
        "value: whoever is known to be in such a group is known to have it. Choose ℓ of 2 or more.",
        "At k = {k}, ℓ = {l}, {same} of {n} records are in groups where everybody has the same sensitive "
        "value: whoever is known to be in such a group is known to have it. Choose ℓ of 2 or more.",
        n=verification.classes.n_records,
        k=configuration.k,
        l=configuration.l,
        same=n_records,
    )


def _about_untouched_columns(problem: SearchProblem, kept_set: KeptSet) -> Iterator[Finding]:
    settings = problem.settings
    roles = {*settings.sensitive_attributes, *settings.quasi_identifiers}
    released = released_table(problem, kept_set.kept_cells)
    columns = [name for name in released.column_names if name not in roles]
    if not columns:
        return
    classes = equivalence_classes(released, columns)
    n_unique, n_records = classes.n_records_below(2), classes.n_records
    yield Finding.of(
        "untouched_columns",
        Verdict.WARN if n_unique else Verdict.PASS,
        n_affected=n_unique,
        columns=tuple(columns),
    )(
        "{n} column besides the quasi-identifiers is released as it is. It singles out {unique} of "
        "{records}. k and ℓ protect only against who knows nothing of this column.",
        "{n} columns besides the quasi-identifiers are released as they are. Together they single "
        "out {unique} of {records}. k and ℓ protect only against who knows nothing of these columns.",
        n=len(columns),
        unique=n_unique,
        records=counted(n_records, "record"),
    )


_SAID_HERE = ("unchosen_columns",)  # as `untouched_columns`


def released_audit(
    measured: DiversitySearch, configuration: Configuration, earlier: Sequence[EarlierTable | Ledger] = ()
) -> RiskAudit | None:
    """Return what Disclosure risk says of a pair's release, read back; None where nothing is released.

    Held against the k and ℓ of the pair, beside `earlier` releases where there are some.
    """
    problem, settings = measured.problem, measured.problem.settings
    if configuration.kept_set is None or not configuration.kept_set.n_kept:
        return None
    digests = [each.dataset.fingerprint if isinstance(each, EarlierTable) else each.name for each in earlier]
    key = (configuration.k, configuration.l, *digests)
    if key not in measured.released:
        release, asked = _read_release(problem, configuration.kept_set)
        release, asked = _with_left_out(problem, configuration.kept_set, release, asked)
        risk = measure_risk(release, settings=asked, earlier=earlier)
        limits = RiskThresholds(
            k=configuration.k,
            l=configuration.l if settings.diversity == "distinct" else None,
            entropy_l=float(configuration.l) if settings.diversity == "entropy" else None,
        )
        measured.released[key] = judge_risk(risk, limits)
    return measured.released[key]


def _read_release(problem: SearchProblem, kept_set: KeptSet) -> tuple[Dataset, RiskSettings]:
    """Return a release as its bytes read, and what its columns are."""
    release, column_of = read_back(table_csv(released_table(problem, kept_set.kept_cells)), problem)
    return release, RiskSettings(
        quasi_identifiers=tuple(column_of[name] for name in problem.settings.quasi_identifiers),
        sensitive=tuple(column_of[name] for name in problem.settings.sensitive_attributes),
    )


def _with_left_out(
    problem: SearchProblem, kept_set: KeptSet, release: Dataset, asked: RiskSettings
) -> tuple[Dataset, RiskSettings]:
    """Return a release with the columns that are left out of it: one may say whose records are alike."""
    table = release.table
    names = [name for name in problem.settings.left_out if name not in table.column_names]
    rows = pa.array(problem.records[kept_set.kept_cells.kept])
    for name in names:
        table = table.append_column(name, problem.data.table[name].take(rows).cast(pa.string()))
    return replace(release, table=table), replace(asked, leave_out=tuple(names))


def ledger_table(problem: SearchProblem, configuration: Configuration) -> ReleasedTable | None:
    """Return a pair's release as the next one is compared with it; None where nothing is released."""
    kept_set = configuration.kept_set
    if kept_set is None or not kept_set.n_kept:
        return None
    return risk_released_table(*_read_release(problem, kept_set))


def about_the_release(audit: RiskAudit | None) -> Iterator[Finding]:
    """Yield what the judge of finished tables finds in the release, so that the two never contradict."""
    for finding in () if audit is None else audit.all_findings:
        is_new = finding.verdict is not Verdict.PASS or "release" in finding.check
        if is_new and finding.check not in _SAID_HERE:
            yield finding
