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
import pandas as pd
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
from core.releases.hashing import siphash
from core.releases.ranges import aligned
from core.releases.splits import _bounded, _Totals
from core.releases.views import releases_figures
from core.reports import InputFacts, render
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk, views
from core.tables import read_dataset
from core.verdict import Verdict
from tests.kinds import Told
from tests.releases_examples import HEADER, RECORDS, ROLES, Row, compared, measured, table
from tests.thorough import tried

AGES, SEXES = ("20-29", "30-39", "40-49", "50-59"), ("F", "M")
DIAGNOSES = ("flu", "asthma", "cancer", "none")


def _people(n: int, *, first: int = 0, seed: int = 0) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [
        (f"p{first + number}", AGES[rng.integers(4)], SEXES[rng.integers(2)], DIAGNOSES[rng.integers(4)])
        for number in range(n)
    ]


def _cumulative() -> tuple[list[Row], list[Row]]:
    """600 persons, and 30 newcomers: 17 in five classes of one diagnosis each, 13 in two of two."""
    earlier = _people(600)
    newcomers = [
        *[("20-29", "F", "flu")] * 4,
        *[("30-39", "F", "cancer")] * 4,
        *[("40-49", "F", "none")] * 3,
        *[("50-59", "F", "flu")] * 3,
        *[("20-29", "M", "asthma")] * 3,
        *[("30-39", "M", "flu"), ("30-39", "M", "asthma")] * 3,
        *[("40-49", "M", "flu"), ("40-49", "M", "none")] * 3,
        ("40-49", "M", "none"),
    ]
    return [*earlier, *((f"n{number}", *row) for number, row in enumerate(newcomers))], earlier


def _judged(measurement: ReleasesMeasurement, k: int = 5) -> ReleasesAudit:
    return judge_releases(measurement, k=k)


def _verdicts(audit: ReleasesAudit) -> dict[str, Verdict]:
    return {finding.check: finding.verdict for finding in audit.findings}


@pytest.mark.parametrize("roles", [ROLES, RECORDS])
def test_second_monthly_release__gives_17_of_30_newcomers_away(roles: Roles) -> None:
    """Each release is 11-anonymous and has all diagnoses in every class; their difference has not."""
    later, earlier = _cumulative()
    for rows in (later, earlier):
        alone = measure_risk(
            table(rows), settings=RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",))
        )
        assert judge_risk(alone, RiskThresholds(k=11)).verdict is Verdict.PASS
    audit = _judged(measured(later, earlier, roles=roles), k=5)
    assert audit.overall is Verdict.FAIL
    (away,) = [each for each in audit.findings if each.check == "release_newcomer_values"]
    assert away.n_affected == 17
    assert "17 of 30 new" in away.message
    (below,) = [each for each in audit.findings if each.check == "release_newcomers"]
    assert below.n_affected == 17
    assert away.remedy


def test_leavers__are_found_as_newcomers_are() -> None:
    later, earlier = _cumulative()
    audit = _judged(measured(earlier, later, roles=RECORDS))
    assert "17 of 30 records gone" in next(
        each.message for each in audit.findings if each.check == "release_leaver_values"
    )


def test_enough_newcomers_of_mixed_values__are_no_finding() -> None:
    earlier = _people(600)
    mixed = [("20-29", "F", DIAGNOSES[number % 4]) for number in range(12)]
    later = [*earlier, *((f"n{number}", *row) for number, row in enumerate(mixed))]
    for roles in (ROLES, RECORDS):
        audit = _judged(measured(later, earlier, roles=roles))
        assert _verdicts(audit) == {"releases": Verdict.PASS}


def test_releases_of_different_people__are_no_finding() -> None:
    """Two months of 2,000 different patients differ by chance; nobody is isolated by that."""
    later, earlier = _people(2000, first=5000, seed=1), _people(2000, seed=2)
    for roles in (ROLES, RECORDS):
        audit = _judged(measured(later, earlier, roles=roles))
        assert _verdicts(audit)["release_of_others"] is Verdict.PASS
        assert audit.overall is Verdict.PASS


def test_pseudonyms_counted_anew__are_not_the_same_people() -> None:
    """Numbers from 1 in both releases are equal and stand for others."""
    later = [(str(number), *row[1:]) for number, row in enumerate(_people(2000, seed=1))]
    earlier = [(str(number), *row[1:]) for number, row in enumerate(_people(2000, seed=2))]
    assert compared(later, earlier).n_common is None
    assert compared(later, earlier).has_fresh_pseudonyms
    assert compared(later, list(reversed(later))).n_common == 2000


def test_pseudonyms_that_are_equal_as_numbers__are_one_person_in_two_releases_and_two_in_one() -> None:
    people = [(f"{number:05}", *row[1:]) for number, row in enumerate(_people(300))]
    without_zeros = [(str(int(name)), *row) for name, *row in people]
    assert compared(without_zeros, people).n_common == 300
    with_letters = [("00e1", *people[0][1:]), ("0e44", *people[1][1:]), *people[2:]]
    found = compared(with_letters, with_letters)
    assert found.n_common == 300
    assert found.alike is not None
    assert not found.alike.groups.n_below(5)


def test_few_counts_that_differ__warn() -> None:
    """Four classes tell neither that the people are the same nor that they are others."""
    groups = [("20-29", "F"), ("20-29", "M"), ("30-39", "F"), ("30-39", "M")]
    earlier = [(f"p{n}", *groups[n % 4], ("flu", "none")[n // 4 % 2]) for n in range(80)]
    later = [("x", "20-29", "F", "none"), *earlier[4:]]
    audit = _judged(measured(later, earlier, roles=RECORDS))
    (finding,) = [each for each in audit.findings if each.verdict is not Verdict.PASS]
    assert finding.verdict is Verdict.WARN
    assert finding.message.endswith(
        "That is so if both hold the same people, which their counts do not tell."
    )


def test_classes_that_change_with_a_pseudonym__isolate_whom_they_part() -> None:
    """Of 20 persons aged 20-29, two are 30-39 a year later: who is in both groups is one of two."""
    earlier = [(f"p{n}", "20-29" if n < 20 else "30-39", "F", DIAGNOSES[n % 4]) for n in range(40)]
    later = [
        (name, "30-39" if name in ("p0", "p4") else age, sex, value) for name, age, sex, value in earlier
    ]
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


def _parts(
    first: Sequence[int], second: Sequence[int], *, n: int = 1200, shuffled: bool = True
) -> ReleasesMeasurement:
    """Release some columns of persons after others; regions and jobs leave two or so of one age together."""
    rng = np.random.default_rng(6)
    columns = ("pid", "age", "region", "job", "value", "diagnosis")
    people = [
        (
            f"p{at:05}",
            AGES[rng.integers(4)],
            f"r{rng.integers(12)}",
            f"j{rng.integers(12)}",
            f"{5 + at / 10007:.4f}",
            DIAGNOSES[rng.integers(4)],
        )
        for at in range(n)
    ]
    tables = [
        table(
            [
                tuple(people[row][each] for each in chosen)
                for row in (rng.permutation(n) if shuffled else range(n))
            ],
            header=[columns[each] for each in chosen],
        )
        for chosen in (second, first)
    ]
    quasi = tuple(columns[each] for each in second if each in (1, 2, 3))
    roles = Roles(
        quasi_identifiers=quasi,
        sensitive=("diagnosis",),
        person="pid" if 0 in first and 0 in second else None,
    ).common(tables[0].columns)
    released = ReleasedTable(name="later", dataset=tables[0], roles=roles)
    return measure_releases([released], [EarlierTable(release="r", dataset=tables[1])])


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
    fails = [
        each for each, verdict in found.items() if verdict is Verdict.FAIL and each != "release_alike_values"
    ]
    assert fails == ([] if check is None else [check])


def test_records_sorted_by_what_both_have__are_not_joined_by_their_order() -> None:
    rng = np.random.default_rng(7)
    people = sorted(
        (AGES[rng.integers(4)], SEXES[rng.integers(2)], f"j{rng.integers(12)}") for _ in range(900)
    )
    later = table(
        [(age, sex, f"r{rng.integers(12)}") for age, sex, _ in people], header=("age", "sex", "region")
    )
    earlier = table(people, header=("age", "sex", "job"))
    released = ReleasedTable(
        name="later", dataset=later, roles=Roles(quasi_identifiers=("age", "sex", "region"))
    )
    found = measure_releases([released], [EarlierTable(release="r", dataset=earlier)])
    assert found.compared[0].joined is None
    assert _judged(found).overall is Verdict.WARN  # the earlier one has no region, and is the same else


@pytest.mark.parametrize(
    ("n_new", "hidden", "expected"),
    [(1, None, Verdict.FAIL), (9, None, Verdict.PASS), (0, "*", Verdict.NOT_ASSESSED)],
)
def test_earlier_table_of_counts__stands_for_the_records_it_counts(
    n_new: int, hidden: str | None, expected: Verdict
) -> None:
    """Counts before, totals among them, and records now: one more of 20 to 29 is alone in the difference."""
    people = [row[1:] for row in _people(800)]
    counted = Counter(people)
    rows = [(*cell, str(n)) for cell, n in counted.items()] + [("Total", "Total", "Total", "800")]
    if hidden:
        rows[0] = (*rows[0][:-1], hidden)
    earlier = table(rows, header=(*HEADER[1:], "n"))
    new = [("20-29", "F", DIAGNOSES[at % 4]) for at in range(n_new)]
    later = ReleasedTable(name="later", dataset=table([*people, *new], header=HEADER[1:]), roles=RECORDS)
    audit = _judged(measure_releases([later], [EarlierTable(release="counts.csv", dataset=earlier)]))
    assert audit.overall is expected
    if expected is Verdict.FAIL:
        assert audit.measurement.compared[0].came.n_given_away == {"diagnosis": 1}


# Cuts


def _cut(numbers: list[int], start: int, width: int, form: str) -> list[Row]:
    def written(number: int) -> str:
        low = (number - start) // width * width + start
        if form == "interval":
            return f"{low}-{low + width - 1}"
        return f"[{low};{low + width})"

    return [(f"p{at}", written(number), "F", DIAGNOSES[at % 4]) for at, number in enumerate(numbers)]


@tried(60)
@given(
    st.lists(st.integers(0, 59), min_size=20, max_size=60),
    st.sampled_from([(0, 10), (0, 20), (0, 30)]),
    st.sampled_from([(0, 15), (-5, 10), (-10, 20), (0, 12)]),
    st.sampled_from(["interval", "brackets"]),
)
def test_parts_between_cuts__are_the_people_there(
    numbers: list[int], one: tuple[int, int], other: tuple[int, int], form: str
) -> None:
    """The literal count: who is between two neighbouring cuts that no one release has both of."""
    found = compared(_cut(numbers, *one, form), _cut(numbers, *other, form), RECORDS)
    cuts = [
        {end for low in ((n - start) // width * width + start for n in numbers) for end in (low, low + width)}
        for start, width in (one, other)
    ]
    holes = [
        {x for x in cuts[0] | cuts[1] if not any(low < x < low + width for low in mine)}
        for mine, width in (
            ({(n - start) // width * width + start for n in numbers}, width) for start, width in (one, other)
        )
    ]
    expected = []
    for low, high in pairwise(sorted(holes[0] | holes[1])):
        n = sum(low <= number < high for number in numbers)
        of_classes = [
            sum((n - start) // width == (low - start) // width for n in numbers)
            for start, width in (one, other)
        ]
        if 0 < n < min(of_classes):
            expected.append(n)
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


@tried(150)
@given(
    st.lists(
        st.tuples(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 2)),
        min_size=1,
        max_size=9,
        unique_by=lambda cell: cell[0],
    )
)
def test_settled_cells__are_those_that_all_tables_have(truth: list[tuple[tuple[int, int], int]]) -> None:
    cells = [cell for cell, _ in truth]
    rows, columns = ([sum(n for cell, n in truth if cell[at] == of) for of in range(4)] for at in (0, 1))
    row, column = (np.array([cell[at] for cell in cells]) for at in (0, 1))
    found = _bounded(
        *(_Totals(np.array(each), np.zeros(4, dtype=np.int64)) for each in (rows, columns)), row, column
    )
    fitting = list(zip(*_tables(rows, columns, cells), strict=True))
    assert found.least.tolist() == [min(ns) for ns in fitting]
    assert found.most.tolist() == [max(ns) for ns in fitting]
    assert not found.is_mixed.any()


@tried(150)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6, unique=True),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
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
    fitting = list(zip(*(table for table in within if sum(table) == most), strict=True))
    row, column = (np.array([cell[at] for cell in cells]) for at in (0, 1))
    part = np.zeros(3, dtype=np.int64)
    found = _bounded(_Totals(np.array(rows), part), _Totals(np.array(columns), part), row, column)
    assert found.least.tolist() == [min(ns) for ns in fitting]
    assert found.most.tolist() == [max(ns) for ns in fitting]
    assert found.is_mixed.tolist() == [most < min(sum(rows), sum(columns))] * len(cells)


def _recut(
    came: Sequence[tuple[int, str]] = (), left: Sequence[tuple[int, str]] = (), *, n_between: int = 2
) -> ReleasesMeasurement:
    """Cut ages at 20, 30, 40, 70 and at 15, 25, 35, 65; so many are 25 to 29, two of them with flu."""
    staying = [(20 + 10 * (at % 2), DIAGNOSES[at % 4]) for at in range(80)]
    staying += [(25, "flu" if n_between < 5 else DIAGNOSES[at % 4]) for at in range(n_between)]
    releases = [
        [(*_cut([age], start, 10, "interval")[0][:3], value) for age, value in people]
        for people, start in (((*staying, *came), 20), ((*staying, *left), 15))
    ]
    return measured(*releases, roles=RECORDS)


def _boundaries(measurement: ReleasesMeasurement) -> tuple[Verdict, int | None] | None:
    found = [each for each in _judged(measurement).findings if each.check == "release_boundaries"]
    return (found[0].verdict, found[0].n_affected) if found else None


@pytest.mark.parametrize(
    ("came", "left", "expected"),
    [
        ((), (), (Verdict.FAIL, 2)),
        ([(70, value) for value in DIAGNOSES * 3], (), (Verdict.FAIL, 2)),  # twelve came, elsewhere
        ([(30, "asthma")] * 6, (), (Verdict.FAIL, 2)),  # nobody of them has what those two have
        ((), [(20, "asthma")] * 6, (Verdict.FAIL, 2)),
        ([(20, "asthma")] * 6, (), None),  # six of them may lie there too
        ([(30, "flu")] * 6, (), (Verdict.WARN, 2)),  # two or fewer
        ([(20, "flu")] * 6, (), (Verdict.FAIL, 2)),  # two to eight, all of flu
        ([(70, "flu")] * 6, [(72, "asthma")] * 6, (Verdict.WARN, 2)),  # perhaps they are others
    ],
)
def test_cuts__tell_who_lies_between_them_though_others_came_or_left(
    came: Sequence[tuple[int, str]], left: Sequence[tuple[int, str]], expected: tuple[Verdict, int] | None
) -> None:
    assert _boundaries(_recut(came, left)) == expected
    assert _boundaries(_recut(came, left, n_between=30)) is None


def test_two_columns_cut_anew_at_once__part_whom_each_alone_leaves_together() -> None:
    """Two of 82 are in the middle of both columns; of each column alone there are 22 in the middle."""
    places = {(20, 1): 20, (30, 2): 2, (30, 3): 20, (40, 2): 20, (40, 3): 20}
    people = [
        (age, town, "flu" if (age, town) == (30, 2) else DIAGNOSES[number % 4])
        for (age, town), n in places.items()
        for number in range(n)
    ]
    later = [
        ("", "20-29" if age < 30 else "30-49", "1" if town < 2 else "2-3", value)
        for age, town, value in people
    ]
    earlier = [
        ("", "20-39" if age < 40 else "40-49", "1-2" if town < 3 else "3", value)
        for age, town, value in people
    ]
    splits = compared(later, earlier, RECORDS).splits
    assert {each.columns: each.groups.n_below(5) for each in splits} == {
        ("age",): 0,
        ("sex",): 0,
        ("age", "sex"): 2,
    }
    assert splits[-1].n_given_away == {"diagnosis": 2}
    audit = _judged(measured(later, earlier, roles=RECORDS))
    (finding,) = [each for each in audit.findings if each.check == "release_boundaries"]
    assert finding.verdict is Verdict.FAIL
    assert "cut `age`, `sex` at different places" in finding.message


@pytest.mark.parametrize(
    ("later", "earlier", "share"),
    [
        (["20-29", "30-39"], ["15-24", "25-34", "35-44"], True),
        (["[20,30)", "[30,40)"], ["[20,25)", "[25,40)"], True),
        (["20-30", "30-40"], ["20-35", "35-40"], True),
        (["1-1", "2-3"], ["1-2", "3-3"], True),
        (["<18", "18-64", "65+"], ["<21", "≥21"], True),
        (["12**", "13**"], ["123*", "124*", "13**"], True),
        (["120", "123", "130"], ["12003", "12345", "13001"], True),
        (["2021", "2022"], ["2021-03", "2022-04"], True),
        (["2021-Q1", "2021-Q2"], ["2021-03-01", "2021-04-30"], True),
        (["20-29", "30-39"], ["20-29", "30-39", "40-49"], False),
        (["north", "south"], ["north", "east"], False),
        (["9", "10", "100"], ["11", "12", "101"], False),
        (["*", "20-29"], ["20-29", "*"], False),
    ],
)
def test_column__is_cut_differently_where_unequal_values_overlap(
    later: list[str], earlier: list[str], share: bool
) -> None:
    one, other = (
        CodedTable(table=table([(f'"{value}"', "x") for value in values], header=("a", "b")).table)
        for values in (later, earlier)
    )
    assert aligned(one, other, "a").is_changed is share


def test_coarser_release__is_compared_by_the_coarser_values() -> None:
    """5-year classes and then 10-year ones: newcomers are those of the latter, and nothing is split."""
    numbers = [20 + number % 40 for number in range(400)]
    earlier = _cut(numbers, 0, 5, "interval")
    later = [*_cut(numbers, 0, 10, "interval"), ("n1", "20-29", "F", "flu")]
    found = compared(later, earlier, RECORDS)
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
    assert (
        "words of their own in `diagnosis`, such as `flu`, `asthma`, `cancer` and `code flu`"
        in finding.message
    )


OTHER_WORDS = {
    "F": "ženska",
    "M": "moški",
    "flu": "gripa",
    "asthma": "astma",
    "cancer": "rak",
    "none": "nič",
    "20-29": "dvajset",
    "30-39": "trideset",
    "40-49": "štirideset",
}
CODES = {"flu": "asthma", "asthma": "cancer", "cancer": "none", "none": "flu", "F": "M", "M": "F"}


@pytest.mark.parametrize("column", [2, 3])
@pytest.mark.parametrize("words", [OTHER_WORDS, CODES])
@pytest.mark.parametrize("roles", [ROLES, RECORDS])
def test_renamed_words__are_the_same_where_counts_show_it(
    column: int, words: dict[str, str], roles: Roles
) -> None:
    """Another language, or the same codes in another order: what the newcomers have follows as before."""
    later, earlier = _cumulative()
    renamed = [(*row[:column], words.get(row[column], row[column]), *row[column + 1 :]) for row in later]
    plain, found = (measured(each, earlier, roles=roles) for each in (later, renamed))
    assert found.compared[0].came.n_given_away == plain.compared[0].came.n_given_away == {"diagnosis": 17}
    assert [each.column for each in found.compared[0].renamed] == [HEADER[column]]
    assert [each.n_given_away for each in found.candidates.values()] == [
        each.n_given_away for each in plain.candidates.values()
    ]
    said = [each for each in _judged(found).findings if each.check == "release_renamed"]
    assert [each.verdict for each in said] == [Verdict.PASS]
    assert f"other words in `{HEADER[column]}`" in said[0].message


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


def _measured_twice(change: Callable[[np.random.Generator, int], np.ndarray], n: int = 400) -> Sequence[str]:
    """Return the columns that seem to have noise drawn anew, of an income released twice."""
    rng = np.random.default_rng(3)
    income = rng.normal(3000, 500, n)
    people = _people(n)
    header = (*HEADER, "income")
    frames = [
        pd.DataFrame(
            [(*row, f"{value:.1f}") for row, value in zip(people, values, strict=True)], columns=header
        )
        for values in (income, income + change(rng, n))
    ]
    earlier, later = (read_dataset(frame.to_csv(index=False).encode(), name="table.csv") for frame in frames)
    found = measure_releases(
        [ReleasedTable(name="table", dataset=later, roles=ROLES)],
        [EarlierTable(release="before", dataset=earlier)],
    )
    assert _verdicts(judge_releases(found, k=5)).get("release_noise") in (None, Verdict.WARN)
    return [each.column for each in found.compared[0].redrawn]


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
    assert _measured_twice(change) == expected


# Figures


def test_figures__are_counts_of_counts_with_the_verdict_of_their_finding() -> None:
    later, earlier = _cumulative()
    audit = _judged(measured(later, earlier, roles=RECORDS))
    figures = {figure.measure: figure for figure in releases_figures(audit)}
    assert {
        key: (round((each.value or 0) * (each.total or 0)), each.total) for key, each in figures.items()
    } == {"newcomers_below_k_share": (17, 30), "newcomers_value_share": (17, 30)}
    assert {(each.verdict, each.threshold, each.of) for each in figures.values()} == {
        (Verdict.FAIL, "none allowed", "r0")
    }
    assert releases_figures(None) == ()


def test_figures__of_releases_with_pseudonyms_and_without() -> None:
    people = _people(300)
    moved = [
        (name, AGES[AGES.index(age) - 1] if name == "p3" else age, sex, value)
        for name, age, sex, value in people
    ]
    found = {each.measure: each for each in releases_figures(_judged(measured(moved, people)))}
    assert found["alike_below_k_share"].total == 300
    assert found["alike_below_k_share"].verdict is Verdict.FAIL
    assert found["candidates_value_share"].of == "later.diagnosis"
    fresh = [(f"x{name}", *rest) for name, *rest in people]
    linked = {each.measure: each for each in releases_figures(_judged(measured(fresh, people)))}
    assert linked["relinked_share"].threshold == "less than 5.0 %"
    assert linked["relinked_share"].verdict is Verdict.PASS


# What cannot be compared


def test_release_with_other_columns__is_compared_by_the_common_ones() -> None:
    later, earlier = _cumulative()
    before = table([row[:2] + row[3:] for row in earlier], name="r.csv", header=("pid", "age", "diagnosis"))
    released = ReleasedTable(name="later", dataset=table(later), roles=RECORDS)
    audit = _judged(measure_releases([released], [EarlierTable(release="r", dataset=before)]))
    (finding,) = [each for each in audit.findings if each.check == "release_other_columns"]
    assert finding.message == ("r has no `sex`: it was compared with `later` by the other quasi-identifiers.")


def test_release_of_other_categories__is_not_assessed() -> None:
    rows = _people(200)
    renamed = [(row[0], f"band {row[1][0]}", {"F": "female", "M": "male"}[row[2]], row[3]) for row in rows]
    audit = _judged(measured(_people(200, seed=1), renamed, roles=RECORDS))
    assert _verdicts(audit) == {"release_other_values": Verdict.NOT_ASSESSED}


def test_earlier_tables__stand_for_those_of_their_name_in_whatever_folder() -> None:
    """Two hospitals release the same columns: who came to the second is found beside its own table."""
    columns = table(_people(5)).columns
    tables = [ReleasedTable(name=each, dataset=table(_people(5)), roles=RECORDS) for each in ("one", "two")]
    for name in ("two.csv", "before/two.csv", "two"):
        assert table_for(name, columns, tables) is tables[1]
    assert table_for("before/three.csv", columns, tables) is tables[0]


def test_table_of_something_else__is_named() -> None:
    released = ReleasedTable(name="later", dataset=table(_people(10)), roles=ROLES)
    wards = EarlierTable(release="w", dataset=table([("1", "x")], name="w.csv", header=("ward", "name")))
    found = measure_releases([released], [wards])
    assert [each.reason for each in found.not_compared] == [
        "w: no table of this release has its columns; it was not compared."
    ]


def test_same_release__is_said_once() -> None:
    audit = _judged(measured(_people(100), list(reversed(_people(100)))))
    assert _verdicts(audit)["same_release"] is Verdict.WARN


# Ledgers

SALT = b"0123456789abcdef"


def _ledger(rows: list[Row], roles: Roles = ROLES) -> bytes:
    return new_ledger([ReleasedTable(name="later", dataset=table(rows), roles=roles)], k=5, salt=None)


@tried(60)
@given(
    *[st.lists(st.tuples(*map(st.sampled_from, (("a", "b"), AGES, SEXES, (*DIAGNOSES, "")))), min_size=1)] * 2
)
def test_ledger__tells_what_its_release_tells(later: list[Row], earlier: list[Row]) -> None:
    by_table = compared(later, earlier, RECORDS)
    ledger = read_ledger(_ledger(earlier, RECORDS), name="ledger.json")
    released = ReleasedTable(name="later", dataset=table(later), roles=RECORDS)
    (by_ledger,) = measure_releases([released], [ledger]).compared
    for one, other in ((by_ledger.came, by_table.came), (by_ledger.left, by_table.left)):
        assert one.n == other.n
        assert one.n_given_away == other.n_given_away
        assert [one.groups.n_below(k) for k in range(9)] == [other.groups.n_below(k) for k in range(9)]
    assert by_ledger.overlap is not None
    assert by_table.overlap is not None
    assert by_ledger.overlap.is_sure == by_table.overlap.is_sure


def test_ledger__counts_persons_and_says_what_it_cannot() -> None:
    later, earlier = _cumulative()
    released = ReleasedTable(name="later", dataset=table(later), roles=ROLES)
    found = measure_releases([released], [read_ledger(_ledger([*earlier, *earlier]), name="ledger.json")])
    audit = _judged(found)
    assert found.compared[0].n_earlier == 600
    assert "17 of 30 newcomers" in " ".join(each.message for each in audit.findings)
    assert _verdicts(audit)["release_by_ledger"] is Verdict.PASS


def test_ledger__holds_no_value() -> None:
    data = _ledger(_people(100)).decode()
    values = (*AGES, *DIAGNOSES, "p1")  # three letters stand in a thousand drawn at random now and then
    assert not any((value if len(value) > 4 else f'"{value}"') in data for value in values)
    assert max(map(len, DIAGNOSES)) > 4
    assert json.loads(data)["tables"][0]["counts"] == "person"


def test_ledger__is_as_its_schema_says() -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/ledger.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    document = json.loads(_ledger(_people(20)))
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    assert not Draft202012Validator(schema).is_valid(document | {"version": 1})


def test_ledger_of_the_first_version__is_read_still() -> None:
    """It was written of these rows by the code of version 1."""
    rows: list[Row] = [
        (f"p{n}", ("20-29", "30-39")[n % 2], ("F", "M", "")[n % 3], ("flu", "none\x1f", "")[n % 5 % 3])
        for n in range(24)
    ]
    ledger = read_ledger(Path(__file__).with_name("first_ledger.json").read_bytes(), name="l.json", salt=SALT)
    again = read_ledger(_ledger(rows), name="m.json")
    for later in (rows, rows[3:], [*rows, ("q", "20-29", "F", "none")]):
        released = ReleasedTable(name="later", dataset=table(later), roles=ROLES)
        old, new = measure_releases([released], [ledger, again]).compared
        assert (old.came.n, old.left.n, old.is_same) == (new.came.n, new.left.n, new.is_same)
        assert (old.came.n_given_away, old.overlap) != (None, None)
        assert vars(old.overlap) == vars(new.overlap)
        assert (old.came.n_given_away, old.left.n_given_away) == (
            new.came.n_given_away,
            new.left.n_given_away,
        )


def test_ledger_of_the_second_version__is_read_still() -> None:
    """It was written of the same rows by the code of version 2, which told spellings apart."""
    ledger = read_ledger(
        Path(__file__).with_name("second_ledger.json").read_bytes(), name="l.json", salt=SALT
    )
    rows: list[Row] = [
        (f"p{n}", ("20-29", "30-39")[n % 2], ("F", "M", "")[n % 3], ("flu", "none\x1f", "")[n % 5 % 3])
        for n in range(24)
    ]
    spelled = [(pid, age, sex.lower(), diagnosis) for pid, age, sex, diagnosis in rows]
    for later, is_same in ((rows, True), (spelled, False)):
        released = ReleasedTable(name="later", dataset=table(later), roles=ROLES)
        (found,) = measure_releases([released], [ledger]).compared
        assert found.is_same is is_same


def test_ledger__holds_values_in_one_spelling() -> None:
    rows = [(f"p{n}", ("20-29", "60+")[n % 2], ("Female", "Male")[n // 2 % 2], "Flu A") for n in range(40)]
    otherwise = {"20-29": "20 – 29", "60+": "≥60", "Female": "FEMALE", "Male": "ｍale", "Flu A": "flu  a"}
    spelled = [(pid, *(otherwise[value] for value in rest)) for pid, *rest in rows]
    released = ReleasedTable(name="later", dataset=table(spelled), roles=ROLES)
    (found,) = measure_releases([released], [read_ledger(_ledger(rows), name="ledger.json")]).compared
    assert found.is_same
    assert (found.came.n, found.left.n) == (0, 0)


def test_siphash__is_the_papers() -> None:
    """Aumasson and Bernstein, appendix A: 15 bytes from 0 on; and their reference code's list at 0 and 8."""
    key = bytes(range(16))
    words = [np.array([int.from_bytes(bytes(range(8)), "little")], dtype=np.uint64)]
    rest = int.from_bytes(bytes(range(8, 15)) + bytes([15]), "little")
    assert siphash(words, key, rest=rest).tolist() == [0xA129CA6149BE45E5]
    assert siphash(words, key).tolist() == [0x93F5F5799A932462]


def test_ledger_of_columns_that_are_gone__is_named() -> None:
    ledger = read_ledger(_ledger(_people(50)), name="ledger.json")
    rows = table([row[:2] + row[3:] for row in _people(50)], header=("pid", "age", "diagnosis"))
    roles = Roles(quasi_identifiers=("age",), sensitive=("diagnosis",), person="pid")
    found = measure_releases([ReleasedTable(name="later", dataset=rows, roles=roles)], [ledger])
    assert [each.reason for each in found.not_compared] == [
        "ledger.json: it counts by `sex`, which `later` has not; it was not compared."
    ]


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
    edited = document | {"k": 11}
    repacked = document | {"tables": [document["tables"][0] | {"packed": ""}]}
    kept_apart = document | {"salt": None}
    cases = {
        whole[: len(whole) // 2]: "l.json is no ledger, or was cut short: it is not whole JSON.",
        b"[]": "l.json is no ledger of a release.",
        b'{"tool": "risk"}': "l.json is no ledger of a release.",
        json.dumps(document | {"version": 4}).encode(): "l.json is a ledger of another version than 3; give "
        "the earlier release itself.",
        json.dumps(
            edited
        ).encode(): "l.json was changed after it was written; its counts cannot be believed.",
        json.dumps(
            repacked
        ).encode(): "l.json was changed after it was written; its counts cannot be believed.",
        json.dumps(kept_apart).encode(): "l.json does not hold its salt; give it with --ledger-salt.",
        json.dumps(document | {"salt": base64.b64encode(SALT).decode()}).encode(): "l.json was written with "
        "another salt.",
    }
    for data, sentence in cases.items():
        with pytest.raises(AuditInputError) as caught:
            read_ledger(data, name="l.json")
        assert caught.value.problems == (sentence,)
    with pytest.raises(AuditInputError, match="another salt"):
        read_ledger(whole, name="l.json", salt=SALT)


def test_salt_kept_apart__is_not_in_the_ledger() -> None:
    released = [ReleasedTable(name="later", dataset=table(_people(50)), roles=ROLES)]
    data = new_ledger(released, k=5, salt=SALT)
    assert json.loads(data)["salt"] is None
    assert read_ledger(data, name="l.json", salt=SALT).tables[0].counts.n == 50
    assert read_salt(SALT + b"\n", name="s") == SALT
    with pytest.raises(AuditInputError, match="at least 16 bytes"):
        read_salt(b"secret", name="s")


def test_next_ledger__has_the_salt_of_the_one_before() -> None:
    before = read_ledger(_ledger(_people(50)), name="l.json")
    released = [ReleasedTable(name="later", dataset=table(_people(60)), roles=ROLES)]
    assert read_ledger(new_ledger(released, k=5, earlier=[before]), name="m.json").salt == before.salt


# On the command line


def _write(path: Path, rows: list[Row]) -> Path:
    path.write_text("\n".join(",".join(row) for row in (HEADER, *rows)) + "\n", encoding="utf-8")
    return path


_CHOSEN = ("--quasi-identifier", "age", "sex", "--sensitive", "diagnosis", "--person", "pid", "--k", "5")


def test_risk_command__fails_beside_an_earlier_file_and_beside_its_ledger(
    tmp_path: Path, capsys: Told
) -> None:
    later, earlier = _cumulative()
    one, other = _write(tmp_path / "january.csv", earlier), _write(tmp_path / "february.csv", later)
    ledger = tmp_path / "ledger.json"
    assert main(["risk", str(one), *_CHOSEN, "--ledger", str(ledger)]) == 0
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    for before in (one, ledger):
        capsys.readouterr()
        assert main(["risk", str(other), *_CHOSEN, "--earlier", str(before), "--json"]) == 1
        document = json.loads(capsys.readouterr().out)
        assert document["exposure_verdict"] == "FAIL"
        assert document["releases"]["compared"][0]["newcomers"]["n_given_away"] == {"diagnosis": 17}
    with pytest.raises(SystemExit):
        main(["risk", str(other), *_CHOSEN, "--earlier"])


def test_risk_command__names_an_earlier_file_that_cannot_be_read_and_goes_on(
    tmp_path: Path, capsys: Told
) -> None:
    later, earlier = _cumulative()
    one, other = _write(tmp_path / "january.csv", earlier), _write(tmp_path / "february.csv", later)
    broken = tmp_path / "ledger.json"
    broken.write_text("{", encoding="utf-8")
    assert main(["risk", str(other), *_CHOSEN, "--earlier", str(broken), str(one)]) == 2
    said = capsys.readouterr()
    assert said.err == "error: ledger.json is no ledger, or was cut short: it is not whole JSON.\n"
    assert "17 of 30 newcomers" in said.out


def test_report__names_the_earlier_release_and_its_command(tmp_path: Path) -> None:
    later, earlier = _cumulative()
    measurement = measure_risk(
        table(later),
        settings=RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",)),
        earlier=[EarlierTable(release="january.csv", dataset=table(earlier))],
    )
    audit = judge_risk(measurement, RiskThresholds(k=5))
    facts = [
        InputFacts(role=role, name=f"{name}.csv", n_bytes=1, sha256=name)
        for role, name in (("table", "june"), ("earlier release", "january"))
    ]
    report = views.risk_report(audit, inputs=facts, created_at=datetime(2026, 11, 22, tzinfo=UTC))
    assert "--earlier january.csv" in report.command
    page = render(report, "html").decode()
    assert "17 of 30 new records" in page
    assert "Earlier releases" in page
    result = json.loads(render(report, "json"))["result"]
    assert result["releases"]["verdict"] == "FAIL"


def test_dataset_command__holds_folders_and_ledgers_against_the_tables(tmp_path: Path, capsys: Told) -> None:
    later, earlier = _cumulative()
    for month, rows in (("january", earlier), ("february", later)):
        (tmp_path / month).mkdir()
        _write(tmp_path / month / "persons.csv", rows)
        visits = "\n".join(f"{row[0]},{'AB'[number % 2]}" for number, row in enumerate(rows))
        (tmp_path / month / "visits.csv").write_text(f"pid,ward\n{visits}\n", encoding="utf-8")
    ledger = str(tmp_path / "ledger.json")
    january, february = str(tmp_path / "january"), str(tmp_path / "february")
    assert main(["dataset", january, "--ledger", ledger]) == 0
    capsys.readouterr()
    assert main(["dataset", february, "--earlier", january, "--earlier", ledger, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    compared_ = document["releases"]["compared"]
    assert [(each["table"], each["is_ledger"]) for each in compared_] == [
        ("persons", False),
        ("persons", True),
    ]
    assert [each["newcomers"]["n_given_away"] for each in compared_] == [{"diagnosis": 17}] * 2
    assert main(["dataset", february, "--earlier", str(tmp_path / "none")]) == 2


def _month(folder: Path, persons: range, *, hospitals: bool = False) -> Path:
    """Write persons, a visit of each, and six tests of a visit, of kinds that many persons share."""
    folder.mkdir()
    rows = [(f"{'p' if not hospitals else ''}{n}", f"v{n:05}", "new" if n >= 40 else "old") for n in persons]
    tables = {
        "persons.csv": ["pid,sex", *(f"{pid},{'fm'[int(vid[1:]) % 2]}" for pid, vid, _ in rows)],
        "visits.csv": ["visit,pid,ward", *(f"{vid},{pid},A" for pid, vid, _ in rows)],
        "tests.csv": [
            "visit,kind",
            *(f"{vid},{kind}" for n, (_, vid, _) in enumerate(rows) for kind in "ab" * 3),
        ],
    }
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_records_whose_person_another_table_names__are_counted_as_persons(
    tmp_path: Path, capsys: Told
) -> None:
    """Two newcomers have six tests of either kind: 12 records more, of two persons."""
    earlier, later = _month(tmp_path / "january", range(40)), _month(tmp_path / "february", range(42))
    ledger = tmp_path / "ledger.json"
    chosen = ("--quasi-identifier", "tests.kind", "--leave-out", "persons.sex", "visits.ward")
    assert main(["dataset", str(earlier), *chosen, "--ledger", str(ledger)]) == 0
    capsys.readouterr()
    call = ["dataset", str(later), *chosen, "--earlier", str(earlier), str(ledger), "--json"]
    assert main(call) == 1
    found = json.loads(capsys.readouterr().out)["releases"]["compared"]
    assert [(each["table"], each["counts"], each["n_earlier"]) for each in found] == [
        ("tests", "person", 40),
        ("tests", "person", 80),
    ]
    assert [each["newcomers"]["n_below_k"] for each in found] == [2, 4]


def test_numbers_of_visits_that_stay__link_fresh_pseudonyms(tmp_path: Path, capsys: Told) -> None:
    """Nothing in the table of visits is known of anybody, and its numbers are the same in both releases."""
    folders = [tmp_path / month for month in ("january", "february")]
    for folder, letter in zip(folders, "ab", strict=True):
        folder.mkdir()
        persons = [f"{letter}{n:04x},{'fm'[n % 2]}" for n in range(60)]
        visits = [f"{n * 7919 % 99991:06},{person.split(',')[0]}" for n, person in enumerate(persons)]
        for name, lines in (("persons", ["pid,sex", *persons]), ("visits", ["visit,pid", *visits])):
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["dataset", str(folders[1]), "--earlier", str(folders[0])]) == 1
    assert "60 of 60 persons (100 %) are found again by `visit`" in capsys.readouterr().out


def test_classes__that_do_not_fit_one_number_with_their_values_are_refused() -> None:
    keys = np.zeros(MOST_CLASSES + 1, np.uint64)
    assert len(ClassCounts(keys=keys[1:], counts=keys[1:].view(np.int64)).keys) == 16_777_216
    with pytest.raises(AuditInputError, match="more than 16,777,216 classes cannot be compared"):
        ClassCounts(keys=keys, counts=keys.view(np.int64))
