"""How a sceptic finds what a tabular audit found."""

from collections.abc import Iterator, Sequence

from core.reports import proof
from core.result import Table
from core.tables import Dataset
from core.tabular import TabularAudit
from core.tabular.evidence import evidence_of, original_of
from core.verdict import Verdict
from core.words import Text, listed, text

_USUAL_K = 5


def tabular_proof(audit: TabularAudit, original: Dataset, anonymized: Dataset) -> tuple[Table, ...]:
    """Return the steps that find values left and people again."""
    is_shown = audit.overall is Verdict.FAIL and proof.is_provable(original, anonymized)
    return proof.proof_tables(_steps(audit, original, anonymized), of=audit.name) if is_shown else ()


def _steps(audit: TabularAudit, original: Dataset, anonymized: Dataset) -> Iterator[proof.Step]:
    k = audit.second_opinion.thresholds.smallest_k if audit.second_opinion else _USUAL_K
    failing = {check.anonymized_column: check.check for check in audit.measurement.checks if check.n_failing}
    for evidence in evidence_of(audit, k=k):
        name = evidence.columns[0]
        if evidence.kind == "check" and failing.get(name) == "dropped":
            yield from _left(anonymized, name)
        elif evidence.kind == "unchanged":
            column = original_of(audit, name)
            if column in original.columns:
                yield from _unchanged(original, anonymized, column, name)
        elif evidence.kind == "relinked" and {*evidence.columns} <= {*original.columns}:
            yield from _relinked(original, anonymized, evidence.columns)
        elif evidence.kind == "small_classes":
            yield from proof.small_class_steps(anonymized, evidence.columns, k=k)
    if (measured := audit.opinion_measurement) is not None:
        yield from proof.text_steps(anonymized, measured.texts)
        yield from _undone(audit, original, anonymized)


def _undone(audit: TabularAudit, original: Dataset, anonymized: Dataset) -> Iterator[proof.Step]:
    """Yield a step for each column that is an original one in disguise, where a usual way shows it."""
    if audit.second_opinion is None or audit.opinion_measurement is None:
        return
    hidden = audit.opinion_measurement.hidden
    failing = {
        name
        for each in audit.second_opinion.findings
        if each.verdict is Verdict.FAIL and each.check.startswith(("disguise_", "derived_"))
        for name in (*each.columns, *([each.column] if each.column else []))
    }
    pairs = {
        **{one.anonymized[0]: one.original for one in hidden.derivations if len(one.anonymized) == 1},
        **{one.anonymized: one.originals[0] for one in hidden.computed if len(one.originals) == 1},
        **{one.anonymized: one.original for one in hidden.disguises.found},
    }
    for name, column in pairs.items():
        if name in failing:
            yield from proof.disguise_steps(original, anonymized, column, name)


def _left(anonymized: Dataset, name: str) -> Iterator[proof.Step]:
    """Yield the step of values that are left in a column that was to be dropped."""
    yield from proof.Session({"t": proof.Read.of(anonymized, [name])}).step(
        lambda n: text(
            "{n} value is left in {column}, which the log says was dropped.",
            "{n} values are left in {column}, which the log says was dropped.",
            n=n,
            column=f"`{name}`",
        ),
        f'print((t[{proof.literal(name)}] != "").sum())',
    )


def _unchanged(original: Dataset, anonymized: Dataset, column: str, name: str) -> Iterator[proof.Step]:
    """Yield the step of cells that are as they were."""
    session = proof.Session(
        {"a": proof.Read.of(original, [column]), "b": proof.Read.of(anonymized, [name])},
        f"x, y = a[{proof.literal(column)}], b[{proof.literal(name)}]",
    )
    yield from session.step(
        lambda n: text(
            "{n} cell of {column} is as in the original, in the same row, letter by letter.",
            "{n} cells of {column} are as in the original, in the same row, letter by letter.",
            n=n,
            column=f"`{name}`",
        ),
        'print(((x == y) & (x != "")).sum())',
    )


def _relinked(original: Dataset, anonymized: Dataset, columns: Sequence[str]) -> Iterator[proof.Step]:
    """Yield the step of records that match exactly one original record in all columns."""

    def matching(n: int, *_: int) -> Text:
        return text(
            "{n} record matches exactly one original record in {columns}: one candidate. The numbers are of "
            "the record and its original.",
            "{n} records match exactly one original record each in {columns}: one candidate. The numbers are "
            "of the record and its original.",
            n=n,
            columns=listed(list(columns)),
        )

    session = proof.Session(
        {"a": proof.Read.of(original, columns), "b": proof.Read.of(anonymized, columns)},
        f"c = {proof.literal(columns)}",
        "u = a.loc[~a.duplicated(c, keep=False), c].rename_axis(0).reset_index()",
        'v = b.loc[(b[c] != "").any(axis=1), c].rename_axis(1).reset_index()',
        "w = v.merge(u, on=c).sort_values(1)",
        f"z = zip(w[1][:{proof.MOST_NAMED}], w[0])",
    )
    yield from session.step(matching, 'print(len(w), "found:", *[f"{i + 1}-{j + 1}" for i, j in z])')
