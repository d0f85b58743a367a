"""Release after release: what differences, cuts, pseudonyms and ledgers tell, counted by hand."""

import base64
import json
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.__main__ import main
from core.coding import CodedTable
from core.errors import AuditInputError
from core.releases import (
    EarlierTable,
    ReleasedTable,
    ReleasesAudit,
    ReleasesMeasurement,
    Roles,
    judge_releases,
    measure_releases,
    new_ledger,
    read_ledger,
    read_salt,
    table_for,
)
from core.releases.counts import MOST_CLASSES, ClassCounts
from core.releases.ledger import Ledger
from core.releases.ranges import aligned
from core.releases.result import releases_figures
from core.releases.splits import _bounded, _Totals
from core.reports import Figure, InputFacts, render
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.risk.report import risk_report
from core.verdict import Finding, Verdict
from tests.kinds import Told
from tests.releases_examples import HEADER, RECORDS, ROLES, Row, compared, measured, table
from tests.saying import Saying
from tests.thorough import tried

AGES, SEXES = ("20-29", "30-39", "40-49", "50-59"), ("F", "M")
DIAGNOSES = ("flu", "asthma", "cancer", "none")


def _people(n: int, *, first: int = 0, seed: int = 0) -> list[Row]:
    rng = np.random.default_rng(seed)
    of = ((AGES, 4), (SEXES, 2), (DIAGNOSES, 4))
    return [(f"p{first + at}", *(values[rng.integers(most)] for values, most in of)) for at in range(n)]


def _cumulative() -> tuple[list[Row], list[Row]]:
    """600 persons, and 30 newcomers: 17 in five classes of one diagnosis each, 13 in two of two."""
    groups = "20-29 F flu:4 / 30-39 F cancer:4 / 40-49 F none:3 / 50-59 F flu:3 / 20-29 M asthma:3"
    mixed = " / 30-39 M flu:3 / 30-39 M asthma:3 / 40-49 M flu:3 / 40-49 M none:4"
    newcomers = [
        tuple(row.split())
        for row, n in (each.split(":") for each in (groups + mixed).split(" / "))
        for _ in "x" * int(n)
    ]
    return [*_people(600), *((f"n{number}", *row) for number, row in enumerate(newcomers))], _people(600)


def _judged(measurement: ReleasesMeasurement, k: int = 5) -> ReleasesAudit:
    return judge_releases(measurement, k=k)


def _against(
    rows: Sequence[Row], *earlier: object, roles: Roles = ROLES, header: Row = HEADER
) -> ReleasesMeasurement:
    """Measure a release beside earlier tables and ledgers."""
    released = ReleasedTable(name="later", dataset=table(rows, header=header), roles=roles)
    return measure_releases([released], earlier)


def _one(audit: ReleasesAudit, check: str) -> Finding:
    (found,) = [each for each in audit.findings if each.check == check]
    return found


def _verdicts(audit: ReleasesAudit) -> dict[str, Verdict]:
    return {finding.check: finding.verdict for finding in audit.findings}


def test_second_monthly_release__gives_17_of_30_newcomers_away_and_leavers_alike() -> None:
    """Each release is 11-anonymous and has all diagnoses in every class; their difference has not."""
    later, earlier = _cumulative()
    for rows in (later, earlier):
        asked = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",))
        assert (
            judge_risk(measure_risk(table(rows), settings=asked), RiskThresholds(k=11)).verdict
            is Verdict.PASS
        )
    for roles in (ROLES, RECORDS):
        audit = _judged(measured(later, earlier, roles=roles), k=5)
        assert audit.overall is Verdict.FAIL
        away, below = (_one(audit, check) for check in ("release_newcomer_values", "release_newcomers"))
        assert (away.n_affected, below.n_affected) == (17, 17)
        assert "17 of 30 new" in away.message
        assert away.remedy
    left = _one(_judged(measured(earlier, later, roles=RECORDS)), "release_leaver_values")
    assert "17 of 30 records gone" in left.message


def test_newcomers_of_mixed_values_and_other_people__are_no_finding() -> None:
    """Two months of 2,000 different patients differ by chance; nobody is isolated by that."""
    mixed = [(f"n{at}", "20-29", "F", DIAGNOSES[at % 4]) for at in range(12)]
    later, earlier = _people(2000, first=5000, seed=1), _people(2000, seed=2)
    for roles in (ROLES, RECORDS):
        audit = _judged(measured([*_people(600), *mixed], _people(600), roles=roles))
        assert _verdicts(audit) == {"releases": Verdict.PASS}
        audit = _judged(measured(later, earlier, roles=roles))
        assert _verdicts(audit)["release_of_others"] is audit.overall is Verdict.PASS


def test_pseudonyms__are_those_of_the_same_people_or_counted_anew() -> None:
    """Numbers from 1 in both releases stand for others; numbers with zeros before them for one person."""
    later, earlier = ([(str(at), *row[1:]) for at, row in enumerate(_people(2000, seed=n))] for n in (1, 2))
    found = compared(later, earlier)
    assert (found.n_common, bool(found.has_fresh_pseudonyms)) == (None, True)
    assert compared(later, list(reversed(later))).n_common == 2000
    people = [(f"{number:05}", *row[1:]) for number, row in enumerate(_people(300))]
    assert compared([(str(int(name)), *row) for name, *row in people], people).n_common == 300
    with_letters = [("00e1", *people[0][1:]), ("0e44", *people[1][1:]), *people[2:]]
    found = compared(with_letters, with_letters)
    assert found.n_common == 300
    assert found.alike is not None
    assert not found.alike.groups.n_below(5)


def test_few_counts_that_differ__warn() -> None:
    """Four classes tell neither that the people are the same nor that they are others."""
    groups = list(product(AGES[:2], SEXES))
    earlier = [(f"p{n}", *groups[n % 4], ("flu", "none")[n // 4 % 2]) for n in range(80)]
    audit = _judged(measured([("x", "20-29", "F", "none"), *earlier[4:]], earlier, roles=RECORDS))
    (finding,) = [each for each in audit.findings if each.verdict is not Verdict.PASS]
    assert finding.verdict is Verdict.WARN
    assert finding.message.endswith("if both hold the same people, which their counts do not tell.")


def test_classes_that_change_with_a_pseudonym__isolate_whom_they_part() -> None:
    """Of 20 persons aged 20-29, two are 30-39 a year later: who is in both groups is one of two."""
    earlier = [(f"p{n}", "20-29" if n < 20 else "30-39", "F", DIAGNOSES[n % 4]) for n in range(40)]
    later = [(row[0], "30-39", *row[2:]) if row[0] in ("p0", "p4") else row for row in earlier]
    found = compared(later, earlier)
    assert found.alike is not None
    assert found.alike.groups.n_below(5) == 2
    assert found.alike.n_given_away == {"diagnosis": 2}  # both have the flu
    assert _verdicts(_judged(measured(later, earlier)))["release_alike"] is Verdict.FAIL


def test_fresh_pseudonyms__are_linked_by_what_fits_one_person_in_each() -> None:
    rng = np.random.default_rng(3)
    header = (*HEADER, "height")
    earlier = [(*row, str(1400 + rng.integers(600))) for row in _people(300)]
    later = [(f"q{number}", *row[1:]) for number, row in enumerate(rng.permutation(earlier).tolist())]
    measurement = measured(later, earlier, header=header)
    (found,) = measurement.compared
    alone = [key for key, n in Counter(row[1:] for row in earlier).items() if n == 1]
    assert found.relinked is not None
    assert (found.relinked.n, found.relinked.columns) == (len(alone), header[1:])
    assert _verdicts(_judged(measurement))["release_relinked"] is Verdict.FAIL
    assert found.n_common is None


# Columns that one of the releases alone has


def _parts(first: Sequence[int], second: Sequence[int], *, shuffled: bool = True) -> ReleasesMeasurement:
    """Release some columns of persons after others; regions and jobs leave two or so of one age together."""
    rng, n = np.random.default_rng(6), 1200
    columns = ("pid", "age", "region", "job", "value", "diagnosis")
    ages, regions, jobs, diagnoses = (rng.integers(most, size=n) for most in (4, 12, 12, 4))
    people = [
        (
            f"p{at:05}",
            AGES[ages[at]],
            f"r{regions[at]}",
            f"j{jobs[at]}",
            f"{5 + at / 10007:.4f}",
            DIAGNOSES[diagnoses[at]],
        )
        for at in range(n)
    ]
    later, earlier = (
        table(
            [
                tuple(people[row][each] for each in of)
                for row in (rng.permutation(n) if shuffled else range(n))
            ],
            header=[columns[each] for each in of],
        )
        for of in (second, first)
    )
    quasi = tuple(columns[each] for each in second if each in (1, 2, 3))
    person = "pid" if 0 in first and 0 in second else None
    roles = Roles(quasi_identifiers=quasi, sensitive=("diagnosis",), person=person).common(later.columns)
    released = ReleasedTable(name="later", dataset=later, roles=roles)
    return measure_releases([released], [EarlierTable(release="r", dataset=earlier)])


@pytest.mark.parametrize(
    ("first", "second", "shuffled", "check"),
    [
        ((0, 1, 3, 5), (0, 1, 2), True, "release_alike"),  # by the pseudonym
        ((1, 3, 4), (1, 2, 4), True, "release_joined"),  # by a value that names one
        ((1, 3, 5), (1, 2, 5), False, "release_joined"),  # by the order of records
        ((1, 3, 5), (1, 2, 5), True, None),  # by nothing
        ((0, 1, 5), (0, 1, 2), True, None),  # the earlier one tells nothing that the later does not
        ((1, 5), (1, 2, 5), False, None),
        ((1, 2, 4), (1, 2, 4), True, None),
    ],
)
def test_columns_of_one_release_alone__are_joined_with_those_of_the_other(
    first: Sequence[int], second: Sequence[int], shuffled: bool, check: str | None
) -> None:
    """Ages and jobs before, ages and regions now: each leaves 16 or more together, both only two or so."""
    found = _verdicts(_judged(_parts(first, second, shuffled=shuffled)))
    fails = {each for each, verdict in found.items() if verdict is Verdict.FAIL} - {"release_alike_values"}
    assert fails == {check} - {None}


def test_records_sorted_by_what_both_have__are_not_joined_by_their_order() -> None:
    rng = np.random.default_rng(7)
    people = sorted(
        (AGES[rng.integers(4)], SEXES[rng.integers(2)], f"j{rng.integers(12)}") for _ in range(900)
    )
    later = [(age, sex, f"r{rng.integers(12)}") for age, sex, _ in people]
    earlier = EarlierTable(release="r", dataset=table(people, header=("age", "sex", "job")))
    columns = ("age", "sex", "region")
    found = _against(later, earlier, roles=Roles(quasi_identifiers=columns), header=columns)
    assert found.compared[0].joined is None
    assert _judged(found).overall is Verdict.WARN  # the earlier one has no region, and is the same else


def test_earlier_table_of_counts__stands_for_the_records_it_counts() -> None:
    """Counts before, totals among them, and records now: one more of 20 to 29 is alone in the difference."""
    people = [row[1:] for row in _people(800)]
    for n_new, hidden, expected in (
        (1, None, Verdict.FAIL),
        (9, None, Verdict.PASS),
        (0, "*", Verdict.NOT_ASSESSED),
    ):
        rows = [(*cell, str(n)) for cell, n in Counter(people).items()] + [("Total", "Total", "Total", "800")]
        rows[0] = (*rows[0][:-1], hidden or rows[0][-1])
        counts = EarlierTable(release="counts.csv", dataset=table(rows, header=(*HEADER[1:], "n")))
        later = [*people, *(("20-29", "F", DIAGNOSES[at % 4]) for at in range(n_new))]
        audit = _judged(_against(later, counts, roles=RECORDS, header=HEADER[1:]))
        assert audit.overall is expected, (n_new, hidden)
        if expected is Verdict.FAIL:
            assert audit.measurement.compared[0].came.n_given_away == {"diagnosis": 1}


# Cuts


def _cut(numbers: list[int], start: int, width: int, form: str = "{}-{}") -> list[Row]:
    lows = [(number - start) // width * width + start for number in numbers]
    ends = [(low, low + width - ("-" in form)) for low in lows]
    return [(f"p{at}", form.format(*each), "F", DIAGNOSES[at % 4]) for at, each in enumerate(ends)]


@pytest.mark.slow
@tried(60)
@given(
    st.lists(st.integers(0, 59), min_size=20, max_size=60),
    st.sampled_from([(0, 10), (0, 20), (0, 30)]),
    st.sampled_from([(0, 15), (-5, 10), (-10, 20), (0, 12)]),
    st.sampled_from(["{}-{}", "[{};{})"]),
)
def test_parts_between_cuts__are_the_people_there(
    numbers: list[int], one: tuple[int, int], other: tuple[int, int], form: str
) -> None:
    """The literal count: who is between two neighbouring cuts that no one release has both of."""
    found = compared(_cut(numbers, *one, form), _cut(numbers, *other, form), RECORDS)
    lows = [{(n - start) // width * width + start for n in numbers} for start, width in (one, other)]
    cuts = {
        end
        for mine, (_, width) in zip(lows, (one, other), strict=True)
        for low in mine
        for end in (low, low + width)
    }
    holes = {
        x
        for mine, (_, width) in zip(lows, (one, other), strict=True)
        for x in cuts
        if not any(low < x < low + width for low in mine)
    }
    expected = []
    for low, high in pairwise(sorted(holes)):
        n = sum(low <= number < high for number in numbers)
        of_classes = [
            sum((n - start) // width == (low - start) // width for n in numbers)
            for start, width in (one, other)
        ]
        expected += [n] if 0 < n < min(of_classes) else []
    sizes = [] if not found.splits else found.splits[0].groups.size.tolist()
    assert sorted(sizes) == sorted(expected)
    assert all(each.is_sure for each in found.splits)


def _tables(rows: list[int], columns: list[int], cells: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return all tables of whole numbers with these totals, trying each."""
    if not cells:
        return [()] if not any(rows) and not any(columns) else []
    (row, column), rest = cells[0], cells[1:]
    found = []
    for n in range(min(rows[row], columns[column]) + 1):
        fewer = [total - n * (at == row) for at, total in enumerate(rows)]
        others = [total - n * (at == column) for at, total in enumerate(columns)]
        found += [(n, *table) for table in _tables(fewer, others, rest)]
    return found


CELL = st.tuples(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 2))


@tried(150)
@given(st.lists(CELL, min_size=1, max_size=9, unique_by=lambda cell: cell[0]))
def test_settled_cells__are_those_that_all_tables_have(truth: list[tuple[tuple[int, int], int]]) -> None:
    cells = [cell for cell, _ in truth]
    rows, columns = ([sum(n for cell, n in truth if cell[at] == of) for of in range(4)] for at in (0, 1))
    _agrees_with(cells, rows, columns, _tables(rows, columns, cells), is_mixed=False)


def _agrees_with(
    cells: list[tuple[int, int]],
    rows: list[int],
    columns: list[int],
    tables: list[tuple[int, ...]],
    *,
    is_mixed: bool,
) -> None:
    fitting = list(zip(*tables, strict=True))
    row, column = (np.array([cell[at] for cell in cells]) for at in (0, 1))
    part = np.zeros(len(rows), dtype=np.int64)
    found = _bounded(_Totals(np.array(rows), part), _Totals(np.array(columns), part), row, column)
    assert found.least.tolist() == [min(ns) for ns in fitting]
    assert found.most.tolist() == [max(ns) for ns in fitting]
    assert found.is_mixed.tolist() == [is_mixed] * len(cells)


@tried(150)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6, unique=True),
    *[st.lists(st.integers(0, 3), min_size=3, max_size=3)] * 2,
)
def test_cells_of_totals_that_differ__are_bounded_by_all_tables_that_hold_most(
    cells: list[tuple[int, int]], rows: list[int], columns: list[int]
) -> None:
    """Whom the cells cannot hold came or left: every table of cells within the totals, the fullest ones."""
    within = [
        table
        for table in product(range(4), repeat=len(cells))
        if all(
            sum(n for n, cell in zip(table, cells, strict=True) if cell[at] == of) <= total
            for at, totals in enumerate((rows, columns))
            for of, total in enumerate(totals)
        )
    ]
    most = max(map(sum, within))
    fullest = [table for table in within if sum(table) == most]
    _agrees_with(cells, rows, columns, fullest, is_mixed=most < min(sum(rows), sum(columns)))


def _recut(came: Sequence[tuple[int, str]], left: Sequence[tuple[int, str]], n_between: int) -> ReleasesAudit:
    """Cut ages at 20, 30, 40, 70 and at 15, 25, 35, 65; so many are 25 to 29, two of them with flu."""
    staying = [(20 + 10 * (at % 2), DIAGNOSES[at % 4]) for at in range(80)]
    staying += [(25, "flu" if n_between < 5 else DIAGNOSES[at % 4]) for at in range(n_between)]
    releases = [
        [(*_cut([age], start, 10)[0][:3], value) for age, value in (*staying, *people)]
        for people, start in ((came, 20), (left, 15))
    ]
    return _judged(measured(*releases, roles=RECORDS))


def _boundaries(audit: ReleasesAudit) -> tuple[Verdict, int | None] | None:
    found = [each for each in audit.findings if each.check == "release_boundaries"]
    return (found[0].verdict, found[0].n_affected) if found else None


@pytest.mark.parametrize(
    ("came", "left", "verdict"),
    [
        ((), (), Verdict.FAIL),
        ([(70, value) for value in DIAGNOSES * 3], (), Verdict.FAIL),  # twelve came, elsewhere
        ([(30, "asthma")] * 6, (), Verdict.FAIL),  # nobody of them has what those two have
        ((), [(20, "asthma")] * 6, Verdict.FAIL),
        ([(20, "asthma")] * 6, (), None),  # six of them may lie there too
        ([(30, "flu")] * 6, (), Verdict.WARN),  # two or fewer
        ([(20, "flu")] * 6, (), Verdict.FAIL),  # two to eight, all of flu
        ([(70, "flu")] * 6, [(72, "asthma")] * 6, Verdict.WARN),  # perhaps they are others
    ],
)
def test_cuts__tell_who_lies_between_them_though_others_came_or_left(
    came: Sequence[tuple[int, str]], left: Sequence[tuple[int, str]], verdict: Verdict | None
) -> None:
    assert _boundaries(_recut(came, left, 2)) == ((verdict, 2) if verdict else None)
    assert _boundaries(_recut(came, left, 30)) is None


def test_two_columns_cut_anew_at_once__part_whom_each_alone_leaves_together() -> None:
    """Two of 82 are in the middle of both columns; of each column alone there are 22 in the middle."""
    places = {(20, 1): 20, (30, 2): 2, (30, 3): 20, (40, 2): 20, (40, 3): 20}
    later, earlier = [], []
    for (age, town), n in places.items():
        for value in [DIAGNOSES[at % 4] if n > 2 else "flu" for at in range(n)]:
            later.append(("", "20-29" if age < 30 else "30-49", "1" if town < 2 else "2-3", value))
            earlier.append(("", "20-39" if age < 40 else "40-49", "1-2" if town < 3 else "3", value))
    splits = compared(later, earlier, RECORDS).splits
    n_below = {each.columns: each.groups.n_below(5) for each in splits}
    assert n_below == {("age",): 0, ("sex",): 0, ("age", "sex"): 2}
    assert splits[-1].n_given_away == {"diagnosis": 2}
    finding = _one(_judged(measured(later, earlier, roles=RECORDS)), "release_boundaries")
    assert finding.verdict is Verdict.FAIL
    assert "cut `age`, `sex` at different places" in finding.message


def test_column__is_cut_differently_where_unequal_values_overlap() -> None:
    cases = """
        20-29 30-39 | 15-24 25-34 35-44 | yes
        [20,30) [30,40) | [20,25) [25,40) | yes
        20-30 30-40 | 20-35 35-40 | yes
        1-1 2-3 | 1-2 3-3 | yes
        <18 18-64 65+ | <21 ≥21 | yes
        12** 13** | 123* 124* 13** | yes
        120 123 130 | 12003 12345 13001 | yes
        2021 2022 | 2021-03 2022-04 | yes
        2021-Q1 2021-Q2 | 2021-03-01 2021-04-30 | yes
        20-29 30-39 | 20-29 30-39 40-49 | no
        north south | north east | no
        9 10 100 | 11 12 101 | no
        * 20-29 | 20-29 * | no
    """
    for case in cases.strip().splitlines():
        *releases, expected = case.split(" | ")
        one, other = (
            CodedTable(table=table([(f'"{value}"', "x") for value in each.split()], header=("a", "b")).table)
            for each in releases
        )
        assert aligned(one, other, "a").is_changed is (expected == "yes"), case


def test_coarser_release__is_compared_by_the_coarser_values() -> None:
    """5-year classes and then 10-year ones: newcomers are those of the latter, and nothing is split."""
    numbers = [20 + number % 40 for number in range(400)]
    found = compared([*_cut(numbers, 0, 10), ("n1", "20-29", "F", "flu")], _cut(numbers, 0, 5), RECORDS)
    assert (found.changed_columns, found.came.n, found.left.n) == (("age",), 1, 0)
    assert [each.groups.n_below(5) for each in found.splits] == [0]


def test_releases_that_spell_values_otherwise__are_compared_or_not_assessed() -> None:
    """Letter case and dashes are no other value; other words are, and leave differences not assessed."""
    later, earlier = _cumulative()
    shouted = [(name, age.replace("-", "–"), sex.lower(), value.upper()) for name, age, sex, value in later]
    audit = _judged(measured(shouted, earlier, roles=RECORDS))
    assert audit.measurement.compared[0].came.n_given_away == {"diagnosis": 17}
    few = [(f"p{at}", age, "F", value) for at, (age, value) in enumerate(product(AGES, DIAGNOSES))] * 6
    renamed = [(*row[:3], f"code {row[3]}") for row in few]  # any word may stand for any other
    (finding,) = _judged(measured(renamed, few, roles=RECORDS)).findings
    assert (finding.check, finding.verdict) == ("release_other_values", Verdict.NOT_ASSESSED)
    assert "of their own in `diagnosis`, such as `flu`, `asthma`, `cancer` and `code flu`" in finding.message
    sexes = {"F": "female", "M": "male"}
    bands = [(row[0], f"band {row[1][0]}", sexes[row[2]], row[3]) for row in _people(200)]
    audit = _judged(measured(_people(200, seed=1), bands, roles=RECORDS))
    assert _verdicts(audit) == {"release_other_values": Verdict.NOT_ASSESSED}


OTHER_WORDS = {"F": "ženska", "M": "moški", "flu": "gripa", "asthma": "astma", "cancer": "rak", "none": "nič"}
CODES = {"flu": "asthma", "asthma": "cancer", "cancer": "none", "none": "flu", "F": "M", "M": "F"}


@pytest.mark.parametrize("roles", [ROLES, RECORDS])
def test_renamed_words__are_the_same_where_counts_show_it(roles: Roles) -> None:
    """Another language, or the same codes in another order: what the newcomers have follows as before."""
    later, earlier = _cumulative()
    plain = measured(later, earlier, roles=roles)
    for column, words in product((2, 3), (OTHER_WORDS, CODES)):
        renamed = [(*row[:column], words.get(row[column], row[column]), *row[column + 1 :]) for row in later]
        found = measured(renamed, earlier, roles=roles)
        assert found.compared[0].came.n_given_away == plain.compared[0].came.n_given_away == {"diagnosis": 17}
        assert [each.column for each in found.compared[0].renamed] == [HEADER[column]]
        away = [[each.n_given_away for each in one.candidates.values()] for one in (found, plain)]
        assert away[0] == away[1]
        said = _one(_judged(found), "release_renamed")
        assert said.verdict is Verdict.PASS
        assert f"other words in `{HEADER[column]}`" in said.message


def test_other_people_of_other_words__are_not_taken_as_the_same() -> None:
    """Near miss: the words mean the same, and yet the people are others; nothing shows which are the same."""
    rng = np.random.default_rng(4)
    later, earlier = ([row for row in _people(700, seed=n) if rng.random() < 0.8] for n in (1, 2))
    renamed = [(*row[:2], OTHER_WORDS[row[2]], row[3]) for row in later]
    found = compared(renamed, earlier, RECORDS)
    assert (found.renamed, [each.column for each in found.own_words]) == ((), ["sex"])
    assert not found.is_comparable
    assert compared(later, earlier, RECORDS).renamed == ()


def test_ages_a_year_on__are_found_to_be_those_of_the_year_before() -> None:
    rng = np.random.default_rng(5)
    earlier = [(f"p{at}", str(rng.integers(20, 40)), *row[2:]) for at, row in enumerate(_people(2000))]
    later = [(row[0], str(int(row[1]) + 1), *row[2:]) for row in earlier] + [("n", "30", "F", "flu")]
    assert _judged(measured(later, earlier, roles=RECORDS)).overall is Verdict.FAIL
    assert compared(later, earlier, RECORDS).came.n == 1


def _older(n: int, n_new: int, *, years: int, seed: int = 5) -> tuple[list[Row], list[Row]]:
    """Return people of exact ages so many years on, half of them with as many others as said, and earlier."""
    rng = np.random.default_rng(seed)
    earlier = [(f"p{at}", str(rng.integers(20, 60)), *row[2:]) for at, row in enumerate(_people(n))]
    stayed = [(row[0], str(int(row[1]) + years), *row[2:]) for row in earlier]
    new = [(f"n{at}", str(rng.integers(20, 60)), *row[2:]) for at, row in enumerate(_people(n_new, seed=9))]
    return [*stayed, *new], earlier


@pytest.mark.parametrize(("years", "n_new"), [(1, 1500), (2, 600)])
def test_ages_years_on_with_many_newcomers__could_be_the_same_people(years: int, n_new: int) -> None:
    later, earlier = _older(1500, n_new, years=years)
    assert compared(later, earlier, RECORDS).shifted == ("age", years)
    assert _verdicts(_judged(measured(later, earlier, roles=RECORDS)))["release_of_others"] is Verdict.WARN
    for seed in range(5):
        others, before = _older(1500, 0, years=0, seed=seed)[1], _older(1500, 0, years=0, seed=seed + 10)[1]
        assert compared(others, before, RECORDS).shifted is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda rng, n: rng.normal(0, 60, n), ["income"]),
        (lambda rng, n: rng.laplace(0, 40, n), ["income"]),
        (lambda _, n: np.zeros(n), []),
        (lambda rng, n: rng.normal(25, 60, n), []),  # raises
        (lambda rng, n: rng.normal(0, 60, n) * (rng.random(n) < 0.3), []),  # few changed
        (lambda rng, n: rng.normal(0, 700, n), []),  # other incomes altogether
    ],
    ids="normal laplace same raised few_changed others".split(),
)
def test_noise_drawn_anew__is_a_warning_and_values_that_change_are_none(
    change: Callable[[np.random.Generator, int], np.ndarray], expected: list[str]
) -> None:
    """The income of 400 people is released twice."""
    rng, header = np.random.default_rng(3), (*HEADER, "income")
    income = rng.normal(3000, 500, 400)
    earlier, later = (
        [(*row, f"{value:.1f}") for row, value in zip(_people(400), values, strict=True)]
        for values in (income, income + change(rng, 400))
    )
    found = _against(
        later, EarlierTable(release="before", dataset=table(earlier, header=header)), header=header
    )
    assert [each.column for each in found.compared[0].redrawn] == expected
    assert _verdicts(_judged(found)).get("release_noise") in (None, Verdict.WARN)


# Figures


def _figures(later: list[Row], earlier: list[Row], roles: Roles = ROLES) -> dict[str, Figure]:
    return {each.measure: each for each in releases_figures(_judged(measured(later, earlier, roles=roles)))}


def test_figures__are_counts_of_counts_with_the_verdict_of_their_finding() -> None:
    figures = _figures(*_cumulative(), RECORDS)
    counts = {
        key: (round((each.value or 0) * (each.total or 0)), each.total) for key, each in figures.items()
    }
    assert counts == {"newcomers_below_k_share": (17, 30), "newcomers_value_share": (17, 30)}
    said = {(each.verdict, each.threshold, each.of) for each in figures.values()}
    assert said == {(Verdict.FAIL, "none allowed", "r0")}
    assert releases_figures(None) == ()
    people = _people(300)
    moved = [(row[0], AGES[AGES.index(row[1]) - 1], *row[2:]) if row[0] == "p3" else row for row in people]
    found = _figures(moved, people)
    assert (found["alike_below_k_share"].total, found["alike_below_k_share"].verdict) == (300, Verdict.FAIL)
    assert found["candidates_value_share"].of == "later.diagnosis"
    linked = _figures([(f"x{name}", *rest) for name, *rest in people], people)["relinked_share"]
    assert (linked.threshold, linked.verdict) == ("less than 5.0 %", Verdict.PASS)


# What cannot be compared


WITHOUT_SEX = ("pid", "age", "diagnosis")


def test_release__of_other_columns_of_something_else_and_the_same_one_are_named() -> None:
    later, earlier = _cumulative()
    before = table([row[:2] + row[3:] for row in earlier], name="r.csv", header=WITHOUT_SEX)
    audit = _judged(_against(later, EarlierTable(release="r", dataset=before), roles=RECORDS))
    assert _one(audit, "release_other_columns").message.startswith(
        "r has no `sex`: it was compared with `later`"
    )
    wards = EarlierTable(release="w", dataset=table([("1", "x")], name="w.csv", header=("ward", "name")))
    (other,) = _against(_people(10), wards).not_compared
    assert other.reason == "w: no table of this release has its columns; it was not compared."
    audit = _judged(measured(_people(100), list(reversed(_people(100)))))
    assert _verdicts(audit)["same_release"] is Verdict.WARN


def test_earlier_tables__stand_for_those_of_their_name_in_whatever_folder() -> None:
    """Two hospitals release the same columns: who came to the second is found beside its own table."""
    columns = table(_people(5)).columns
    tables = [ReleasedTable(name=each, dataset=table(_people(5)), roles=RECORDS) for each in ("one", "two")]
    for name in ("two.csv", "before/two.csv", "two"):
        assert table_for(name, columns, tables) is tables[1]
    assert table_for("before/three.csv", columns, tables) is tables[0]


# Ledgers

SALT = b"0123456789abcdef"


def _ledger(rows: list[Row], roles: Roles = ROLES) -> bytes:
    return new_ledger([ReleasedTable(name="later", dataset=table(rows), roles=roles)], k=5, salt=None)


def _read(rows: list[Row], roles: Roles = ROLES) -> Ledger:
    return read_ledger(_ledger(rows, roles), name="ledger.json")


@pytest.mark.slow
@tried(60)
@given(
    *[st.lists(st.tuples(*map(st.sampled_from, (("a", "b"), AGES, SEXES, (*DIAGNOSES, "")))), min_size=1)] * 2
)
def test_ledger__tells_what_its_release_tells(later: list[Row], earlier: list[Row]) -> None:
    by_table = compared(later, earlier, RECORDS)
    (by_ledger,) = _against(later, _read(earlier, RECORDS), roles=RECORDS).compared
    for one, other in ((by_ledger.came, by_table.came), (by_ledger.left, by_table.left)):
        assert (one.n, one.n_given_away) == (other.n, other.n_given_away)
        assert [one.groups.n_below(k) for k in range(9)] == [other.groups.n_below(k) for k in range(9)]
    assert by_ledger.overlap is not None
    assert by_table.overlap is not None
    assert by_ledger.overlap.is_sure == by_table.overlap.is_sure


def test_ledger__counts_persons_and_says_what_it_cannot() -> None:
    later, earlier = _cumulative()
    found = _against(later, _read([*earlier, *earlier]))
    audit = _judged(found)
    assert found.compared[0].n_earlier == 600
    assert "17 of 30 newcomers" in " ".join(each.message for each in audit.findings)
    assert _verdicts(audit)["release_by_ledger"] is Verdict.PASS


def test_ledger__holds_no_value_and_is_as_its_schema_says() -> None:
    data = _ledger(_people(100)).decode()
    values = (*AGES, *DIAGNOSES, "p1")  # three letters stand in a thousand drawn at random now and then
    assert not any((value if len(value) > 4 else f'"{value}"') in data for value in values)
    assert max(map(len, DIAGNOSES)) > 4
    document = json.loads(data)
    assert document["tables"][0]["counts"] == "person"
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/ledger.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    assert not Draft202012Validator(schema).is_valid(document | {"version": 1})


def test_ledger__holds_values_in_one_spelling() -> None:
    rows = [(f"p{n}", ("20-29", "60+")[n % 2], ("Female", "Male")[n // 2 % 2], "Flu A") for n in range(40)]
    otherwise = {"20-29": "20 – 29", "60+": "≥60", "Female": "FEMALE", "Male": "ｍale", "Flu A": "flu  a"}
    spelled = [(pid, *(otherwise[value] for value in rest)) for pid, *rest in rows]
    (found,) = _against(spelled, _read(rows)).compared
    assert found.is_same
    assert (found.came.n, found.left.n) == (0, 0)


def test_ledger_of_columns_that_are_gone__is_named() -> None:
    rows = [row[:2] + row[3:] for row in _people(50)]
    roles = Roles(quasi_identifiers=("age",), sensitive=("diagnosis",), person="pid")
    (gone,) = _against(rows, _read(_people(50)), roles=roles, header=WITHOUT_SEX).not_compared
    assert gone.reason == "ledger.json: it counts by `sex`, which `later` has not; it was not compared."


def test_ledger_saved_by_another_program__is_read_alike() -> None:
    released = [ReleasedTable(name=f"{n}", dataset=table(_people(50 + n)), roles=ROLES) for n in (1, 2)]
    whole = new_ledger(released, k=5)
    document = json.loads(whole)
    packed = document["tables"][1]["packed"]
    escaped = json.dumps(document).replace(packed, f"\\u{ord(packed[0]):04x}{packed[1:]}").encode()
    dense = json.dumps(document, separators=(",", ":")).encode()
    for data in (whole, json.dumps(document).encode(), dense, escaped, whole.decode().encode("utf-16")):
        ledger = read_ledger(data, name="l.json")
        assert [each.counts.n for each in ledger.tables] == [51, 52]
    for other in (f"{packed[:-9]}(0){packed[-6:]}", f"{packed[:9]}\n{packed[9:]}", "(0)", "(1)"):
        with pytest.raises(AuditInputError, match="changed after it was written"):
            read_ledger(whole.replace(packed.encode(), json.dumps(other)[1:-1].encode()), name="l.json")


def test_ledger_that_cannot_be_believed__is_one_sentence() -> None:
    whole = _ledger(_people(50))
    document = json.loads(whole)
    repacked = [document["tables"][0] | {"packed": ""}]
    for problem, data in (
        ("is no ledger, or was cut short", whole[: len(whole) // 2]),
        ("is no ledger of a release", b"[]"),
        ("is no ledger of a release", b'{"tool": "risk"}'),
        ("is a ledger of another version than 4", document | {"version": 3}),
        ("was changed after it was written", document | {"k": 11}),
        ("was changed after it was written", document | {"tables": repacked}),
        ("does not hold its salt; give it with --ledger-salt", document | {"salt": None}),
        ("was written with another salt", document | {"salt": base64.b64encode(SALT).decode()}),
    ):
        with pytest.raises(AuditInputError, match=f"^l.json {problem}") as caught:
            read_ledger(data if isinstance(data, bytes) else json.dumps(data).encode(), name="l.json")
        assert len(caught.value.problems) == 1
    with pytest.raises(AuditInputError, match="another salt"):
        read_ledger(whole, name="l.json", salt=SALT)


def test_salt_kept_apart__is_not_in_the_ledger_and_the_next_one_has_that_of_the_one_before() -> None:
    released = [ReleasedTable(name="later", dataset=table(_people(50)), roles=ROLES)]
    data = new_ledger(released, k=5, salt=SALT)
    assert json.loads(data)["salt"] is None
    assert read_ledger(data, name="l.json", salt=SALT).tables[0].counts.n == 50
    assert read_salt(SALT + b"\n", name="s") == SALT
    with pytest.raises(AuditInputError, match="at least 16 bytes"):
        read_salt(b"secret", name="s")
    before = _read(_people(60))
    assert read_ledger(new_ledger(released, k=5, earlier=[before]), name="m.json").salt == before.salt


# On the command line


def _write(path: Path, rows: Sequence[Row], header: Row = HEADER) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(",".join(row) for row in (header, *rows)) + "\n", encoding="utf-8")
    return path


_CHOSEN = ("--quasi-identifier", "age", "sex", "--sensitive", "diagnosis", "--person", "pid", "--k", "5")


def test_risk_command__fails_beside_an_earlier_file_and_beside_its_ledger(
    tmp_path: Path, capsys: Told
) -> None:
    later, earlier = _cumulative()
    one, other = _write(tmp_path / "january.csv", earlier), _write(tmp_path / "february.csv", later)
    ledger, broken = tmp_path / "ledger.json", tmp_path / "broken.json"
    assert main(["risk", str(one), *_CHOSEN, "--ledger", str(ledger)]) == 0
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    asked = ["risk", str(other), *_CHOSEN, "--earlier"]
    for before in (one, ledger):
        capsys.readouterr()
        assert main([*asked, str(before), "--json"]) == 1
        document = json.loads(capsys.readouterr().out)
        assert document["verdicts"]["Beyond the thresholds"] == "FAIL"
        assert document["earlier_releases"][0]["n_newcomers_given_away"] == 17
        (told,) = (each for each in document["releases_told"] if each["n_given_away"])
        assert (told["who"], told["attribute"], told["n_given_away"]) == ("newcomers", "diagnosis", 17)
    with pytest.raises(SystemExit):
        main(asked)
    capsys.readouterr()
    broken.write_text("{", encoding="utf-8")
    assert main([*asked, str(broken), str(one)]) == 2
    said = capsys.readouterr()
    assert said.err == Saying("error: broken.json is no ledger, or was cut short: …")
    assert "17 of 30 newcomers" in said.out


def test_report__names_the_earlier_release_and_its_command() -> None:
    later, earlier = _cumulative()
    asked = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",))
    before = [EarlierTable(release="january.csv", dataset=table(earlier))]
    audit = judge_risk(measure_risk(table(later), settings=asked, earlier=before), RiskThresholds(k=5))
    facts = [
        InputFacts(role=role, name=f"{name}.csv", n_bytes=1, sha256=name)
        for role, name in (("table", "june"), ("earlier release", "january"))
    ]
    report = risk_report(audit, inputs=facts, created_at=datetime(2026, 11, 22, tzinfo=UTC))
    assert "--earlier january.csv" in report.command
    page = render(report, "html").decode()
    assert "17 of 30 new records" in page
    assert "Earlier releases" in page
    assert json.loads(render(report, "json"))["earlier_releases"][0]["release"] == "january.csv"


@pytest.mark.slow
def test_dataset_command__holds_folders_and_ledgers_against_the_tables(tmp_path: Path, capsys: Told) -> None:
    january, february, ledger = (str(tmp_path / name) for name in ("january", "february", "ledger.json"))
    for month, rows in zip((february, january), _cumulative(), strict=True):
        _write(Path(month) / "persons.csv", rows)
        visits = [(row[0], "AB"[number % 2]) for number, row in enumerate(rows)]
        _write(Path(month) / "visits.csv", visits, ("pid", "ward"))
    assert main(["dataset", january, "--ledger", ledger]) == 0
    capsys.readouterr()
    assert main(["dataset", february, "--earlier", january, "--earlier", ledger, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["earlier_releases"]
    assert [each["table"] for each in found] == ["persons", "persons"]
    assert "ledger" in found[1]["release"]
    assert [each["n_newcomers_given_away"] for each in found] == [17, 17]
    assert main(["dataset", february, "--earlier", str(tmp_path / "none")]) == 2


def _month(folder: Path, persons: range) -> Path:
    """Write persons, a visit of each, and six tests of a visit, of kinds that many persons share."""
    _write(folder / "persons.csv", [(f"p{n}", "fm"[n % 2]) for n in persons], ("pid", "sex"))
    _write(folder / "visits.csv", [(f"v{n:05}", f"p{n}", "A") for n in persons], ("visit", "pid", "ward"))
    tests = [(f"v{n:05}", kind) for n in persons for kind in "ab" * 3]
    return _write(folder / "tests.csv", tests, ("visit", "kind")).parent


@pytest.mark.slow
def test_records_whose_person_another_table_names__are_counted_as_persons(
    tmp_path: Path, capsys: Told
) -> None:
    """Two newcomers have six tests of either kind: 12 records more, of two persons."""
    earlier, later = _month(tmp_path / "january", range(40)), _month(tmp_path / "february", range(42))
    ledger = tmp_path / "ledger.json"
    chosen = ("--quasi-identifier", "tests.kind", "--leave-out", "persons.sex", "visits.ward")
    assert main(["dataset", str(earlier), *chosen, "--ledger", str(ledger)]) == 0
    capsys.readouterr()
    assert main(["dataset", str(later), *chosen, "--earlier", str(earlier), str(ledger), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["earlier_releases"]
    keys = ("table", "counted", "n_earlier", "n_newcomers_below_k")
    told = [tuple(each[key] for key in keys) for each in found]
    assert told == [("tests", "persons", 40, 2), ("tests", "persons", 80, 4)]


def test_numbers_of_visits_that_stay__link_fresh_pseudonyms(tmp_path: Path, capsys: Told) -> None:
    """Nothing in the table of visits is known of anybody, and its numbers are the same in both releases."""
    folders = [tmp_path / month for month in ("january", "february")]
    for folder, letter in zip(folders, "ab", strict=True):
        names = [f"{letter}{n:04x}" for n in range(60)]
        _write(folder / "persons.csv", [(name, "fm"[n % 2]) for n, name in enumerate(names)], ("pid", "sex"))
        visits = [(f"{n * 7919 % 99991:06}", name) for n, name in enumerate(names)]
        _write(folder / "visits.csv", visits, ("visit", "pid"))
    assert main(["dataset", str(folders[1]), "--earlier", str(folders[0])]) == 1
    assert "60 of 60 persons (100 %) are found again by `visit`" in capsys.readouterr().out


def test_classes__that_do_not_fit_one_number_with_their_values_are_refused() -> None:
    keys = np.zeros(MOST_CLASSES + 1, np.uint64)
    assert len(ClassCounts(keys=keys[1:], counts=keys[1:].view(np.int64)).keys) == 16_777_216
    with pytest.raises(AuditInputError, match="more than 16,777,216 groups cannot be compared"):
        ClassCounts(keys=keys, counts=keys.view(np.int64))
