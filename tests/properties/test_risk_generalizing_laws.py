"""The lattice search equals trying every generalization, and what is written holds k when read again."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.classes import EquivalenceClasses
from core.files.plain_text import table_csv
from core.risk.generalizing import build_lattice, generalize, verify_generalized
from core.risk.lattice import Lattice, Node
from core.risk.lattice_search import Demand, search_cheapest, search_frontier
from tests.thorough import tried

numbers = st.one_of(st.none(), st.integers(0, 40).map(str))
words = st.sampled_from(["a", "b", "c", "d", "e", None])
codes = st.sampled_from(["0121", "0122", "0131", "0211", "0999"])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    n = draw(st.integers(1, 25))
    kinds = draw(st.lists(st.sampled_from([numbers, words, codes]), min_size=1, max_size=3))
    columns = {
        str(i): pa.array(draw(st.lists(kind, min_size=n, max_size=n)), pa.string())
        for i, kind in enumerate(kinds)
    }
    return pa.table(columns)


def _literal(table: pa.Table, lattice: Lattice, node: Node, k: int, limit: float) -> tuple[float, int] | None:
    """Return loss and suppressed records of a generalization, record by record; None where not allowed."""
    records, losses = [], []
    for row in table.to_pylist():
        written, lost = [], []
        for ladder, position in zip(lattice.ladders, node, strict=True):
            level = ladder.levels[position]
            value = ladder.levels[0].names.to_pylist().index(row[ladder.column])
            written.append(level.names.to_pylist()[level.group_of_value[value]])
            lost.append(float(level.loss_of_value[value]))
        records.append(tuple(written))
        losses.append(sum(lost) / len(lost))
    sizes = Counter(records)
    suppressed = [sizes[record] < k for record in records]
    if sum(suppressed) > limit * len(records):
        return None
    loss = sum(1.0 if hidden else lost for hidden, lost in zip(suppressed, losses, strict=True)) / len(
        records
    )
    return loss, sum(suppressed)


@tried(80)
@given(tables(), st.integers(1, 6), st.sampled_from([0.0, 0.1, 0.4]))
def test_search_cheapest__equals_trying_everything(table: pa.Table, k: int, limit: float) -> None:
    lattice = build_lattice(table, table.column_names)
    tried = [
        found
        for node in product(*map(range, lattice.shape))
        if (found := _literal(table, lattice, node, k, limit)) is not None
    ]
    outcome = search_cheapest(lattice, Demand(k=k, suppression_limit=limit))
    assert outcome.is_exact
    assert (outcome.best is None) == (not tried)
    if outcome.best is not None:
        assert abs(outcome.best.loss - min(loss for loss, _ in tried)) < 1e-9
        literal = _literal(table, lattice, outcome.best.levels, k, limit)
        assert literal is not None
        assert abs(literal[0] - outcome.best.loss) < 1e-9
        assert literal[1] == outcome.best.n_suppressed


@tried(60)
@given(tables(), st.integers(2, 5), st.sampled_from([0.0, 0.3]), st.booleans())
def test_generalize__holds_k_when_read_again(table: pa.Table, k: int, limit: float, picky: bool) -> None:
    def odd_sizes(classes: EquivalenceClasses) -> np.ndarray:
        return classes.class_sizes % 2 == 1

    accepted = odd_sizes if picky else None
    lattice = build_lattice(table, table.column_names)
    before = table.to_pydict()
    found = search_cheapest(lattice, Demand(k=k, suppression_limit=limit, accepted=accepted)).best
    if found is None:
        return
    made = generalize(table, lattice, found, accepted=accepted)
    assert table.to_pydict() == before
    verified = verify_generalized(table_csv(made.table), table.column_names, columns=table.column_names)
    assert verified.holds(k) is not False
    assert verified.n_suppressed + verified.classes.n_records == table.num_rows
    assert verified.n_suppressed == made.n_suppressed
    if any(level < top - 1 for level, top in zip(found.levels, lattice.shape, strict=True)):
        assert verified.holds(k)
        assert verified.classes.k == found.smallest_class
        assert made.n_suppressed == found.n_suppressed


@tried(60)
@given(tables())
def test_build_lattice__groups_and_losses_grow_along_every_ladder(table: pa.Table) -> None:
    lattice = build_lattice(table, table.column_names)
    for ladder in lattice.ladders:
        for finer, coarser in pairwise(ladder.levels):
            pairs = set(zip(finer.group_of_value.tolist(), coarser.group_of_value.tolist(), strict=True))
            assert len(pairs) == finer.n_groups  # every group lies within one of the next level
            assert (finer.loss_of_value <= coarser.loss_of_value + 1e-12).all()
            assert coarser.n_groups < finer.n_groups


@tried(40)
@given(tables())
def test_search_frontier__loss_rises_as_risk_falls(table: pa.Table) -> None:
    lattice = build_lattice(table, table.column_names)
    found = [
        outcome.best for outcome in search_frontier(lattice, Demand(k=2, suppression_limit=0.2), ks=[2, 3, 5])
    ]
    pairs = [(best.highest_risk, best.loss) for best in found if best is not None]
    assert pairs == sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert all(a[1] < b[1] for a, b in pairwise(pairs))
