"""Original tables about invented people, as three institutions would keep them. Every cell is text."""

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
_SL_STREETS = ("Lipova ulica", "Cesta na grad", "Poljska pot", "Slovenska cesta", "Ob potoku")
_EN_STREETS = ("Mill Lane", "Station Road", "Orchard Close", "Church Street", "Victoria Road", "Quarry Hill")
_KO_REGIONS = dict(
    zip("서울 인천 수원 부산 대구 광주".split(), "수도권 수도권 수도권 영남 영남 호남".split(), strict=True)
)
_SL_REGIONS = {
    "Ljubljana": "Osrednja", "Domžale": "Osrednja", "Maribor": "Vzhodna", "Celje": "Vzhodna", "Koper": "Zahodna",
    "Nova Gorica": "Zahodna",
}  # fmt: skip
_EN_REGIONS = dict(
    zip(
        "Leeds York Bristol Exeter Norwich Ely".split(),
        "North North South South East East".split(),
        strict=True,
    )
)
_BORN = ("1938-01-01", "2006-01-01")
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


def _lognormal(rng: np.random.Generator, n: int, median: float, spread: float) -> list[str]:
    return [f"{value:.2f}" for value in np.exp(rng.normal(np.log(median), spread, n))]


def _forms(form: str, *columns: Sequence[object] | np.ndarray) -> list[str]:
    """Return one text a row, the columns' cells put into a form."""
    return [form.format(*cells) for cells in zip(*columns, strict=True)]


def _serials(rng: np.random.Generator, n: int, form: str) -> list[str]:
    first = int(rng.integers(10_000, 600_000))
    return [form.format(number) for number in first + rng.permutation(max(3 * n, 100))[:n]]


def _korean_hospital(n: int, rng: np.random.Generator) -> pd.DataFrame:
    births = _days(rng, *_BORN, n).astype(str)
    male = rng.random(n) < 0.5
    town = _pick(rng, tuple(_KO_REGIONS), n)
    century = np.where(births < "2000", 1, 3) + ~male
    parts = [_pick(rng, each, n) for each in (_KO_SURNAMES, _KO_GIVEN_1, _KO_GIVEN_2)]
    return pd.DataFrame(
        {
            "등록번호": _serials(rng, n, "P{:07d}"),
            "성명": _forms("{}{}{}", *parts),
            "주민등록번호": _forms(
                "{}-{}{:06d}", [b[2:].replace("-", "") for b in births], century, rng.integers(0, 10**6, n)
            ),
            "생년월일": births,
            "성별": np.where(male, "남", "여"),
            "전화번호": _forms("010-{}-{:04d}", rng.integers(2000, 10000, n), rng.integers(0, 10000, n)),
            "주소": _forms("{}시 {} {}", town, _pick(rng, _KO_STREETS, n), rng.integers(1, 400, n)),
            "우편번호": _forms("{:05d}", rng.integers(1000, 63000, n)),
            "지역": town,
            "진단코드": _pick(rng, _ICD, n),
            "진료과": _pick(rng, ("내과", "외과", "소아과", "정형외과", "피부과"), n),
            "입원일": _days(rng, "2023-01-01", "2026-01-01", n),
            "혈색소": _forms("{:.1f}", rng.normal(13.6, 1.4, n)),
            "메모": _pick(rng, ("경과 양호", "재진 필요", "약물 조정", "특이사항 없음", "검사 예정"), n),
        }
    ).astype(str)


def _slovenian_registry(n: int, rng: np.random.Generator) -> pd.DataFrame:
    births = _days(rng, *_BORN, n).astype(str)
    male = rng.random(n) < 0.5
    emso = []
    for b, m, serial in zip(births, male, rng.integers(0, 500, n), strict=True):
        twelve = f"{b[8:]}{b[5:7]}{b[1:4]}50{serial + (0 if m else 500):03d}"
        rest = -sum(int(d) * w for d, w in zip(twelve, (7, 6, 5, 4, 3, 2) * 2, strict=True)) % 11
        emso.append(f"{twelve}{rest % 10}")
    three = [rng.choice((31, 40, 41, 51, 70), n), *rng.integers(0, 1000, (2, n))]
    return pd.DataFrame(
        {
            "sifra": _serials(rng, n, "{:08d}"),
            "ime": _pick(rng, _SL_GIVEN, n),
            "priimek": _pick(rng, _SL_SURNAMES, n),
            "emso": emso,
            "datum_rojstva": [f"{int(b[8:])}. {int(b[5:7])}. {b[:4]}" for b in births],
            "spol": np.where(male, "M", "Ž"),
            "naslov": _forms("{} {}", _pick(rng, _SL_STREETS, n), rng.integers(1, 120, n)),
            "posta": _pick(rng, "1000 1230 2000 3000 5000 6000 8000 4000".split(), n),
            "obcina": _pick(rng, tuple(_SL_REGIONS), n),
            "telefon": _forms("0{} {:03d} {:03d}", *three),
            "izobrazba": _pick(rng, "osnovna srednja visja visoka".split(), n, (0.2, 0.45, 0.2, 0.15)),
            "dohodek": [value.replace(".", ",") for value in _lognormal(rng, n, 21_500, 0.4)],
            "diagnoza": _pick(rng, _ICD, n),
            "datum_pregleda": _days(rng, "2024-01-01", "2026-01-01", n),
        }
    ).astype(str)


def _english_insurance(n: int, rng: np.random.Generator) -> pd.DataFrame:
    given, surname = _pick(rng, _EN_GIVEN, n), _pick(rng, _EN_SURNAMES, n)
    town = _pick(rng, tuple(_EN_REGIONS), n)
    outward = dict(zip(_EN_REGIONS, "LS YO BS EX NR CB".split(), strict=True))
    code = [
        rng.integers(1, 30, n),
        rng.integers(1, 10, n),
        *(_pick(rng, each, n) for each in ("ABDEFGHJ", "LNPQRSTU")),
    ]
    return pd.DataFrame(
        {
            "policy_no": _serials(rng, n, "POL-{:06d}"),
            "full_name": _forms("{} {}", given, surname),
            "email": [
                m.lower() for m in _forms("{}.{}{}@example.co.uk", given, surname, rng.integers(1, 999, n))
            ],
            "date_of_birth": [f"{b[8:]}/{b[5:7]}/{b[:4]}" for b in _days(rng, *_BORN, n).astype(str)],
            "sex": _pick(rng, ("F", "M"), n),
            "postcode": _forms("{}{} {}{}{}", [outward[t] for t in town], *code),
            "address": _forms("{1} {0}", _pick(rng, _EN_STREETS, n), rng.integers(1, 200, n)),
            "town": town,
            "marital_status": _pick(
                rng, "single married divorced widowed".split(), n, (0.35, 0.45, 0.14, 0.06)
            ),
            "occupation": _pick(rng, "teacher nurse driver clerk engineer retired student".split(), n),
            "premium": _lognormal(rng, n, 430, 0.35),
            "claim_amount": _lognormal(rng, n, 1250, 0.9),
            "smoker": _pick(rng, ("no", "yes"), n, (0.8, 0.2)),
            "start_date": _days(rng, "2019-01-01", "2026-01-01", n),
        }
    ).astype(str)


def _schema(
    name: str,
    language: str,
    regions: Mapping[str, str],
    make: Callable[[int, np.random.Generator], pd.DataFrame],
    columns: str,
) -> Schema:
    """Return a schema; its columns are written ``name kind semantic``, parted by semicolons."""
    parts = [column.split() for column in columns.split(";")]
    named = {column: Column(kind=kind, semantic=semantic) for column, kind, semantic in parts}
    return Schema(name=name, language=language, regions=regions, make=make, columns=named)


SCHEMAS: Mapping[str, Schema] = {
    schema.name: schema
    for schema in (
        _schema(
            "korean_hospital", "ko", _KO_REGIONS, _korean_hospital,
            "등록번호 id patient_id; 성명 name name; 주민등록번호 national ssn; 생년월일 birth birthdate; 성별 category gender;"
            "전화번호 phone phone; 주소 address address; 우편번호 zip zipcode; 지역 region address; 진단코드 category other;"
            "진료과 category other; 입원일 date visit_date; 혈색소 number other; 메모 text other",
        ),
        _schema(
            "slovenian_registry", "sl", _SL_REGIONS, _slovenian_registry,
            "sifra id patient_id; ime name name; priimek name name; emso national ssn; datum_rojstva birth birthdate;"
            "spol category gender; naslov address address; posta zip zipcode; obcina region address; telefon phone phone;"
            "izobrazba category other; dohodek number other; diagnoza category other; datum_pregleda date visit_date",
        ),
        _schema(
            "english_insurance", "en", _EN_REGIONS, _english_insurance,
            "policy_no id patient_id; full_name name name; email email email; date_of_birth birth birthdate;"
            "sex category gender; postcode zip zipcode; address address address; town region address;"
            "marital_status category marital_status; occupation category other; premium number other;"
            "claim_amount number other; smoker category other; start_date date visit_date",
        ),
    )
}  # fmt: skip
