"""Original tables about invented people, as five institutions would keep them. Every cell is text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

_KO_SURNAMES = tuple("김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허남심")
_KO_GIVEN_1 = tuple("민서도하지수예현은태소가나다영성재준유승")
_KO_GIVEN_2 = tuple("준연윤은호아우원정민율람희진석훈경빈솔겸")
_SL_GIVEN = tuple(
    "Ana Boris Cvetka Darja Eva Franc Gregor Helena Igor Jana Klemen Luka Maja Nejc Oskar Petra Rok Saša Tina "
    "Urška Vesna Zala Žiga Špela Črt Matej Nina Alenka Bojan Drago".split()
)
_SL_SURNAMES = tuple(
    "Novak Horvat Kovačič Krajnc Zupančič Potočnik Kovač Mlakar Vidmar Golob Turk Kralj Božič Bizjak Hribar "
    "Kotnik Kavčič Rozman Oblak Žagar Petek Kastelic Kos Hočevar Medved Pirc Zajc Šuštar Košir Blatnik".split()
)
_EN_GIVEN = tuple(
    "James Mary John Linda Robert Susan Michael Karen William Nancy David Lisa Grace Hugo Amelia Oliver Isla "
    "Harry Freya Arthur Poppy Callum Imogen Duncan Fiona Gareth Bronwen Rupert Tamsin Alistair".split()
)
_EN_SURNAMES = tuple(
    "Smith Jones Taylor Brown Walker Bennett Turner Foster Hughes Clarke Ashworth Pemberton Okafor Singh Patel "
    "Ramsbottom Featherstone Lockwood Hargreaves Whitaker Sutcliffe Barraclough Thackray Greenwood Ogden".split()
)
_KO_STREETS = ("세종대로", "테헤란로", "중앙로", "해운대로", "달구벌대로", "충장로", "한밭대로", "시장길")
_SL_STREETS = (
    "Lipova ulica",
    "Cesta na grad",
    "Poljska pot",
    "Slovenska cesta",
    "Trubarjeva ulica",
    "Ob potoku",
)
_EN_STREETS = ("Mill Lane", "Station Road", "Orchard Close", "Church Street", "Victoria Road", "Quarry Hill")
_KO_REGIONS = {
    "서울": "수도권",
    "인천": "수도권",
    "수원": "수도권",
    "부산": "영남",
    "대구": "영남",
    "광주": "호남",
}
_SL_REGIONS = {
    "Ljubljana": "Osrednja",
    "Domžale": "Osrednja",
    "Maribor": "Vzhodna",
    "Celje": "Vzhodna",
    "Koper": "Zahodna",
    "Nova Gorica": "Zahodna",
}
_EN_REGIONS = {
    "Leeds": "North",
    "York": "North",
    "Bristol": "South",
    "Exeter": "South",
    "Norwich": "East",
    "Ely": "East",
}
_US_REGIONS = {"MA": "Northeast", "NY": "Northeast", "TX": "South", "FL": "South", "CA": "West", "WA": "West"}
_ICD = ("I10", "E11.9", "J45.0", "M54.5", "F32.1", "N18.3", "K21.9", "G43.0", "C50.9", "L40.0")


@dataclass(frozen=True, kw_only=True)
class Column:
    """What a column is to a careful person.

    Attributes
    ----------
    kind
        ``id`` a number of a person, ``name``, ``national`` a national number, ``phone``, ``email``, ``address``,
        ``birth`` a date of birth, ``date`` another date, ``zip``, ``region``, ``category``, ``number``, ``text``.
    semantic
        What an anonymization log calls it; ``other`` where the published words have none.
    """

    kind: str
    semantic: str


@dataclass(frozen=True, kw_only=True)
class Schema:
    """An institution's table: its columns, how to make records, and its towns by larger region."""

    name: str
    language: str
    columns: Mapping[str, Column]
    regions: Mapping[str, str]
    make: Callable[[int, np.random.Generator], pd.DataFrame]

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the columns of these kinds, in the order of the table."""
        return [name for name, column in self.columns.items() if column.kind in kinds]


def _pick(
    rng: np.random.Generator, values: Sequence[str], n: int, p: Sequence[float] | None = None
) -> list[str]:
    return [values[i] for i in rng.choice(len(values), n, p=p)]


def _days(rng: np.random.Generator, first: str, last: str, n: int) -> np.ndarray:
    start, end = np.datetime64(first), np.datetime64(last)
    return start + rng.integers(0, (end - start).astype(int), n)


def _births(rng: np.random.Generator, n: int) -> np.ndarray:
    return _days(rng, "1938-01-01", "2006-01-01", n)


def _lognormal(rng: np.random.Generator, n: int, median: float, spread: float, digits: int) -> list[str]:
    values = np.exp(rng.normal(np.log(median), spread, n))
    return [f"{value:.{digits}f}" for value in values]


def _numbers(rng: np.random.Generator, n: int, mean: float, sd: float, digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in rng.normal(mean, sd, n)]


def _serials(rng: np.random.Generator, n: int, form: str) -> list[str]:
    first = int(rng.integers(10_000, 600_000))
    return [form.format(number) for number in first + rng.permutation(max(3 * n, 100))[:n]]


def _korean_hospital(n: int, rng: np.random.Generator) -> pd.DataFrame:
    births = _births(rng, n).astype(str)
    male = rng.random(n) < 0.5
    town = _pick(rng, tuple(_KO_REGIONS), n)
    century = [(1 if year < "2000" else 3) + (not m) for year, m in zip(births, male, strict=True)]
    return pd.DataFrame(
        {
            "등록번호": _serials(rng, n, "P{:07d}"),
            "성명": [
                "".join(parts)
                for parts in zip(
                    _pick(rng, _KO_SURNAMES, n),
                    _pick(rng, _KO_GIVEN_1, n),
                    _pick(rng, _KO_GIVEN_2, n),
                    strict=True,
                )
            ],
            "주민등록번호": [
                f"{b[2:4]}{b[5:7]}{b[8:]}-{c}{d:06d}"
                for b, c, d in zip(births, century, rng.integers(0, 10**6, n), strict=True)
            ],
            "생년월일": births,
            "성별": np.where(male, "남", "여"),
            "전화번호": [
                f"010-{a}-{b:04d}"
                for a, b in zip(rng.integers(2000, 10000, n), rng.integers(0, 10000, n), strict=True)
            ],
            "주소": [
                f"{t}시 {s} {i}"
                for t, s, i in zip(town, _pick(rng, _KO_STREETS, n), rng.integers(1, 400, n), strict=True)
            ],
            "우편번호": [f"{i:05d}" for i in rng.integers(1000, 63000, n)],
            "지역": town,
            "진단코드": _pick(rng, _ICD, n),
            "진료과": _pick(rng, ("내과", "외과", "소아과", "정형외과", "피부과"), n),
            "입원일": _days(rng, "2023-01-01", "2026-01-01", n).astype(str),
            "혈색소": _numbers(rng, n, 13.6, 1.4, 1),
            "메모": _pick(rng, ("경과 양호", "재진 필요", "약물 조정", "특이사항 없음", "검사 예정"), n),
        }
    ).astype(str)


def _slovenian_registry(n: int, rng: np.random.Generator) -> pd.DataFrame:
    births = _births(rng, n)
    text = births.astype(str)
    male = rng.random(n) < 0.5
    emso = []
    for b, m, serial in zip(text, male, rng.integers(0, 500, n), strict=True):
        twelve = f"{b[8:]}{b[5:7]}{b[1:4]}50{serial + (0 if m else 500):03d}"
        rest = -sum(int(d) * w for d, w in zip(twelve, (7, 6, 5, 4, 3, 2) * 2, strict=True)) % 11
        emso.append(f"{twelve}{rest % 10}")
    given, surname = _pick(rng, _SL_GIVEN, n), _pick(rng, _SL_SURNAMES, n)
    town = _pick(rng, tuple(_SL_REGIONS), n)
    return pd.DataFrame(
        {
            "sifra": _serials(rng, n, "{:08d}"),
            "ime": given,
            "priimek": surname,
            "emso": emso,
            "datum_rojstva": [f"{int(b[8:])}. {int(b[5:7])}. {b[:4]}" for b in text],
            "spol": np.where(male, "M", "Ž"),
            "naslov": [
                f"{s} {i}" for s, i in zip(_pick(rng, _SL_STREETS, n), rng.integers(1, 120, n), strict=True)
            ],
            "posta": _pick(rng, ("1000", "1230", "2000", "3000", "5000", "6000", "8000", "4000"), n),
            "obcina": town,
            "telefon": [
                f"0{a} {b:03d} {c:03d}"
                for a, b, c in zip(
                    rng.choice((31, 40, 41, 51, 70), n),
                    rng.integers(0, 1000, n),
                    rng.integers(0, 1000, n),
                    strict=True,
                )
            ],
            "izobrazba": _pick(rng, ("osnovna", "srednja", "visja", "visoka"), n, (0.2, 0.45, 0.2, 0.15)),
            "dohodek": [value.replace(".", ",") for value in _lognormal(rng, n, 21_500, 0.4, 2)],
            "diagnoza": _pick(rng, _ICD, n),
            "datum_pregleda": _days(rng, "2024-01-01", "2026-01-01", n).astype(str),
        }
    ).astype(str)


def _english_insurance(n: int, rng: np.random.Generator) -> pd.DataFrame:
    given, surname = _pick(rng, _EN_GIVEN, n), _pick(rng, _EN_SURNAMES, n)
    town = _pick(rng, tuple(_EN_REGIONS), n)
    outward = {"Leeds": "LS", "York": "YO", "Bristol": "BS", "Exeter": "EX", "Norwich": "NR", "Ely": "CB"}
    births = _births(rng, n).astype(str)
    return pd.DataFrame(
        {
            "policy_no": _serials(rng, n, "POL-{:06d}"),
            "full_name": [f"{g} {s}" for g, s in zip(given, surname, strict=True)],
            "email": [
                f"{g}.{s}{i}@example.co.uk".lower()
                for g, s, i in zip(given, surname, rng.integers(1, 999, n), strict=True)
            ],
            "date_of_birth": [f"{b[8:]}/{b[5:7]}/{b[:4]}" for b in births],
            "sex": _pick(rng, ("F", "M"), n),
            "postcode": [
                f"{outward[t]}{a} {b}{c}{d}"
                for t, a, b, c, d in zip(
                    town,
                    rng.integers(1, 30, n),
                    rng.integers(1, 10, n),
                    _pick(rng, "ABDEFGHJ", n),
                    _pick(rng, "LNPQRSTU", n),
                    strict=True,
                )
            ],
            "address": [
                f"{i} {s}" for s, i in zip(_pick(rng, _EN_STREETS, n), rng.integers(1, 200, n), strict=True)
            ],
            "town": town,
            "marital_status": _pick(
                rng, ("single", "married", "divorced", "widowed"), n, (0.35, 0.45, 0.14, 0.06)
            ),
            "occupation": _pick(
                rng, ("teacher", "nurse", "driver", "clerk", "engineer", "retired", "student"), n
            ),
            "premium": _lognormal(rng, n, 430, 0.35, 2),
            "claim_amount": _lognormal(rng, n, 1250, 0.9, 2),
            "smoker": _pick(rng, ("no", "yes"), n, (0.8, 0.2)),
            "start_date": _days(rng, "2019-01-01", "2026-01-01", n).astype(str),
        }
    ).astype(str)


def _us_claims(n: int, rng: np.random.Generator) -> pd.DataFrame:
    births = _births(rng, n).astype(str)
    state = _pick(rng, tuple(_US_REGIONS), n)
    first_digit = {"MA": "02", "NY": "10", "TX": "75", "FL": "33", "CA": "90", "WA": "98"}
    return pd.DataFrame(
        {
            "member_id": _serials(rng, n, "{:09d}"),
            "first_name": _pick(rng, _EN_GIVEN, n),
            "last_name": _pick(rng, _EN_SURNAMES, n),
            "ssn": [
                f"{a:03d}-{b:02d}-{c:04d}"
                for a, b, c in zip(
                    rng.integers(100, 666, n),
                    rng.integers(1, 100, n),
                    rng.integers(1, 10_000, n),
                    strict=True,
                )
            ],
            "birthdate": births,
            "gender": _pick(rng, ("Female", "Male"), n),
            "race": _pick(rng, ("White", "Black", "Asian", "Other"), n, (0.6, 0.18, 0.12, 0.1)),
            "zip": [f"{first_digit[s]}{i:03d}" for s, i in zip(state, rng.integers(0, 1000, n), strict=True)],
            "state": state,
            "phone": [
                f"({a}) {b}-{c:04d}"
                for a, b, c in zip(
                    rng.integers(201, 990, n),
                    rng.integers(200, 1000, n),
                    rng.integers(0, 10_000, n),
                    strict=True,
                )
            ],
            "diagnosis": _pick(rng, _ICD, n),
            "procedure": _pick(rng, ("99213", "99214", "80053", "71046", "93000", "36415"), n),
            "paid": _lognormal(rng, n, 180, 0.8, 2),
            "service_date": _days(rng, "2024-01-01", "2026-01-01", n).astype(str),
        }
    ).astype(str)


def _survey(n: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "respondent": _serials(rng, n, "R{:06d}"),
            "contact": [
                f"{g.lower()}{i}@example.org"
                for g, i in zip(_pick(rng, _EN_GIVEN, n), rng.integers(1, 10_000, n), strict=True)
            ],
            "age": [str(age) for age in rng.integers(18, 88, n)],
            "gender": _pick(rng, ("woman", "man", "other"), n, (0.5, 0.48, 0.02)),
            "zip": [f"{i:05d}" for i in rng.integers(10_000, 99_999, n)],
            "region": _pick(rng, tuple(_US_REGIONS), n),
            "household": _pick(rng, ("1", "2", "3", "4", "5"), n, (0.3, 0.34, 0.16, 0.14, 0.06)),
            "income": _lognormal(rng, n, 42_000, 0.5, 0),
            "satisfaction": _pick(rng, ("1", "2", "3", "4", "5"), n),
            "trust": _pick(rng, ("low", "medium", "high"), n),
            "height": _numbers(rng, n, 171, 9, 0),
            "weight": _lognormal(rng, n, 74, 0.18, 1),
            "breakfast": _pick(rng, ("bread", "cereal", "eggs", "nothing"), n),
            "submitted": _days(rng, "2025-03-01", "2025-06-01", n).astype(str),
        }
    ).astype(str)


def _columns(**kinds: str) -> dict[str, Column]:
    return {name: Column(kind=kind.split()[0], semantic=kind.split()[1]) for name, kind in kinds.items()}


SCHEMAS: Mapping[str, Schema] = {
    schema.name: schema
    for schema in (
        Schema(
            name="korean_hospital",
            language="ko",
            regions=_KO_REGIONS,
            make=_korean_hospital,
            columns=_columns(
                등록번호="id patient_id",
                성명="name name",
                주민등록번호="national ssn",
                생년월일="birth birthdate",
                성별="category gender",
                전화번호="phone phone",
                주소="address address",
                우편번호="zip zipcode",
                지역="region address",
                진단코드="category other",
                진료과="category other",
                입원일="date visit_date",
                혈색소="number other",
                메모="text other",
            ),
        ),
        Schema(
            name="slovenian_registry",
            language="sl",
            regions=_SL_REGIONS,
            make=_slovenian_registry,
            columns=_columns(
                sifra="id patient_id",
                ime="name name",
                priimek="name name",
                emso="national ssn",
                datum_rojstva="birth birthdate",
                spol="category gender",
                naslov="address address",
                posta="zip zipcode",
                obcina="region address",
                telefon="phone phone",
                izobrazba="category other",
                dohodek="number other",
                diagnoza="category other",
                datum_pregleda="date visit_date",
            ),
        ),
        Schema(
            name="english_insurance",
            language="en",
            regions=_EN_REGIONS,
            make=_english_insurance,
            columns=_columns(
                policy_no="id patient_id",
                full_name="name name",
                email="email email",
                date_of_birth="birth birthdate",
                sex="category gender",
                postcode="zip zipcode",
                address="address address",
                town="region address",
                marital_status="category marital_status",
                occupation="category other",
                premium="number other",
                claim_amount="number other",
                smoker="category other",
                start_date="date visit_date",
            ),
        ),
        Schema(
            name="us_claims",
            language="en",
            regions=_US_REGIONS,
            make=_us_claims,
            columns=_columns(
                member_id="id patient_id",
                first_name="name name",
                last_name="name name",
                ssn="national ssn",
                birthdate="birth birthdate",
                gender="category gender",
                race="category race",
                zip="zip zipcode",
                state="region address",
                phone="phone phone",
                diagnosis="category other",
                procedure="category other",
                paid="number other",
                service_date="date visit_date",
            ),
        ),
        Schema(
            name="survey",
            language="en",
            regions=_US_REGIONS,
            make=_survey,
            columns=_columns(
                respondent="id patient_id",
                contact="email email",
                age="number age",
                gender="category gender",
                zip="zip zipcode",
                region="region address",
                household="category other",
                income="number other",
                satisfaction="category other",
                trust="category other",
                height="number other",
                weight="number other",
                breakfast="category other",
                submitted="date visit_date",
            ),
        ),
    )
}
