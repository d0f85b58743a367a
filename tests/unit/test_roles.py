import base64
import codecs
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable

import pyarrow as pa
import pytest

from core.people.roles import DIGESTS, PERHAPS_NAMES, Role, RoleSuggestion, suggest_by_name, suggest_roles
from core.people.roles.vocabulary import match_name, name_tokens
from tests.cases.table import holds_for_each, read_cases

DIRECT, QUASI, SENSITIVE, OTHER = Role
ROLES = dict(zip("direct quasi sensitive other".split(), Role, strict=True))
CASES = read_cases("roles.txt")


def suggest(column: str, values: list[str | None]) -> RoleSuggestion:
    return suggest_roles(pa.table({column: pa.array(values, pa.string())}))[0]


def test_match_name__knows_the_words_of_three_languages_and_no_words_inside_words() -> None:
    def holds(kind: str, headers: str) -> None:
        for header in headers.split(" | "):
            match = match_name(header)
            if kind == "!direct":
                assert match is None or match.rule.role not in {DIRECT, QUASI}, header
            else:
                assert match is not None, header
                assert match.rule.kind == kind, header

    holds_for_each(CASES["headers"], holds)


def _suggested(expected: str, column: str, n: str, values: str) -> RoleSuggestion:
    suggestion = suggest(column, values.split(" | ") * int(n))
    role, _, kind = expected.partition(" ")
    assert (suggestion.role is not DIRECT) if role == "!direct" else suggestion.role is ROLES[role]
    assert not kind or suggestion.kind == kind
    return suggestion


def test_suggest_roles__sees_kinds_by_their_values() -> None:
    def holds(expected: str, column: str, n: str, values: str) -> None:
        suggestion = _suggested(expected, column, n, values)
        assert suggestion.from_values or expected != "direct person's name"

    holds_for_each(CASES["values"], holds)
    assert suggest("doctor", [f"D{i:03}" for i in range(40)] * 60).role is not DIRECT


def test_suggest_roles__sees_names_of_staff_by_their_header() -> None:
    def holds(expected: str, column: str, n: str, values: str) -> None:
        _suggested(expected, column, n, values)
        assert (
            suggest("ward", values.split(" | ") * 60).kind != PERHAPS_NAMES
        )  # the header says it of few words

    holds_for_each(CASES["staff"], holds)


def test_suggest_roles__takes_towns_under_the_name_of_an_address_for_places() -> None:
    def holds(expected: str, column: str, n: str, values: str) -> None:
        _suggested(expected, column, n, values)
        numbered = [f"{value}, 7{number}" for number in range(20) for value in values.split(" | ")]
        assert suggest(column, numbered).role is DIRECT
        houses = [f"The Old {one} {other}" for one in "ABCDEFG" for other in "ABCDEFG"]
        assert suggest(column, houses).role is DIRECT  # of one record each

    holds_for_each(CASES["places"], holds)


def test_name_tokens__splits_camel_case_signs_and_scripts() -> None:
    assert name_tokens("patientID_v2 (Priimek)") == ("patient", "id", "v2", "priimek")


ENGLISH = ["Mary Smith", "John Brown", "Linda Zweig", "Michael O'Hara", "Susan Novak-Lee"]
SLOVENIAN = ["Janez Novak", "Marija Horvat", "Metka Županič", "Luka Krajnc", "Ana Potočnik"]
KOREAN = ["김민준", "이서연", "박지훈", "최수빈", "정예은"]
SYNTHEA = ["Britt177", "Tobias236", "Hortencia577", "Lu473", "O'Keefe54"]


NAMES = [
    f"{given} {surname}"
    for given in ("Ana", "Marko", "Nina", "Luka", "Eva", "Jan")
    for surname in ("Novak", "Horvat", "Krajnc", "Vidmar", "Golob")
]


@pytest.mark.parametrize(
    ("write", "how"),
    [
        (lambda name: base64.b64encode(name.encode()).decode(), "in Base64"),
        (lambda name: name.encode().hex(), "in hexadecimal"),
        (lambda name: name.replace(" ", "%20"), "with percent signs"),
        (lambda name: codecs.encode(name, "rot13"), "in ROT13"),
        (lambda name: name[::-1], "backwards"),
        (lambda name: name.replace("a", "4").replace("o", "0"), "with digits for letters"),
        (lambda name: name.replace(" ", "").upper(), "in one word"),
        (lambda name: (name[0] + name.split()[1]).lower(), "as names of users"),
        (lambda name: json.dumps({"by": {"who": name, "at": 3}}), "in part"),
        (lambda name: f"https://a.example/u/{name.lower().replace(' ', '-')}?v=2", "in part"),
        (lambda name: f"C:\\Users\\{name.lower().replace(' ', '.')}\\scan.dcm", "in part"),
        (lambda name: f"w=4;k={base64.b64encode(name.encode()).decode().rstrip('=')};e", "in part"),
    ],
)
def test_suggest_roles__reads_what_names_are_written_as(write: Callable[[str], str], how: str) -> None:
    suggestion = suggest("c1", [write(name) for name in NAMES])
    assert (suggestion.role, suggestion.kind) == (DIRECT, "person's name")
    assert f"Read {how}" in suggestion.reason


def _crossed(first: str, last: str, form: str = "{0} {1}") -> list[str]:
    return [form.format(one, other) for one in first.split() for other in last.split()]


RARE = "Featherstone Okafor Brzezinski Quimby Vandersloot".split()


def test_suggest_by_name__asks_about_staff_whose_names_are_elsewhere() -> None:
    assert suggest_by_name("attending physician", n_nonblank=500, n_distinct=30).kind == PERHAPS_NAMES
    assert suggest_by_name("physician id", n_nonblank=500, n_distinct=30).kind != PERHAPS_NAMES
    assert suggest_by_name("nurse", n_nonblank=500, n_distinct=2).kind != PERHAPS_NAMES


def test_suggest_roles__reads_surnames_without_their_vowels() -> None:
    surnames = (
        "novak horvat krajnc zupancic kovac mlakar vidmar golob turk kralj hribar kotnik rozman zagar koren"
    )
    values = [re.sub("[aeiou]", "", name).upper() for name in surnames.split()] * 3
    values += ["KVC", "ZPN", "MDVD", "KLMNC", "KSTLC", "STPR", "RPNK", "VVK"]
    assert suggest("c1", values).kind == "person's name"
    codes = "RVK LJBM NGST KRPT ZDL MTGR PLHV SNDK TRBZ GKLM VRST BDNG HMPL CRKS FNTD"
    assert suggest("c1", [*codes.split()] * 3).role is not DIRECT


def test_suggest_roles__asks_about_digests_of_which_some_are_alike() -> None:
    digests = [hashlib.sha256(name.encode()).hexdigest() for name in NAMES]
    assert suggest("c1", digests * 3).kind == DIGESTS
    assert suggest("c1", digests).kind == "record identifier"
    assert suggest("c1", [each[:31] for each in digests] * 3).kind != DIGESTS


@pytest.mark.parametrize("form", ["NFD", "full width"])
def test_suggest_roles__reads_letters_in_other_forms(form: str) -> None:
    wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
    values = [name.translate(wide) for name in NAMES]
    if form == "NFD":
        values = [unicodedata.normalize("NFD", name) for name in KOREAN]
    assert suggest("c1", values).kind == "person's name"


@pytest.mark.parametrize("form", ["{0}. {1}", "{0}.{1}", "{1}, {0}.", "{0}. Z. {1}"])
def test_suggest_roles__sees_initials_with_surnames_that_no_list_has(form: str) -> None:
    surnames = ("Brzęk", "Quillfeather", "Østby", "Tanui-Keter", "Vlahović")
    values = [form.format(letter, name) for letter in "AČKŠ" for name in surnames] * 20
    found = suggest("field_7", list(values))
    assert (found.role, found.kind) == (Role.DIRECT_IDENTIFIER, "person's name")


@pytest.mark.parametrize(
    "values",
    [
        [
            f"{letter}. {word}"
            for letter, word in zip("ABCDEFGH", ("Never", "Seldom", "Often", "Always") * 2, strict=True)
        ],
        [f"{letter}. {word}" for letter in "ESKB" for word in ("coli", "aureus", "pneumoniae")],
        [
            f"St. {place}"
            for place in ("Gallen", "Moritz", "Anton", "Veit", "Ives", "Albans", "Helens", "Ann")
        ],
    ],
)
def test_suggest_roles__does_not_mistake_options_and_species_for_initials(values: list[str]) -> None:
    assert suggest("field_7", [*values] * 10).role is not Role.DIRECT_IDENTIFIER


@pytest.mark.parametrize(
    "values",
    [
        _crossed("Hans Ute Jürgen Heike Dieter Uwe", "Müller Voß Lenz Kühn Weber Rapp", "{1}, {0}"),
        _crossed("Иван Пётр Олег Елена Ольга Анна", "Волков Зайцев Орлов Белов Петров Попов"),
        _crossed("佐藤 鈴木 高橋 田中 伊藤 渡辺", "太郎 花子 翔太 美咲 健一 陽子"),
        _crossed("Nguyen Tran Pham Hoang Phan Dang", "Minh Thuy Duc Hung Quoc Nga"),
        _crossed("김 이 박 최 정 조", "수 연 호 진 아 혜", "{0}*{1}"),
    ],
)
def test_suggest_roles__asks_about_what_is_in_the_form_of_names(values: list[str]) -> None:
    suggestion = suggest("c1", values)
    assert (suggestion.role, suggestion.kind) == (DIRECT, PERHAPS_NAMES)


@pytest.mark.parametrize(
    "values",
    [
        _crossed("General Mercy Sacred Northern Central Regional", "Hospital Clinic Centre House Ward Unit")[
            :20
        ],
        _crossed(
            "Acute Chronic Recurrent Severe Mild Primary",
            "gastritis nephritis asthma colitis otitis cystitis",
        ),
        _crossed("급성 만성 아급성 재발성 원발성 속발성", "위염 간염 신염 폐렴 방광염 췌장염"),
        _crossed(
            "University Hospital",
            "Oslo Graz Brno Lyon Porto Turku Bern Ulm Pisa Gent Riga Linz Bath Nice Jena Lund",
        ),
        _crossed("Senior Junior Head Chief Deputy Acting", "Nurse Clerk Engineer Analyst Driver Teacher")
        * 12,
        [f"{letters}{i % 10}" for i, letters in enumerate(_crossed("A B C D E F", "K L M N O P", "{0}{1}"))],
        [f"unit {i} north" for i in range(60)],
        [f"/data/ward {i}/2024/lab.csv" for i in range(60)],
        [json.dumps({"q1": i % 5, "q2": "rather not", "t": i}) for i in range(60)],
    ],
)
def test_suggest_roles__does_not_ask_about_other_words(values: list[str]) -> None:
    assert suggest("c1", values).kind not in {PERHAPS_NAMES, "person's name"}


def test_suggest_roles__sees_free_text_codes_running_numbers_and_varied_words() -> None:
    table = pa.table(
        {
            "t": [f"Seen on day {i} with pain in the left knee, sent home" for i in range(40)],
            "c": [f"QX-{i * 7919 % 99991:05d}" for i in range(40)],
            "n": [str(i + 500) for i in range(40)],
            "w": [chr(97 + i % 26) * (3 + i // 26) + " alpha" for i in range(40)],
        }
    )
    kinds = {suggestion.column: (suggestion.role, suggestion.kind) for suggestion in suggest_roles(table)}
    assert kinds == {
        "t": (DIRECT, "free text"),
        "c": (DIRECT, "record identifier"),
        "n": (DIRECT, "record identifier"),
        "w": (DIRECT, "identifier by distinctness"),
    }


def test_suggest_roles__leaves_measured_numbers_alone() -> None:
    suggestion = suggest("x1", [str(round(5 + (i * 37 % 100) / 7, 3)) for i in range(100)])
    assert suggestion.role is OTHER
    assert suggestion.reason == (
        "Neither name nor shape says what it is, but nearly every value differs: check by eye."
    )


def test_suggest_roles__sees_neighbouring_coordinates() -> None:
    table = pa.table(
        {
            "a": [f"{46.05 + i / 977:.6f}" for i in range(30)],
            "b": [f"{14.5 + i / 1009:.6f}" for i in range(30)],
            "z": [f"{(i - 15) / 7.1:.6f}" for i in range(30)],
        }
    )
    kinds = {suggestion.column: suggestion.kind for suggestion in suggest_roles(table)}
    assert kinds == {"a": "coordinates", "b": "coordinates", "z": ""}


@pytest.mark.parametrize(("first", "second"), [(8.1, 61.3), (53.2, 47.9)])
def test_suggest_roles__does_not_take_shares_and_forecasts_for_coordinates(
    first: float, second: float
) -> None:
    shares = pa.table(
        {
            "a": [f"{first + i * 1.2:.6f}" for i in range(25)],
            "b": [f"{second - i * 1.1:.6f}" for i in range(25)],
        }
    )
    assert {suggestion.kind for suggestion in suggest_roles(shares)} == {""}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("drivers", [str(158 + 7 * i) for i in range(30)]),
        ("phone", [f"0.{4392 + 71 * i}" for i in range(30)]),
    ],
)
def test_suggest_roles__does_not_take_amounts_for_documents_and_telephones(
    column: str, values: list[str]
) -> None:
    assert suggest(column, values).role is OTHER
    assert suggest(column, [f"9{i}7{i + 3}55{i:02}" for i in range(10, 40)]).role is DIRECT


@pytest.mark.parametrize(
    "write", [lambda i: f"Tract{i}", lambda i: f"{COUNTRIES[i % 12]}{(65, 75)[i // 12]}"]
)
def test_suggest_roles__does_not_take_areas_with_a_number_for_names(write: Callable[[int], str]) -> None:
    suggestion = suggest("a", [write(i) for i in range(24)])
    assert suggestion.kind != "person's name"


COUNTRIES = "Chad Mali Ghana Kenya Niger Togo Benin Sudan Gabon Congo Malawi Zambia".split()


@pytest.mark.parametrize("column", ["Unnamed: 1", "index", "순번", "row_id", "Zap. št.", "일련번호"])
@pytest.mark.parametrize("first", [0, 1])
def test_suggest_roles__sees_that_numbers_only_count_the_rows(column: str, first: int) -> None:
    numbers = [str(number) for number in range(first, first + 40)]
    found = suggest(column, numbers)
    assert found.counts_rows
    assert found.reason == "The values only count the rows."
    assert not suggest(column, [*numbers[1:], numbers[0]]).counts_rows
    assert not suggest(column, [*numbers[:-1], None]).counts_rows
    assert not suggest(column, [str(int(number) + 7000) for number in numbers]).counts_rows
    assert not suggest("patient_id", numbers).counts_rows
    assert not suggest("kartica", numbers).counts_rows


@pytest.mark.parametrize(
    "values",
    [["서울 강남구", "부산시 해운대구 우동", "경기도 성남시 분당구 정자1동"], ["경기도 수원시", "서울 중구"]],
)
def test_suggest_roles__sees_korean_districts_by_their_values(values: list[str]) -> None:
    found = suggest("c1", values * 20)
    assert (found.role, found.kind) == (QUASI, "place or region")
    assert (
        suggest("c1", [f"{value} 세종로 {7 + i}" for i in range(9) for value in values]).kind
        == "postal address"
    )


@pytest.mark.parametrize(
    ("column", "left", "whole"),
    [
        ("telefon", ["02", "(031)", "+386 1", "010-****"], "010-1234-{}"),
        ("이메일", ["naver.com", "@gmail.com", "***@daum.net"], "a{}@b.si"),
    ],
)
def test_suggest_roles__does_not_take_area_codes_and_providers_for_people(
    column: str, left: list[str], whole: str
) -> None:
    assert suggest(column, left * 20).role is not DIRECT
    assert suggest(column, [whole.format(number) for number in range(5000, 5060)]).role is DIRECT
    assert suggest(column, [f"{value} {number}" for number in range(9) for value in left]).role is DIRECT


@pytest.mark.parametrize(
    ("days", "date"), [("입내원일수", "입원일"), ("재원일수", "퇴원일자"), ("검사일수", "검사일")]
)
def test_suggest_roles__takes_numbers_of_days_for_no_dates(days: str, date: str) -> None:
    assert suggest(days, [str(n % 9 + 1) for n in range(60)]).role is OTHER
    found = suggest(date, [f"2024-03-{n % 28 + 1:02}" for n in range(60)])
    assert (found.role, found.kind) == (QUASI, "date of a visit or stay")


def test_suggest_roles__believes_values_over_a_name_that_cannot_be() -> None:
    assert suggest("phone_ok", ["Y", "N"] * 20).role is OTHER
    assert suggest("name", ["1.5", "2.5", "3.5", "9.5"] * 10).role is OTHER
    hidden = suggest("diagnosis", ["a@b.si", "c@d.si"])
    assert (hidden.role, hidden.kind) == (DIRECT, "e-mail address")
    assert hidden.reason == (
        "The name means diagnosis or disease. 100 % of the values are written like e-mail address."
    )


def test_suggest_roles__blank_and_suppressed_columns_are_other() -> None:
    for values in ([None, None], ["*", "*"], ["***", None], []):
        suggestion = suggest("name", values)
        assert (suggestion.role, suggestion.score) == (OTHER, 1.0)
        assert suggestion.reason == "All cells are blank or suppressed."
        assert suggestion.distinct_share is None


def test_suggest_roles__suppressed_cells_do_not_count() -> None:
    suggestion = suggest("name", ["*", "*", *ENGLISH])
    assert (suggestion.n_nonblank, suggestion.n_distinct) == (5, 5)


def test_suggest_roles__ranks_by_role_then_score() -> None:
    table = pa.table(
        {"x": ["1", "1"], "income": ["5", "6"], "sex": ["M", "F"], "age": ["4", "5"], "ssn": ["p", "q"]}
    )
    assert [suggestion.column for suggestion in suggest_roles(table)] == ["ssn", "sex", "age", "income", "x"]


def test_suggest_roles__counts_exactly_beyond_the_sample() -> None:
    suggestion = suggest_roles(pa.table({"c": [f"K{i}" for i in range(500)]}), sample_size=50)[0]
    assert (suggestion.n_nonblank, suggestion.n_distinct) == (500, 500)
