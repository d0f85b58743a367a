"""People behind records, columns nobody chose, households, and records linked to their originals."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.coding import value_codes
from core.errors import AuditInputError
from core.risk import RiskAudit, RiskSettings, RiskThresholds, audit_risk, judge_risk, measure_risk
from core.risk.columns import column_contributions, distinctness, singling_out_sets
from core.risk.people import household_risk, persons_by_all_records
from core.risk.records import Combinations, distinct_combinations
from core.tables import read_dataset
from core.verdict import Verdict
from tests.risk_examples import measured, messages, table
from tests.saying import Saying


def _text(columns: dict[str, object]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def _visits(patients: np.ndarray, name: str = "patient_id") -> str:
    n = len(patients)
    disease = np.array(["flu", "cold", "gout"])[np.arange(n) % 3]
    return _text({"age": np.arange(n) // 6, "disease": disease, name: patients})


def _judged(text: str, **settings: object) -> RiskAudit:
    return judge_risk(measured(text, quasi="age", sensitive=("disease",), **settings))


def test_hidden_persons__fail_where_records_of_a_class_are_of_few() -> None:
    audit = _judged(_visits(np.arange(120) // 3), leave_out=("patient_id",))
    assert messages(audit)["hidden_persons"] == Saying(
        "FAIL: 20 classes of at least 5 records (120 records) hold fewer … 5 values …"
    )


def test_hidden_persons__are_a_warning_where_the_name_says_nothing() -> None:
    audit = _judged(_visits(np.arange(120) // 3, "x"), leave_out=("x",))
    assert messages(audit)["hidden_persons"].startswith("WARN: 20 classes")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.arange(120), "everybody has one record"),
        (np.arange(120) % 40, "their records are in different classes"),
        (np.arange(120) // 6, "a label of the classes"),
        (np.zeros(120, dtype=int), "a constant"),
        (np.random.default_rng(0).integers(0, 3, 120), "a category"),
    ],
)
def test_hidden_persons__are_not_seen_in_other_columns(values: np.ndarray, why: str) -> None:
    assert "hidden_persons" not in messages(_judged(_visits(values, "x"), leave_out=("x",))), why


def test_hidden_persons__are_nobody_where_persons_are_counted_or_classes_have_enough() -> None:
    assert "hidden_persons" not in messages(_judged(_visits(np.arange(120) // 3), person="patient_id"))
    assert "hidden_persons" not in messages(
        judge_risk(
            measured(_visits(np.arange(120) // 3), quasi="age", leave_out=("patient_id",)),
            RiskThresholds(k=2),
        )
    )


def test_persons_by_all_records__counts_those_with_the_same_classes_equally_often() -> None:
    found = measured("age,p\n30,a\n40,a\n30,b\n40,b\n30,c\n30,d\n30,d\n40,\n", quasi="age")
    person = np.array([0, 0, 1, 1, 2, 3, 3, -1])
    alike = persons_by_all_records(found.classes, person)
    assert (alike.sizes.tolist(), alike.counts.tolist(), alike.n) == ([1, 2], [2, 2], 4)


def test_repeated_visits__are_said_where_persons_are_alone() -> None:
    text = "age,p\n" + "".join(f"{age},p{n}\n" for n in range(12) for age in (30, 40)) + "30,p0\n"
    audit = judge_risk(measured(text, quasi="age", person="p"))
    assert messages(audit)["repeated_visits"].startswith(
        "WARN: By all their records together, which classes they are in and how often, 1 of 12 persons "
        "(8.3 %) "
        "are like nobody else and 1 like fewer than 5 persons."
    )
    assert audit.figures["persons_alone_share"] == pytest.approx(1 / 12)
    same = judge_risk(measured(text.removesuffix("30,p0\n"), quasi="age", person="p"))
    assert "repeated_visits" not in messages(same)


def _many(n_columns: int) -> str:
    rng = np.random.default_rng(0)
    answers = {f"q{number}": rng.integers(0, 4, 300) for number in range(n_columns)}
    return _text(
        {"age": np.arange(300) // 50, "disease": np.array(["a", "b", "c"])[np.arange(300) % 3], **answers}
    )


def test_unchosen_columns__are_a_warning_where_they_single_out_together() -> None:
    audit = _judged(_many(8))
    found = audit.measurement.unchosen
    assert (len(found.columns), found.n_records, len(found.smallest)) == (8, 300, 5)
    assert found.n_unique > 290
    assert messages(audit)["unchosen_columns"].startswith(
        f"WARN: The 8 released columns that nobody chose, taken together, single out {found.n_unique} of 300 "
        "records ("
    )
    assert "WARN" in messages(_judged(_many(8), other=tuple(f"q{n}" for n in range(8))))["unchosen_columns"]


def test_unchosen_columns__are_a_fact_where_they_single_out_hardly_anybody() -> None:
    audit = _judged(_many(2))
    assert audit.overall is Verdict.PASS
    assert messages(audit)["unchosen_columns"] == (
        "PASS: The 2 released columns that nobody chose, taken together, single out 0 of 300 records (0 %)."
    )


def test_unchosen_columns__are_none_where_all_were_chosen_or_are_left_out() -> None:
    audit = _judged(_many(2), leave_out=("q0", "q1"))
    assert audit.measurement.unchosen.columns == ()
    assert "unchosen_unique_share" not in audit.figures


def test_unchosen_columns__are_searched_on_some_records_and_counted_on_all() -> None:
    n = 20_100
    rng = np.random.default_rng(0)
    text = _text(
        {"age": np.zeros(n, int), "a": rng.permutation(n) // 2, "b": np.arange(n) % 2, "c": np.arange(n) // 2}
    )
    found = measured(text, quasi="age").unchosen
    assert (found.n_looked_at, found.n_unique > n / 2) == (20_000, True)
    assert found.n_unique_in_smallest > 0


def test_household_risk__is_that_of_any_member() -> None:
    text = "age,hh\n30,x\n30,y\n40,x\n40,z\n40,z\n40,w\n50,v\n"
    found = measured(text, quasi="age", household="hh")
    risk = household_risk(table(text), found.classes, "hh")
    # In order of appearance: x 1 - 1/2 · 3/4, y 1/2, z 1 - (3/4)², w 1/4, v alone.
    assert risk.risk_of_household.tolist() == pytest.approx([0.625, 0.5, 0.4375, 0.25, 1])
    assert risk.households_of_class.tolist() == [2, 3, 1]
    assert (risk.n_households, risk.highest_risk, risk.n_above(0.5)) == (5, 1.0, 2)
    told = messages(judge_risk(found, RiskThresholds(k=2)))
    assert told["household_risk"] == Saying(
        "WARN: 2 of 5 households (40.0 %) are found through any of their … 50.0 %, … 100 % … 56.2 %."
    )
    assert told["households"].startswith(
        "WARN: 1 of 3 classes holds fewer than 2 households, 0 of them several"
    )


def test_household__that_fills_a_class_fails() -> None:
    text = "age,hh\n" + "30,x\n" * 6 + "".join(f"40,h{n}\n" for n in range(6))
    audit = judge_risk(measured(text, quasi="age", household="hh"))
    assert messages(audit)["households"].startswith(
        "FAIL: 1 of 2 classes holds fewer than 5 households, 1 of them"
    )


def test_household__is_fine_where_everybody_has_another_and_not_assessed_where_nobody_has_one() -> None:
    text = "age,hh\n" + "".join(f"30,h{n}\n" for n in range(6))
    told = messages(judge_risk(measured(text, quasi="age", household="hh")))
    assert told["households"] == "PASS: Every class has at least 6 households."
    assert told["household_risk"].startswith("PASS: 0 of 6 households")
    nobody = judge_risk(measured("age,hh\n" + "30,\n" * 6, quasi="age", household="hh"))
    assert messages(nobody)["households"].startswith(
        "NOT_ASSESSED: No assessed record names a household in `hh`."
    )
    some = judge_risk(measured(text + "30,\n", quasi="age", household="hh"))
    assert messages(some)["unknown_households"].startswith("WARN: 1 of 7 records names no household")


def test_household_limit__fails_what_is_above_it_and_replaces_the_warning() -> None:
    text = "age,hh\n" + "".join(f"{age},h{n}\n" for age in (30, 40) for n in range(6))
    found = measured(text, quasi="age", household="hh")
    told = messages(judge_risk(found, RiskThresholds(household_risk=0.3)))
    assert told["household_limit"] == Saying(
        "FAIL: 6 of 6 households (100 %) are found through any of their … 30.0 %; … 30.6 %."
    )
    assert "household_risk" not in told
    assert judge_risk(found, RiskThresholds(household_risk=0.31)).verdict is Verdict.PASS
    nothing = judge_risk(measured(text, quasi="age", leave_out=("hh",)), RiskThresholds(household_risk=0.3))
    assert messages(nothing)["household_limit"] == Saying(
        "NOT_ASSESSED: A largest risk of households is asked for, and no …"
    )


def test_person_limit__fails_persons_unlike_others_in_all_their_records() -> None:
    visits = {"a": "33", "b": "33", "c": "44", "d": "44", "e": "34", "f": "3", "g": "4"}
    text = "age,id\n" + "".join(f"{age}0,{who}\n" for who, ages in visits.items() for age in ages)
    found = measured(text, quasi="age", person="id")
    assert messages(judge_risk(found, RiskThresholds(k=2)))["repeated_visits"].startswith("WARN: ")
    told = messages(judge_risk(found, RiskThresholds(k=2, person_k=2)))
    assert told["person_limit"] == Saying(
        "FAIL: By all their records together, … 3 of 7 persons (42.9 %) are like fewer than 2 …"
    )
    assert "repeated_visits" not in told
    assert messages(judge_risk(found, RiskThresholds(k=2, person_k=1)))["person_limit"].startswith("PASS: ")
    nobody = judge_risk(measured(text, quasi="age", leave_out=("id",)), RiskThresholds(k=2, person_k=2))
    assert messages(nobody)["person_limit"] == Saying(
        "NOT_ASSESSED: It is asked that persons are alike in all their …"
    )


def _linked(noise: float, **settings: object) -> RiskAudit:
    rng = np.random.default_rng(0)
    exact = rng.normal(100, 15, (200, 2)).round(2)
    changed = (exact + rng.normal(0, noise, exact.shape)).round(2)
    ages = np.arange(200) // 20
    original, released = (
        table(_text({"age": ages, "x": each[:, 0], "y": each[:, 1]})) for each in (exact, changed)
    )
    chosen = RiskSettings(quasi_identifiers=("age",), **settings)
    return judge_risk(measure_risk(released, settings=chosen, original=original))


def test_linkage__finds_records_by_their_numbers() -> None:
    audit = _linked(0.5)
    linkage = audit.measurement.linkage
    assert linkage is not None
    assert (set(linkage.columns), linkage.n_records, linkage.n_originals) == ({"x", "y", "age"}, 200, 200)
    assert 0.5 < linkage.share < 1
    assert messages(audit)["record_linkage"].startswith(
        "WARN: By the numbers of `y`, `x`, `age` the nearest original"
    )


def test_linkage__of_generalized_numbers_is_what_k_accepts() -> None:
    audit = _linked(0.5, leave_out=("x", "y"))
    assert audit.figures["linked_share"] == pytest.approx(0.05)  # twenty originals of each age
    assert messages(audit)["record_linkage"].startswith("PASS")


def test_linkage__needs_numbers_in_both_and_the_same_rows() -> None:
    chosen = RiskSettings(quasi_identifiers=("age",))
    words, numbers = table("age\nyoung\nold\n"), table("age\n30\n40\n")
    assert measure_risk(words, settings=chosen, original=numbers).linkage is None
    assert measure_risk(numbers, settings=chosen, original=table("age\n30\n40\n50\n")).linkage is None
    assert measure_risk(numbers, settings=chosen, original=table("age\n30\n30\n")).linkage is None
    gaps = table("age,b\n30,1\n,2\n"), table("age,b\n30,1\n40,2\n")
    assert measure_risk(gaps[0], settings=chosen, original=gaps[1]).linkage is None


def test_hidden_persons__are_counted_by_a_named_column_whatever_classes_they_are_in() -> None:
    rng = np.random.default_rng(3)
    visitors = np.append(np.repeat(0, 30), 1 + rng.permutation(90) % 60)
    found = _judged(_visits(visitors), leave_out=("patient_id",))
    assert messages(found)["hidden_persons"].startswith("FAIL: ")
    many = np.tile(np.arange(60), 2)
    fact = messages(_judged(_visits(many), leave_out=("patient_id",)))["hidden_persons"]
    assert fact.startswith("PASS: `patient_id` seems to say whose record it is, and records were counted")


def test_time__intervals_and_order_are_said_of_one_table_with_persons() -> None:
    rng = np.random.default_rng(4)
    n = 200
    day = rng.integers(0, 300, n)[:, None] + np.cumsum(rng.integers(1, 90, (n, 3)), axis=1)
    table = pd.DataFrame(
        {
            "patient_id": np.repeat(rng.permutation(n), 3),
            "visit_date": (np.datetime64("1965-01-01") + day.ravel()).astype(str),
            "age": "30-39",
        }
    )
    data = read_dataset(table.to_csv(index=False).encode(), name="visits.csv")
    counted = audit_risk(data, settings=RiskSettings(quasi_identifiers=("age",), person="patient_id"))
    found = messages(counted)["intervals"]
    assert found.startswith("FAIL: `visit_date`: of those with two records or more, ")
    hidden = audit_risk(data, settings=RiskSettings(quasi_identifiers=("age",), leave_out=("patient_id",)))
    assert "intervals" not in messages(hidden)


WORDS = ("flu", "cold", "gout", "acne", "asthma")


def _table(disease: np.ndarray, **more: np.ndarray) -> str:
    columns = {"age": np.arange(len(disease)) // 50 * 10, "disease": disease, **more}
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def _random(seed: int = 0) -> np.ndarray:
    return np.array(WORDS, dtype=object)[np.random.default_rng(seed).integers(0, 5, 1000)]


def _judged_likely(text: str, *sensitive: str, **settings: object) -> RiskAudit:
    return judge_risk(measured(text, quasi="age", sensitive=sensitive or ("disease",), **settings))


def test_likely__is_not_said_of_what_chance_makes() -> None:
    assert _judged_likely(_table(_random())).overall is Verdict.PASS


def test_likely__is_said_of_a_dominant_value() -> None:
    disease = _random()
    disease[:46] = "HIV"
    told = messages(_judged_likely(_table(disease)))
    assert told["dominant_value"] == Saying(
        "WARN: In 1 class (50 records) … `disease` … 80.0 %, and 30.0 % … 92.0 %; … < 0.001 …"
    )


def test_likely__is_said_of_a_rare_value_that_is_frequent_in_a_class() -> None:
    disease = _random()
    disease[:20] = "HIV"
    told = messages(_judged_likely(_table(disease)))
    assert "dominant_value" not in told
    assert told["skewed_value"].startswith("WARN: In 1 class (50 records)")
    disease = _random()
    disease[::50] = "HIV"  # as often, spread over all classes
    assert "skewed_value" not in messages(_judged_likely(_table(disease)))


def test_likely__looks_at_numbers_by_tenths() -> None:
    income = np.random.default_rng(1).permutation(20_000 + 40 * np.arange(1000))
    assert _judged_likely(_table(_random(), income=income), "income").overall is not Verdict.FAIL
    income[:50] = 60_000 + 40 * np.arange(50)
    assert "dominant_value" in messages(_judged_likely(_table(_random(), income=income), "income"))


def test_related__is_said_of_attributes_that_tell_one_another() -> None:
    disease = _random()
    drug = np.array([f"drug {word}" for word in disease], dtype=object)
    text = _table(disease, drug=drug)
    assert messages(_judged_likely(text, "disease", "drug"))["related_sensitive"] == Saying(
        f"WARN: Whoever knows `disease` …{np.unique(disease, return_counts=True)[1].max() / 10:.1f} …"
    )
    together = _judged_likely(text, "disease", "drug", several_sensitive="others_added")
    assert "related_sensitive" not in messages(together)


@pytest.mark.parametrize("seed", range(5))
def test_related__is_not_said_of_independent_attributes_nor_of_all_different_ones(seed: int) -> None:
    text = _table(_random(), drug=_random(seed + 1), code=np.array([f"c{n}" for n in range(1000)]))
    assert "related_sensitive" not in messages(_judged_likely(text, "disease", "drug", "code"))


def test_related__needs_records() -> None:
    text = "age,a,b\n" + "".join(f"30,{n % 3},{n % 3}x\n" for n in range(18))
    found = measured(text, quasi="age", sensitive=("a", "b"))
    assert found.related == ()


def test_missing_sensitive_values__are_a_fact_where_they_are_few() -> None:
    disease = _random()
    disease[:20] = ""
    assert messages(_judged_likely(_table(disease)))["missing_sensitive_values"].startswith(
        "PASS: 20 of 1,000"
    )
    disease[:50] = ""  # a whole class
    assert messages(_judged_likely(_table(disease)))["missing_sensitive_values"].startswith(
        "WARN: 50 of 1,000"
    )


def test_judge__without_a_class_size_rests_on_the_average_risk() -> None:
    found = measured("age,sex\n" + "30,F\n" * 9 + "40,F\n", quasi="age")
    assert judge_risk(found, RiskThresholds(k=1, average_risk=0.25)).verdict is Verdict.PASS
    assert judge_risk(found, RiskThresholds(k=1, average_risk=0.15)).verdict is Verdict.FAIL
    nothing = judge_risk(found, RiskThresholds(k=1))
    assert nothing.verdict is Verdict.NOT_ASSESSED
    assert messages(nothing)["k"] == "PASS: No size of classes is asked for; the smallest has 1 record."


def _combinations(columns: dict[str, str]) -> Combinations:
    return distinct_combinations({name: value_codes(pa.array(list(text))) for name, text in columns.items()})


# Motwani and Xu (2007), table 1: age, sex and state of five people.
MOTWANI_XU = distinct_combinations(
    {
        "age": value_codes(pa.array([20, 30, 40, 20, 40])),
        "sex": value_codes(pa.array(["Female", "Female", "Female", "Male", "Male"])),
        "state": value_codes(pa.array(["CA", "CA", "TX", "NY", "CA"])),
    }
)


def test_distinctness__agrees_with_the_paper() -> None:
    age, age_state = distinctness(MOTWANI_XU, [0]), distinctness(MOTWANI_XU, [0, 2])
    assert (age.distinction, age.separation) == (0.6, 0.8)
    assert (age_state.distinction, age_state.separation) == (1, 1)
    assert age_state.columns == ("age", "state")
    assert (age.n_classes, age.n_unique, age.unique_share, age.n_pairs_separated) == (3, 1, 0.2, 8)


def test_distinctness__of_no_column_tells_nobody_apart() -> None:
    found = distinctness(MOTWANI_XU, [])
    assert (found.n_classes, found.separation, found.n_unique) == (1, 0, 0)


def test_distinctness__of_one_record_has_no_pair() -> None:
    found = distinctness(_combinations({"x": "a"}), [0])
    assert (found.distinction, found.separation, found.unique_share) == (1, None, 1)


def test_distinctness__of_no_record_is_not_known() -> None:
    empty = distinct_combinations({"x": np.zeros(0, dtype=np.int64)})
    found = distinctness(empty, [0])
    assert (found.distinction, found.separation, found.unique_share) == (None, None, None)
    assert column_contributions(empty)[0].unique_share_gained is None


def test_column_contributions__count_what_a_column_adds() -> None:
    # x·y: a1 a2 b1 b1 c3. Unique: a1, a2, c3. Without y: c. Without x: 2 and 3.
    x, y = column_contributions(_combinations({"x": "aabbc", "y": "12113"}))
    assert (x.column, x.n_unique_gained, x.unique_share_gained) == ("x", 1, 0.2)
    assert (y.column, y.n_unique_gained, y.unique_share_gained) == ("y", 2, 0.4)
    assert (x.alone.n_unique, y.alone.n_unique) == (1, 2)


def test_singling_out_sets__finds_all_of_the_smallest_size() -> None:
    # x and z together, and y and z together, single out everybody; no column alone half of them.
    table = _combinations({"x": "aabb", "y": "ccdd", "z": "1212"})
    found = singling_out_sets(table)
    assert [each.columns for each in found.sets] == [("x", "z"), ("y", "z")]
    assert (found.method, found.searched_size, found.n_looked_at) == (
        "exact",
        2,
        3,
    )  # 2 values reach 2 of 4 at best


def test_singling_out_sets__of_columns_that_never_do_it() -> None:
    found = singling_out_sets(_combinations({"x": "aabb", "y": "1122"}))
    assert (found.sets, found.method) == ((), "exact")


def test_singling_out_sets__need_more_than_the_share() -> None:
    table = _combinations({"x": "abcc"})
    assert singling_out_sets(table, share=0.5).sets == ()
    assert [each.columns for each in singling_out_sets(table, share=0.49).sets] == [("x",)]


def test_singling_out_sets__grows_a_set_beyond_its_bound_and_says_so() -> None:
    bits = [np.arange(16) >> place & 1 for place in range(4)]
    columns = dict(zip("abcdef", [*bits, bits[0] ^ bits[1], bits[2] ^ bits[3]], strict=True))
    exact = singling_out_sets(distinct_combinations(columns))
    greedy = singling_out_sets(distinct_combinations(columns), max_cells=1)
    assert {each.columns for each in exact.sets} >= {("a", "b", "c", "d"), ("a", "c", "e", "f")}
    assert (exact.method, exact.searched_size) == ("exact", 4)  # two values each: less never reaches 9 of 16
    assert (greedy.method, greedy.searched_size) == ("greedy", 3)
    assert greedy.sets[0].unique_share == 1


def test_singling_out_sets__refuse_a_share_out_of_range() -> None:
    with pytest.raises(AuditInputError, match=r"^share must be at least 0 and below 1, received 1\.$"):
        singling_out_sets(MOTWANI_XU, share=1.0)


def test_columns__of_many_do_bounded_work_and_say_so() -> None:
    rng = np.random.default_rng(3)
    wide = distinct_combinations({f"c{n}": rng.integers(0, 3, 200) for n in range(1000)})
    found = singling_out_sets(wide, max_cells=60_000_000)
    assert (found.method, found.searched_size) == ("greedy", 1)
    assert found.sets[0].n_unique > 100
    assert len(column_contributions(wide)) == 1000
    assert all(each.n_unique_gained == 0 for each in column_contributions(wide))  # 999 others do as well
