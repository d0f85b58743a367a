"""People behind records, columns nobody chose, households, and records linked to their originals."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from stdnum import luhn
from stdnum.br import cpf
from stdnum.es import dni
from stdnum.pl import pesel

from core.risk import RiskAudit, RiskSettings, RiskThresholds, audit_risk, judge_risk
from core.risk.people import household_risk, persons_by_all_records
from core.tables import read_dataset
from core.verdict import Verdict
from tests.risk_examples import DISEASE, judged, measured, messages, table, tells


def _text(columns: dict[str, object]) -> str:
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def _visits(patients: np.ndarray, name: str = "patient_id") -> str:
    n = len(patients)
    disease = np.array(["flu", "cold", "gout"])[np.arange(n) % 3]
    return _text({"age": np.arange(n) // 6, "disease": disease, name: patients})


_by_age = partial(judged, quasi="age")
_judged = partial(_by_age, **DISEASE)
THREE_EACH = np.arange(120) // 3


def test_hidden_persons__fail_where_records_of_a_class_are_of_few() -> None:
    for name, told in (
        (
            "patient_id",
            "FAIL: If `patient_id` is the person, the smallest group has 2 persons, and 20 groups ",
        ),
        ("x", "WARN: If `x` is … 20 groups"),  # the name says nothing
    ):
        tells(_judged(_visits(THREE_EACH, name), leave_out=(name,)), hidden_persons=told)
    rng = np.random.default_rng(3)
    visitors = np.append(np.repeat(0, 30), 1 + rng.permutation(90) % 60)  # whatever classes they are in
    tells(_judged(_visits(visitors), leave_out=("patient_id",)), hidden_persons="FAIL: ")
    many = _judged(_visits(np.tile(np.arange(60), 2)), leave_out=("patient_id",))
    tells(
        many, hidden_persons="PASS: If `patient_id` is the person, the smallest group has 6 persons, and 5 "
    )


OTHER_COLUMNS = {
    "everybody has one record": np.arange(120),
    "their records are in different groups": np.arange(120) % 40,
    "a label of the groups": np.arange(120) // 6,
    "a constant": np.zeros(120, dtype=int),
    "a category": np.random.default_rng(0).integers(0, 3, 120),
}


def test_hidden_persons__are_not_seen_elsewhere_or_where_they_are_counted_or_classes_have_enough() -> None:
    audits = {why: _judged(_visits(each, "x"), leave_out=("x",)) for why, each in OTHER_COLUMNS.items()}
    audits["counted"] = _judged(_visits(THREE_EACH), person="patient_id")
    audits["enough"] = _by_age(_visits(THREE_EACH), leave_out=("patient_id",), k=2)
    assert [why for why, audit in audits.items() if "hidden_persons" in messages(audit)] == []


N_PERSONS = 150


def _of_persons(values: list[str], *, n_each: int, grows_old: bool = False, **further: list[str]) -> str:
    """Return a table of persons with several records, each with its value in column `v`, in random order."""
    rng = np.random.default_rng(7)
    who = rng.permutation(np.repeat(np.arange(N_PERSONS), n_each))
    age = rng.integers(20, 80, N_PERSONS)[who] + (rng.integers(0, 6, len(who)) if grows_old else 0)
    traits = {"sex": np.array(["f", "m"]), "region": np.array(["east", "west"])}
    return _text(
        {
            "band": age // 30 * 30,
            **{name: each[rng.integers(0, 2, N_PERSONS)][who] for name, each in traits.items()},
            "disease": rng.choice(["flu", "cold", "gout", "asthma"], len(who)),
            "v": np.array(values)[who],
            **{name: np.array(each)[who] for name, each in further.items()},
        }
    )


def _drawn(*alphabets: str) -> list[str]:
    """Return a text of random letters of each alphabet for each person."""
    rng = np.random.default_rng(11)
    columns = [rng.choice(list(each), N_PERSONS) for each in alphabets]
    return ["".join(row) for row in zip(*columns, strict=True)]


DIGITS, CAPITALS = "0123456789", "ABCDEFGHKLMNPRST"
_NUMBERS = {
    name: [prefix + each for each in _drawn(*[DIGITS] * n)]
    for name, prefix, n in (("pesel", "", 10), ("dni", "5", 7), ("cpf", "", 9), ("imei", "35", 12))
}
PESEL = [
    f"{60 + int(each[0]) % 30:02d}1{int(each[1]) % 3}1{each[2]}{each[3:7]}" for each in _NUMBERS["pesel"]
]
SURE = {  # by check digits, or by a shape that nothing else has
    "PESEL": [each + pesel.calc_check_digit(each) for each in PESEL],
    "DNI": [each + dni.calc_check_digit(each) for each in _NUMBERS["dni"]],
    "CPF": [cpf.format(each + cpf._calc_check_digits(each)) for each in _NUMBERS["cpf"]],
    "IMEI": [each + luhn.calc_check_digit(each) for each in _NUMBERS["imei"]],
    "MAC": [
        ":".join(each[at : at + 2] for at in range(0, 12, 2)) for each in _drawn(*["0123456789abcdef"] * 12)
    ],
    "telephone": [f"0{each[0]}1/{each[1:4]}-{each[4:7]}" for each in _drawn("12345678", *[DIGITS] * 6)],
    "account of a network": [f"@{each.lower()}" for each in _drawn(*[CAPITALS] * 7)],
}
CODES = {  # of persons, or pseudonyms of theirs
    "konto": [f"acc{each}" for each in _drawn(*[DIGITS] * 5)],
    "plate": [f"LJ {each[:2]}-{each[2:]}" for each in _drawn(CAPITALS, CAPITALS, *[DIGITS] * 3)],
    "profile": [f"https://www.example.com/people/{each.lower()}" for each in _drawn(*[CAPITALS] * 6)],
    "mobile without its zero": [f"6{each}" for each in _drawn(*[DIGITS] * 8)],
    "passport": [f"P{each}" for each in _drawn(CAPITALS, *[DIGITS] * 7)],
}
_of_traits = partial(judged, quasi="band,sex,region", **DISEASE)


@pytest.mark.parametrize("n_each", [4, 7])
@pytest.mark.parametrize("grows_old", [False, True])
def test_persons__with_several_records_are_no_pass_by_whatever_they_are_told(
    n_each: int, *, grows_old: bool
) -> None:
    for values in SURE.values():
        audit = _of_traits(_of_persons(values, n_each=n_each, grows_old=grows_old))
        tells(audit, direct_identifiers="FAIL: `v` looks like a direct identifier of people: ")
    for name, values in CODES.items():
        audit = _of_traits(_of_persons(values, n_each=n_each, grows_old=grows_old))
        assert audit.exposure_verdict is Verdict.WARN, name
        tells(audit, hidden_persons="WARN: If `v` is the person, the smallest group has ")


@pytest.mark.parametrize("person", [None, "v"])
def test_column__that_repeats_with_the_person_is_an_identifier(person: str | None) -> None:
    for name in ("plate", "passport", "profile", "mobile without its zero"):
        text = _of_persons(CODES["konto"], n_each=4, w=CODES[name])
        told = messages(_of_traits(text, person=person))
        assert told["repeats_with_person"].startswith("FAIL: `"), name
        assert "repeats_with_person" not in messages(_of_traits(text, person="v", other=("w",)))


RNG = np.random.default_rng(5)
NO_PERSONS = {  # by record, or by person
    "wards": RNG.choice([f"W{n}" for n in range(12)], (2_000, 4)),
    "products": RNG.choice([f"P-{n:04d}" for n in range(900)], (2_000, 4)),
    "diagnoses": RNG.choice(
        [f"{a}{n:02d}.{b}" for a in "ABCDEF" for n in range(60) for b in (0, 1)], (2_000, 4)
    ),
    "cities": np.repeat(RNG.choice([f"Town{n}" for n in range(60)], (2_000, 1)), 4, axis=1),
    "laboratory": RNG.normal(140, 20, (2_000, 4)).round().astype(int).astype(str),
    "physicians": RNG.choice([f"D{n:03d}" for n in range(80)], (2_000, 4)),
}


@pytest.mark.parametrize("values", NO_PERSONS.values(), ids=NO_PERSONS)
@pytest.mark.parametrize("person", [None, "pid"])
def test_column__that_repeats_as_attributes_do_is_no_person(values: np.ndarray, person: str | None) -> None:
    n, n_each = values.shape
    traits = {
        name: np.repeat(RNG.choice(each, n), n_each)
        for name, each in (("band", [20, 50]), ("sex", ["f", "m"]))
    }
    disease = RNG.choice(["flu", "cold", "gout"], n * n_each)
    pid = {"pid": [f"p{each}" for each in np.repeat(RNG.permutation(n), n_each)]} if person else {}
    text = _text({**traits, "disease": disease, "v": values.ravel(), **pid})
    told = messages(judged(text, quasi="band,sex", **DISEASE, person=person))
    assert not {"hidden_persons", "repeats_with_person", "direct_identifiers", "distinct_columns"} & {*told}


SURELY, PERHAPS = {"direct_identifiers": "FAIL: `v` "}, {"perhaps_names": "WARN: `v` may hold names of "}
FULL_NAMES = (
    ("Ana Eva Rok Jan Mia Luka", "Novak Kos Zupan Krajnc Horvat", SURELY),
    ("Mary John Linda Susan Peter", "Smith Brown Jones Miller Davis", SURELY),
    ("राम सीता गीता मोहन अनिल सुनील", "शर्मा वर्मा गुप्ता सिंह यादव", PERHAPS),
    ("محمد فاطمة علي زينب حسن مريم", "الحسن العلي السيد المصري حداد", PERHAPS),
)


@pytest.mark.parametrize(("first", "last", "told"), FULL_NAMES)
def test_person__by_full_names_says_that_names_are_released(
    first: str, last: str, told: dict[str, str]
) -> None:
    names = [f"{one} {other}" for one in first.split() for other in last.split()]
    tells(_of_traits(_of_persons((names * 10)[:N_PERSONS], n_each=2), person="v"), **told)


@pytest.mark.parametrize("name", ["konto", "passport"])
def test_person__by_codes_is_no_name(name: str) -> None:
    codes = _of_traits(_of_persons(CODES[name], n_each=2), person="v")
    tells(codes, direct_identifiers=None, perhaps_names=None)


def test_persons_by_all_records__counts_those_with_the_same_classes_equally_often() -> None:
    found = measured("age,p\n30,a\n40,a\n30,b\n40,b\n30,c\n30,d\n30,d\n40,\n", quasi="age")
    alike = persons_by_all_records(found.classes, np.array([0, 0, 1, 1, 2, 3, 3, -1]))
    assert (alike.sizes.tolist(), alike.counts.tolist(), alike.n) == ([1, 2], [2, 2], 4)


def test_repeated_visits__are_said_where_persons_are_alone() -> None:
    text = "age,p\n" + "".join(f"{age},p{n}\n" for n in range(12) for age in (30, 40))
    audit = _by_age(text + "30,p0\n", person="p")
    alone = "WARN: … 1 of 12 persons (8.3 %) are like nobody else and 1 like fewer than 5 persons."
    tells(audit, repeated_visits=alone)
    assert audit.figures["persons_alone_share"] == pytest.approx(1 / 12)
    tells(_by_age(text, person="p"), repeated_visits=None)


def _many(n_columns: int) -> str:
    rng = np.random.default_rng(0)
    answers = {f"q{number}": rng.integers(0, 4, 300) for number in range(n_columns)}
    diseases = np.array(["a", "b", "c"])[np.arange(300) % 3]
    return _text({"age": np.arange(300) // 50, "disease": diseases, **answers})


def test_unchosen_columns__are_a_warning_where_they_single_out_together_and_else_a_fact() -> None:
    audit = _judged(_many(8))
    found = audit.measurement.unchosen
    assert (len(found.columns), found.n_records, len(found.smallest)) == (8, 300, 5)
    assert found.n_unique > 290
    tells(audit, unchosen_columns=f"WARN: The 8 released … single out {found.n_unique} of 300 records (")
    tells(_judged(_many(8), other=tuple(f"q{n}" for n in range(8))), unchosen_columns="WARN")
    few = _judged(_many(2), other=("q0", "q1"))
    assert few.overall is Verdict.PASS
    tells(few, unchosen_columns="PASS: The 2 released columns … single out 0 of 300 records (0 %).")
    none = _judged(_many(2), leave_out=("q0", "q1"))
    assert none.measurement.unchosen.columns == ()
    assert "unchosen_unique_share" not in none.figures


def test_unchosen_columns__are_searched_on_some_records_and_counted_on_all() -> None:
    n = np.arange(20_100)
    further = {"a": np.random.default_rng(0).permutation(len(n)) // 2, "b": n % 2, "c": n // 2}
    found = measured(_text({"age": n * 0, **further}), quasi="age").unchosen
    assert (found.n_looked_at, found.n_unique > len(n) / 2) == (20_000, True)
    assert found.n_unique_in_smallest > 0


# ------------------------------------------------------------------------------------------ households

_in_households = partial(_by_age, household="hh")
SIX_HOUSEHOLDS = "age,hh\n" + "".join(f"30,h{n}\n" for n in range(6))


def test_household_risk__is_that_of_any_member() -> None:
    text = "age,hh\n30,x\n30,y\n40,x\n40,z\n40,z\n40,w\n50,v\n"
    audit = _in_households(text, k=2)
    risk = household_risk(table(text), audit.measurement.classes, "hh")
    # In order of appearance: x 1 - 1/2 · 3/4, y 1/2, z 1 - (3/4)², w 1/4, v alone.
    assert risk.risk_of_household.tolist() == pytest.approx([0.625, 0.5, 0.4375, 0.25, 1])
    assert risk.households_of_class.tolist() == [2, 3, 1]
    assert (risk.n_households, risk.highest_risk, risk.n_above(0.5)) == (5, 1.0, 2)
    tells(
        audit,
        household_risk="WARN: 2 of 5 households (40.0 %) … any of their … 50.0 %, … 100 % … 56.2 %.",
        households="WARN: 1 of 3 groups holds fewer than 2 households, 0 of them several",
    )


def test_households__fail_where_one_fills_a_class_pass_with_enough_and_are_not_assessed_without() -> None:
    fills = SIX_HOUSEHOLDS.replace("30", "40") + "30,x\n" * 6
    tells(_in_households(fills), households="FAIL: 1 of 2 groups holds fewer than 5 households, 1 of them")
    tells(
        _in_households(SIX_HOUSEHOLDS),
        households="PASS: Every group has at least 6 households.",
        household_risk="PASS: 0 of 6 households",
    )
    nobody = "NOT_ASSESSED: No assessed record names a household in `hh`."
    tells(_in_households("age,hh\n" + "30,\n" * 6), households=nobody)
    unknown = "WARN: 1 of 7 records names no household"
    tells(_in_households(SIX_HOUSEHOLDS + "30,\n"), unknown_households=unknown)


def test_household_limit__fails_what_is_above_it_and_replaces_the_warning() -> None:
    text = "age,hh\n" + "".join(f"{age},h{n}\n" for age in (30, 40) for n in range(6))
    limit = {"household_risk": 0.3}
    above = "FAIL: 6 of 6 households (100 %) are found through any of their … 30.0 %; … 30.6 %."
    tells(_in_households(text, limits=limit), household_limit=above, household_risk=None)
    assert _in_households(text, limits={"household_risk": 0.31}).verdict is Verdict.PASS
    nothing = _by_age(text, leave_out=("hh",), limits=limit)
    tells(nothing, household_limit="NOT_ASSESSED: A largest risk of households is asked for, and no ")


def test_person_limit__fails_persons_unlike_others_in_all_their_records() -> None:
    visits = {"a": "33", "b": "33", "c": "44", "d": "44", "e": "34", "f": "3", "g": "4"}
    text = "age,id\n" + "".join(f"{age}0,{who}\n" for who, ages in visits.items() for age in ages)
    judge = partial(_by_age, text, k=2, person="id")
    tells(judge(), repeated_visits="WARN: ")
    unlike = "FAIL: By all their records together, … 3 of 7 persons (42.9 %) are like fewer than 2 "
    tells(judge(limits={"person_k": 2}), person_limit=unlike, repeated_visits=None)
    tells(judge(limits={"person_k": 1}), person_limit="PASS: ")
    nobody = _by_age(text, k=2, leave_out=("id",), limits={"person_k": 2})
    tells(nobody, person_limit="NOT_ASSESSED: It is asked that persons are alike in all their ")


def _linked(noise: float, **settings: object) -> RiskAudit:
    rng = np.random.default_rng(0)
    exact = rng.normal(100, 15, (200, 2)).round(2)
    changed = (exact + rng.normal(0, noise, exact.shape)).round(2)
    original, released = (
        _text({"age": np.arange(200) // 20, "x": each[:, 0], "y": each[:, 1]}) for each in (exact, changed)
    )
    return _by_age(released, original=original, **settings)


def test_linkage__finds_records_by_their_numbers() -> None:
    audit = _linked(0.5)
    linkage = audit.measurement.linkage
    assert linkage is not None
    assert (set(linkage.columns), linkage.n_records, linkage.n_originals) == ({"x", "y", "age"}, 200, 200)
    assert 0.5 < linkage.share < 1
    tells(audit, record_linkage="WARN: By the numbers of `y`, `x`, `age` the nearest original")
    generalized = _linked(0.5, leave_out=("x", "y"))
    assert generalized.figures["linked_share"] == pytest.approx(0.05)  # twenty originals of each age
    tells(generalized, record_linkage="PASS")


def test_linkage__needs_numbers_in_both_and_the_same_rows() -> None:
    numbers = "age\n30\n40\n"
    for released, original in (
        ("age\nyoung\nold\n", numbers),
        (numbers, "age\n30\n40\n50\n"),
        (numbers, "age\n30\n30\n"),
        ("age,b\n30,1\n,2\n", "age,b\n30,1\n40,2\n"),
    ):
        assert measured(released, quasi="age", original=original).linkage is None, (released, original)


def test_time__intervals_and_order_are_said_of_one_table_with_persons() -> None:
    rng = np.random.default_rng(4)
    n = 200
    day = rng.integers(0, 300, n)[:, None] + np.cumsum(rng.integers(1, 90, (n, 3)), axis=1)
    dates = (np.datetime64("1965-01-01") + day.ravel()).astype(str)
    persons = np.repeat(rng.permutation(n), 3)
    visits = pd.DataFrame({"patient_id": persons, "visit_date": dates, "age": "30-39"})
    data = read_dataset(visits.to_csv(index=False).encode(), name="visits.csv")
    said = "FAIL: `visit_date`: of those with two records or more, "
    for chosen, expected in (({"person": "patient_id"}, said), ({"leave_out": ("patient_id",)}, None)):
        audit = audit_risk(data, settings=RiskSettings(quasi_identifiers=("age",), **chosen))
        tells(audit, intervals=expected)


# ------------------------------------------------------------------- what is likely, and what is related

WORDS = ("flu", "cold", "gout", "acne", "asthma")


def _random(seed: int = 0) -> np.ndarray:
    return np.array(WORDS, dtype=object)[np.random.default_rng(seed).integers(0, 5, 1000)]


def _with(value: str, where: slice) -> np.ndarray:
    disease = _random()
    disease[where] = value
    return disease


def _likely(disease: np.ndarray, *sensitive: str, **more: object) -> RiskAudit:
    """Judge classes of 50 by ten years; arrays are further columns."""
    columns = {name: more.pop(name) for name in [*more] if isinstance(more[name], np.ndarray)}
    text = _text({"age": np.arange(1000) // 50 * 10, "disease": disease, **columns})
    return _by_age(text, sensitive=sensitive or ("disease",), **more)


def test_likely__is_said_of_values_that_are_frequent_in_a_class_and_not_of_what_chance_makes() -> None:
    assert _likely(_random()).overall is Verdict.PASS
    most = "WARN: In 1 group (50 records) … `disease` … 80.0 %, and 30.0 % … 92.0 %; … < 0.001 "
    tells(_likely(_with("HIV", slice(46))), dominant_value=most)
    rare = _likely(_with("HIV", slice(20)))
    tells(rare, dominant_value=None, skewed_value="WARN: In 1 group (50 records)")
    tells(_likely(_with("HIV", slice(None, None, 50))), skewed_value=None)  # as often, over all classes


def test_likely__looks_at_numbers_by_tenths() -> None:
    income = np.random.default_rng(1).permutation(20_000 + 40 * np.arange(1000))
    assert _likely(_random(), "income", income=income).overall is not Verdict.FAIL
    income[:50] = 60_000 + 40 * np.arange(50)
    tells(_likely(_random(), "income", income=income), alike_in_class="WARN: ", dominant_value=None)
    income[:4] = 20_000
    tells(_likely(_random(), "income", income=income), alike_in_class=None, dominant_value="WARN: ")


def test_related__is_said_of_attributes_that_tell_one_another() -> None:
    disease = _random()
    drug = np.array([f"drug {word}" for word in disease], dtype=object)
    share = np.unique(disease, return_counts=True)[1].max() / 10
    tells(
        _likely(disease, "disease", "drug", drug=drug),
        related_sensitive=f"WARN: Whoever knows `disease` …{share:.1f} ",
    )
    together = _likely(disease, "disease", "drug", drug=drug, several_sensitive="others_added")
    tells(together, related_sensitive=None)


@pytest.mark.slow
def test_related__is_not_said_of_independent_attributes_nor_of_all_different_ones_nor_of_few() -> None:
    code = np.array([f"c{n}" for n in range(1000)])
    for seed in range(5):
        audit = _likely(_random(), "disease", "drug", "code", drug=_random(seed + 1), code=code)
        tells(audit, related_sensitive=None)
    few = "age,a,b\n" + "".join(f"30,{n % 3},{n % 3}x\n" for n in range(18))
    assert measured(few, quasi="age", sensitive=("a", "b")).related == ()


def test_missing_sensitive_values__are_a_fact_where_they_are_few() -> None:
    tells(_likely(_with("", slice(20))), missing_sensitive_values="PASS: 20 of 1,000")
    tells(_likely(_with("", slice(50))), missing_sensitive_values="WARN: 50 of 1,000")  # a whole class


def test_judge__without_a_class_size_rests_on_the_average_risk() -> None:
    found = measured("age,sex\n" + "30,F\n" * 9 + "40,F\n", quasi="age")
    for risk, verdict in ((0.25, Verdict.PASS), (0.15, Verdict.FAIL), (None, Verdict.NOT_ASSESSED)):
        audit = judge_risk(found, RiskThresholds(k=1, average_risk=risk))
        assert audit.verdict is verdict
    tells(audit, k="PASS: No size of groups is asked for; the smallest has 1 record.")
