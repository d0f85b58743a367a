"""A synthetic hospital: four tables with their anonymized versions and logs."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.demo import DemoFile

_N_PATIENTS = 420
_SURNAMES = tuple("김이박최정강조윤장임한오서신권")
_GIVEN_WORDS = "민준 서연 도윤 하은 지호 수아 예준 지우 현우 채원 은정 태민 가람 소율"
_GIVEN = tuple(_GIVEN_WORDS.split())
_FIRST_WORDS = "Ana Boris Clara David Eva Filip Grace Hugo Irena Jakob Klara Luka"
_FIRST = tuple(_FIRST_WORDS.split())
_LAST = ("Novak", "Horvat", "Kovač", "Walker", "Zupan", "Bennett", "Potočnik", "Turner", "Mlakar", "Foster")
_STREETS = ("Lipova ulica", "Mill Lane", "Cesta na grad", "Station Road", "Poljska pot", "Orchard Close")
_REGIONS = ("서울", "부산", "대구", "인천", "광주", "대전")
_AREAS = {
    "서울": "수도권",
    "인천": "수도권",
    "부산": "영남",
    "대구": "영남",
    "광주": "호남",
    "대전": "수도권",
}
_DEPARTMENTS = ("내과", "외과", "소아과", "정형외과", "피부과")
_BLOOD_TYPES = ("A", "B", "O", "AB")

Table = dict[str, list[str]]


def _choices(rng: np.random.Generator, values: Sequence[str], n: int = _N_PATIENTS) -> list[str]:
    return [str(value) for value in rng.choice(np.array(values, dtype=object), n)]


def _dates(rng: np.random.Generator, first: str, n_days: int, n: int = _N_PATIENTS) -> list[str]:
    return [str(np.datetime64(first) + int(day)) for day in rng.integers(0, n_days, n)]


def _korean_names(rng: np.random.Generator) -> list[str]:
    pairs = zip(_choices(rng, _SURNAMES), _choices(rng, _GIVEN), strict=True)
    return [surname + given for surname, given in pairs]


def _phones(rng: np.random.Generator, n: int = _N_PATIENTS) -> list[str]:
    return [f"010-{rng.integers(2000, 10000)}-{rng.integers(0, 10000):04d}" for _ in range(n)]


def _tokens(values: Sequence[str], salt: str) -> list[str]:
    """Return pseudonyms: 12 hexadecimal digits that only the holder of the salt can make again."""
    return [hashlib.blake2b(f"{salt}{value}".encode(), digest_size=6).hexdigest() for value in values]


def _floored(dates: Sequence[str]) -> list[str]:
    return [f"{date[:4]}-01-01" for date in dates]


def _patients(rng: np.random.Generator) -> tuple[Table, Table, dict[str, str]]:
    """Return a table that is anonymized with care: PASS, and the second opinion agrees."""
    births = _dates(rng, "1940-01-01", 25_000)
    table: Table = {
        "patient_id": [f"P{100000 + number}" for number in rng.permutation(_N_PATIENTS)],
        "이름": _korean_names(rng),
        "주민등록번호": [
            f"{birth[2:4]}{birth[5:7]}{birth[8:10]}-{rng.integers(1, 5)}{rng.integers(0, 10**6):06d}"
            for birth in births
        ],
        "birth_date": births,
        "gender": _choices(rng, ("남", "여")),
        "region": _choices(rng, _REGIONS),
        "blood_type": _choices(rng, _BLOOD_TYPES),
        "phone": _phones(rng),
    }
    order = rng.permutation(_N_PATIENTS)
    safe = {
        "patient_id": _tokens(table["patient_id"], "patients"),
        "이름": [""] * _N_PATIENTS,
        "주민등록번호": [""] * _N_PATIENTS,
        "birth_date": [""] * _N_PATIENTS,
        "gender": table["gender"],
        "region": [_AREAS[region] for region in table["region"]],
        "blood_type": table["blood_type"],
        "phone": [""] * _N_PATIENTS,
    }
    shuffled = {name: [values[row] for row in order] for name, values in safe.items()}
    return (
        table,
        shuffled,
        {
            "patient_id": "patient_id/pseudonymize",
            "이름": "name/drop",
            "주민등록번호": "ssn/drop",
            "birth_date": "birthdate/drop",
            "gender": "gender/keep",
            "region": "address/region_generalize",
            "blood_type": "blood_type/keep",
            "phone": "phone/drop",
        },
    )


def _visits(rng: np.random.Generator) -> tuple[Table, Table, dict[str, str]]:
    """Return a table from which columns vanished without a word in the log: WARN."""
    table: Table = {
        "visit_no": [f"V-{number:06d}" for number in rng.permutation(_N_PATIENTS)],
        "환자명": _korean_names(rng),
        "visit_date": _dates(rng, "2023-01-01", 700),
        "department": _choices(rng, _DEPARTMENTS),
        "doctor": _korean_names(rng),
        "room": [str(number) for number in rng.integers(101, 140, _N_PATIENTS)],
        "payment": _choices(rng, ("건강보험", "의료급여", "일반")),
    }
    safe = {
        "visit_date": _floored(table["visit_date"]),
        "department": table["department"],
        "payment": table["payment"],
    }
    return (
        table,
        safe,
        {
            "visit_date": "visit_date/date_floor_year",
            "department": "department/keep",
            "payment": "payment/keep",
        },
    )


def _lab_results(rng: np.random.Generator) -> tuple[Table, Table, dict[str, str]]:
    """Return a table with values left where the log says they are gone: FAIL."""
    births = _dates(rng, "1945-01-01", 24_000)
    names, phones = _korean_names(rng), _phones(rng)
    notes = [
        f"보호자 연락처 {phone}" if number % 6 == 0 else "특이사항 없음"
        for number, phone in enumerate(phones)
    ]
    table: Table = {
        "sample": [f"S{number:05d}" for number in rng.permutation(_N_PATIENTS)],
        "name": names,
        "birth_date": births,
        "sex": _choices(rng, ("F", "M")),
        "glucose": [str(value) for value in rng.integers(70, 190, _N_PATIENTS)],
        "note": notes,
    }
    safe = {
        "sample": _tokens(table["sample"], "lab"),
        "name": [name if row in {41, 207} else "" for row, name in enumerate(names)],
        "birth_date": [birth if row % 60 == 7 else f"{birth[:4]}-01-01" for row, birth in enumerate(births)],
        "sex": table["sex"],
        "glucose": table["glucose"],
        "note": notes,
    }
    return (
        table,
        safe,
        {
            "sample": "sample_id/pseudonymize",
            "name": "name/drop",
            "birth_date": "birthdate/date_floor_year",
            "sex": "gender/keep",
            "glucose": "laboratory_value/keep",
            "note": "free_text/keep",
        },
    )


def _survey(rng: np.random.Generator) -> tuple[Table, Table, dict[str, str]]:
    """Return a table whose log calls names, addresses and coordinates "other": the rule says PASS."""
    pairs = zip(_choices(rng, _FIRST), _choices(rng, _LAST), rng.integers(1, 900, _N_PATIENTS), strict=True)
    people = [(first, last, number) for first, last, number in pairs]
    table: Table = {
        "respondent": [f"R{number:04d}" for number in rng.permutation(_N_PATIENTS)],
        "full_name": [f"{first} {last}" for first, last, _ in people],
        "street": [
            f"{street} {number}" for street, (*_, number) in zip(_choices(rng, _STREETS), people, strict=True)
        ],
        "latitude": [f"{value:.5f}" for value in rng.uniform(45.5, 46.8, _N_PATIENTS)],
        "longitude": [f"{value:.5f}" for value in rng.uniform(13.5, 16.5, _N_PATIENTS)],
        "birth_date": _dates(rng, "1950-01-01", 20_000),
        "smoker": _choices(rng, ("yes", "no", "former")),
    }
    safe = {
        **table,
        "respondent": _tokens(table["respondent"], "survey"),
        "birth_date": _floored(table["birth_date"]),
    }
    return (
        table,
        safe,
        {
            "respondent": "patient_id/pseudonymize",
            "full_name": "other/keep",
            "street": "other/keep",
            "latitude": "other/keep",
            "longitude": "other/keep",
            "birth_date": "birthdate/date_floor_year",
            "smoker": "other/keep",
        },
    )


_SETS: Mapping[str, tuple[Callable[[np.random.Generator], tuple[Table, Table, dict[str, str]]], str]] = {
    "patients": (_patients, "high"),
    "visits": (_visits, "low"),
    "lab_results": (_lab_results, "low"),
    "survey": (_survey, "low"),
}


def make_hospital(seed: int = 7) -> Mapping[str, tuple[DemoFile, ...]]:
    """Return twelve files as a person would drop them: four originals, anonymized tables and logs."""
    rng = np.random.default_rng(seed)
    files: list[DemoFile] = []
    for stem, (make, mode) in _SETS.items():
        table, safe, log = make(rng)
        files += [
            DemoFile(name=f"{stem}.csv", data=_csv(table)),
            DemoFile(name=f"{stem}_anonymized.csv", data=_csv(safe)),
            DemoFile(name=f"{stem}_anonymized_log.json", data=_log(stem, mode, log)),
        ]
    return {"files": tuple(files)}


def _csv(table: Table) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _log(stem: str, mode: str, columns: Mapping[str, str]) -> bytes:
    entries = {
        name: dict(zip(("semantic", "action"), told.split("/"), strict=True))
        for name, told in columns.items()
    }
    meta = {
        "mode": mode,
        "allow_dx": False,
        "created_at": "2026-01-05T09:00:00",
        "source_file": f"{stem}.csv",
        "output_file": f"{stem}_anonymized.csv",
    }
    return json.dumps({"_meta": meta, "log_info": entries}, ensure_ascii=False, indent=1).encode()
