"""Data sets: what is no key or person, lookup tables, keys inside values, and what all alike have."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from core.coding import CodedTable
from core.delivery import (
    DeliveryMeasurement,
    DeliverySettings,
    DeliveryThresholds,
    audit_delivery,
    measure_delivery,
)
from core.delivery.keys import find_keys
from core.delivery.proof import delivery_proof
from core.delivery.result import delivery_result
from core.people.roles import Role, suggest_roles
from core.people.roles.names import are_words
from core.sequences import measure_time
from core.tables import Dataset
from core.verdict import Finding, Verdict
from tests.unit.test_delivery import coded, pseudonyms, table
from tests.unit.test_delivery_found import found

N = 240
IDS = pseudonyms(N)
VISITS = IDS * 3
RNG = np.random.default_rng(5)
SEX = ["f", "m"] * (N // 2)
AGES = [("18-44", "45-64", "65+")[n // 2 % 3] for n in range(N)]


def persons(**more: Sequence[object]) -> Dataset:
    return table("persons", pseudonym=IDS, sex=SEX, **more)


def visits(**more: Sequence[object]) -> Dataset:
    return table("visits", pseudonym=VISITS, **more)


# --- values before headers

GIVEN = {
    "german": "Uwe Jens Ute Ilse Kai Anke Bernd Silke Holger Wiebke",
    "hindi": "आरव विवान आदित्य अर्जुन अनन्या दीया काव्या मीरा नेहा पूजा",
    "thai": "สมชาย สมหญิง ประเสริฐ วิชัย สุดา มาลี อรทัย กิตติ พิมพ์ ธนา",
    "turkish": "Mehmet Ayşe Fatma Mustafa Emine Ahmet Hatice Zeynep Elif Yusuf",
}
FAMILY = {
    "german": "Lenz Frey Thoma Rapp Voß Kühn Brandt Ziegler Krause Vogt",
    "hindi": "शर्मा वर्मा गुप्ता सिंह कुमार पटेल मेहता जोशी मिश्रा यादव",
    "thai": "ใจดี สุขสวัสดิ์ ทองดี แสงทอง ศรีสุข บุญมี วงศ์ไทย จันทร์เพ็ญ ใจงาม ดีเลิศ",
    "turkish": "Yılmaz Kaya Demir Çelik Şahin Yıldız Öztürk Aydın Doğan Kılıç",
}


def names(language: str, written: str = "{0} {1}") -> list[str]:
    return [written.format(a, b) for a in GIVEN[language].split() for b in FAMILY[language].split()]


@pytest.mark.parametrize("header", ["patient", "mrn", "환자번호", "sifra_pacienta", "v"])
@pytest.mark.parametrize(
    "values",
    [
        *map(names, GIVEN),
        [f"{letter}. {name}" for letter in "ABCDEFGHJK" for name in FAMILY["turkish"].split()],
        [f"p{n}@mail.si" for n in range(100)],
        [f"+386 41 {n:03d} {n * 7 % 1000:03d}" for n in range(100)],
    ],
    ids=lambda values: values[0],
)
def test_keys__that_are_names_or_addresses_fail_under_whatever_header(header: str, values: list[str]) -> None:
    tables = (
        table("persons", **{header: values}, sex=SEX[:100]),
        table("visits", **{header: values * 2}, ward=["a"] * 200),
    )
    assert found(*tables)["looks_like_identifier"].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "values",
    [
        names("german", "{0}.{1}"),
        [each.lower() for each in names("german", "{1}_{0}")],
        names("german", "{0}{1}"),
        [f"{a[0]}{b}{n}".lower() for n, (a, b) in enumerate(map(str.split, names("german")))],
        [
            f"{a}{b}"
            for a in "王李张刘陈杨黄赵吴周"
            for b in ("伟", "芳", "秀英", "强", "静", "丽", "军", "杰", "涛", "明")
        ],
    ],
    ids=lambda values: values[0],
)
def test_keys__made_of_words_are_a_warning(values: list[str]) -> None:
    told = found(
        table("persons", patient=values, sex=SEX[:100]), table("visits", patient=values * 2, ward=["a"] * 200)
    )
    assert told["key_of_words"].verdict is Verdict.WARN


CODES = {
    "letters": "".join(map(chr, range(65, 91))),
    "digits of sixteen": "0123456789abcdef",
    "without likenesses": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


@pytest.mark.parametrize("alphabet", CODES.values(), ids=CODES)
@pytest.mark.parametrize("begin", ["", "PAT-", "LJ MB KP CE"])
def test_are_words__says_no_of_codes(alphabet: str, begin: str) -> None:
    for seed, n in ((0, 40), (1, 400), (2, 3000)):
        rng = np.random.default_rng(seed)
        drawn = ["".join(each) for each in rng.choice(list(alphabet), (n, 8))]
        before = rng.choice(begin.split() or [""], n)
        assert not are_words([f"{a}{b}" for a, b in zip(before, drawn, strict=True)])
    counted = ["".join(chr(65 + n // 26**at % 26) for at in (3, 2, 1, 0)) for n in range(1000)]
    assert not are_words(counted)
    assert not are_words([f"Ljubljana-{n:04d}" for n in range(100)])


YEARS = {"leto": range(1930, 1990), "jahrgang": range(1950, 2010), "B3": range(1901, 1961)}


@pytest.mark.parametrize("header", YEARS)
def test_years__are_known_to_others_whatever_their_header(header: str) -> None:
    years = [*YEARS[header]] * 4
    (role,) = suggest_roles(pa.table({header: list(map(str, years))}))
    assert (role.role, role.kind) == (Role.QUASI_IDENTIFIER, "year")
    assert found(persons(**{header: years}), visits(ward=["a"] * 3 * N))["joined_k"].verdict is Verdict.FAIL


@pytest.mark.parametrize("values", [range(1500, 2500, 5), [2019, 2020, 2021] * 20, range(100, 260)])
def test_years__are_no_amounts_and_no_years_of_a_study(values: Sequence[int]) -> None:
    (role,) = suggest_roles(pa.table({"v": list(map(str, values))}))
    assert role.kind != "year"


STAYS = {
    "dni": lambda rng: rng.integers(1, 15, 3 * N),
    "days": lambda rng: rng.geometric(0.2, 3 * N),
    "일수": lambda rng: rng.integers(0, 40, 3 * N),
}


@pytest.mark.parametrize("header", STAYS)
def test_days__that_last_are_no_dates(header: str) -> None:
    lengths = STAYS[header](np.random.default_rng(3))
    assert "intervals" not in found(persons(), visits(**{header: lengths}))


@pytest.mark.parametrize("start", [None, 0])
def test_days__from_a_start_are_dates(start: int | None) -> None:
    rng = np.random.default_rng(4)
    days = np.cumsum(rng.integers(5, 90, (3, N)), axis=0)
    if start is not None:
        days -= days[0]
        days = np.stack([rng.permutation(each) for each in days.T], axis=1)
    counted = CodedTable(table=pa.table({"day": list(map(str, days.ravel()))}))
    (sequences,) = measure_time(counted, ["day"], [], np.tile(np.arange(N), 3)).sequences
    assert sequences.n_persons == N


# --- what is no person, and no key


def _places(n: int) -> Dataset:
    return table("places", zip=range(1000, 1000 + n), city=[f"City{at % 3}" for at in range(n)])


NO_PERSONS = {
    "postcodes": (
        table("people", zip=[1000 + n % 60 for n in range(N)], sex=SEX),
        _places(60),
        "people.zip",
    ),
    "ages": (
        table("people", age=[20 + n % 50 for n in range(N)], sex=SEX),
        table("costs", age=range(20, 70), mean=range(50)),
        "people.age",
    ),
    "a few regions": (
        table("people", region=["north", "south"] * (N // 2), sex=SEX),
        table("regions", region=["north", "south"], capital=["a", "b"]),
        "people.region",
    ),
    "codes whose persons differ": (
        table("people", PLZ=[1000 + n // 2 % 60 for n in range(N)], sex=SEX),
        table("orte", PLZ=range(1000, 1060), ort=[f"Ort{n % 3}" for n in range(60)]),
        "people.PLZ",
    ),
    "birthplaces": (
        table("people", birthplace=[f"Town{n % 40}" for n in range(N)], sex=SEX),
        table("towns", birthplace=[f"Town{n}" for n in range(40)], county=[f"C{n % 4}" for n in range(40)]),
        "people.birthplace",
    ),
}


@pytest.mark.parametrize("name", NO_PERSONS)
def test_persons__are_no_postcodes_ages_or_places(name: str) -> None:
    people, places, fact = NO_PERSONS[name]
    measured = measure_delivery([people, places])
    assert measured.n_persons == N
    assert fact.partition(".")[2] in (*measured.tables[0].released,)
    assert not measured.tables[0].key_columns
    named = measure_delivery([people, places], DeliverySettings(person=fact))
    assert named.n_persons == measured.tables[1].n_records


def test_persons__are_the_ones_whose_numbers_two_tables_share() -> None:
    zips = [1000 + n % 40 for n in range(N)]
    measured = measure_delivery([persons(zip=zips), visits(zip=zips * 3)])
    assert measured.n_persons == N
    assert measured.tables[0].quasi_identifiers == ("sex", "zip")
    assert measured.tables[1].quasi_identifiers == ("zip",)


def test_persons__are_no_others_because_their_records_name_several_things() -> None:
    tests = [f"{a} {b}" for a in ("Blood", "Urine", "Heart") for b in ("Test", "Scan", "Count")]
    measured = measure_delivery([persons(), visits(name=[tests[n] for n in RNG.integers(0, 9, 3 * N)])])
    assert measured.n_persons == N
    assert [str(each.person_column) for each in measured.tables] == ["persons.pseudonym", "visits.pseudonym"]


@pytest.mark.parametrize("keys", [(), ("left.v=right.w",)])
def test_persons__are_a_few_categories_only_where_these_were_named_as_keys(keys: tuple[str, ...]) -> None:
    codes = [f"q{n}x" for n in range(10)]
    tables = [table("left", v=codes, sex=SEX[:10]), table("right", w=codes * 2, ward=["a"] * 20)]
    assert measure_delivery(tables, DeliverySettings(keys=keys)).n_persons == (10 if keys else None)


def test_persons__are_not_joined_by_numbers_that_two_tables_give_their_own_rows() -> None:
    whose = RNG.integers(1, N + 1, 400)
    own = table("visits", id=range(1, 401), patient=whose, ward=["a"] * 400)
    (link,) = find_keys(coded(table("patients", id=range(1, N + 1), sex=SEX), own)).links
    assert {*map(str, link.places)} == {"patients.id", "visits.patient"}


SECOND_KEYS = {
    "course_id": [f"course{n % 40}" for n in range(3 * N)],
    "단원": [f"단원{n % 40}" for n in range(3 * N)],
    "naprava_id": [f"dev-{n * 37 % 48:03d}" for n in range(3 * N)],
}


@pytest.mark.parametrize("column", SECOND_KEYS)
@pytest.mark.parametrize("with_table", [True, False])
def test_keys_of_other_things__are_known_as_other_columns_are(column: str, with_table: bool) -> None:
    values = SECOND_KEYS[column]
    kinds = sorted(set(values))
    other = table("things", **{column: kinds, "label": [f"thing {n}" for n in range(len(kinds))]})
    measured = measure_delivery([persons(), visits(**{column: values}), *([other] if with_table else [])])
    assert column in measured.tables[1].quasi_identifiers


def test_keys_of_other_things__are_no_numbers_of_one_persons_records() -> None:
    stays = [f"E{n * 7919 % 100_003:06d}" for n in range(3 * N)]
    both = [
        table(name, pseudonym=VISITS * 2, encounter=stays * 2, code=[*codes] * 3 * N)
        for name, codes in (("dx", "ab"), ("px", "cd"))
    ]
    measured = measure_delivery([persons(), *both])
    assert all("encounter" in each.key_columns for each in measured.tables[1:])


# --- lookup tables


def snowflake(*, n_cities: int = 3) -> list[Dataset]:
    wards = [f"ward{n}" for n in range(40)]
    hospitals = [f"hosp{n}" for n in range(10)]
    return [
        persons(),
        visits(ward=[wards[n % 40] for n in RNG.integers(0, 40, 3 * N)]),
        table("wards", ward=wards, hospital=[hospitals[n % 10] for n in range(40)]),
        table("hospitals", hospital=hospitals, city=[f"City{n % n_cities}" for n in range(10)]),
    ]


def test_lookups__are_read_as_columns_through_several_tables() -> None:
    measured = measure_delivery(snowflake())
    assert "ward > hospital > city" in measured.tables[1].quasi_identifiers
    assert [str(each) for each in measured.tables[3].read_by] == ["wards.hospital"]
    told = found(*snowflake())
    assert told["lookup_table"].verdict is Verdict.PASS
    assert "not_joined" not in told
    assert not measured.apart


def test_lookups__of_persons_are_joined_before_classes() -> None:
    units = [f"unit{n:02d}" for n in range(60)]

    def judged(n_towns: int) -> Verdict:
        own = persons(unit=[units[n % 60] for n in RNG.permutation(N)])
        other = table("units", unit=units, town=[f"Town{n % n_towns}" for n in range(60)])
        return found(own, visits(kind=["a"] * 3 * N), other)["joined_k"].verdict

    assert (judged(40), judged(2)) == (Verdict.FAIL, Verdict.PASS)


def test_lookups__left_out_tell_nothing_and_chosen_ones_are_known() -> None:
    out = measure_delivery(snowflake(), DeliverySettings(leave_out=("hospitals.city",)))
    assert not any("city" in each for each in out.tables[1].columns)
    chosen = measure_delivery(snowflake(), DeliverySettings(quasi_identifiers=("hospitals.city",)))
    assert chosen.tables[1].quasi_identifiers == ("ward > hospital > city",)


# --- keys inside values

DIGESTS = [hashlib.sha256(f"x{n}".encode()).hexdigest() for n in range(60)]
FILES = {
    "whole keys": ([f"sub-{n:02d}" for n in range(1, 21)], "{0}_scan.nii"),
    "in folders": ([f"sub-{n:02d}" for n in range(1, 61)], "data/{0}/anat/{0}_T1w.nii.gz"),
    "without marks, in small letters": ([f"KR-{n * 37 % 997:03d}" for n in range(50)], "{1}.dcm"),
    "numbers behind a word": ([str(n) for n in range(1, 31)], "sub-{0:0>3}_scan.nii"),
    "numbers that are drawn": ([f"{n * 7919 % 100_003:06d}" for n in range(1, 61)], "scan_{0}.nii"),
    "the first ten signs of digests": (DIGESTS, "{0:.10}"),
    "the first eight in capitals": (DIGESTS, "{2:.8}"),
    "the last eight": (DIGESTS, "{3}"),
}
NO_FILES = {
    "counted by themselves": ([str(n) for n in range(1, 31)], "scan_{0:0>2}.nii"),
    "the first signs of other digests": (DIGESTS, "{4:.10}"),
    "too few signs": (DIGESTS, "{0:.4}"),
    "of others": ([f"KR-{n * 37 % 997:03d}" for n in range(50)], "QX-{0}.dcm"),
}


def _joined(keys: list[str], written: str, *, shift: int = 0) -> DeliveryMeasurement:
    own = table("persons", participant=keys, sex=SEX[: len(keys)])
    names = [
        written.format(each, each.lower().replace("-", ""), each.upper(), each[-8:], each[::-1])
        for each in keys
    ]
    return measure_delivery([own, table("scans", file=names[shift:], site=["x"] * (len(names) - shift))])


@pytest.mark.parametrize("name", FILES)
def test_keys__inside_names_of_files_join_tables(name: str) -> None:
    measured = _joined(*FILES[name])
    assert measured.n_persons == len(FILES[name][0])
    assert measured.tables[1].person_column is not None


@pytest.mark.parametrize("name", NO_FILES)
def test_keys__are_not_met_in_names_by_chance(name: str) -> None:
    keys, written = NO_FILES[name]
    if name == "of others":
        own = coded(table("persons", participant=keys), table("scans", file=[f"QX-{n}.x" for n in range(50)]))
        assert not find_keys(own).links
    else:
        assert _joined(keys, written).n_persons is None


# --- what all alike have

HELD = {
    "all men of 65": [n for n in range(N) if (SEX[n], AGES[n]) == ("m", "65+")],
    "all women": [n for n in range(N) if SEX[n] == "f"],
    "two groups and some": [n for n in range(N) if AGES[n] == "45-64" or n % 7 == 0],
}
NOT_HELD = {
    "half of the men of 65": [n for n in range(N) if (SEX[n], AGES[n]) == ("m", "65+")][::2],
    "nearly everybody": [n for n in range(N) if n % 50],
    "everybody": [*range(N)],
}


def _with_members(members: Sequence[int], name: str = "screening") -> dict[str, Finding]:
    ids = [IDS[n] for n in members]
    other = table(name, pseudonym=ids, arm=[("a", "b")[n % 2] for n in range(len(ids))])
    return found(persons(age_group=AGES), other)


@pytest.mark.parametrize("name", HELD)
def test_members__that_are_all_of_a_group_are_told(name: str) -> None:
    assert _with_members(HELD[name])["all_in_table"].verdict is Verdict.WARN
    assert _with_members(HELD[name], "hiv_tests")["all_in_table"].verdict is Verdict.FAIL


@pytest.mark.parametrize("name", NOT_HELD)
def test_members__by_chance_or_of_everybody_are_not_told(name: str) -> None:
    assert "all_in_table" not in _with_members(NOT_HELD[name])


def test_one_value__of_everybody_with_one_record_alike_is_told() -> None:
    wards = [f"ward {n % 3}" for n in RNG.integers(0, 3, 3 * N)]
    others = RNG.choice(["flu", "gout", "cold"], 3 * N)

    def judged(hidden: Sequence[str], **settings: object) -> dict[str, Finding]:
        return found(persons(age_group=AGES), visits(ward=wards, diagnosis=hidden), **settings)

    told = ["HIV" if ward == "ward 1" and SEX[n % N] == "f" else others[n] for n, ward in enumerate(wards)]
    assert judged(told)["one_value_of_class"].verdict is Verdict.FAIL
    assert "one record alike" in str(judged(told)["one_value_of_class"].message)
    assert "one_value_of_class" not in judged(told, known_records=0)
    assert "one_value_of_class" not in judged(list(others))


PROVED = {
    "records are persons": (NO_PERSONS["postcodes"][0], _places(60)),
    "lookup tables": tuple(snowflake(n_cities=10)),
    "keys inside names": (
        table("persons", participant=[f"sub-{n:02d}" for n in range(60)], age=[n % 50 for n in range(60)]),
        table("scans", file=[f"sub-{n:02d}_scan.nii" for n in range(60)], site=["x"] * 60),
    ),
    "numbers within a site": (
        table("persons", site=["a", "b"] * 60, patient=[n // 2 for n in range(120)], age=range(120)),
        table("visits", site=["a", "b"] * 60, patient=[n // 2 for n in range(120)], day=range(120)),
    ),
}


@pytest.mark.parametrize("name", PROVED)
def test_proof__and_result_are_made_of_whatever_was_joined(name: str) -> None:
    audit = audit_delivery(PROVED[name], thresholds=DeliveryThresholds(k=20))
    assert audit.overall is Verdict.FAIL
    for each in delivery_proof(audit, PROVED[name]):
        assert each.rows
    assert delivery_result(audit).verdict is Verdict.FAIL
