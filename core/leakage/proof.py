"""How a sceptic finds the rows that a leakage audit found, and what was tried where it found none."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray
from core.leakage import LeakageAudit
from core.reports import ReportTable, proof
from core.tables import Dataset
from core.verdict import Verdict
from core.words import Written, counted, listed, percent, share_of, text

_FOLLOWED = 3  # rows for which the nearest are looked for


def leakage_proof(audit: LeakageAudit, original: Dataset, scrambled: Dataset) -> tuple[ReportTable, ...]:
    """Return the steps that find original rows in the scrambled table, or the attacks that were tried."""
    if audit.verdict is not Verdict.FAIL:
        return proof.tried_tables(_tried(audit))
    columns = [name for name in audit.measures.columns if name not in audit.measures.ignored_columns]
    is_shown = bool(columns) and proof.is_provable(original, scrambled)
    steps = _steps(audit, original, scrambled, tuple(columns)) if is_shown else ()
    return proof.proof_tables(steps) or proof.tried_tables(_tried(audit))


def _steps(
    audit: LeakageAudit, original: Dataset, scrambled: Dataset, columns: tuple[str, ...]
) -> Iterator[proof.Step]:
    ours, theirs = (proof.plain_cells(each, columns, trimmed=True) for each in (original, scrambled))
    ignored = list(audit.measures.settings.ignore_values)
    prepare = [
        proof.reading_code("a", original),
        proof.reading_code("b", scrambled),
        f"c = {proof.literal(columns)}",
        "a, b = (x[c].apply(lambda s: s.str.strip()) for x in (a, b))",
    ]
    if audit.measures.settings.key is None and original.n_records == scrambled.n_records:
        yield from _in_place(ours, theirs, prepare, ignored)
    rows, other = proof.whole_rows(ours), proof.whole_rows(theirs)
    there = pc.is_in(rows, pc.unique(other.combine_chunks() if len(other) else other)).to_numpy()
    counts = pc.value_counts(rows.combine_chunks())
    unique = pc.filter(counts.field("values"), pc.equal(counts.field("counts"), 1))
    found = np.flatnonzero(there & pc.is_in(rows, unique).to_numpy())
    if len(found):
        yield proof.Step(
            text(
                "{n} original row that nobody else has stands in the scrambled table, equal in all of "
                "{columns}.",
                "{n} original rows that nobody else has stand in the scrambled table, equal in all of "
                "{columns}.",
                n=len(found),
                columns=listed(columns),
            ),
            proof.python_command(
                *prepare,
                "u = a[~a.duplicated(keep=False)].rename_axis(0).reset_index()",
                "w = u.merge(b.drop_duplicates(), on=c).sort_values(0)",
                f'print(len(w), "found:", *[i + 1 for i in w[0][:{proof.MOST_NAMED}]])',
            ),
            f"{len(found)} found: {proof.numbers(found)}",
        )
    yield from _nearest(audit, ours, theirs, prepare)
    if (again := audit.measures.second_look) is not None and "second_look" in _failed(audit):
        changed = {name: name for name in (*again.respelled, *again.rescaled, *again.recoded)}
        for column, name in {**changed, **again.renamed}.items():
            if column in original.columns and name in scrambled.columns:
                step = proof.disguise_step(original, scrambled, column, name)
                if step is not None:
                    yield step


def _in_place(
    ours: list[pa.ChunkedArray], theirs: list[pa.ChunkedArray], prepare: list[str], ignored: list[str]
) -> Iterator[proof.Step]:
    """Yield the step of rows that are equal to their own row in every valid cell."""
    left_out = pa.array(ignored, pa.large_string())
    full = np.ones(len(ours[0]), dtype=bool)
    valid = np.zeros(len(ours[0]), dtype=bool)
    for one, other in zip(ours, theirs, strict=True):
        skipped = _both_empty(one, other) | _in(one, left_out) | _in(other, left_out)
        full &= skipped | pc.equal(one, other).to_numpy()
        valid |= ~skipped
    found = np.flatnonzero(full & valid)
    if not len(found):
        return
    yield proof.Step(
        text(
            "{n} row of the scrambled table equals the original row in its place in every cell that counts.",
            "{n} rows of the scrambled table are equal to the original rows in their places in every cell "
            "that counts.",
            n=len(found),
        ),
        proof.python_command(
            *prepare,
            f"v = {proof.literal(ignored)}",
            's = ((a == "") & (b == "")) | a.isin(v) | b.isin(v)',
            "f = a.index[((a == b) | s).all(axis=1) & ~s.all(axis=1)]",
            f'print(len(f), "rows:", *[i + 1 for i in f[:{proof.MOST_NAMED}]])',
        ),
        f"{len(found)} rows: {proof.numbers(found)}",
    )


def _both_empty(one: pa.ChunkedArray, other: pa.ChunkedArray) -> BoolArray:
    return np.asarray(pc.and_(pc.equal(one, ""), pc.equal(other, "")).to_numpy(), dtype=bool)


def _in(cells: pa.ChunkedArray, values: pa.Array) -> BoolArray:
    return np.asarray(pc.is_in(cells, values).to_numpy(), dtype=bool)


def _nearest(
    audit: LeakageAudit, ours: list[pa.ChunkedArray], theirs: list[pa.ChunkedArray], prepare: list[str]
) -> Iterator[proof.Step]:
    """Yield a step for the first rows whose own scrambled row is nearest to them."""
    nearest = audit.measures.nearest
    if nearest.own_is_best is None or not {"relinkage", "relinkage_by_likeness"} & _failed(audit):
        return
    for row in nearest.rows[nearest.own_is_best][:_FOLLOWED].tolist():
        shared = np.zeros(len(theirs[0]), dtype=np.int64)
        for one, other in zip(ours, theirs, strict=True):
            shared += pc.equal(other, one[row]).to_numpy()
        order = np.argsort(-shared, kind="stable")[:2]
        told = ", ".join(f"row {place + 1}: {shared[place]}" for place in order)
        yield proof.Step(
            text(
                "Original row {row} has {n} candidate: the scrambled row that shares most cells with it.",
                "Original row {row} has {n} candidates: the scrambled rows that share most cells with it.",
                n=int(np.count_nonzero(shared == shared.max())),
                row=row + 1,
            ),
            proof.python_command(
                *prepare,
                f'n = (b == a.loc[{row}]).sum(axis=1).sort_values(ascending=False, kind="stable")[:2]',
                'print(", ".join(f"row {i + 1}: {k}" for i, k in n.items()))',
            ),
            told,
        )


def _failed(audit: LeakageAudit) -> set[str]:
    return {finding.check for finding in audit.findings if finding.verdict is Verdict.FAIL}


def _tried(audit: LeakageAudit) -> Iterator[proof.Tried]:
    measures = audit.measures
    whole, nearest, near = measures.whole_rows, measures.nearest, measures.near_copies
    if measures.rows is not None and measures.random_orders is not None:
        yield proof.Tried(
            text("Each row with its own scrambled row"),
            text(
                "{rows}, against {orders}",
                rows=counted(measures.rows.n_rows, "row"),
                orders=counted(measures.random_orders.n_permutations, "random order"),
            ),
            text("Full leakage {share}", share=percent(measures.rows.full_leakage_share)),
        )
    yield proof.Tried(
        text("Each original row anywhere in the scrambled table"),
        text("{rows}", rows=counted(whole.n_original, "row")),
        text("{found} unique rows found", found=share_of(whole.n_unique_exact, whole.n_unique)),
    )
    yield proof.Tried(
        text("Each row with the scrambled row that shares most cells"),
        text(
            "{rows} of {total}, at most {most} comparisons of cells",
            rows=counted(nearest.n_assessed, "row"),
            total=nearest.n_original,
            most=measures.settings.max_comparisons,
        ),
        text("Re-linked: {share}", share=percent(nearest.relink_share)),
    )
    yield proof.Tried(
        text("Scrambled rows that point at one person by many bits"),
        text("{rows}", rows=counted(near.n_rows, "row")),
        text("{found} found", found=int(near.excess.n_observed)),
    )
    yield from _further_tried(audit)


def _further_tried(audit: LeakageAudit) -> Iterator[proof.Tried]:
    measures = audit.measures
    if (again := measures.second_look) is not None:
        yield proof.Tried(
            text("The same after other spellings, scales and codes of columns are undone"),
            text("{columns}", columns=counted(again.n_columns, "column")),
            text(
                "{found} unique rows found",
                found=share_of(again.whole_rows.n_unique_exact, again.whole_rows.n_unique),
            ),
        )
    if measures.attacks is not None and (membership := measures.attacks.membership) is not None:
        yield proof.Tried(
            text("Telling original rows from hold-out rows"),
            text("all rows of both"),
            text("Area under the curve {auc}", auc=Written(f"{membership.auc:.2f}")),
        )
    for rate in () if measures.attacks is None else measures.attacks.rates:
        yield proof.Tried(
            rate.named,
            text("{guesses}", guesses=counted(rate.n_guesses, "guess", "guesses")),
            text(
                "{share}, naive guesses {naive}", share=percent(rate.share), naive=percent(rate.naive_share)
            ),
        )
