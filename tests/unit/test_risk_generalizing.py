"""Searching generalizations and applying them, on a table countable by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest

from core.attribute_disclosure import sensitive_counts
from core.coding import coded_column
from core.equivalence import EquivalenceClasses, classes_of_codes, equivalence_classes
from core.errors import AuditInputError
from core.plain import table_csv
from core.risk import RiskThresholds, judge_risk
from core.risk.folding import FoldedValues, distinct_meanings, fold_values, folded_text
from core.risk.generalizing import (
    ClassLimits,
    build_lattice,
    generalize,
    protects_sensitive,
    records_to_suppress,
    verify_generalized,
)
from core.risk.ladders import Ladder, build_ladder, column_ladders, kind_of_values, thinned
from core.risk.lattice import Lattice
from core.risk.lattice_search import Demand, search_cheapest, search_frontier
from core.risk.settings import RiskSettings
from core.verdict import Verdict
from tests.risk_examples import measured, messages
from tests.saying import Saying

# Sweeney-like: ages pair up in tens; cities pair up only when the rare ones are grouped.
TABLE = pa.table(
    {
        "age": ["21", "24", "33", "38", "33", "38", "24", "21"],
        "city": ["Ljubljana", "Ljubljana", "Ljubljana", "Ljubljana", "Bled", "Piran", "Koper", "Izola"],
        "illness": list("abcdefgh"),
    }
)


def test_records_to_suppress__counts_small_classes() -> None:
    classes = equivalence_classes(pa.table({"x": list("aabccc")}), ["x"])
    found = records_to_suppress(classes, [2, 3])
    assert [(each.k, each.n_to_suppress, each.share) for each in found] == [(2, 1, 1 / 6), (3, 3, 0.5)]


def test_records_to_suppress__of_no_record_has_no_share() -> None:
    classes = equivalence_classes(pa.table({"x": pa.array([], pa.string())}), ["x"])
    assert records_to_suppress(classes, [2])[0].share is None


def _lattice() -> Lattice:
    return build_lattice(TABLE, ["age", "city"])


def test_search_cheapest__finds_the_cheapest_without_suppression() -> None:
    lattice = _lattice()
    assert lattice.shape == (3, 3)  # ages: exact, tens, none; cities: exact, rare ones as other, none
    found = search_cheapest(lattice, Demand(k=2, suppression_limit=0))
    assert found.is_exact
    assert found.best is not None
    assert (found.best.levels, found.best.n_suppressed, found.best.smallest_class) == ((1, 1), 0, 2)
    # ages: 3 of 17 and 5 of 17 years; cities: 4 of 5 values as other for half of the records.
    assert found.best.loss == pytest.approx(((3 / 17 + 5 / 17) / 2 + 0.8 / 2) / 2)
    assert (found.best.highest_risk, found.best.suppressed_share) == (0.5, 0)
    assert found.n_nodes == 9


def test_search_cheapest__suppresses_where_that_costs_less() -> None:
    table = pa.table({"x": ["a"] * 9 + ["b"]})
    found = search_cheapest(build_lattice(table, ["x"]), Demand(k=2, suppression_limit=0.1)).best
    assert found is not None
    assert (found.levels, found.n_suppressed, found.loss) == ((0,), 1, 0.1)
    without = search_cheapest(build_lattice(table, ["x"]), Demand(k=2, suppression_limit=0.09)).best
    assert without is not None
    assert (without.levels, without.n_suppressed, without.loss) == ((1,), 0, 1)


def test_search_cheapest__of_too_few_records_finds_nothing() -> None:
    found = search_cheapest(_lattice(), Demand(k=9, suppression_limit=0))
    assert (found.best, found.is_exact, found.n_measured) == (None, True, 1)


def test_search_cheapest__asks_for_more_than_k() -> None:
    def two_cities(classes: EquivalenceClasses) -> np.ndarray:
        cities = np.unique(TABLE["city"].to_numpy(), return_inverse=True)[1]
        pairs = {(int(a), int(b)) for a, b in zip(classes.class_of_record, cities, strict=True)}
        return np.array([sum(a == each for a, _ in pairs) >= 2 for each in range(classes.n_classes)])

    found = search_cheapest(_lattice(), Demand(k=2, suppression_limit=0, accepted=two_cities)).best
    assert found is not None
    assert found.levels == (0, 2)
    nothing = search_cheapest(
        _lattice(), Demand(k=2, suppression_limit=0, accepted=lambda c: np.zeros(c.n_classes, bool))
    )
    assert (nothing.best, nothing.is_exact) == (None, True)


def test_search_cheapest__says_when_it_was_bounded_or_stopped() -> None:
    bounded = search_cheapest(_lattice(), Demand(k=2, suppression_limit=0), max_evaluations=1)
    assert not bounded.is_exact
    assert bounded.best is not None
    assert bounded.best.levels == (2, 2)  # the top is always measured
    assert not search_cheapest(_lattice(), Demand(k=2, suppression_limit=0), stop=lambda: True).is_exact


def test_search_cheapest__refuses_settings_out_of_range() -> None:
    with pytest.raises(AuditInputError) as error:
        search_cheapest(_lattice(), Demand(k=0, suppression_limit=1, average_risk=0, objective="best"))
    assert error.value.problems == (
        "k must be at least 1, received 0.",
        "suppression_limit must be at least 0 and below 1, received 1.",
        "average_risk must be above 0 and at most 1, received 0.",
        "objective must be one of ncp, discernibility, average_class_size, received best.",
    )
    with pytest.raises(AuditInputError, match=r"^max_evaluations must be at least 1, received 0\.$"):
        search_cheapest(_lattice(), Demand(k=2, suppression_limit=0), max_evaluations=0)


def test_build_lattice__refuses_no_record() -> None:
    with pytest.raises(AuditInputError, match=r"^There is no record to generalize\.$"):
        build_lattice(TABLE, ["age"], leave_out=np.ones(8, dtype=bool))


def _wide(n_columns: int) -> pa.Table:
    """Return 40 records: two columns that all share in fours, the others as good as random."""
    rng = np.random.default_rng(5)
    columns = {f"c{n}": rng.integers(0, 3, 40).astype(str).tolist() for n in range(n_columns - 2)}
    return pa.table(
        {**columns, "x": [str(n // 20) for n in range(40)], "y": [str(n // 10) for n in range(40)]}
    )


def test_search_cheapest__goes_down_step_by_step_where_there_are_too_many_generalizations() -> None:
    table = _wide(24)
    lattice = build_lattice(table, table.column_names)
    assert not lattice.is_listed
    assert lattice.thinned_columns == ()
    found = search_cheapest(lattice, Demand(k=10, suppression_limit=0))
    assert not found.is_exact
    assert found.best.levels[-2:] == (0, 0)  # x and y are shown as they are, in classes of ten
    assert found.best.smallest_class == 10
    assert found.best.loss == pytest.approx(22 / 24)


def test_search_cheapest__step_by_step_can_be_bounded_and_can_fail() -> None:
    lattice = build_lattice(_wide(24), _wide(24).column_names)
    assert search_cheapest(lattice, Demand(k=41, suppression_limit=0)).best is None
    stopped = search_cheapest(lattice, Demand(k=2, suppression_limit=0), stop=lambda: True)
    assert stopped.best.levels == lattice.top
    lattice = build_lattice(_wide(24), _wide(24).column_names)
    once = search_cheapest(lattice, Demand(k=2, suppression_limit=0), max_evaluations=1)
    assert once.best.levels == lattice.top


@pytest.mark.parametrize("objective", ["ncp", "discernibility", "average_class_size"])
def test_search_cheapest__makes_small_what_it_is_asked_to(objective: str) -> None:
    table = pa.table({"x": list("aabbccdd"), "y": list("pqpqpqpq")})
    lattice = build_lattice(table, ["x", "y"], kinds={"x": "category", "y": "category"})
    found = search_cheapest(lattice, Demand(k=2, suppression_limit=0, objective=objective)).best
    costs = {
        node: lattice.measure(node).generalization(node, k=2, n_records=8)
        for node in np.ndindex(*lattice.shape)
    }
    reached = [each for each in costs.values() if each is not None and not each.n_suppressed]
    assert found.cost(objective) == min(each.cost(objective) for each in reached)


def test_search_cheapest__weighs_columns() -> None:
    table = pa.table({"x": list("aabb"), "y": list("pqpq")})

    def chosen(*weights: float) -> tuple[int, ...]:
        lattice = build_lattice(table, ["x", "y"], weights=weights)
        return search_cheapest(lattice, Demand(k=2, suppression_limit=0)).best.levels

    assert chosen(5, 1) == (0, 1)
    assert chosen(1, 5) == (1, 0)


def test_search_cheapest__keeps_the_average_risk() -> None:
    table = pa.table({"x": ["a"] * 6 + ["b"] * 2})
    assert search_cheapest(build_lattice(table, ["x"]), Demand(k=2, suppression_limit=0)).best.levels == (0,)
    limited = Demand(k=2, suppression_limit=0, average_risk=0.2)
    found = search_cheapest(build_lattice(table, ["x"]), limited).best
    assert (found.levels, found.average_risk) == ((1,), 1 / 8)


def test_search_frontier__offers_the_best_for_each_risk() -> None:
    found = search_frontier(_lattice(), Demand(k=2, suppression_limit=0), ks=[2, 3, 4, 100, 2])
    best = [outcome.best for outcome in found if outcome.best is not None]
    assert [(each.k, each.levels, each.smallest_class) for each in best] == [(2, (1, 1), 2), (4, (1, 2), 4)]
    assert best[0].loss < best[1].loss


def test_search_frontier__leaves_out_what_another_beats() -> None:
    table = pa.table({"x": list("aaabbb")})
    found = search_frontier(build_lattice(table, ["x"]), Demand(k=2, suppression_limit=0), ks=[2, 3, 4])
    assert [(each.best.k, each.best.smallest_class) for each in found if each.best] == [(3, 3), (4, 6)]


def test_generalize__writes_groups_and_stars() -> None:
    lattice = build_lattice(TABLE, ["age", "city"], leave_out=np.arange(8) == 7)
    found = search_cheapest(lattice, Demand(k=2, suppression_limit=0.5)).best
    assert found is not None
    made = generalize(TABLE, lattice, found)
    assert made.table.column_names == TABLE.column_names
    assert made.table["illness"].equals(TABLE["illness"])
    assert made.table["age"].to_pylist()[7] == made.table["city"].to_pylist()[7] == "*"
    assert json.loads(json.dumps(made.settings)) == made.settings
    verified = verify_generalized(table_csv(made.table), ["age", "city"], columns=TABLE.column_names)
    assert verified.holds(2)
    assert verified.classes.k == found.smallest_class
    assert verified.n_suppressed == made.n_suppressed == found.n_suppressed + 1


def test_generalize__says_how() -> None:
    lattice = _lattice()
    found = search_cheapest(lattice, Demand(k=2, suppression_limit=0)).best
    assert found is not None
    made = generalize(TABLE, lattice, found)
    assert made.table["age"].to_pylist()[:3] == ["[20, 30)", "[20, 30)", "[30, 40)"]
    assert made.table["city"].to_pylist()[3:5] == ["Ljubljana", "other"]
    assert made.settings == {
        "k": 2,
        "smallest_class": 2,
        "n_records": 8,
        "n_suppressed": 0,
        "loss": found.loss,
        "columns": [
            {
                "column": "age",
                "kind": "number",
                "level": 1,
                "n_levels": 3,
                "generalization": "intervals of 10",
                "n_groups": 2,
            },
            {
                "column": "city",
                "kind": "category",
                "level": 1,
                "n_levels": 3,
                "generalization": "values of fewer than 4 records as other",
                "n_groups": 2,
            },
        ],
        "local_recoding": [],
    }


def test_generalize__suppresses_what_is_not_accepted() -> None:
    table = pa.table({"x": list("aabbcc")})
    lattice = build_lattice(table, ["x"])

    def but_the_first(classes: EquivalenceClasses) -> np.ndarray:
        return np.arange(classes.n_classes) > 0

    found = search_cheapest(lattice, Demand(k=2, suppression_limit=0.4, accepted=but_the_first)).best
    assert found is not None
    made = generalize(table, lattice, found, accepted=but_the_first)
    assert made.table["x"].to_pylist() == ["*", "*", "b", "b", "c", "c"]


def test_generalized_csv__is_safe_in_a_spreadsheet() -> None:
    table = pa.table({"=x": ["=1+1", "-5", None], "y": ["a,b", "@c", "d"]})
    assert table_csv(table).decode().splitlines() == ['"\'=x","y"', '"\'=1+1","a,b"', '"-5","\'@c"', ',"d"']
    assert table_csv(pa.table({"x": ["a", None]})) == b'"x"\n"a"\n""\n'


def test_verify_generalized__of_a_table_that_shows_nothing_is_no_pass() -> None:
    data = table_csv(pa.table({"x": ["*", "*"], "y": ["1", "2"]}))
    found = verify_generalized(data, ["x"], columns=["x", "y"])
    assert (found.classes.k, found.n_suppressed, found.holds(5)) == (None, 2, None)


def test_verify_generalized__sees_a_class_that_is_too_small() -> None:
    data = table_csv(pa.table({"x": ["a", "a", "b"]}))
    assert verify_generalized(data, ["x"], columns=["x"]).holds(2) is False


# x: a a b b c; s: classes with values {1, 2}, {1, 1}, {unknown}; the table has 1, 2, 1, 1.
CLASSES = equivalence_classes(pa.table({"x": list("aabbc")}), ["x"])
SENSITIVE = np.array([0, 1, 0, 0, -1])


@pytest.mark.parametrize(
    ("asked", "accepted"),
    [
        ({}, [True, True, True]),
        ({"l": 2}, [True, False, False]),
        ({"l": 1}, [True, True, False]),
        ({"entropy_l": 2.0}, [True, False, False]),
        ({"t": 0.25}, [True, True, False]),  # (1/2, 1/2) and (1, 0) against (3/4, 1/4)
        ({"t": 0.2}, [False, False, False]),
        ({"t": 0.25, "l": 2}, [True, False, False]),
        ({"alpha": 0.5}, [True, False, False]),
        ({"beta": 0.4}, [False, True, False]),  # 1/2 against 1/4 gains 1, 1 against 3/4 a third
        ({"delta": 0.5}, [False, True, False]),  # ln 2 and ln 4/3
    ],
)
def test_protects_sensitive__asks_every_class(asked: dict[str, object], accepted: list[bool]) -> None:
    limits = ClassLimits(**asked)
    assert protects_sensitive(SENSITIVE, limits)(CLASSES).tolist() == accepted
    assert protects_sensitive(SENSITIVE, limits, distance="ordered")(CLASSES).tolist() == accepted
    whole = np.ones(5, dtype=bool)
    assert protects_sensitive(SENSITIVE, limits, assessed=whole)(CLASSES).tolist() == accepted


def test_protects_sensitive__makes_a_search_reach_l() -> None:
    table = pa.table({"x": list("aabb"), "y": list("pqpq"), "s": list("1122")})
    diverse = protects_sensitive(np.array([0, 0, 1, 1]), ClassLimits(l=2))
    found = search_cheapest(
        build_lattice(table, ["x", "y"]), Demand(k=2, suppression_limit=0, accepted=diverse)
    ).best
    assert found is not None
    assert found.levels == (1, 0)


def test_generalize__counts_every_record_as_suppressed_where_no_column_is_shown() -> None:
    table = pa.table({"x": list("abcd"), "y": list("efgh")})
    lattice = build_lattice(table, ["x", "y"])
    found = search_cheapest(lattice, Demand(k=4, suppression_limit=0)).best
    assert found is not None
    assert (found.levels, found.loss, found.n_suppressed) == ((1, 1), 1, 0)
    made = generalize(table, lattice, found)
    assert (made.n_suppressed, made.settings["n_suppressed"]) == (4, 4)


def test_search_cheapest__bounded_has_more_to_offer_than_showing_nothing() -> None:
    table = pa.table(
        {name: [str(n * step % 97) for n in range(400)] for name, step in (("a", 7), ("b", 11), ("c", 13))}
    )
    lattice = build_lattice(table, ["a", "b", "c"])
    found = search_cheapest(lattice, Demand(k=5, suppression_limit=0.05), max_evaluations=8)
    assert not found.is_exact
    assert found.best is not None
    assert found.best.loss < 1
    assert not lattice.hides_all(found.best.levels)


def _ladder(values: list[str | None], counts: list[int] | None = None, **options: object) -> Ladder:
    n = len(values)
    return build_ladder("x", pa.array(values, pa.string()), np.array(counts or [1] * n), **options)


def _written(ladder: Ladder, level: int) -> list[str | None]:
    found = ladder.levels[level]
    return found.names.take(pa.array(found.group_of_value)).to_pylist()


def _descriptions(ladder: Ladder) -> list[str]:
    return [level.description for level in ladder.levels]


def test_build_ladder__groups_numbers_into_growing_intervals() -> None:
    ladder = _ladder(["21", "23", "28", "34", "39", "41", "67"])
    assert ladder.kind == "number"
    assert _descriptions(ladder) == ["as it is", "intervals of 10", "intervals of 50", "not shown"]
    assert _written(ladder, 1)[:4] == ["[20, 30)", "[20, 30)", "[20, 30)", "[30, 40)"]
    assert _written(ladder, 2) == ["[0, 50)"] * 6 + ["[50, 100)"]
    assert _written(ladder, 3) == ["*"] * 7
    # ranges: 21-28, 34-39, 41 and 67 alone; the domain is 46 wide.
    assert ladder.levels[1].loss_of_value == pytest.approx(np.array([7, 7, 7, 5, 5, 0, 0]) / 46)
    assert ladder.levels[0].loss_of_value.tolist() == [0] * 7
    assert ladder.levels[3].loss_of_value.tolist() == [1] * 7


def test_build_ladder__groups_negative_numbers_and_decimals() -> None:
    ladder = _ladder(["-0.3", "-0.1", "0.2", "0.4", "1.3", "1.4"])
    assert _written(ladder, 1) == ["[-0.5, 0)", "[-0.5, 0)", "[0, 0.5)", "[0, 0.5)", "[1, 1.5)", "[1, 1.5)"]


def test_build_ladder__leaves_words_among_numbers_and_missing_cells() -> None:
    values = [str(n) for n in range(20)] + ["unknown", None]
    ladder = _ladder(values)
    assert ladder.kind == "number"
    assert _written(ladder, 1)[-2:] == ["unknown", None]
    assert ladder.levels[1].loss_of_value[-2:].tolist() == [0, 0]
    assert _written(ladder, len(ladder.levels) - 1)[-2:] == ["*", "*"]


def test_build_ladder__shortens_dates() -> None:
    ladder = _ladder(
        "1985-03-01 1985/3/17 1985-03-09 1988-11-02 1988-11-30 1994-12-24 1986-5-5 1986-5-6".split()
    )
    assert ladder.kind == "date"
    assert _descriptions(ladder) == ["as it is", "dates to the month", "dates to the decade", "not shown"]
    assert _written(ladder, 1) == ["1985-03"] * 3 + ["1988-11"] * 2 + ["1994-12"] + ["1986-05"] * 2
    assert _written(ladder, 2) == ["1980s"] * 5 + ["1990s"] + ["1980s"] * 2
    assert ladder.levels[1].loss_of_value[0] == pytest.approx(16 / 3585)  # days of 1985-03-01 to 1994-12-24


def test_build_ladder__takes_the_time_off_dates_first() -> None:
    ladder = _ladder(
        ["2020-01-02T10:00", "2020-01-02 11:30", "2020-01-03T08:00", "2020-01-03 09:00", "none"], kind="date"
    )
    assert _written(ladder, 1) == ["2020-01-02", "2020-01-02", "2020-01-03", "2020-01-03", "none"]


def test_build_ladder__cuts_codes_from_the_right() -> None:
    ladder = _ladder(["01234", "01235", "01301", "02901", "02999"])
    assert ladder.kind == "code"
    assert _written(ladder, 1) == ["012*", "012*", "013*", "029*", "029*"]
    assert ladder.levels[1].description == "first 3 characters"
    assert ladder.levels[1].loss_of_value == pytest.approx([0.4, 0.4, 0, 0.4, 0.4])


def test_build_ladder__groups_rare_categories() -> None:
    ladder = _ladder(["a", "b", "c", "d", None], [50, 30, 2, 1, 9])
    assert ladder.kind == "category"
    assert _descriptions(ladder)[1] == "values of fewer than 50 records as other"
    assert _written(ladder, 1) == ["a", "other", "other", "other", None]
    assert ladder.levels[1].loss_of_value.tolist() == [0, 0.75, 0.75, 0.75, 0]


def test_build_ladder__of_one_value_has_one_level() -> None:
    assert _descriptions(_ladder(["a"])) == ["as it is"]
    assert _descriptions(_ladder([])) == ["as it is"]


def test_build_ladder__of_a_kind_that_no_value_is_has_two_levels() -> None:
    assert _descriptions(_ladder(["a", "b"], kind="number")) == ["as it is", "not shown"]
    assert _descriptions(_ladder(["7", "a"], kind="number")) == ["as it is", "not shown"]


def test_build_ladder__refuses_an_unknown_kind() -> None:
    with pytest.raises(AuditInputError) as error:
        _ladder(["a"], kind="colour")
    assert str(error.value) == "kind must be one of number, date, code, category, received 'colour'."


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "-3"], "number"),
        (["007", "123"], "code"),
        (["F32.1", "G40", "I10.9"], "code"),
        (["red", "green"], "category"),
        (["A1", "B2"], "category"),  # too short to cut
        (["2020-01-02", "2021/3/4"], "date"),
        ([None], "category"),
    ],
)
def test_kind_of_values__tells_kinds_apart(values: list[str | None], kind: str) -> None:
    assert kind_of_values(pa.array(values, pa.string())) == kind


def test_column_ladders__take_blank_cells_as_one_missing_value() -> None:
    table = pa.table({"x": pa.array(["a", " ", None, "", "b"], pa.string())})
    (ladder,), codes = column_ladders(table, ["x"], kinds={"x": "category"})
    assert ladder.levels[0].names.to_pylist() == ["a", None, "b"]
    assert codes["x"].tolist() == [0, 1, 1, 1, 2]


def test_thinned__leaves_middle_levels_out_until_few_enough() -> None:
    long, short = _ladder([str(n) for n in range(300)]), _ladder(["a", "b"])
    assert len(long.levels) == 6
    first, second = thinned([long, short], max_nodes=7)
    assert _descriptions(first) == ["as it is", "intervals of 5", "not shown"]
    assert len(second.levels) == 2
    assert [len(each.levels) for each in thinned([long, short], max_nodes=1)] == [2, 2]
    assert [len(each.levels) for each in thinned([long, short], max_nodes=12)] == [6, 2]


def test_build_ladder__leaves_days_that_do_not_exist() -> None:
    values = ["2020-02-28", "2020-02-29", "2020-02-30", "2020-02-01", "2020-13-01"]
    assert (
        _written(_ladder(values, kind="date"), 1) == "2020-02 2020-02 2020-02-30 2020-02 2020-13-01".split()
    )


def test_build_ladder__spreads_levels_over_many_values() -> None:
    words = [f"word {'x' * n}" for n in range(2000)]
    groups = [level.n_groups for level in _ladder(words, list(range(1, 2001))).levels]
    assert groups == [2000, 501, 126, 32, 8, 2, 1]


def test_build_ladder__shortens_dates_that_begin_with_the_day() -> None:
    ladder = _ladder([f"{day:02d}.{month:02d}.{year}" for year in (1985, 1986, 1991) for month in (3, 11) for day in (7, 21)])  # fmt: skip  # noqa: E501
    assert ladder.kind == "date"
    assert _descriptions(ladder) == ["as it is", "dates to the month", "dates to the year", "not shown"]
    assert _written(ladder, 1)[:3] == ["1985-03", "1985-03", "1985-11"]
    assert _written(ladder, 2) == ["1985"] * 4 + ["1986"] * 4 + ["1991"] * 4


def test_build_ladder__shortens_to_the_year_where_day_and_month_may_be_exchanged() -> None:
    ladder = _ladder(["1/2/2021", "3/4/2021", "5/6/2020", "7/8/2020", "9/10/1999"])
    assert _descriptions(ladder) == ["as it is", "dates to the year", "not shown"]
    assert _written(ladder, 1) == ["2021", "2021", "2020", "2020", "1999"]


def test_build_ladder__keeps_years_of_two_digits_as_such() -> None:
    ladder = _ladder(["31.12.85", "1.12.85", "30.11.84", "5.11.84", "29.1.71"])
    assert _written(ladder, 1) == ["'85-12", "'85-12", "'84-11", "'84-11", "'71-01"]


@pytest.mark.parametrize(
    "values",
    [
        ["1/2/03", "4/5/06", "7/8/09", "3/2/03", "4/6/06"],
        ["31.12.", "30.11.", "1.2.", "2.3."],
        ["31.12.2021", "30.11.2021", "1.2.2021", "A12", "B34", "C567"],
    ],
)
def test_build_ladder__never_cuts_dates_of_unsure_order_like_codes(values: list[str]) -> None:
    assert _ladder(values).kind == "category"
    starts = ("31.1*", "1/*", "31*", "3*")
    for level in range(len(_ladder(values).levels)):
        assert not any(text and text.startswith(starts) and text != "*" for text in _written(_ladder(values), level) if text not in values)  # fmt: skip  # noqa: E501


def _folded(*values: str | None, **settings: object) -> FoldedValues:
    column = coded_column(pa.table({"x": pa.array(values, pa.string())}), "x")
    return fold_values(column, RiskSettings(quasi_identifiers=("a",), **settings))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HIV", "hiv"),
        ("H.I.V.", "HIV"),
        ("lung cancer", " lung  cancer "),
        ("lung_cancer", "Lung-Cancer"),
        ("ＨＩＶ", "HIV"),
        ("okužba", "okuz\u030cba"),
        ("covid-19", "COVID 19"),
    ],
)
def test_folded_text__is_the_same_for_another_spelling(one: str, other: str) -> None:
    assert len(set(folded_text(pa.array([one, other])).to_pylist())) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A+", "A-"),
        ("Rh-", "Rh"),
        ("<=50K", ">50K"),
        ("J45.0", "J4.50"),
        ("10-20", "1020"),
        ("5 %", "5"),
        ("-5", "5"),
    ],
)
def test_folded_text__keeps_signs_that_say_something(one: str, other: str) -> None:
    assert len(set(folded_text(pa.array([one, other])).to_pylist())) == 2


@pytest.mark.parametrize("word", ["unknown", "N/A", "not stated", "?", "-", "모름", "Ni podatka"])
def test_fold_values__counts_no_word_for_unknown(word: str) -> None:
    folded = _folded("flu", word, "cold")
    assert (folded.n_unknown, int(folded.group_of_value.max())) == (1, 1)
    assert folded.changes


@pytest.mark.parametrize("values", [("none", "flu"), ("+", "-"), ("no", "yes"), ("not ill", "ill")])
def test_fold_values__counts_answers(values: tuple[str, ...]) -> None:
    assert not _folded(*values).changes


@pytest.mark.parametrize(
    "values", [("50,000", "31000"), ("€ 50000", "31000 EUR"), ("50 000", "31'000"), ("50.000,00", "31000,0")]
)
def test_fold_values__reads_amounts(values: tuple[str, ...]) -> None:
    numbers = _folded(*values).numbers
    assert numbers is not None
    assert numbers.tolist() == [31000, 50000]


def test_fold_values__takes_close_numbers_by_the_spread_of_the_column() -> None:
    salaries = [str(20_000 + 700 * n) for n in range(100)]
    assert not _folded(*salaries).n_merged  # 700 apart, of which 1 % of 63,000 or so is less
    folded = _folded(*salaries, "20010")
    assert folded.n_merged == 1
    assert _folded(*salaries, "20010", closeness=0.0).n_merged == 0
    assert not _folded(*(str(year) for year in range(1990, 2026))).changes
    assert not _folded(*(str(age) for age in range(101))).changes


def test_fold_values__makes_unknown_and_missing_one_answer_where_a_blank_is_one() -> None:
    folded = _folded("3", "unknown", None, missing_sensitive="value")
    assert folded.numbers is None
    assert folded.group_of_value.tolist() == [0, 1, 1]


def test_distinct_meanings__takes_the_most_values_that_are_not_close() -> None:
    classes = classes_of_codes(np.array([0, 0, 0, 0, 1, 1]), ("a",))
    folded = FoldedValues(
        group_of_value=np.arange(5),
        numbers=np.array([0.0, 0.9, 1.8, 2.7, 9.0]),
        width=1.0,
        n_merged=3,
        n_unknown=0,
    )
    counts = sensitive_counts(classes, np.array([0, 1, 2, 3, 3, 4]))
    assert distinct_meanings(counts, folded).tolist() == [2, 2]
    assert folded.interval_of_group.tolist() == [0, 0, 1, 1, 2]


SPELLED = "age,disease\n" + "30,HIV\n30,hiv\n30,H.I.V.\n" * 2 + "40,flu\n40,cold\n40,gout\n" * 2


def test_judge__fails_one_value_in_several_spellings() -> None:
    audit = judge_risk(measured(SPELLED, quasi="age", sensitive=("disease",)), RiskThresholds(alpha=0.9, k=5))
    assert audit.measurement.sensitive[0].figures["distinct_l"] == 3
    told = messages(audit)
    assert told["distinct_l"].startswith("PASS")
    assert told["folded_distinct_l"] == Saying(
        "FAIL: 1 of 2 classes (6 records) holds one and the same value …"
    )
    assert told["alpha"].startswith("PASS")
    assert told["folded_alpha"].startswith(
        "FAIL: In 1 class (6 records), of the values of `disease`, counted"
    )


def test_judge__says_how_close_numbers_are() -> None:
    text = "age,salary\n" + "30,50000\n30,50010\n30,50020\n" * 2 + "40,20000\n40,31000\n40,68000\n" * 2
    audit = judge_risk(measured(text, quasi="age", sensitive=("salary",)))
    assert "numbers up to 480 apart taken as one" in messages(audit)["folded_distinct_l"]
    assert (
        judge_risk(measured(text, quasi="age", sensitive=("salary",), closeness=0.0)).verdict is Verdict.PASS
    )


def test_judge__holds_every_limit_against_values_as_what_they_mean() -> None:
    limits = RiskThresholds(k=5, entropy_l=2.5, t=0.4, beta=0.9, delta=0.65)
    told = messages(judge_risk(measured(SPELLED, quasi="age", sensitive=("disease",)), limits))
    assert told["folded_entropy_l"].startswith(
        "FAIL: The smallest entropy ℓ of `disease`, counted as what values mean, not as they are spelled, "
        "is 1;"
    )
    assert {key for key, text in told.items() if text.startswith("FAIL")} == {
        *"folded_distinct_l folded_entropy_l t basic_beta delta_ln".split()
    }
