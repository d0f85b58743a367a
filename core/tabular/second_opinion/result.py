"""What the second opinion says in figures and tables."""

from collections.abc import Iterator

from core.result import Col, Figure, Table, verdict_of
from core.tabular.second_opinion.opinion import SecondOpinion, SecondOpinionMeasurement
from core.tabular.words import SHORT_WORDS
from core.verdict import Verdict
from core.words import own, percent, text


def figures_of_file(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    """Yield the second opinion's figures of the file with their thresholds; None for "not assessed"."""
    thresholds, relinkage = opinion.thresholds, measured.relinkage
    level = relinkage.level(thresholds.left_unchanged_share)
    n_matched = level.n_matched if level else 0
    yield Figure(
        "relinkage_share",
        n_matched / relinkage.n_records if relinkage.n_records else None,
        threshold=text(
            "at most {fail}, a warning above {warn}",
            fail=percent(thresholds.relinkage_fail_share),
            warn=percent(thresholds.relinkage_warn_share),
        ),
        verdict=verdict_of(opinion.findings, "relinkage"),
        total=relinkage.n_records,
    )
    if level is not None and level.smallest_set is not None:
        columns = level.smallest_set.columns
        yield Figure("n_relinkage_columns", len(columns), of=", ".join(columns))
    n_left = sum(column.is_unchanged(thresholds) for column in measured.columns)
    yield Figure("n_left_unchanged_columns", n_left)
    yield Figure("n_unlogged_columns", len(measured.structure.unlogged_columns), threshold="none")
    yield Figure("n_filled_blanks", sum(measured.structure.filled_blanks.values()), threshold="none")
    classes = measured.classes.chosen
    if classes is None:
        yield Figure("k", None, verdict=Verdict.NOT_ASSESSED)
        return
    yield Figure(
        "k",
        classes.k,
        threshold=text("at least {k}", k=thresholds.smallest_k),
        verdict=verdict_of(opinion.findings, "smallest_class"),
        of=", ".join(classes.quasi_identifiers),
    )


def figures_of_columns(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    """Yield its figures of every column."""
    thresholds = opinion.thresholds
    for column in measured.columns:
        yield Figure(
            "unchanged_share",
            column.unchanged_share,
            total=column.n_compared,
            threshold=text("left unchanged from {share}", share=percent(thresholds.left_unchanged_share)),
            of=column.anonymized,
        )
        yield Figure(
            "original_distinct_share",
            column.distinct_share,
            threshold=text("highly distinct from {share}", share=percent(thresholds.highly_distinct_share)),
            of=column.original,
        )
    classes = measured.classes.chosen
    for contribution in classes.contributions if classes else ():
        n_assessed = classes.n_assessed if classes else 0
        yield Figure(
            "unique_without_share",
            contribution.n_unique_without / n_assessed if n_assessed else None,
            of=contribution.column,
            total=n_assessed,
        )
    for quality in measured.pseudonyms:
        yield Figure(
            "pseudonym_unchanged_share",
            quality.n_unchanged / quality.n_compared if quality.n_compared else None,
            threshold=text("at most {share}", share=percent(thresholds.pseudonym_unchanged_share)),
            of=quality.anonymized,
            total=quality.n_compared,
        )
        yield Figure(
            "n_originals_with_several_pseudonyms", quality.n_originals_with_several, of=quality.anonymized
        )
        yield Figure(
            "n_pseudonyms_for_several_originals", quality.n_pseudonyms_for_several, of=quality.anonymized
        )


def tables_of_opinion(
    name: str, measured: SecondOpinionMeasurement, opinion: SecondOpinion
) -> dict[str, Table]:
    """Return its tables of a file by the title of each on its tab."""
    found = {
        "Unchanged columns": ("unchanged_columns", "Columns", _unchanged_columns(opinion), measured.columns),
        "Re-linkage": ("relinkage", "Re-linkage", _RELINKAGE, _sets_of_columns(measured, opinion)),
        "Pseudonyms": ("pseudonyms", "Pseudonyms", _PSEUDONYMS, measured.pseudonyms),
        "Quasi-identifiers": (
            "quasi_identifiers",
            "Quasi-identifiers",
            _CONTRIBUTIONS,
            _contributions(measured),
        ),
    }
    return {
        tab: Table(
            key,
            text("Second opinion on {file}: {table}", file=name, table=own(title)),
            columns,
            rows,
            where="both" if rows else "page",
        )
        for tab, (key, title, columns, rows) in found.items()
    }


def _unchanged_columns(opinion: SecondOpinion) -> tuple[Col, ...]:
    """Return the columns of a table of pairs of columns: what is left of each, and what it counts as."""
    limits = opinion.thresholds
    return (
        Col("original", "Original column"),
        Col("anonymized", "Anonymized column"),
        Col("semantic", "Semantic"),
        Col("action", "Action"),
        Col("n_unchanged", "Unchanged cells"),
        Col("n_compared", "Compared cells"),
        Col("unchanged_share", "Unchanged share", "share"),
        Col("distinct_share", "Distinct share", "share"),
        Col("is_unchanged", "Left unchanged", get=lambda column: column.is_unchanged(limits)),
        Col("is_highly_distinct", "Highly distinct", get=lambda column: column.is_highly_distinct(limits)),
        _COMPARED_BY,
    )


_COMPARED_BY = Col(
    "compared_by", "Compared by", kind="words", get=lambda column: SHORT_WORDS[column.compared_by]
)
_RELINKAGE = (
    Col("columns", "Columns"),
    Col("which", "Which", kind="words"),
    Col("n_matched", "Records re-linked"),
    Col("matched_share", "Share of records", "share"),
)
_PSEUDONYMS = (
    Col("anonymized", "Column"),
    Col("n_originals", "Original values"),
    Col("n_pseudonyms", "Pseudonyms"),
    Col("n_originals_with_several", "Originals with several pseudonyms"),
    Col("n_pseudonyms_for_several", "Pseudonyms for several originals"),
    Col("n_unchanged", "Pseudonyms equal to the original"),
    Col("n_compared", "Compared"),
    _COMPARED_BY,
)
_CONTRIBUTIONS = (
    Col("quasi_identifier", "Quasi-identifier"),
    Col("unique_share", "Unique with it", "share"),
    Col("unique_without_share", "Unique without it", "share"),
    Col("k_without", "Smallest group without it"),
)


def _sets_of_columns(
    measured: SecondOpinionMeasurement, opinion: SecondOpinion
) -> list[tuple[str, str, int, float]]:
    """Return sets of columns and the records each re-links: all, the smallest enough, and single ones."""
    relinkage = measured.relinkage
    level = relinkage.level(opinion.thresholds.left_unchanged_share)
    if level is None:
        return []
    single = [one for one in relinkage.single_columns if one.columns[0] in level.columns]
    rows = [
        ("all left unchanged", level.columns, level.n_matched),
        *(("smallest set", one.columns, one.n_matched) for one in (level.smallest_set,) if one),
        *(
            ("one column", one.columns, one.n_matched)
            for one in sorted(single, key=lambda one: -one.n_matched)
        ),
    ]
    n_records = max(relinkage.n_records, 1)
    return [(", ".join(columns), which, n, n / n_records) for which, columns, n in rows]


def _contributions(measured: SecondOpinionMeasurement) -> list[tuple[str, float, float, int | None]]:
    """Return a row per quasi-identifier: unique records with and without it."""
    classes = measured.classes.chosen or measured.classes.proposed
    if classes is None:
        return []
    n_assessed = max(classes.n_assessed, 1)
    return [
        (one.column, one.n_unique / n_assessed, one.n_unique_without / n_assessed, one.k_without)
        for one in classes.contributions
    ]
