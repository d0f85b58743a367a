"""Laws of the second opinion, held against slow literal definitions."""

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.comparing.names import columns_alike
from core.errors import AuditInputError
from core.people.roles import suggest_roles
from core.tabular.columns import match_columns
from core.tabular.log import AnonymizationLog, LogEntry
from core.tabular.second_opinion import SecondOpinionSettings, measure_second_opinion
from core.tabular.second_opinion.classes import ClassesMeasurement, measure_classes
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.relinkage import RelinkageMeasurement, measure_relinkage
from core.tabular.second_opinion.structure import StructureMeasurement, measure_structure
from core.tabular.second_opinion.unchanged import ColumnComparison, measure_unchanged
from core.values.cells import canonical_text
from tests.second_opinion_examples import dataset, keep_all, table
from tests.thorough import tried

Table = dict[str, list[str | None]]

CELLS = st.sampled_from(["1", "1.0", " 2", "2", "x", "y", "2020-01-02", "2020/1/2", "z", None])


@st.composite
def tables(draw: st.DrawFn, *, columns: int = 4, rows: int = 12) -> Table:
    n_rows = draw(st.integers(1, rows))
    n_columns = draw(st.integers(1, columns))
    return {f"c{j}": draw(st.lists(CELLS, min_size=n_rows, max_size=n_rows)) for j in range(n_columns)}


@st.composite
def table_pairs(draw: st.DrawFn) -> tuple[Table, Table]:
    """Draw a table and one in which single cells, or all of a column, may differ, and rows may be gone."""
    original = draw(tables())
    n_kept = draw(st.integers(1, len(original["c0"])))
    anonymized = {}
    for name, cells in original.items():
        kept = list(cells[:n_kept]) if draw(st.booleans()) else list(cells)[:n_kept]
        for i in draw(st.lists(st.integers(0, n_kept - 1), max_size=2)):
            kept[i] = draw(CELLS)
        anonymized[name] = kept
    return original, anonymized


@dataclass(kw_only=True)
class Measured:
    """The families of checks that the laws are about, without the scan for patterns."""

    structure: StructureMeasurement
    columns: tuple[ColumnComparison, ...]
    relinkage: RelinkageMeasurement
    classes: ClassesMeasurement


def measured(
    original: Table,
    anonymized: Table,
    quasi_identifiers: tuple[str, ...] | None = None,
    **options: int,
) -> Measured:
    pair = pair_tables(table(original), table(anonymized), keep_all(original))
    columns = measure_unchanged(pair)
    return Measured(
        structure=measure_structure(pair),
        columns=columns,
        relinkage=measure_relinkage(pair, columns, SecondOpinionSettings(**options)),
        classes=measure_classes(pair, suggest_roles(pair.anonymized), quasi_identifiers),
    )


def canonical(cell: str | None) -> str | None:
    return None if cell is None else canonical_text(cell, dates=True)


def records(columns: Table, names: tuple[str, ...]) -> list[tuple[str | None, ...]]:
    return list(zip(*([canonical(cell) for cell in columns[name]] for name in names), strict=True))


def literally_matched(original: Table, anonymized: Table, names: tuple[str, ...]) -> int:
    """Count, record by record, those whose values exactly one original record has."""
    known = Counter(records(original, names))
    return sum(known[record] == 1 and any(record) for record in records(anonymized, names))


@tried(60)
@given(table_pairs())
def test_relinkage_and_unchanged_share__equal_the_literal_definition(pair: tuple[Table, Table]) -> None:
    relinkage = measured(*pair).relinkage
    for level in relinkage.levels:
        assert level.n_matched == literally_matched(*pair, level.columns)
    for single in relinkage.single_columns:
        assert single.n_matched == literally_matched(*pair, single.columns)
    original, anonymized = pair
    for column in measured(original, anonymized).columns:
        a, b = ([canonical(cell) for cell in side[column.original]] for side in pair)
        n_filled = sum(cell is not None for cell in a)
        assert column.n_filled_original == n_filled
        assert column.n_distinct_original == len({cell for cell in a if cell is not None})
        assert column.n_same_values == sum((Counter(filter(None, a)) & Counter(filter(None, b))).values())
        if column.compared_by == "rows":
            same = sum(x is not None and x == y for x, y in zip(a, b, strict=True))
            assert (column.n_unchanged, column.n_compared) == (same, n_filled)
        assert column.unchanged_share is None or 0 <= column.unchanged_share <= 1


@tried(60)
@given(table_pairs())
def test_smallest_set__is_smallest_by_the_literal_definition_and_greedy_search_never_better(
    pair: tuple[Table, Table],
) -> None:
    half = len(pair[1]["c0"]) / 2
    for level in measured(*pair).relinkage.levels:
        enough = [
            size
            for size in (1, 2, 3)
            for names in itertools.combinations(level.columns, size)
            if literally_matched(*pair, names) > half
        ]
        assert level.exhaustive
        if level.smallest_set is None:
            assert enough == []
        else:
            names = level.smallest_set.columns
            assert len(names) == min(enough)
            assert level.smallest_set.n_matched == literally_matched(*pair, names) > half
    exhaustive, greedy = measured(*pair).relinkage, measured(*pair, search_budget=1).relinkage
    for best, found in zip(exhaustive.levels, greedy.levels, strict=True):
        assert best.n_matched == found.n_matched
        if found.smallest_set is not None:
            assert best.smallest_set is not None
            assert len(best.smallest_set.columns) <= len(found.smallest_set.columns)


@tried(60)
@given(tables())
def test_identical_tables__are_unchanged_and_renaming_values_keeps_classes_as_they_are(
    columns: Table,
) -> None:
    result = measured(columns, columns)
    assert all(column.unchanged_share in {1.0, None} for column in result.columns)
    assert result.structure.filled_blanks == {}
    assert result.structure.unlogged_columns == ()
    names = {}
    renamed = {
        name: [None if c is None else names.setdefault((name, c), f"k{len(names)}") for c in cells]
        for name, cells in columns.items()
    }
    chosen = tuple(columns)
    before = measured(columns, columns, quasi_identifiers=chosen).classes.chosen
    after = measured(columns, renamed, quasi_identifiers=chosen).classes.chosen
    assert before is not None
    assert after is not None
    assert before.k == after.k
    assert np.array_equal(before.records, after.records)
    assert before.contributions == after.contributions


@tried(60)
@given(table_pairs(), st.randoms(use_true_random=False))
def test_order_of_columns__changes_nothing(pair: tuple[Table, Table], random: object) -> None:
    original, anonymized = pair
    names = list(anonymized)
    random.shuffle(names)
    permuted = {name: anonymized[name] for name in names}
    before, after = measured(original, anonymized), measured(original, permuted)
    assert [vars(column) for column in before.columns] == [vars(column) for column in after.columns]
    assert before.relinkage.levels == after.relinkage.levels
    assert before.classes.proposed is None or after.classes.proposed is not None
    if before.classes.proposed is not None and after.classes.proposed is not None:
        assert before.classes.proposed.k == after.classes.proposed.k


@tried(60)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_records__changes_no_figure_and_no_suggested_role(columns: Table, random: object) -> None:
    order = list(range(len(columns["c0"])))
    random.shuffle(order)
    permuted = {name: [cells[i] for i in order] for name, cells in columns.items()}
    before, after = measured(columns, columns), measured(permuted, permuted)
    assert before.relinkage.levels == after.relinkage.levels
    assert [column.unchanged_share for column in before.columns] == [
        column.unchanged_share for column in after.columns
    ]
    names, order = list(columns), list(range(len(columns["c0"])))
    random.shuffle(names)
    random.shuffle(order)
    permuted = {name: [columns[name][i] for i in order] for name in names}
    before = {suggestion.column: suggestion for suggestion in suggest_roles(table(columns))}
    after = {suggestion.column: suggestion for suggestion in suggest_roles(table(permuted))}
    assert before == after


@tried(60)
@given(tables(), st.data())
def test_blanking_cells__never_adds_unchanged_cells(columns: Table, data: st.DataObject) -> None:
    blanked = {
        name: [None if data.draw(st.booleans()) else cell for cell in cells]
        for name, cells in columns.items()
    }
    full, less = measured(columns, columns), measured(columns, blanked)
    for before, after in zip(full.columns, less.columns, strict=True):
        assert after.n_unchanged <= before.n_unchanged
    assert less.structure.filled_blanks == {}


@tried(20)
@given(tables())
def test_arguments__are_unchanged(columns: Table) -> None:
    original, anonymized = dataset(columns), dataset(columns)
    before = original.table.to_pydict()
    measure_second_opinion(original, anonymized, keep_all(columns))
    assert original.table.to_pydict() == anonymized.table.to_pydict() == before


NAMES = st.lists(st.text("aAb_", min_size=1, max_size=5), min_size=1, max_size=5, unique=True)


@given(
    original=NAMES, anonymized=NAMES, sources=st.dictionaries(st.text("aAb_", max_size=5), NAMES, max_size=3)
)
@settings(deadline=None)
def test_pairs__are_those_that_the_published_rule_judges(original, anonymized, sources) -> None:
    """But for those that nothing but the source in a log entry tells of, which the rule does not know."""
    entries = {
        name: LogEntry(column=name, semantic="", action="", source=found[0])
        for name, found in sources.items()
    }
    log = AnonymizationLog(name="l.json", entries=entries)
    tables = [dataset({name: ["x"] for name in names}) for names in (original, anonymized)]
    spelled = columns_alike(original, anonymized)
    meant = log.for_columns(original, anonymized)
    try:
        matched = match_columns(*tables, meant)
    except AuditInputError:
        matched = ()
    by_rule = {(spelled.get(one.original, one.original), one.anonymized) for one in matched if one.anonymized}
    pairs = [
        (pair.pair, pair.pair.entry.source) for pair in pair_tables(*(one.table for one in tables), log).coded
    ]
    assert len({(pair.original, pair.anonymized) for pair, _ in pairs}) == len(pairs)
    assert by_rule <= {(pair.original, pair.anonymized) for pair, _ in pairs}
    assert all(
        source == pair.original for pair, source in pairs if (pair.original, pair.anonymized) not in by_rule
    )
