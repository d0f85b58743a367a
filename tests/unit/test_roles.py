import base64
import codecs
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable

import pyarrow as pa
import pytest

from core.roles import DIGESTS, PERHAPS_NAMES, Role, RoleSuggestion, suggest_by_name, suggest_roles
from core.roles.vocabulary import match_name, name_tokens

DIRECT, QUASI, SENSITIVE, OTHER = Role


def suggest(column: str, values: list[str | None]) -> RoleSuggestion:
    return suggest_roles(pa.table({column: pa.array(values, pa.string())}))[0]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("name", "person's name"),
        ("PatientName", "person's name"),
        ("성명", "person's name"),
        ("환자이름", "person's name"),
        ("Ime", "person's name"),
        ("priimek", "person's name"),
        ("BIRTHDATE", "date of birth"),
        ("DateOfBirth", "date of birth"),
        ("생년월일", "date of birth"),
        ("datum_rojstva", "date of birth"),
        ("주민등록번호", "national identification number"),
        ("EMŠO", "national identification number"),
        ("SSN", "national identification number"),
        ("address1", "postal address"),
        ("주소", "postal address"),
        ("naslov", "postal address"),
        ("zip", "postal code"),
        ("우편번호", "postal code"),
        ("Poštna številka", "postal code"),
        ("sex", "sex or gender"),
        ("성별", "sex or gender"),
        ("spol", "sex or gender"),
        ("age_group", "age"),
        ("나이", "age"),
        ("연령대", "age"),
        ("starost", "age"),
        ("diagnosis_code", "diagnosis or disease"),
        ("진단명", "diagnosis or disease"),
        ("diagnoza", "diagnosis or disease"),
        ("mobilePhone", "phone number"),
        ("전화번호", "phone number"),
        ("telefon", "phone number"),
        ("E-mail", "e-mail address"),
        ("이메일", "e-mail address"),
        ("MRN", "patient or person number"),
        ("환자번호", "patient or person number"),
        ("환자ID", "patient or person number"),
        ("등록번호", "patient or person number"),
        ("LAT", "coordinates"),
        ("경도", "coordinates"),
        ("visit_date", "date of a visit or stay"),
        ("내원일자", "date of a visit or stay"),
        ("datum sprejema", "date of a visit or stay"),
        ("race", "race, ethnicity or nationality"),
        ("국적", "race, ethnicity or nationality"),
        ("marital_status", "marital status or household"),
        ("결혼상태", "marital status or household"),
        ("zakonski stan", "marital status or household"),
        ("occupation", "occupation or education"),
        ("직업", "occupation or education"),
        ("poklic", "occupation or education"),
        ("지역", "place or region"),
        ("občina", "place or region"),
        ("income", "money"),
        ("소득", "money"),
        ("plača", "money"),
        ("종교", "belief, orientation or record of conduct"),
        ("drug_name", "treatment or medication"),
        ("HbA1c", "test result"),
    ],
)
def test_match_name__knows_the_words_of_three_languages(column: str, kind: str) -> None:
    match = match_name(column)
    assert match is not None
    assert match.rule.kind == kind


@pytest.mark.parametrize(
    "column",
    [
        "width",
        "kidney",
        "identity_type",
        "diameter",
        "hospital_name",
        "file name",
        "약품명",
        "병원이름",
        "phase",
        "image",
        "plate",
        "surname_flag",
        "average",
        "relationid",
        "주소증",
        "stage",
        "package",
        "latency",
        "un_continent_name",
        "business_name",
        "대륙이름",
    ],
)
def test_match_name__is_not_taken_in_by_words_inside_words(column: str) -> None:
    match = match_name(column)
    assert match is None or match.rule.role not in {DIRECT, QUASI}


def test_name_tokens__splits_camel_case_signs_and_scripts() -> None:
    assert name_tokens("patientID_v2 (Priimek)") == ("patient", "id", "v2", "priimek")


ENGLISH = ["Mary Smith", "John Brown", "Linda Zweig", "Michael O'Hara", "Susan Novak-Lee"]
SLOVENIAN = ["Janez Novak", "Marija Horvat", "Metka Županič", "Luka Krajnc", "Ana Potočnik"]
KOREAN = ["김민준", "이서연", "박지훈", "최수빈", "정예은"]
SYNTHEA = ["Britt177", "Tobias236", "Hortencia577", "Lu473", "O'Keefe54"]


@pytest.mark.parametrize("values", [ENGLISH, SLOVENIAN, KOREAN, SYNTHEA])
def test_suggest_roles__sees_names_of_people_in_a_column_with_a_mute_name(values: list[str]) -> None:
    suggestion = suggest("c1", [*values])
    assert (suggestion.role, suggestion.kind) == (DIRECT, "person's name")
    assert suggestion.from_values


@pytest.mark.parametrize(
    "values",
    [
        ["남성", "여성"],
        ["서울", "부산", "강남구"],
        ["고혈압", "당뇨병", "폐렴", "위암"],
        ["Acute bronchitis", "Essential hypertension", "Type two diabetes", "Gout", "Asthma"],
        ["Cardiology", "Neurology", "Internal medicine", "Surgery"],
        ["Stage 1", "Stage 2", "Stage 3", "Stage 4"],
        ["5 mg", "10 mg", "20 mg", "40 mg daily"],
        ["low", "medium", "high"],
        ["brown", "blue", "green", "hazel", "gray"],
    ],
)
def test_suggest_roles__does_not_mistake_categories_for_people(values: list[str]) -> None:
    assert suggest("c1", values * 30).role is not DIRECT


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


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("doctor", RARE, PERHAPS_NAMES),
        ("referring_physician", [f"Dr. {name}" for name in RARE], "person's name"),
        ("Zdravnik", ["Novak", "Okafor", "Horvat"], "person's name"),
        ("medicinska sestra", RARE, PERHAPS_NAMES),
        (
            "surgeon1",
            [f"{a}{b}" for a in "Mo Ta Ke Si Ra".split() for b in "zel ruk vin".split()],
            "person's name",
        ),
        ("의사", ["김민지", "이철수", "박영희"], "person's name"),
        ("담당간호사명", ["김민지 간호사", "이철수 간호사", "박영희 간호사"], "person's name"),
    ],
)
def test_suggest_roles__sees_names_of_staff_by_their_header(
    column: str, values: list[str], kind: str
) -> None:
    suggestion = suggest(column, values * 60)
    assert (suggestion.role, suggestion.kind) == (DIRECT, kind)
    assert suggest("ward", values * 60).kind != PERHAPS_NAMES  # the header says it of few words


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("doctor", ["Yes", "No", "Unknown"]),
        ("doctor", ["Cardiologist", "Surgeon", "Oncologist", "Pediatrician"]),
        ("doctor", [f"D{i:03}" for i in range(40)]),
        ("nurse notes", RARE),
        ("doctor visits", [str(i) for i in range(9)]),
        ("의사", ["내과", "외과", "정형외과", "소아과"]),
        ("참여의사", ["있음", "없음", "모름"]),
        ("zdravnik", ["splošni", "specialist", "pediater"]),
        ("teacher", ["Mathematics", "English", "Biology", "Sport"]),
        ("staff", ["Nurse", "Doctor", "Cleaner", "Porter"]),
    ],
)
def test_suggest_roles__does_not_take_duties_and_answers_for_staff(column: str, values: list[str]) -> None:
    assert suggest(column, values * 60).role is not DIRECT


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
        _crossed("Kwak Bae Shim Noh Ha Cha", "Min-su Ji-hye Do-yun Eun-ji Ha-na Jun-ho"),
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


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["12 Oak Street", "7 Main Rd Apt 3", "1084 High Ave"], "postal address"),
        (["Trubarjeva cesta 12", "Slovenska ulica 5a", "Stari trg 3"], "postal address"),
        (
            ["서울특별시 강남구 테헤란로 12", "부산시 해운대구 우동 33", "경기도 성남시 분당구 정자동 5"],
            "postal address",
        ),
        (["a@b.si", "kim@naver.com"], "e-mail address"),
        (["900101-1234567", "010203-3234567"], "national identification number"),
        (["0101006500006"], "national identification number"),
        (["123-45-6789"], "national identification number"),
        (["010-1234-5678", "02-123-4567"], "phone number"),
        (["+386 41 123 456"], "phone number"),
        (["8c8e1c9a-b310-43c6-33a7-ad11bad21c40"], "record identifier"),
        (["10.0.0.1", "192.168.1.20"], "online identifier or network address"),
        (["SI56 1910 0000 0123 438"], "identity document or account number"),
    ],
)
def test_suggest_roles__sees_direct_identifiers_by_their_shape(values: list[str], kind: str) -> None:
    suggestion = suggest("c1", [*values])
    assert (suggestion.role, suggestion.kind) == (DIRECT, kind)


@pytest.mark.parametrize(
    ("values", "role", "kind"),
    [
        (["2020-01-02", "1999/12/31", "31.12.1999"], QUASI, "date of a visit or stay"),
        (["M", "F"], QUASI, "sex or gender"),
        (["기혼", "미혼", "사별"], QUASI, "marital status or household"),
        (["white", "black", "asian"], QUASI, "race, ethnicity or nationality"),
        (["서울", "경기도", "제주"], QUASI, "place or region"),
        (["E11.9", "I10", "J45"], SENSITIVE, "diagnosis or disease"),
        (["Gout (disorder)", "Stress (finding)"], SENSITIVE, "diagnosis or disease"),
    ],
)
def test_suggest_roles__sees_other_kinds_by_their_values(values: list[str], role: Role, kind: str) -> None:
    suggestion = suggest("c1", values * 20)
    assert (suggestion.role, suggestion.kind) == (role, kind)


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
    ("column", "values"),
    [
        ("거주지", ["서울", "부산", "대구", "제주"]),
        ("주소", ["서울 강남구", "경기도 성남시 분당구", "서울시 마포구 서교1동"]),
        ("naslov", ["1000 Ljubljana", "SI-2000 Maribor", "Kranj"]),
        ("address", ["Dublin", "Cork", "Galway"]),
    ],
)
def test_suggest_roles__takes_towns_under_the_name_of_an_address_for_places(
    column: str, values: list[str]
) -> None:
    found = suggest(column, values * 20)
    assert (found.role, found.kind) == (QUASI, "place or region")
    assert suggest(column, [f"{value}, 7{number}" for number in range(20) for value in values]).role is DIRECT
    houses = [f"The Old {one} {other}" for one in "ABCDEFG" for other in "ABCDEFG"]
    assert suggest(column, houses).role is DIRECT  # of one record each


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
