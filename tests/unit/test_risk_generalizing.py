"""Searching generalizations and applying them, on a table countable by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest

from core.classes import EquivalenceClasses, classes_of_codes, equivalence_classes, items_of_classes
from core.coding import coded_column
from core.files.plain_text import table_csv
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
from core.risk.lattice import Generalization, Lattice
from core.risk.lattice_search import Demand, SearchOutcome, search_cheapest, search_frontier
from core.risk.settings import RiskSettings
from core.verdict import Verdict
from tests.cases.table import holds_for_each
from tests.risk_examples import DISEASE, judged, messages, problems, tells
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
    nothing = equivalence_classes(pa.table({"x": pa.array([], pa.string())}), ["x"])
    assert records_to_suppress(nothing, [2])[0].share is None


def _lattice(**columns: str) -> Lattice:
    """Return the lattice of columns of letters, or of ages and cities."""
    table = pa.table({name: list(letters) for name, letters in columns.items()}) if columns else TABLE
    return build_lattice(table, list(columns) or ["age", "city"])


def _search(lattice: Lattice, k: int = 2, limit: float = 0, **asked: object) -> SearchOutcome:
    bounds = {name: asked.pop(name) for name in ("max_evaluations", "stop") if name in asked}
    return search_cheapest(lattice, Demand(k=k, suppression_limit=limit, **asked), **bounds)


def _best(lattice: Lattice, k: int = 2, limit: float = 0, **asked: object) -> Generalization:
    best = _search(lattice, k, limit, **asked).best
    assert best is not None
    return best


def test_search_cheapest__finds_the_cheapest_without_suppression() -> None:
    lattice = _lattice()
    assert lattice.shape == (3, 3)  # ages: exact, tens, none; cities: exact, rare ones as other, none
    found = _search(lattice)
    assert (found.is_exact, found.n_nodes) == (True, 9)
    assert found.best is not None
    assert (found.best.levels, found.best.n_suppressed, found.best.smallest_class) == ((1, 1), 0, 2)
    # ages: 3 of 17 and 5 of 17 years; cities: 4 of 5 values as other for half of the records.
    assert found.best.loss == pytest.approx(((3 / 17 + 5 / 17) / 2 + 0.8 / 2) / 2)
    assert (found.best.highest_risk, found.best.suppressed_share) == (0.5, 0)


def test_search_cheapest__asks_for_more_than_k() -> None:
    def two_cities(classes: EquivalenceClasses) -> np.ndarray:
        cities = np.unique(TABLE["city"].to_numpy(), return_inverse=True)[1]
        pairs = {(int(a), int(b)) for a, b in zip(classes.class_of_record, cities, strict=True)}
        return np.array([sum(a == each for a, _ in pairs) >= 2 for each in range(classes.n_classes)])

    assert _best(_lattice(), accepted=two_cities).levels == (0, 2)
    nothing = _search(_lattice(), accepted=lambda c: np.zeros(c.n_classes, bool))
    assert (nothing.best, nothing.is_exact) == (None, True)
    too_few = _search(_lattice(), k=9)
    assert (too_few.best, too_few.is_exact, too_few.n_measured) == (None, True, 1)


def test_search_cheapest__says_when_it_was_bounded_or_stopped() -> None:
    bounded = _search(_lattice(), max_evaluations=1)
    assert not bounded.is_exact
    assert bounded.best is not None
    assert bounded.best.levels == (2, 2)  # the top is always measured
    assert not _search(_lattice(), stop=lambda: True).is_exact
    names = (("a", 7), ("b", 11), ("c", 13))
    table = pa.table({name: [str(n * step % 97) for n in range(400)] for name, step in names})
    lattice = build_lattice(table, ["a", "b", "c"])
    found = _search(lattice, k=5, limit=0.05, max_evaluations=8)
    assert not found.is_exact
    assert found.best is not None
    assert found.best.loss < 1  # more to offer than showing nothing
    assert not lattice.hides_all(found.best.levels)


def test_search_cheapest__refuses_settings_out_of_range_and_no_record() -> None:
    wrong = {"k": 0, "limit": 1, "average_risk": 0, "objective": "best"}
    assert problems(lambda: _search(_lattice(), **wrong)) == (
        "k must be at least 1, received 0.",
        "suppression_limit must be at least 0 and below 1, received 1.",
        "average_risk must be above 0 and at most 1, received 0.",
        "objective must be one of ncp, discernibility, average_class_size, received best.",
    )
    assert problems(lambda: _search(_lattice(), max_evaluations=0)) == (
        "max_evaluations must be at least 1, received 0.",
    )
    assert problems(lambda: build_lattice(TABLE, ["age"], leave_out=np.ones(8, dtype=bool))) == (
        "There is no record to generalize.",
    )


def _wide() -> Lattice:
    """Return 40 records: two columns that all share in fours, 22 others as good as random."""
    rng = np.random.default_rng(5)
    columns = {f"c{n}": rng.integers(0, 3, 40).astype(str).tolist() for n in range(22)}
    columns |= {"x": [str(n // 20) for n in range(40)], "y": [str(n // 10) for n in range(40)]}
    return build_lattice(pa.table(columns), [*columns])


def test_search_cheapest__goes_down_step_by_step_where_there_are_too_many_generalizations() -> None:
    lattice = _wide()
    assert (lattice.is_listed, lattice.thinned_columns) == (False, ())
    found = _search(lattice, k=10)
    assert not found.is_exact
    assert found.best.levels[-2:] == (0, 0)  # x and y are shown as they are, in classes of ten
    assert found.best.smallest_class == 10
    assert found.best.loss == pytest.approx(22 / 24)
    assert _search(_wide(), k=41).best is None
    for bound in ({"stop": lambda: True}, {"max_evaluations": 1}):
        assert _best(_wide(), **bound).levels == lattice.top


@pytest.mark.parametrize("objective", ["ncp", "discernibility", "average_class_size"])
def test_search_cheapest__makes_small_what_it_is_asked_to(objective: str) -> None:
    table = pa.table({"x": list("aabbccdd"), "y": list("pqpqpqpq")})
    lattice = build_lattice(table, ["x", "y"], kinds={"x": "category", "y": "category"})
    nodes = np.ndindex(*lattice.shape)
    costs = [lattice.measure(node).generalization(node, k=2, n_records=8) for node in nodes]
    reached = [each for each in costs if each is not None and not each.n_suppressed]
    assert _best(lattice, objective=objective).cost(objective) == min(
        each.cost(objective) for each in reached
    )


def test_search_cheapest__weighs_columns_and_keeps_the_average_risk() -> None:
    table = pa.table({"x": list("aabb"), "y": list("pqpq")})
    for weights, levels in (((5, 1), (0, 1)), ((1, 5), (1, 0))):
        assert _best(build_lattice(table, ["x", "y"], weights=weights)).levels == levels
    assert _best(_lattice(x="aaaaaabb")).levels == (0,)
    found = _best(_lattice(x="aaaaaabb"), average_risk=0.2)
    assert (found.levels, found.average_risk) == ((1,), 1 / 8)


def test_search_frontier__offers_the_best_for_each_risk_and_leaves_out_what_another_beats() -> None:
    demand = Demand(k=2, suppression_limit=0)
    found = search_frontier(_lattice(), demand, ks=[2, 3, 4, 100, 2])
    best = [outcome.best for outcome in found if outcome.best is not None]
    assert [(each.k, each.levels, each.smallest_class) for each in best] == [(2, (1, 1), 2), (4, (1, 2), 4)]
    assert best[0].loss < best[1].loss
    found = search_frontier(_lattice(x="aaabbb"), demand, ks=[2, 3, 4])
    assert [(each.best.k, each.best.smallest_class) for each in found if each.best] == [(3, 3), (4, 6)]


def test_generalize__writes_groups_and_stars() -> None:
    lattice = build_lattice(TABLE, ["age", "city"], leave_out=np.arange(8) == 7)
    found = _best(lattice, limit=0.5)
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
    found = _best(lattice)
    made = generalize(TABLE, lattice, found)
    assert made.table["age"].to_pylist()[:3] == ["[20, 30)", "[20, 30)", "[30, 40)"]
    assert made.table["city"].to_pylist()[3:5] == ["Ljubljana", "other"]
    names = ("column", "kind", "level", "n_levels", "generalization", "n_groups")
    columns = [
        ("age", "number", 1, 3, "intervals of 10", 2),
        ("city", "category", 1, 3, "values of fewer than 4 records as other", 2),
    ]
    assert made.settings == {
        "k": 2,
        "smallest_class": 2,
        "n_records": 8,
        "n_suppressed": 0,
        "loss": found.loss,
        "columns": [dict(zip(names, column, strict=True)) for column in columns],
        "local_recoding": [],
    }


def test_generalize__suppresses_what_is_not_accepted_or_not_shown() -> None:
    def but_the_first(classes: EquivalenceClasses) -> np.ndarray:
        return np.arange(classes.n_classes) > 0

    lattice = _lattice(x="aabbcc")
    found = _best(lattice, limit=0.4, accepted=but_the_first)
    made = generalize(pa.table({"x": list("aabbcc")}), lattice, found, accepted=but_the_first)
    assert made.table["x"].to_pylist() == ["*", "*", "b", "b", "c", "c"]
    lattice = _lattice(x="abcd", y="efgh")
    found = _best(lattice, k=4)
    assert (found.levels, found.loss, found.n_suppressed) == ((1, 1), 1, 0)
    made = generalize(pa.table({"x": list("abcd"), "y": list("efgh")}), lattice, found)
    assert (made.n_suppressed, made.settings["n_suppressed"]) == (4, 4)


def test_generalized_csv__is_safe_in_a_spreadsheet() -> None:
    table = pa.table({"=x": ["=1+1", "-5", None], "y": ["a,b", "@c", "d"]})
    lines = table_csv(table).decode("utf-8-sig").splitlines()
    assert lines == [
        '"\'=x","y"',
        '"\'=1+1","a,b"',
        '"-5","\'@c"',
        ',"d"',
    ]
    assert table_csv(pa.table({"x": ["a", None]})) == b'\xef\xbb\xbf"x"\n"a"\n""\n'


def test_verify_generalized__sees_a_class_that_is_too_small_and_passes_nothing_that_shows_nothing() -> None:
    found = verify_generalized(b'"x","y"\n"*","1"\n"*","2"\n', ["x"], columns=["x", "y"])
    assert (found.classes.k, found.n_suppressed, found.holds(5)) == (None, 2, None)
    assert verify_generalized(b'"x"\n"a"\n"a"\n"b"\n', ["x"], columns=["x"]).holds(2) is False


# x: a a b b c; s: classes with values {1, 2}, {1, 1}, {unknown}; the table has 1, 2, 1, 1.
CLASSES = equivalence_classes(pa.table({"x": list("aabbc")}), ["x"])
SENSITIVE = np.array([0, 1, 0, 0, -1])
ACCEPTED = (
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
)


def test_protects_sensitive__asks_every_class() -> None:
    def holds(asked: dict[str, float], accepted: list[bool]) -> None:
        for how in ({}, {"distance": "ordered"}, {"assessed": np.ones(5, dtype=bool)}):
            assert protects_sensitive(SENSITIVE, ClassLimits(**asked), **how)(CLASSES).tolist() == accepted

    holds_for_each(ACCEPTED, holds)
    diverse = protects_sensitive(np.array([0, 0, 1, 1]), ClassLimits(l=2))
    assert _best(_lattice(x="aabb", y="pqpq"), accepted=diverse).levels == (1, 0)


# --------------------------------------------------------------------------------------------- ladders


def _ladder(values: list[str | None], counts: list[int] | None = None, **options: object) -> Ladder:
    n = len(values)
    return build_ladder("x", pa.array(values, pa.string()), np.array(counts or [1] * n), **options)


def _written(ladder: Ladder, level: int) -> list[str | None]:
    found = ladder.levels[level]
    return found.names.take(pa.array(found.group_of_value)).to_pylist()


def _descriptions(ladder: Ladder) -> list[str]:
    return [level.description for level in ladder.levels]


BETWEEN = [f"{d:02d}.{m:02d}.{y}" for y in (1985, 1986, 1991) for m in (3, 11) for d in (7, 21)]
DATES = "1985-03-01 1985/3/17 1985-03-09 1988-11-02 1988-11-30 1994-12-24 1986-5-5 1986-5-6".split()
TIMES = ["2020-01-02T10:00", "2020-01-02 11:30", "2020-01-03T08:00", "2020-01-03 09:00", "none"]
# values, their kind ("!": said) and the levels between "as it is" and "not shown", and what level 1 writes
LADDERS = (
    ("21 23 28 34 39 41 67", "number: intervals of 10, intervals of 50",
     "[20, 30)|[20, 30)|[20, 30)|[30, 40)|[30, 40)|[40, 50)|[60, 70)"),
    ("-0.3 -0.1 0.2 0.4 1.3 1.4", "number: …", "[-0.5, 0)|[-0.5, 0)|[0, 0.5)|[0, 0.5)|[1, 1.5)|[1, 1.5)"),
    (DATES, "date: dates to the month, dates to the decade",
     "1985-03|1985-03|1985-03|1988-11|1988-11|1994-12|1986-05|1986-05"),
    (TIMES, "date!: …", "2020-01-02|2020-01-02|2020-01-03|2020-01-03|none"),
    ("01234 01235 01301 02901 02999", "code: first 3 characters", "012*|012*|013*|029*|029*"),
    ("2020-02-28 2020-02-29 2020-02-30 2020-02-01 2020-13-01", "date!: …",  # days that do not exist
     "2020-02|2020-02|2020-02-30|2020-02|2020-13-01"),
    (BETWEEN, "date: dates to the month, dates to the year",
     "1985-03|1985-03|1985-11|1985-11|1986-03|1986-03|1986-11|1986-11|1991-03|1991-03|1991-11|1991-11"),
    ("1/2/2021 3/4/2021 5/6/2020 7/8/2020 9/10/1999", "date: dates to the year",  # day and month exchanged?
     "2021|2021|2020|2020|1999"),
    ("31.12.85 1.12.85 30.11.84 5.11.84 29.1.71", "date: …", "'85-12|'85-12|'84-11|'84-11|'71-01"),
)  # fmt: skip


def test_build_ladder__groups_numbers_dates_and_codes_by_what_they_are() -> None:
    def holds(values: str | list[str], expected: str, written: str) -> None:
        kind, levels = expected.split(": ")
        cells = values.split() if isinstance(values, str) else values
        ladder = _ladder(cells, **({"kind": kind[:-1]} if kind.endswith("!") else {}))
        assert ladder.kind == kind.removesuffix("!")
        assert ", ".join(_descriptions(ladder)) == Saying(f"as it is, {levels}, not shown")
        assert "|".join(_written(ladder, 1)) == written

    holds_for_each(LADDERS, holds)


def test_build_ladder__loses_with_the_width_of_what_is_merged() -> None:
    ladder = _ladder(["21", "23", "28", "34", "39", "41", "67"])
    assert _written(ladder, 2) == ["[0, 50)"] * 6 + ["[50, 100)"]
    assert _written(ladder, 3) == ["*"] * 7
    # ranges: 21-28, 34-39, 41 and 67 alone; the domain is 46 wide.
    assert ladder.levels[1].loss_of_value == pytest.approx(np.array([7, 7, 7, 5, 5, 0, 0]) / 46)
    assert ladder.levels[0].loss_of_value.tolist() == [0] * 7
    assert ladder.levels[3].loss_of_value.tolist() == [1] * 7
    dates = _ladder(DATES)
    assert _written(dates, 2) == ["1980s"] * 5 + ["1990s"] + ["1980s"] * 2
    assert dates.levels[1].loss_of_value[0] == pytest.approx(16 / 3585)  # days of 1985-03-01 to 1994-12-24
    assert _written(_ladder(BETWEEN), 2) == ["1985"] * 4 + ["1986"] * 4 + ["1991"] * 4
    codes = _ladder("01234 01235 01301 02901 02999".split())
    assert codes.levels[1].loss_of_value == pytest.approx([0.4, 0.4, 0, 0.4, 0.4])


def test_build_ladder__groups_rare_categories_and_leaves_words_among_numbers() -> None:
    ladder = _ladder([*map(str, range(20)), "unknown", None])
    assert ladder.kind == "number"
    assert _written(ladder, 1)[-2:] == ["unknown", None]
    assert ladder.levels[1].loss_of_value[-2:].tolist() == [0, 0]
    assert _written(ladder, len(ladder.levels) - 1)[-2:] == ["*", "*"]
    ladder = _ladder(["a", "b", "c", "d", None], [50, 30, 2, 1, 9])
    assert ladder.kind == "category"
    assert _descriptions(ladder)[1] == "values of fewer than 50 records as other"
    assert _written(ladder, 1) == ["a", "other", "other", "other", None]
    assert ladder.levels[1].loss_of_value.tolist() == [0, 0.75, 0.75, 0.75, 0]
    words = [f"word {'x' * n}" for n in range(2000)]
    groups = [level.n_groups for level in _ladder(words, list(range(1, 2001))).levels]
    assert groups == [2000, 501, 126, 32, 8, 2, 1]


def test_build_ladder__of_one_value_or_of_a_kind_that_no_value_is_has_few_levels() -> None:
    assert _descriptions(_ladder(["a"])) == _descriptions(_ladder([])) == ["as it is"]
    for values in (["a", "b"], ["7", "a"]):
        assert _descriptions(_ladder(values, kind="number")) == ["as it is", "not shown"]
    assert problems(lambda: _ladder(["a"], kind="colour")) == (
        "kind must be one of number, date, code, category, received 'colour'.",
    )


KINDS = {
    "1 2.5 -3": "number",
    "007 123": "code",
    "F32.1 G40 I10.9": "code",
    "red green": "category",
    "A1 B2": "category",  # too short to cut
    "": "category",
    "2020-01-02 2021/3/4": "date",
}


def test_kind_of_values__tells_kinds_apart() -> None:
    assert {text: kind_of_values(pa.array(text.split() or [None], pa.string())) for text in KINDS} == KINDS


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


def test_build_ladder__never_cuts_dates_of_unsure_order_like_codes() -> None:
    for text in (
        "1/2/03 4/5/06 7/8/09 3/2/03 4/6/06",
        "31.12. 30.11. 1.2. 2.3.",
        "31.12.2021 30.11.2021 1.2.2021 A12 B34 C567",
    ):
        ladder, values = _ladder(text.split()), text.split()
        assert ladder.kind == "category"
        made = {cell for level in range(len(ladder.levels)) for cell in _written(ladder, level)}
        cut = [cell for cell in made - {*values} if cell.startswith(("31.1*", "1/*", "31*", "3*"))]
        assert cut == [], text


# --------------------------------------------------------------------------------- values as they mean


def _folded(*values: str | None, **settings: object) -> FoldedValues:
    column = coded_column(pa.table({"x": pa.array(values, pa.string())}), "x")
    return fold_values(column, RiskSettings(quasi_identifiers=("a",), **settings))


SAME = (
    ("HIV", "hiv"),
    ("H.I.V.", "HIV"),
    ("lung cancer", " lung  cancer "),
    ("lung_cancer", "Lung-Cancer"),
    ("ＨＩＶ", "HIV"),
    ("okužba", "okuz\u030cba"),
    ("covid-19", "COVID 19"),
)
SIGNS = "A+ A-, Rh- Rh, <=50K >50K, J45.0 J4.50, 10-20 1020, 5_% 5, -5 5".split(", ")


def test_folded_text__is_the_same_for_another_spelling_and_keeps_signs_that_say_something() -> None:
    def n_folded(pair: tuple[str, ...]) -> int:
        return len(set(folded_text(pa.array(pair)).to_pylist()))

    assert [pair for pair in SAME if n_folded(pair) != 1] == []
    signs = [tuple(one.replace("_", " ") for one in pair.split()) for pair in SIGNS]
    assert [pair for pair in signs if n_folded(pair) != 2] == []


def test_fold_values__counts_answers_but_no_word_for_unknown() -> None:
    for word in ("unknown", "N/A", "not stated", "?", "-", "모름", "Ni podatka"):
        folded = _folded("flu", word, "cold")
        assert (folded.n_unknown, int(folded.group_of_value.max()), folded.changes) == (1, 1, True), word
    for values in (("none", "flu"), ("+", "-"), ("no", "yes"), ("not ill", "ill")):
        assert not _folded(*values).changes, values
    folded = _folded("3", "unknown", None, missing_sensitive="value")  # one answer where a blank is one
    assert (folded.numbers, folded.group_of_value.tolist()) == (None, [0, 1, 1])


def test_fold_values__reads_amounts() -> None:
    for values in ("50,000|31000", "€ 50000|31000 EUR", "50 000|31'000", "50.000,00|31000,0"):
        numbers = _folded(*values.split("|")).numbers
        assert numbers is not None, values
        assert numbers.tolist() == [31000, 50000], values


def test_fold_values__takes_close_numbers_by_the_spread_of_the_column() -> None:
    salaries = [str(20_000 + 700 * n) for n in range(100)]
    assert not _folded(*salaries).n_merged  # 700 apart, of which 1 % of 63,000 or so is less
    assert _folded(*salaries, "20010").n_merged == 1
    assert _folded(*salaries, "20010", closeness=0.0).n_merged == 0
    assert not _folded(*map(str, range(1990, 2026))).changes
    assert not _folded(*map(str, range(101))).changes


def test_distinct_meanings__takes_the_most_values_that_are_not_close() -> None:
    classes = classes_of_codes(np.array([0, 0, 0, 0, 1, 1]), ("a",))
    numbers, groups = np.array([0.0, 0.9, 1.8, 2.7, 9.0]), np.arange(5)
    folded = FoldedValues(group_of_value=groups, numbers=numbers, width=1.0, n_merged=3, n_unknown=0)
    counts = items_of_classes(classes, np.array([0, 1, 2, 3, 3, 4]))
    assert distinct_meanings(counts, folded).tolist() == [2, 2]
    assert folded.interval_of_group.tolist() == [0, 0, 1, 1, 2]


SPELLED = "age,disease\n" + "30,HIV\n30,hiv\n30,H.I.V.\n" * 2 + "40,flu\n40,cold\n40,gout\n" * 2


def test_judge__holds_every_limit_against_values_as_what_they_mean() -> None:
    audit = judged(SPELLED, quasi="age", limits={"alpha": 0.9}, **DISEASE)
    assert audit.measurement.sensitive[0].figures["distinct_l"] == 3
    tells(
        audit,
        distinct_l="PASS",
        folded_distinct_l="FAIL: 1 of 2 groups (6 records) holds one and the same value ",
        alpha="PASS",
        folded_alpha="FAIL: In 1 group (6 records), of the values of `disease`, counted",
    )
    limits = {"entropy_l": 2.5, "t": 0.4, "beta": 0.9, "delta": 0.65}
    audit = judged(SPELLED, quasi="age", limits=limits, **DISEASE)
    tells(audit, folded_entropy_l="FAIL: The smallest entropy ℓ of `disease`, counted as … is 1;")
    failed = {each.check for each in audit.all_findings if each.verdict is Verdict.FAIL}
    assert failed == {"folded_distinct_l", "folded_entropy_l", "t", "basic_beta", "delta_ln"}


def test_judge__says_how_close_numbers_are() -> None:
    text = "age,salary\n" + "30,50000\n30,50010\n30,50020\n" * 2 + "40,20000\n40,31000\n40,68000\n" * 2
    chosen = {"quasi": "age", "sensitive": ("salary",)}
    assert "numbers up to 480 apart taken as one" in messages(judged(text, **chosen))["folded_distinct_l"]
    assert judged(text, **chosen, closeness=0.0).verdict is Verdict.PASS
