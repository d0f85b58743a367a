"""How a sceptic finds the rows that a leakage audit found."""

from collections.abc import Iterator

from core.leakage import LeakageAudit
from core.reports import proof
from core.result import Table
from core.tables import Dataset
from core.verdict import Verdict
from core.words import Text, listed, text

_FOLLOWED = 3  # rows for which the nearest are looked for


def leakage_proof(audit: LeakageAudit, original: Dataset, scrambled: Dataset) -> tuple[Table, ...]:
    """Return the steps that find original rows in the scrambled table."""
    columns = [name for name in audit.measures.columns if name not in audit.measures.ignored_columns]
    is_shown = audit.verdict is Verdict.FAIL and columns and proof.is_provable(original, scrambled)
    return proof.proof_tables(_steps(audit, original, scrambled, columns)) if is_shown else ()


def _steps(
    audit: LeakageAudit, original: Dataset, scrambled: Dataset, columns: list[str]
) -> Iterator[proof.Step]:
    session = proof.Session(
        {"a": proof.Read.of(original, columns), "b": proof.Read.of(scrambled, columns)},
        f"c = {proof.literal(columns)}",
        "a, b = (x[c].apply(lambda s: s.str.strip()) for x in (a, b))",
    )
    if audit.measures.settings.key is None and original.n_records == scrambled.n_records:
        yield from session.step(
            _in_place,
            f"v = {proof.literal(audit.measures.settings.ignore_values)}",
            's = ((a == "") & (b == "")) | a.isin(v) | b.isin(v)',
            "f = a.index[((a == b) | s).all(axis=1) & ~s.all(axis=1)]",
            f'print(len(f), "rows:", *[i + 1 for i in f[:{proof.MOST_NAMED}]])',
        )
    yield from session.step(
        lambda n, *_: text(
            "{n} original row that nobody else has stands in the scrambled table, equal in all of {columns}.",
            "{n} original rows that nobody else has stand in the scrambled table, equal in all of {columns}.",
            n=n,
            columns=listed(columns),
        ),
        "u = a[~a.duplicated(keep=False)].rename_axis(0).reset_index()",
        "w = u.merge(b.drop_duplicates(), on=c).sort_values(0)",
        f'print(len(w), "found:", *[i + 1 for i in w[0][:{proof.MOST_NAMED}]])',
    )
    yield from _nearest(audit, session)
    if (again := audit.measures.second_look) is not None and "second_look" in _failed(audit):
        changed = {name: name for name in (*again.respelled, *again.rescaled, *again.recoded)}
        for column, name in {**changed, **again.renamed}.items():
            if column in original.columns and name in scrambled.columns:
                yield from proof.disguise_steps(original, scrambled, column, name)


def _in_place(n: int, *_: int) -> Text:
    """Say how many rows are equal to their own row in every valid cell."""
    return text(
        "{n} row of the scrambled table equals the original row in its place in every cell that counts.",
        "{n} rows of the scrambled table are equal to the original rows in their places in every cell that "
        "counts.",
        n=n,
    )


def _nearest(audit: LeakageAudit, session: proof.Session) -> Iterator[proof.Step]:
    """Yield a step for the first rows whose own scrambled row is nearest to them."""
    nearest = audit.measures.nearest
    if nearest.own_is_best is None or not {"relinkage", "relinkage_by_likeness"} & _failed(audit):
        return
    for row in nearest.rows[nearest.own_is_best][:_FOLLOWED].tolist():
        yield from session.step(
            lambda n, *_, row=row: text(
                "Original row {row} has {n} candidate: the scrambled row that shares most cells with it.",
                "Original row {row} has {n} candidates: the scrambled rows that share most cells with it.",
                n=n,
                row=row + 1,
            ),
            f"n = (b == a.loc[{row}]).sum(axis=1)",
            "m = n.index[n == n.max()]",
            f'print(len(m), "with", n.max(), "cells, row:", *[i + 1 for i in m[:{proof.MOST_NAMED}]])',
        )


def _failed(audit: LeakageAudit) -> set[str]:
    return {finding.check for finding in audit.findings if finding.verdict is Verdict.FAIL}
