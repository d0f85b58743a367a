"""How a sceptic finds what a tabular audit found, and what was tried where it found nothing."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.compute as pc

from core.reports import ReportTable, proof
from core.tables import Dataset
from core.tabular import TabularAudit
from core.tabular.evidence import evidence_of, original_of
from core.verdict import Verdict
from core.words import counted, listed, text

_USUAL_K = 5


def tabular_proof(audit: TabularAudit, original: Dataset, anonymized: Dataset) -> tuple[ReportTable, ...]:
    """Return the steps that find values left and people again, or the attacks that were tried."""
    if audit.overall is not Verdict.FAIL:
        return proof.tried_tables(_tried(audit), of=audit.name)
    steps = _steps(audit, original, anonymized) if proof.is_provable(original, anonymized) else ()
    return proof.proof_tables(steps, of=audit.name) or proof.tried_tables(_tried(audit), of=audit.name)


def _steps(audit: TabularAudit, original: Dataset, anonymized: Dataset) -> Iterator[proof.Step]:
    k = audit.second_opinion.thresholds.smallest_k if audit.second_opinion else _USUAL_K
    failing = {check.anonymized_column: check.check for check in audit.measurement.checks if check.n_failing}
    for evidence in evidence_of(audit, k=k):
        name = evidence.columns[0]
        if evidence.kind == "check" and failing.get(name) == "dropped":
            yield _left(anonymized, name)
        elif evidence.kind == "unchanged":
            column = original_of(audit, name)
            if column in original.columns:
                yield _unchanged(original, anonymized, column, name)
        elif evidence.kind == "relinked" and {*evidence.columns} <= {*original.columns}:
            yield _relinked(original, anonymized, evidence.columns)
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
        **{one.anonymized: one.originals[0] for one in hidden.computed.found if len(one.originals) == 1},
        **{one.anonymized: one.original for one in hidden.disguises.found},
    }
    for name, column in pairs.items():
        step = proof.disguise_step(original, anonymized, column, name) if name in failing else None
        if step is not None:
            yield step


def _left(anonymized: Dataset, name: str) -> proof.Step:
    (cells,) = proof.plain_cells(anonymized, [name])
    n = int(np.count_nonzero(cells.to_numpy() != ""))
    return proof.Step(
        text(
            "{n} value is left in {column}, which the log says was dropped.",
            "{n} values are left in {column}, which the log says was dropped.",
            n=n,
            column=f"`{name}`",
        ),
        proof.python_command(
            proof.reading_code("t", anonymized), f'print((t[{proof.literal(name)}] != "").sum())'
        ),
        str(n),
    )


def _unchanged(original: Dataset, anonymized: Dataset, column: str, name: str) -> proof.Step:
    (ours,), (theirs,) = proof.plain_cells(original, [column]), proof.plain_cells(anonymized, [name])
    equal = pc.equal(ours, theirs).to_numpy() & (ours.to_numpy() != "")
    n = int(np.count_nonzero(equal))
    return proof.Step(
        text(
            "{n} cell of {column} is as in the original, in the same row, letter by letter.",
            "{n} cells of {column} are as in the original, in the same row, letter by letter.",
            n=n,
            column=f"`{name}`",
        ),
        proof.python_command(
            proof.reading_code("a", original),
            proof.reading_code("b", anonymized),
            f"x, y = a[{proof.literal(column)}], b[{proof.literal(name)}]",
            'print(((x == y) & (x != "")).sum())',
        ),
        str(n),
    )


def _relinked(original: Dataset, anonymized: Dataset, columns: Sequence[str]) -> proof.Step:
    """Return the step of records that match exactly one original record in all columns."""
    ours, theirs = (
        proof.whole_rows(proof.plain_cells(each, columns)).to_pylist() for each in (original, anonymized)
    )
    n_of = dict.fromkeys(ours, 0)
    for row in ours:
        n_of[row] += 1
    place = {row: number for number, row in enumerate(ours) if n_of[row] == 1}
    filled = np.logical_or.reduce(
        [cells.to_numpy() != "" for cells in proof.plain_cells(anonymized, columns)]
    )
    found = [(n, place[row]) for n, row in enumerate(theirs) if filled[n] and row in place]
    pairs = " ".join(f"{n + 1}-{other + 1}" for n, other in found[: proof.MOST_NAMED])
    return proof.Step(
        text(
            "{n} record matches exactly one original record in {columns}: one candidate. The numbers are of "
            "the record and its original.",
            "{n} records match exactly one original record each in {columns}: one candidate. The numbers are "
            "of the record and its original.",
            n=len(found),
            columns=listed(list(columns)),
        ),
        proof.python_command(
            proof.reading_code("a", original),
            proof.reading_code("b", anonymized),
            f"c = {proof.literal(columns)}",
            "u = a.loc[~a.duplicated(c, keep=False), c].rename_axis(0).reset_index()",
            'v = b.loc[(b[c] != "").any(axis=1), c].rename_axis(1).reset_index()',
            "w = v.merge(u, on=c).sort_values(1)",
            f"z = zip(w[1][:{proof.MOST_NAMED}], w[0])",
            'print(len(w), "found:", *[f"{i + 1}-{j + 1}" for i, j in z])',
        ),
        f"{len(found)} found: {pairs}",
    )


def _tried(audit: TabularAudit) -> Iterator[proof.Tried]:
    measured = audit.opinion_measurement
    yield proof.Tried(
        text("The published rule on each column of the log"),
        text("{columns}", columns=counted(len(audit.measurement.checks), "column")),
        text("{n} fails", "{n} fail", n=sum(bool(each.n_failing) for each in audit.measurement.checks)),
    )
    if measured is None or audit.second_opinion is None:
        return
    yield proof.Tried(
        text("Finding original records by columns that were left as they were"),
        text("{columns}", columns=counted(len(measured.columns), "column")),
        text(
            "{n} finding of FAIL",
            "{n} findings of FAIL",
            n=sum(each.verdict is Verdict.FAIL for each in audit.second_opinion.findings),
        ),
    )
    yield from _disguises_tried(audit)
    yield proof.texts_tried(measured.texts)
    if (classes := audit.classes) is not None:
        yield proof.Tried(
            text("Finding a record by all quasi-identifiers at once"),
            listed(classes.quasi_identifiers),
            text("The smallest class has {k}.", k=int(classes.k or 0)),
        )


def _disguises_tried(audit: TabularAudit) -> Iterator[proof.Tried]:
    measured = audit.opinion_measurement
    if measured is None:
        return
    disguises, computed = measured.hidden.disguises, measured.hidden.computed
    for attack, n, is_sample in (
        (
            "Undoing other spellings, encodings, shifts, shortened and ordered values",
            len(disguises.found),
            disguises.is_sample,
        ),
        ("Computing pseudonyms by ciphers and digests", len(computed.found), computed.is_sample),
        (
            "Original columns from others by constants, parts and order",
            len(measured.hidden.derivations),
            False,
        ),
    ):
        budget = "{columns}, a sample of the values" if is_sample else "{columns}"
        yield proof.Tried(
            text(attack),
            text(budget, columns=counted(len(measured.columns), "column")),
            text("{n} found", n=n),
        )
    if disguises.n_pairs_left_out:
        yield proof.Tried(
            text("Pairs of columns that were not compared"),
            text("{n} pair", "{n} pairs", n=disguises.n_pairs_left_out),
            text("not tried"),
        )
