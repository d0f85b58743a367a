"""Ladders on columns countable by hand: what each level writes, groups and loses."""

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.risk.ladders import Ladder, build_ladder, column_ladders, kind_of_values, thinned


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
        [
            "1985-03-01",
            "1985/3/17",
            "1985-03-09",
            "1988-11-02",
            "1988-11-30",
            "1994-12-24",
            "1986-5-5",
            "1986-5-6",
        ]
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
    assert _written(_ladder(values, kind="date"), 1) == [
        "2020-02",
        "2020-02",
        "2020-02-30",
        "2020-02",
        "2020-13-01",
    ]


def test_build_ladder__spreads_levels_over_many_values() -> None:
    words = [f"word {'x' * n}" for n in range(2000)]
    groups = [level.n_groups for level in _ladder(words, list(range(1, 2001))).levels]
    assert groups == [2000, 501, 126, 32, 8, 2, 1]


def test_build_ladder__shortens_dates_that_begin_with_the_day() -> None:
    ladder = _ladder([f"{day:02d}.{month:02d}.{year}" for year in (1985, 1986, 1991) for month in (3, 11) for day in (7, 21)])  # fmt: skip  # noqa: E501
    assert ladder.kind == "date"
    assert _descriptions(ladder) == [
        "as it is",
        "dates to the month",
        "dates to the year",
        "not shown",
    ]
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
