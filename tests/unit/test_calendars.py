"""Dates in words and of other calendars, written as the days they are, and what only looks like one."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from core.values.calendars import iso_dates
from core.values.dates import read_dates, read_days
from core.verdict import Verdict
from tests.second_opinion_examples import concerns, findings, log_of, opinion_on

DAY = "1958-03-12"


def _written(*texts: str, settle: bool = True) -> list[str]:
    return iso_dates(pa.array(texts), settle=settle).to_pylist()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "12. März 1958",
            "Mittwoch, 12. März 1958",
            "12 mars 1958",
            "12 de marzo de 1958",
            "12 marca 1958 r.",
        ),
        *(
            "12. marca 1958",
            "12. března 1958",
            "12. ožujka 1958",
            "12. maaliskuuta 1958",
            "1958. március 12.",
        ),
        *("1958 m. kovo 12 d.", "12 марта 1958 г.", "12 березня 1958", "12 Μαρτίου 1958", "12 Mart 1958"),
        *(
            "12 มีนาคม 2501",
            "12 มี.ค. 2501",
            "12 มีนาคม พ.ศ. 2501",
            "21 اسفند 1336",
            "12th March 1958",
            "March 12th, 1958",
        ),
        *("12.III.1958", "12 III 1958", "12-mrt-58", "12mar1958", "12 Mar. 1958", "昭和33年3月12日"),
        *("昭和三十三年三月十二日", "昭和33.3.12", "民國47年3月12日", "民國 47/3/12", "1958년 3월 12일"),
        *("단기 4291년 3월 12일", "一九五八年三月十二日", "１９５８年３月１２日", "１９５８－０３－１２"),
    ],
)
def test_iso_dates__a_day_in_words_or_of_an_era(text: str) -> None:
    assert _written(text) == [DAY]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1958년 3월 12일 (수) 오후 3:05",
            "1958年3月12日（水） 午後3時05分",
            "1958-03-12 Wed 15:05",
            "12 mars 1958 15h05",
        ),
        *(
            "12. März 1958 um 15:05 Uhr",
            "12. 3. 1958 ob 15.05 uri",
            "[12/Mar/1958:15:05:00]",
            "12.3.1958 kl. 15.05",
        ),
        *("12-MAR-58 03.05.00.000000 PM", "12 de marzo de 1958, 3:05 p. m.", "١٢.٣.١٩٥٨ ١٥:٠٥"),
    ],
)
def test_iso_dates__the_time_of_day_after_a_date(text: str) -> None:
    (day,) = read_days(pa.array(_written(text)))
    assert day == pytest.approx(
        (dt.datetime(1958, 3, 12, 15, 5) - dt.datetime(1970, 1, 1)).total_seconds() / 86_400
    )


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (
            lambda day: f"{day.day:02d}/{day.month:02d}/{day.year + 543} 15:05",
            lambda day: f"{day:%d/%m/%Y} 15:05",
        ),
        (lambda day: f"{day.day:02d}/{day.month:02d}/{day.year + 543}", lambda day: f"{day:%d/%m/%Y}"),
        (lambda day: f"{day.year - 1911:03d}-{day.month:02d}-{day.day:02d}", dt.date.isoformat),
        (lambda day: f"S{day.year - 1925}.{day.month}.{day.day}", dt.date.isoformat),
        (lambda day: f"S{day.year - 1925:02d}{day.month:02d}{day.day:02d}", dt.date.isoformat),
    ],
)
def test_iso_dates__whole_columns_of_another_calendar(write, read) -> None:
    days = [dt.date(1940, 1, 5) + dt.timedelta(days=97 * i) for i in range(90)]
    assert _written(*map(write, days)) == [read(day) for day in days]


def test_iso_dates__the_iranian_and_the_islamic_calendar() -> None:
    assert _written("1336/12/21", "1340/02/31", "1400/01/01") == ["1958-03-12", "1961-05-21", "2021-03-21"]
    assert _written("1377-08-21", "1410-01-01", "1440-01-01")[1:] == ["1989-08-04", "2018-09-12"]


@pytest.mark.parametrize(
    "texts",
    [
        ("H3/40/12", "H5/2/99", "S70/1/1", "T3/4/12"),  # codes of products
        ("12.4.19", "3.10.2", "1.0.7"),  # versions
        ("Mai", "März", "Frau Mai", "Uwe März"),
        ("Straße des 17. Juni 135", "12 Main Street 1999", "Maiweg 12, 1958 gebaut"),
        ("31 June 1958", "30. Februar 1958", "昭和70年3月12日", "9dec1934af"),
        ("2021-12-31", "31.12.2021", "1432", ""),
        ("2021-12-31 15:05", "2021-12-31T15:05:00Z", "10.0.0.12 at home", "2 x 3.5 mg at 8"),
    ],
)
def test_iso_dates__leaves_what_is_no_date(texts: tuple[str, ...]) -> None:
    values = pa.array(texts)
    assert iso_dates(values, settle=True) is values


def test_iso_dates__inside_texts_and_by_the_language_of_a_column() -> None:
    assert _written("geboren am 12. März 1958 in Kiel") == ["geboren am 1958-03-12 in Kiel"]
    assert _written("生年月日は昭和33年3月12日と確認") == ["生年月日は1958-03-12と確認"]
    assert _written("5 listopada 1958", "5 września 1958")[0] == "1958-11-05"  # Polish
    assert _written("5. listopada 1958", "5. ožujka 1958")[0] == "1958-10-05"  # Croatian
    assert read_dates(pa.array(["昭和33年3月12日", "mars 1958"])).month.tolist() == [3, 3]


RNG = np.random.default_rng(5)
N = 120
BORN = [dt.date(1935, 1, 1) + dt.timedelta(days=int(day)) for day in RNG.integers(0, 25_000, N)]
OTHERS = [dt.date(1935, 1, 1) + dt.timedelta(days=int(day)) for day in RNG.integers(0, 25_000, N)]
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
SPELLINGS = {
    "in words": lambda day: f"{day.day}. {GERMAN[day.month - 1]} {day.year}",
    "in a sentence": lambda day: f"Aufnahme; geb. {day.day}. {GERMAN[day.month - 1]} {day.year}, nüchtern",
    "Thai": lambda day: f"{day.day:02d}/{day.month:02d}/{day.year + 543}",
    "Minguo": lambda day: f"民國{day.year - 1911}年{day.month}月{day.day}日",
}


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_second_opinion__a_birth_date_in_another_spelling_is_the_date(
    spelling: str, *, shuffled: bool
) -> None:
    rows = RNG.permutation(N) if shuffled else np.arange(N)
    log = log_of(birth=("birthdate", "drop"), ward=("other", "keep"), info=("other", "keep"))
    ward = [str(i % 3) for i in range(N)]
    original = {"birth": [day.isoformat() for day in BORN], "ward": ward}

    def released(days: list[dt.date]) -> dict[str, list[str]]:
        info = [SPELLINGS[spelling](day) for day in days]
        return {"ward": [ward[i] for i in rows], "info": [info[i] for i in rows]}

    told = opinion_on(original, released(BORN), log)
    assert any(one.column == "info" and one.verdict is Verdict.FAIL for one in told.findings), concerns(told)
    made_up = opinion_on(original, released(OTHERS), log)
    assert findings(made_up, "original_values_inside") == []
    assert not [one.check for one in made_up.findings if one.check.startswith(("disguise", "derived"))]


def test_second_opinion__a_date_written_in_words_is_left_as_it_was() -> None:
    original = {"birth": [day.isoformat() for day in BORN]}
    for form in ("%B %d, %Y", "%Y년 %m월 %d일"):
        told = opinion_on(
            original, {"birth": [day.strftime(form) for day in BORN]}, log_of(birth=("other", "x"))
        )
        assert any(one.check == "unchanged_distinct_column" for one in told.findings), concerns(told)
