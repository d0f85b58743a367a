"""Tables of counts: small cells, bounds of suppressed ones, differences, full cells, dominance."""

import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.counts import (
    Bounds,
    CountsAudit,
    CountThresholds,
    audit_counts,
    bounds_of,
    cell_names,
    looks_like_counts,
    measure_together,
    propose_suppression,
    read_cube,
)
from core.counts.bands import band
from core.counts.bounds import _least
from core.counts.cube import Cube, subtotals_of
from core.counts.measuring import dominated_cells
from core.counts.result import TOOL, counts_result
from core.reports.as_text import lines_of
from core.verdict import Verdict
from tests.cases.table import holds_for_each
from tests.kinds import Patch, Told
from tests.one_json import document_of, figures_of
from tests.risk_examples import problems, table, tells
from tests.saying import Saying

GRID = (("A", (20, 50, 10, 20)), ("B", (8, 19, 22, 1)), ("C", (17, 32, 12, 39)))


def _table(grid: object = GRID, *, totals: bool = True, suppressed: object = ()) -> str:
    """Return a table in two dimensions as text, with its margins or without."""
    rows, columns = dict(grid), "wxyz"  # type: ignore[call-overload]
    cells = {
        (name, column): n for name, counts in rows.items() for column, n in zip(columns, counts, strict=False)
    }
    if totals:
        for name, counts in rows.items():
            cells[name, "Total"] = sum(counts)
        for place, column in enumerate(columns[: len(next(iter(rows.values())))]):
            cells["Total", column] = sum(counts[place] for counts in rows.values())
        cells["Total", "Total"] = sum(map(sum, rows.values()))
    lines = [f"{a},{b},{'*' if (a, b) in suppressed else n}" for (a, b), n in cells.items()]  # type: ignore[operator]
    return "\n".join(["region,sector,n", *lines]) + "\n"


_read = partial(table, name="counts.csv")


def _cube(text: str, dimensions: str = "region,sector") -> Cube:
    return read_cube(_read(text).table, dimensions.split(","), "n")


def _audit(text: str, dimensions: str = "region,sector", **further: object) -> CountsAudit:
    return audit_counts(_read(text), **{"counts": ["n"], "dimensions": dimensions.split(","), **further})  # type: ignore[arg-type]


def _checks(audit: CountsAudit) -> list[str]:
    return [each.check for each in audit.findings]


SMALL = (("A", (20, 50)), ("B", (8, 19)))
SQUARE = (("A", "w"), ("A", "x"), ("B", "w"), ("B", "x"))
ALONE = [("B", "z")]
ENOUGH = "PASS: The totals leave each suppressed count of `n` at least 5 values."


def test_small_counts__fail_and_a_suppression_that_holds_is_proposed() -> None:
    audit = _audit(_table())
    assert _checks(audit) == ["small_counts", "suppression"]
    tells(
        audit,
        small_counts="FAIL: 1 of 20 (5.0 %) counts of `n` are from 1 to 4: ",
        suppression="PASS: Suppressing 1 small count and 3 other counts is enough: … 5 values.",
    )
    (made,) = audit.suppressions
    again = bounds_of(audit.measured[0].cube.with_suppressed([*made.primary, *made.secondary]))
    assert all(each.n_values >= 5 for each in again.bounds.values())
    without = _audit(_table(SMALL))
    assert (without.overall.value, _checks(without)) == ("PASS", ["small_counts"])
    tells(without, small_counts="PASS: No count of `n` that is shown is from 1 to 4; 0 are 0.")
    cannot_hold = "WARN: No suppression of cells of `n` was found"
    tells(_audit(_table((("A", (2,)), ("B", (40,))))), suppression=cannot_hold)


def test_suppressed_count__that_totals_give_back_fails() -> None:
    follow = "FAIL: Suppressed counts of `n` that follow from the totals … 1 of 1 (100 %)."
    tells(_audit(_table(suppressed=ALONE)), recoverable_counts=follow)
    tells(_audit(_table(totals=False, suppressed=ALONE)), recoverable_counts=ENOUGH)
    square = [("B", "z"), ("B", "w"), ("A", "z"), ("A", "w")]
    tells(_audit(_table(suppressed=square)), recoverable_counts="PASS")


def _of_suppressed(total: int, *, mark: str = "*", shown: int = 90) -> str:
    """Return three suppressed counts that sum up to a total, beside one that is shown."""
    cells = {"a": mark, "b": mark, "c": mark, "d": shown, "Total": shown + total}
    return "age,n\n" + "".join(f"{age},{n}\n" for age, n in cells.items())


def test_suppressed_counts__are_judged_by_what_follows_for_each() -> None:
    surely = (
        "FAIL: Suppressed counts of `n` that are surely from 0 to {}, by the totals and the other cells, "
    )
    rows = (("A", (1, 2, 30)), ("B", (2, 1, 30)))
    tells(_audit(_table(rows, suppressed=SQUARE)), narrow_counts=surely.format(3))
    for text, least, most in (
        (_of_suppressed(6), 10, 6),
        (_of_suppressed(3), 5, 3),
        (_of_suppressed(3, mark="<5"), 5, 3),
    ):
        limits = CountThresholds(least=least)
        tells(_audit(text, "age", thresholds=limits), narrow_counts=surely.format(most))
    for text, least in ((_of_suppressed(6), 5), (_of_suppressed(12), 10), (_of_suppressed(6, mark="<5"), 5)):
        limits = CountThresholds(least=least)
        tells(_audit(text, "age", thresholds=limits), narrow_counts=None, recoverable_counts="PASS")


ROUNDED = [5 * n for n in (17, 9, 31, 52, 8, 27, 44, 12, 23, 61, 19, 38, 5, 90)]


@pytest.mark.parametrize(
    ("counts", "base", "n_others"),
    [
        ([*ROUNDED, 287], 5, 1),
        ([*(2 * n for n in ROUNDED), 33], 10, 1),
        ([3 * n + 3 * (n % 5 == 0) for n in range(9, 60, 2)] + [100, 200], 3, 2),
        (ROUNDED, 5, 0),
        ([n + 1 for n in ROUNDED], None, 0),
        ([65] * 40 + [66], None, 0),
        ([10, 20, 30, 40, 7], None, 0),  # too few to tell
        ([*range(7, 90, 4)], None, 0),
    ],
)
def test_counts__that_are_no_multiples_among_rounded_ones_are_told(
    counts: list[int], base: int | None, n_others: int
) -> None:
    text = "age,n\n" + "".join(f"a{at},{n}\n" for at, n in enumerate(counts))
    found = _audit(text, "age")
    rounded = found.measured[0].rounded
    assert rounded == (None if base is None else (base, n_others))
    told = f"WARN: Counts of `n` are multiples of {base}, but {n_others} of {len(counts)} "
    tells(found, unrounded_counts=told if n_others else None)


def test_bounds__of_some_cells_are_those_of_all() -> None:
    hidden = [("B", "z"), ("B", "w"), ("A", "z"), ("A", "w"), ("A", "Total")]
    cube = _cube(_table(suppressed=hidden))
    whole = bounds_of(cube)
    for key in whole.bounds:
        assert bounds_of(cube, {key}) == whole._replace(bounds={key: whole.bounds[key]})


def test_bounds__of_a_table_of_margins_alone_are_those_of_frechet() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        inner = rng.integers(0, 9, (3, 4))
        lines = [f"{r},Total,{n}" for r, n in zip("ABC", inner.sum(1), strict=True)]
        lines += [f"Total,{c},{n}" for c, n in zip("wxyz", inner.sum(0), strict=True)]
        found = bounds_of(_cube("region,sector,n\n" + "\n".join(lines))).bounds
        for (r, c), bounds in found.items():
            # Fréchet, Sur les tableaux de corrélation dont les marges sont données, Ann. Univ. Lyon, 1951
            row, column = int(inner.sum(1)[r]), int(inner.sum(0)[c])
            assert bounds == Bounds(max(0, row + column - int(inner.sum())), min(row, column))


def test_bounds__beyond_so_many_tied_cells_are_left_out(monkeypatch: Patch) -> None:
    cube = _cube(_table(suppressed=SQUARE))
    assert len(bounds_of(cube).bounds) == 4
    monkeypatch.setattr("core.counts.bounds._MOST_TIED", 3)
    found = bounds_of(cube)
    assert (found.bounds, found.n_left_out, found.is_consistent) == ({}, 4, True)


def test_bounds__of_totals_that_nothing_fits_are_none() -> None:
    told = _table(suppressed=SQUARE).replace("A,Total,100", "A,Total,31")  # y and z of A are 30 already
    for text in (told, told.replace("A,Total,31", "A,Total,29")):
        found = bounds_of(_cube(text))
        assert (found.bounds, found.is_consistent) == ({}, False)


def test_bounds__of_a_suppressed_total_are_those_of_its_cells() -> None:
    known = bounds_of(_cube(_table(suppressed=[("A", "Total")])))
    assert [*known.bounds.values()] == [Bounds(100, 100)]
    within = bounds_of(_cube(_table(suppressed=[*SQUARE, ("A", "Total")])))
    # w and x of A and B sum up to 28 and 69; B has 27 left for both of its own: A has 70
    assert Bounds(100, 100) in within.bounds.values()
    free = _table(totals=False, suppressed=[("A", "w")]) + "A,Total,*\n"
    assert {each.most for each in bounds_of(_cube(free)).bounds.values()} == {np.inf}


def test_least__asks_for_whole_numbers_where_fractions_would_fit() -> None:
    """Three cells of which any two sum up to 1 could be halves; no whole numbers are so."""
    pairs = np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]])
    spans = np.array([[0.0, np.inf]] * 3)
    assert _least(np.ones(3), pairs, np.ones(3), spans) is None
    assert _least(np.ones(3), pairs, np.full(3, 2.0), spans) == 3
    assert _least(np.array([-1.0, 0, 0]), np.array([[1.0, -1, 0]]), np.zeros(1), spans) == -np.inf


def _squares(rows: np.ndarray, columns: np.ndarray) -> Iterator[np.ndarray]:
    """Yield every table of two by two counts with these margins, by trying all."""
    for values in itertools.product(range(7), repeat=4):
        square = np.array(values).reshape(2, 2)
        if (square.sum(1) == rows).all() and (square.sum(0) == columns).all():
            yield square


@pytest.mark.parametrize("seed", range(6))
def test_bounds__are_those_of_all_tables_that_fit(seed: int) -> None:
    """Against the definition, in three dimensions with all margins of two."""
    rng = np.random.default_rng(seed)
    inner = rng.integers(0, 4, (2, 2, 2))
    hidden = rng.random((2, 2, 2)) < 0.8
    p, q, r = "ab", "cd", "ef"
    rows = [
        f"{p[i]},{q[j]},{r[k]},{'*' if hidden[i, j, k] else inner[i, j, k]}"
        for i, j, k in np.ndindex(2, 2, 2)
    ]
    for i, j in itertools.product(range(2), repeat=2):
        rows.append(f"{p[i]},{q[j]},Total,{inner[i, j].sum()}")
        rows.append(f"{p[i]},Total,{r[j]},{inner[i, :, j].sum()}")
        rows.append(f"Total,{q[i]},{r[j]},{inner[:, i, j].sum()}")
    cube = _cube("p,q,r,n\n" + "\n".join(rows), "p,q,r")
    halves = [list(_squares(half.sum(1), half.sum(0))) for half in inner]
    fitting = np.array([np.stack(pair) for pair in itertools.product(*halves)])
    fits = (fitting.sum(1) == inner.sum(0)).all((1, 2)) & (fitting == inner)[:, ~hidden].all(1)
    found = bounds_of(cube).bounds
    assert len(found) == hidden.sum()
    for key, bounds in found.items():
        values = fitting[fits][(slice(None), *key)]
        assert bounds == Bounds(values.min(), values.max())


@pytest.mark.parametrize("seed", range(5))
def test_suppression__holds_when_counted_again(seed: int) -> None:
    inner = np.random.default_rng(seed).integers(0, 25, (4, 4))
    cube = _cube(_table([(name, tuple(map(int, row))) for name, row in zip("ABCD", inner, strict=True)]))
    made = propose_suppression(cube, 4)
    if made.holds:
        again = bounds_of(cube.with_suppressed([*made.primary, *made.secondary])).bounds
        assert all(each.n_values >= 4 for each in again.values())
    assert set(made.primary).isdisjoint(made.secondary)


def test_totals__that_do_not_add_up_are_not_assessed() -> None:
    for text in (_table(suppressed=ALONE), _table()):
        wrong = _audit(text.replace("B,Total,50", "B,Total,45"))
        tells(wrong, totals_do_not_add_up="NOT_ASSESSED: The totals of `n`")


def test_marks__bound_their_cells() -> None:
    """Two cells of `<5` that sum up to 8 are 4 each; to 6, 2 to 4; alone `<5` says no more than itself."""
    text = "region,sector,n\nA,x,<5\nA,y,<5\nA,Total,{a}\nB,x,<5\nB,y,<5\nB,Total,{b}\nC,x,{c}\nC,y,9\n"
    told = _audit(text.format(a=8, b=6, c=9))
    tells(told, recoverable_counts="FAIL: … 2 of 4 (50.0 %).", narrow_counts="WARN: … 2 of 4 (50.0 %).")
    tells(_audit(text.format(a="*", b="*", c=9)), recoverable_counts=ENOUGH)
    tells(_audit(text.format(a=5, b=5, c=0)), recoverable_counts="PASS: … of `n` at least 4 values.")
    assert _cube(text.format(a="<=5", b=6, c=9)).span((0, 0)) == (0, 4)
    assert _cube(text.format(a="<3", b=6, c=9)).span((0, 0)) == (0, 2)


def test_total_alone__is_no_dimension() -> None:
    assert _checks(_audit("region,sector,n\nA,Total,40\nB,Total,50\nTotal,Total,90\n")) == ["small_counts"]


def test_columns_of_which_one_counts_part_of_another__are_subtracted() -> None:
    text = "region,tested,positive\nA,100,{n}\nB,90,40\nC,80,0\n"
    part = "…`tested` is nowhere below `positive`. … 1 to 4 in 1 of 3 (33.3 %) "
    for n, expected in ((98, part), (70, None)):
        audit = _audit(text.format(n=n), "region", counts=["tested", "positive"])
        tells(audit, small_differences=expected)


def test_full_cells__tell_everybody_of_a_group() -> None:
    text = "region,diagnosis,n\nA,flu,20\nA,cold,{n}\nB,flu,10\nB,cold,12\n"
    full = "FAIL: In 1 of 2 (50.0 %) groups by the other columns (20 persons) everybody"
    for n, expected in ((0, full), (9, None)):
        audit = _audit(text.format(n=n), "region,diagnosis", sensitive=("diagnosis",))
        tells(audit, full_counts=expected)
    unsaid = _audit(text.format(n=0), "region,diagnosis")
    assert {each.column: each.verdict for each in unsaid.findings}["diagnosis"] is Verdict.WARN


def test_differences__of_bands_of_which_one_holds_the_other_or_between_tables_fail() -> None:
    text = "age,sex,n\n0-64,F,120\n0-69,F,{n}\n70+,F,30\n0-64,M,100\n0-69,M,140\n70+,M,44\n"
    bands = "FAIL: Pairs of counts of `n`, of bands of which one holds the other, that differ by 1 to 4: 1."
    for n, expected in ((123, bands), (150, None)):
        tells(_audit(text.format(n=n), "age,sex"), small_differences=expected)
    now, later = (_table((SMALL[0], ("B", (n, 19))), totals=False) for n in (8, 10))
    between = "FAIL: Counts of `n` that differ by 1 to 4 from that of the same cell in another table: 1."
    for others, expected in (([later], between), ([now, "a,b\nx,1\n"], None)):
        audit = _audit(now, others=[_read(each) for each in others])
        tells(audit, small_differences=expected)


PAY = {"north": (40, 3000.25), "south": (43, 3010.75), "east": (46, 3021.5), "west": (49, 3031.0)}


def _pay(*, came: int = 0, of: str = "mean", decimals: int = 2, only: str = "region,n") -> str:
    """Return how many earn what by region, so many having come to the south who earn 9,000 each."""
    rows = []
    for region, (n, mean) in PAY.items():
        n_now = n + came * (region == "south")
        total = n * mean + 9000 * (n_now - n)
        figure = total if of == "sum" else total / n_now
        rows.append(f"{region},{n_now},{figure:.{decimals}f}")
    return "\n".join([f"{only},{of}_income", *rows]) + "\n"


def _with_earlier(later: str, earlier: str) -> dict[str, Verdict]:
    dimensions = later.partition("\n")[0].replace(",n", "")
    audit = _audit(later, dimensions, others=[_read(earlier)])
    return {each.check: each.verdict for each in audit.findings}


@pytest.mark.parametrize(("of", "decimals"), [("mean", 2), ("mean", 0), ("sum", 0), ("sum", 2)])
def test_averages_and_sums__subtracted_from_earlier_ones_give_the_newcomers_away(
    of: str, decimals: int
) -> None:
    before = _pay(of=of, decimals=decimals)
    for came, expected in ((1, Verdict.FAIL), (4, Verdict.FAIL), (0, None), (5, None)):
        found = _with_earlier(_pay(came=came, of=of, decimals=decimals), before)
        assert found.get("figure_differences") is expected
        assert found.get("small_differences") is expected
    audit = _audit(_pay(came=1), "region,mean_income", others=[_read(_pay())])
    within = "FAIL: …subtracting gives `mean_income` of those people to within 10.0 %"
    tells(audit, figure_differences=within)


def test_averages__rounded_so_far_that_nothing_follows_are_no_finding() -> None:
    """Of 44 people, thousands leave 44,000 open of the newcomer's 9,000; medians cannot be subtracted."""
    for named, figures in (("mean", ("3.0", "3.1")), ("median", ("3010.75", "3146.87"))):
        later, earlier = (
            f"region,n,{named}_income\nnorth,40,{figures[0]}\nsouth,{n},{figure}\n"
            for n, figure in ((44, figures[1]), (43, figures[0]))
        )
        assert "figure_differences" not in _with_earlier(later, earlier)


def test_averages__of_bands_within_a_table_are_subtracted_too() -> None:
    lines = ["age,n,mean_income", "0-64,100,2000.50", f"0-69,102,{(100 * 2000.5 + 2 * 9000) / 102:.2f}"]
    tells(_audit("\n".join(lines) + "\n", "age,mean_income"), figure_differences="FAIL: …`mean_income`")


def test_tables_by_fewer_columns__are_held_against_the_sums() -> None:
    """A region's count elsewhere is one more than its cells together."""
    fine = _table([("A", (20, 50)), ("B", (30, 40))], totals=False)
    for n, expected in ((71, Verdict.FAIL), (70, None), (76, None)):
        coarse = f"region,n\nA,{n}\nB,70\n"
        for one, other in ((fine, coarse), (coarse, fine)):
            assert _with_earlier(one, other).get("small_differences") is expected


def test_number_that_other_columns_tell__keeps_no_two_tables_apart() -> None:
    """Wages are whole numbers and no category; a year is one, and each table of another year."""
    lines = ["region,wages,n", "A,120000,40", "B,150000,50", "C,99000,33"]
    later = "\n".join([lines[0], "A,129000,41", *lines[2:]]) + "\n"
    assert _with_earlier(later, "\n".join(lines) + "\n")["small_differences"] is Verdict.FAIL
    years = [f"region,year,n\nA,{year},{n}\nB,{year},50\n" for year, n in ((2023, 40), (2024, 41))]
    assert "small_differences" not in _with_earlier(*years)


def test_table_without_the_count__is_not_compared_and_largest_values_are_said() -> None:
    found = _with_earlier("region,n,max_income\nA,40,9000\nB,50,8000\n", "region,people\nA,40\nB,50\n")
    assert found["counts_not_compared"] is Verdict.NOT_ASSESSED
    assert found["extreme_figures"] is Verdict.WARN


def test_earlier_table_of_counts__is_compared_on_the_command_line(tmp_path: Path, capsys: Told) -> None:
    later, earlier, ledger = tmp_path / "later.csv", tmp_path / "earlier.csv", tmp_path / "ledger.json"
    persons = tmp_path / "persons.csv"
    later.write_text(_pay(came=1))
    earlier.write_text(_pay())
    persons.write_text("age,sex\n" + "20-29,F\n" * 9)
    assert main(f"risk {later} --counts n --earlier {earlier}".split()) == 1
    assert "subtracting gives `mean_income`" in capsys.readouterr().out
    main(f"risk {persons} --quasi-identifier age sex --ledger {ledger}".split())
    assert main(f"risk {later} --counts n --earlier {ledger}".split()) == 2
    assert "ledger of persons" in capsys.readouterr().err
    assert main(f"risk {later} --counts n --ledger {tmp_path / 'new.json'}".split()) == 2


BANDS = {
    "30–39": (30, 39),
    ">=65": (65, np.inf),
    ">65": (66, np.inf),
    "<=17": (-np.inf, 17),
    "18세 미만": (-np.inf, 17),
    "65 in več": (65, np.inf),
    "": None,
}


def test_band__reads_usual_spellings() -> None:
    assert {written: band(written) for written in BANDS} == BANDS


def test_dominance__by_the_definition() -> None:
    rng = np.random.default_rng(0)
    values, cell = np.exp(rng.normal(0, 2, 60)), rng.integers(0, 12, 60)
    found = dominated_cells(values, cell, n_cells=13, n_largest=2, share=0.9, p_share=0.2)
    for number in range(13):
        own = sorted(values[cell == number], reverse=True)
        assert found.by_share[number] == (sum(own) > 0 and sum(own[:2]) > 0.9 * sum(own))
        assert found.by_p[number] == (sum(own) > 0 and sum(own[2:]) < 0.2 * own[0])


def test_amounts__are_held_against_both_rules() -> None:
    firms = "".join(f"A,f{n},10\n" for n in range(20))
    table = f"region,firm,turnover\n{firms}B,g1,900\nB,g2,5\nB,g3,4\nB,g3,1\n"
    of_regions = {"counts": (), "magnitude": "turnover"}
    audit = _audit(table, "region", **of_regions, contributor="firm")
    assert _checks(audit) == ["dominance", "p_percent"]
    tells(
        audit,
        dominance="FAIL: In 1 of 2 (50.0 %) cells of `turnover` the 1 largest … 85.0 % ",
        p_percent="FAIL: In 1 of 2 (50.0 %) cells of `turnover` the second largest … 10.0 %.",
    )
    told = [
        (each.measure, each.value, each.of, each.total)
        for each in counts_result(audit, audit.thresholds).group("counts").figures
    ]
    assert told == [(f"n_cells_by_{rule}", 1, "turnover", 2) for rule in ("dominance", "p_percent")]
    assert _audit(table.replace("900", "5"), "region", **of_regions).overall is Verdict.PASS
    (problem,) = problems(lambda: _audit(table.replace("900", "-1"), "region", **of_regions))
    assert problem == Saying("…must hold a number of at least 0 in each row…")


LOOKS = (
    (_table(totals=False), ("n", False)),
    (_table(), ("n", True)),
    (_table().replace(",n\n", ",v\n", 1), ("v", True)),
    (_table(totals=False).replace(",n\n", ",v\n", 1), None),
    ("spol,starost,število oseb\nm,0-20,12\nž,0-20,9\n", ("število oseb", False)),
    ("성별,연령대,건수\n남,20대,12\n여,20대,<5\n", ("건수", False)),
    ("age,sex,disease\n30,F,flu\n30,F,flu\n40,M,cold\n", None),
    ("n,name\n1,a\n2,b\n3,c\n4,d\n5,e\n", None),
    ("n\n3\n4\n", None),
    ("a,b\nx,y\nz,w\n", None),
)


def test_looks_like_counts__by_name_or_totals() -> None:
    def holds(text: str, found: object) -> None:
        table = _read(text).table
        assert looks_like_counts(table, table.column_names) == found

    holds_for_each(LOOKS, holds)


QUARTERS = "sex,period,n\n" + "".join(
    f"{sex},2024,{4 * n}\n" + "".join(f"{sex},2024-Q{at},{n}\n" for at in range(1, 5))
    for sex, n in (("F", 20), ("M", 30))
)


def test_category_that_sums_others_up__is_a_total() -> None:
    cube = _cube(QUARTERS, "sex,period")
    assert cube.categories[1] == tuple(f"2024-Q{at}" for at in range(1, 5))
    assert cube.sums == ((), (("2024", (0, 1, 2, 3)),))
    assert cube.parts((0, -2)) == ((0, 0), (0, 1), (0, 2), (0, 3))
    suppressed = QUARTERS.replace("F,2024-Q2,20", "F,2024-Q2,*")
    assert bounds_of(_cube(suppressed, "sex,period")).bounds == {(0, 1): (20, 20)}
    assert cell_names(_audit(suppressed, "sex,period").measured[0], (0, -2)) == ["F", "2024"]


SUBTOTALS = (
    ("all a b c d", [{0: 3, 1: 1, 2: 2, 3: 9}, {0: 9, 1: 5, 2: 4, 4: 9}], [(0, (1, 2))]),
    ("a b both", [{0: 1, 1: 2, 2: 3}, {0: 4, 1: 4, 2: 8}], [(2, (0, 1))]),
    ("all a b", [{0: 3, 1: 1, 2: 2}], []),  # perhaps chance
    ("a b c", [{0: 3, 1: 1, 2: 2, -1: 6}, {0: 9, 1: 5, 2: 4, -1: 18}], []),  # of all three
    ("S S1 S11 S12 S2 S21 S22", [{0: 10, 1: 3, 2: 1, 3: 2, 4: 7, 5: 3, 6: 4}], [(1, (2, 3)), (4, (5, 6))]),
    ("Y Y_1 Y_2", [{0: 3, 1: 1, 2: None}, {0: 3, 1: 1, 2: 2}], [(0, (1, 2))]),
    ("Y Y_1 Y_2", [{0: 3, 1: 4, 2: None}, {0: 3, 1: 1, 2: 2}], []),
)


def test_subtotals__are_right_in_every_context() -> None:
    def holds(names: str, contexts: list[dict[int, int | None]], sums: list[tuple[int, object]]) -> None:
        categories = [name.replace("_", " ") for name in names.split()]
        assert [(each.category, each.parts) for each in subtotals_of(categories, contexts)] == sums

    holds_for_each(SUBTOTALS, holds)


def test_figures__shares_give_small_counts_away_and_averages_suppressed_ones() -> None:
    for figure, rows, n_affected in (
        ("percent", "a,200,1.5 b,400,25.0 c,40,97.5 d,80,50.0", 2),
        ("mean", "a,200,31.5 b,*,24.0 c,40, d,80,38.1", 1),
    ):
        audit = _audit("\n".join([f"area,n,{figure}", *rows.split()]), f"area,{figure}")
        (finding,) = [each for each in audit.findings if each.verdict is Verdict.FAIL]
        assert (finding.column, finding.n_affected, audit.dimensions) == (figure, n_affected, ("area",))


NO_CELLS = (
    (_table(), "region", "Several rows stand for one cell over `region`"),
    ("region,sector,n\nA,w,x\nB,w,*\n", "region,sector", "`n` holds no whole number of at least 0"),
    (
        "p,q,n\n" + "".join(f"a{n},b{n},7\n" for n in range(500)),
        "p,q",
        "The table has 250,000 cells over `p`, `q`; at most 200,000 are read",
    ),
)


def test_read_cube__refuses_what_is_no_table_of_cells() -> None:
    for text, dimensions, problem in NO_CELLS:
        assert problems(partial(_cube, text, dimensions)) == (Saying(f"{problem}…"),)


def test_document_and_report__name_cells_and_bounds() -> None:
    audit = _audit(_table(suppressed=ALONE))
    document = document_of(TOOL, counts_result(audit, audit.thresholds))
    (counts,) = document["counts"]
    assert document["cells"][-1] == {
        "cell_0": "B",
        "cell_1": "z",
        "count": "n",
        "why": "suppressed",
        "least": 1,
        "most": 1,
    }
    assert (document["kind"], counts["n_secondary"], counts["totals_add_up"]) == ("counts", 3, "yes")
    assert figures_of(document, "smallest_cell") == {"n": counts["smallest"]}
    (cells,) = counts_result(audit, audit.thresholds).group("cells").tables
    assert [column.label for column in cells.columns][:3] == ["region", "sector", "Count"]
    assert cells.cells()[-1] == ("B", "z", "n", "suppressed", 1, 1)
    assert next(lines_of(counts_result(audit, audit.thresholds))).startswith("FAIL: ")
    alone = _audit(_table(totals=False, suppressed=ALONE))
    (unbounded,) = counts_result(alone, alone.thresholds).group("cells").tables
    assert unbounded.cells()[-1][-1] is None


KEYS = [*np.ndindex(2, 2, 2)]


@pytest.mark.parametrize("seed", range(6))
def test_tables_in_a_circle__tell_what_all_tables_that_fit_have_in_common(seed: int) -> None:
    """Against every table of whole numbers with the margins of three columns of two categories."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, (2, 2, 2)) * (rng.random((2, 2, 2)) < 0.7)
    columns = ("region", "age", "sex")
    cubes = []
    for left_out in range(3):
        kept = [name for at, name in enumerate(columns) if at != left_out]
        cells = {key: int(n) for key, n in np.ndenumerate(truth.sum(axis=left_out))}
        categories = tuple((f"{name} a", f"{name} b") for name in kept)
        rows = dict.fromkeys(cells, -1)
        cube = Cube(dimensions=tuple(kept), categories=categories, cells=cells, rows=rows, sums=((), ()))
        cubes.append((str(left_out), cube))
    odd = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    fits = np.array([fit for step in range(-60, 61) if ((fit := truth + step * odd) >= 0).all()])
    least, most = fits.min(axis=0), fits.max(axis=0)
    names = {key: [f"{name} {'ab'[at]}" for name, at in zip(columns, key, strict=True)] for key in KEYS}
    expected = {frozenset(names[key]): (least[key], most[key]) for key in KEYS if least[key] > 0}
    found = measure_together(cubes, are_same=True)
    assert {frozenset(names): tuple(bounds) for each in found for names, bounds in each.cells} == expected
