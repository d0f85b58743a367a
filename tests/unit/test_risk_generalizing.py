"""Searching generalizations and applying them, on a table countable by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest

from core.equivalence import EquivalenceClasses, equivalence_classes
from core.errors import AuditInputError
from core.plain import table_csv
from core.risk.generalizing import (
    ClassLimits,
    build_lattice,
    generalize,
    protects_sensitive,
    records_to_suppress,
    verify_generalized,
)
from core.risk.lattice import Lattice
from core.risk.lattice_search import Demand, search_cheapest, search_frontier

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
    assert table_csv(table).decode().splitlines() == [
        '"\'=x","y"',
        '"\'=1+1","a,b"',
        '"-5","\'@c"',
        ',"d"',
    ]
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
