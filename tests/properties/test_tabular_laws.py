"""Laws of the published rule, and of leaks put into tables."""

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.quality.scoreboard import Scenario
from benchmarks.quality.tabular.leaks_left import left, moved
from benchmarks.quality.tabular.releases import EVERY, Change, Release, audit, plain, released
from core.coding import coded, coded_parts, distinct_values, one_below_the_other, value_codes
from core.files.plain_text import masked_shapes
from core.people.patterns import ALL_PATTERNS, RULE_PATTERNS, scan_column
from core.tables import Dataset, Reading, ReadOptions
from core.tabular import AnonymizationLog, LogEntry, judge_tabular, measure_tabular, pair_files
from core.tabular.values import are_date_floors
from core.verdict import Verdict
from tests.thorough import tried

PIECES = (
    "900101-1234567", "9001011234567", "010-1234-5678", "2020-01-01", "2020/1/5T10:00", "a.b@c.org", "김철수",
    "남성", "역삼동", "가", "x", "7", "-", " ", "_", "\x00", "\u200b", "é", "٣", "1980-01-01", "8c8e1c9a",
)  # fmt: skip
CELLS = st.one_of(st.none(), st.lists(st.sampled_from(PIECES), max_size=3).map("".join), st.text(max_size=6))
COLUMNS = st.lists(CELLS, min_size=1, max_size=12)
ACTIONS = st.sampled_from(
    ["", *"keep drop pseudonymize date_floor_year date_floor_decade keep_if_permitted_else_drop".split()]
)

BEFORE, AFTER = r"(?<![^\W_])(?<!-)", r"(?![^\W_])(?!-)"
LITERAL = {
    "resident_number": rf"{BEFORE}[0-9]{{6}}-?[0-9]{{7}}{AFTER}",
    "phone": rf"{BEFORE}[0-9]{{2,3}}-[0-9]{{3,4}}-[0-9]{{4}}{AFTER}",
    "date": rf"{BEFORE}[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?:{AFTER}|(?=T[0-9]{{1,2}}:?[0-9]{{2}}))",
}


def dataset(columns):
    return Dataset(
        name="x.csv",
        table=pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}),
        fingerprint="",
        sha256="",
        n_bytes=0,
        reading=Reading(format="CSV", options=ReadOptions()),
    )


def filled(cells):
    return [cell if cell is None or cell.strip() else None for cell in cells]


@tried(200)
@given(COLUMNS)
def test_scan__equals_a_literal_definition_with_lookaround(cells):
    hits = scan_column(pa.array(cells, pa.string()))
    for key, pattern in LITERAL.items():
        expected = sum(cell is not None and re.search(pattern, cell) is not None for cell in cells)
        assert hits.counts.get(key, 0) == expected, key


@tried(60)
@given(COLUMNS, st.randoms(use_true_random=False))
def test_scan__does_not_depend_on_order_or_chunks_and_repeats_count(cells, random):
    hits = scan_column(pa.array(cells, pa.string()), ALL_PATTERNS)
    shuffled = random.sample(cells, len(cells))
    half = len(cells) // 2
    chunked = pa.chunked_array([pa.array(part, pa.string()) for part in (shuffled[:half], shuffled[half:])])
    assert dict(scan_column(chunked, ALL_PATTERNS).counts) == dict(hits.counts)
    twice = scan_column(pa.array(cells * 2, pa.string()), ALL_PATTERNS)
    assert dict(twice.counts) == {key: 2 * n for key, n in hits.counts.items()}


@tried(60)
@given(COLUMNS)
def test_scan__fewer_patterns_find_a_part_and_a_value_left_is_always_fail(cells) -> None:
    every = scan_column(pa.array(cells, pa.string()), ALL_PATTERNS)
    rule = scan_column(pa.array(cells, pa.string()), RULE_PATTERNS)
    assert {key: every.counts[key] for key in rule.counts} == dict(rule.counts)
    assert rule.n_cells <= every.n_cells <= every.n_filled
    assert int(rule.in_records().sum()) == rule.n_cells
    cells = filled(cells)
    log = AnonymizationLog(
        name="l", mode="high", entries={"c": LogEntry(column="c", semantic="x", action="drop")}
    )
    found = measure_tabular(dataset({"c": cells}), dataset({"c": cells}), log)
    left = any(cell is not None for cell in cells)
    assert judge_tabular(found).verdict is (Verdict.FAIL if left else Verdict.PASS)


@tried(100)
@given(COLUMNS)
def test_distinct_values__count_every_filled_record_once(cells):
    column = pa.array(cells, pa.string())
    distinct = distinct_values(column)
    assert distinct.n_filled == sum(cell is not None for cell in cells)
    assert distinct.n_distinct == len({cell for cell in cells if cell is not None})
    every = np.ones(len(distinct.values), dtype=bool)
    assert distinct.in_records(every).tolist() == [cell is not None for cell in cells]


@tried(100)
@given(COLUMNS, COLUMNS)
def test_coded_parts__are_the_columns_coded_by_themselves(one, other):
    first, second = (pa.chunked_array([cells], pa.string()) for cells in (one, other))
    parts = coded_parts(coded(one_below_the_other(first, second.cast(pa.large_string()))), len(one))
    for part, column in zip(parts, (first, second), strict=True):
        alone = coded(column)
        assert part.values.to_pylist() == alone.values.to_pylist()
        assert part.codes.tolist() == alone.codes.tolist()
        assert value_codes(part.codes).tolist() == value_codes(column).tolist()
        assert (
            part.trimmed.values.to_pylist()
            == pc.unique(pc.utf8_trim_whitespace(column)).drop_null().to_pylist()
        )
        kept = part.without(np.arange(len(part.values)) % 2 == 1)
        assert kept.values.take(pa.array(kept.codes[kept.codes >= 0])).to_pylist() == [
            cell
            for cell, code in zip(column.to_pylist(), alone.codes, strict=True)
            if code >= 0 and code % 2 == 0
        ]


@tried(100)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_masked_shapes__show_no_letter_and_no_digit_of_the_value(cells):
    for cell, shape in zip(cells, masked_shapes(pa.array(cells, pa.string())).to_pylist(), strict=True):
        shown = shape.replace("YYYY", "").replace("MM", "").replace("DD", "")
        assert set(filter(str.isalnum, shown)) <= {"A", "9"}, cell


@tried(50)
@given(st.integers(1900, 2199), st.integers(1, 12), st.integers(1, 28))
def test_are_date_floors__only_the_first_of_january(year, month, day):
    cell = pa.array([f"{year}-{month:02d}-{day:02d}"])
    first = (month, day) == (1, 1)
    assert are_date_floors(cell, decade=False).tolist() == [first]
    assert are_date_floors(cell, decade=True).tolist() == [first and year % 10 == 0]


@tried(60)
@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "a_b", "c"]), st.tuples(COLUMNS, COLUMNS, ACTIONS), min_size=1
    ),
    st.sampled_from(["low", "high"]),
    st.randoms(use_true_random=False),
)
def test_measure__figures_are_shares_and_column_order_does_not_matter(columns, mode, random):
    n = min(len(cells) for pair in columns.values() for cells in pair[:2])
    original = {name: filled(pair[0][:n]) for name, pair in columns.items()}
    anonymized = {name: filled(pair[1][:n]) for name, pair in columns.items()}
    entries = {name: LogEntry(column=name, semantic="age", action=pair[2]) for name, pair in columns.items()}
    log = AnonymizationLog(name="l.json", mode=mode, entries=entries)
    found = measure_tabular(dataset(original), dataset(anonymized), log)
    for share in (found.policy_consistency, found.pattern_residual, found.high_risk_handling):
        assert 0 <= share <= 1
    assert abs(found.pass_share + found.warn_share + found.fail_share - 1) < 1e-12
    order = random.sample(list(columns), len(columns))
    turned = measure_tabular(
        dataset({name: original[name] for name in order}),
        dataset({name: anonymized[name] for name in order}),
        log,
    )
    assert {each.column: each.status for each in turned.columns} == {
        each.column: each.status for each in found.columns
    }
    assert turned.pattern_residual == found.pattern_residual
    assert judge_tabular(turned).verdict is judge_tabular(found).verdict


@tried(60)
@given(COLUMNS, ACTIONS)
def test_measure__repeating_every_record_changes_no_verdict(cells, action):
    cells = filled(cells)
    log = AnonymizationLog(name="l", entries={"c": LogEntry(column="c", semantic="x", action=action)})
    once = measure_tabular(dataset({"c": cells}), dataset({"c": cells}), log)
    thrice = measure_tabular(dataset({"c": cells * 3}), dataset({"c": cells * 3}), log)
    assert [each.status for each in once.checks] == [each.status for each in thrice.checks]
    assert thrice.n_residual == 3 * once.n_residual


_STEMS, _ENDS = ["a", "b", "A", "a_anonymized"], [".csv", ".xlsx", ".json", ".CSV", ".pdf"]
_PARTS = (st.sampled_from(one) for one in (_STEMS, ["", "_anonymized", "_anonymized_log"], _ENDS))
NAMES = st.lists(st.tuples(*_PARTS).map("".join), max_size=8)


@tried(200)
@given(NAMES)
def test_pair_files__every_file_is_accounted_for(names):
    found = pair_files(names)
    paired = {name for pair in found.pairs for name in (pair.original, pair.anonymized, pair.log)}
    left_out = {file.name for file in (*found.skipped, *found.unused)}
    assert paired | left_out == set(names)
    assert len({pair.original for pair in found.pairs}) == len(found.pairs)
    assert not {pair.original for pair in found.pairs} & left_out


# --- laws of the tabular verifier's overall verdict: a leak never improves it, and chance does not worsen it

SLOW = settings(  # an audit takes a second: few examples, always the same, and no search for smaller ones
    deadline=None,
    max_examples=4,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
LEAKS = (
    left("id", action="keep", semantic="other"),
    left("id", action="pseudonymize"),
    left("name email", action="drop"),
    left("date", action="date_floor_year"),
    moved("id", "row_ref"),
    moved("region", "place"),
)
scenarios = st.builds(
    Scenario,
    seed=st.integers(0, 2**32),
    n_records=st.sampled_from([30, 40, 60]),
    schema=st.sampled_from(EVERY),
    reordered=st.booleans(),
)


def _then(first: Change, second: Change) -> Change:
    return lambda release, rng: second(first(release, rng), rng)


def _overall(scenario: Scenario, change: Change) -> Verdict:
    return audit(released(scenario, change)).overall


@pytest.mark.slow
@SLOW
@given(scenarios, st.sampled_from((plain, *LEAKS)), st.sampled_from(LEAKS))
def test_audit_tabular__a_leak_more_never_improves_the_verdict(
    scenario: Scenario, before: Change, more: Change
) -> None:
    assert _overall(scenario, _then(before, more)).severity >= _overall(scenario, before).severity


def _numbers(write: Callable[[float], str]) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        return release.having("extra", [write(number) for number in rng.random(len(release.rows))])

    return change


@pytest.mark.slow
@SLOW
@given(scenarios, st.sampled_from(["{:.6f}", "{:.3f}", "{:.0%}"]))
def test_audit_tabular__a_column_of_random_numbers_changes_nothing(scenario: Scenario, form: str) -> None:
    without = _overall(scenario, plain)
    assert _overall(scenario, _numbers(form.format)) is without
