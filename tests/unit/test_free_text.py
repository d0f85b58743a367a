"""Free text: which columns hold it, who is named in it, and what reading some cells says of all."""

import sys
from math import comb
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from benchmarks.quality.schemas import SCHEMAS
from core.errors import AuditInputError
from core.people.free_text import (
    Reading,
    TextColumn,
    cells_to_read,
    check_reading,
    measure_texts,
    read_cells,
    reading_words,
    sample_of_cells,
    text_findings,
    upper_bound,
)
from core.people.free_text.finding import is_text_column
from core.people.free_text.names import are_sentences, find_names
from core.people.free_text.result import texts_group
from core.verdict import Verdict
from tests.cases.table import holds_for_each, says

NAMING = (
    "John Smith came with pain | spoke to Novak, Janez about the date | "
    "klical Janeza Novaka zaradi termina | seen by Dr. Featherstone today | gospa Kavčnik je prišla | "
    "po pogovoru z ga. Kovačič brez težav | z dr. Šuštarjem dogovorjen pregled | "
    "Mrs Okafor asked about it | his wife Mary called | met Maria Hodgekins in the hall | "
    "called by James T. Wilson | JANE SMITH WAS HERE | Ana Šuštar poklicala | 김철수 님과 통화 | "
    "김철수씨 내원 | 홍길동 환자 통증 호소 | 보호자 이영희 연락 | 박 민수 님과 통화"
).split(" | ")
NAMING_NOBODY = (
    "no complaints",
    "Wilson disease suspected",
    "Parkinson disease and Down syndrome",
    "Martin Bell syndrome",
    "Johns Hopkins Hospital",
    "St. James Hospital",
    "Grace Ward was full",
    "Charlotte Medical Center",
    "New York Heart Association class II",
    "amoxicillin 250 MG Oral Tablet",
    "patient has a Foley catheter",
    "seen by the dr. Patient went home, and the patient slept",
    "Dose 5 g. Nato vode",
    "Mark the wound, may will improve",
    "brez posebnosti, kontrola čez mesec",
    "고혈압 환자 외래 방문",
    "위궤양 환자 입원",
    "보호자와 통화, 고객님 문의",
    "조영제 주사 후 이상 반응 없음",
    "환자 고열 지속",
)
WORDS = "came with mild pain after work and slept badly was told to rest call again soon".split()


def _column(values: list[str | None]) -> TextColumn | None:
    return next(iter(measure_texts(pa.table({"note": pa.array(values, pa.string())}))), None)


def _plain(n: int, seed: int = 0) -> list[str]:
    rows = np.random.default_rng(seed).integers(0, len(WORDS), (n, 9))
    return [" ".join(WORDS[i] for i in row) for row in rows]


def _messages(column: TextColumn, **read: Reading) -> dict[str, str]:
    return {each.check: f"{each.verdict.value}: {each.message}" for each in text_findings([column], read)}


def test_find_names__sees_people_and_nobody_else() -> None:
    def holds(words: str) -> None:
        found = find_names(pa.array([words, *_plain(5)])).surely.tolist()
        assert found == [words in NAMING, *[False] * 5]

    holds_for_each([*NAMING, *NAMING_NOBODY], holds)


def test_find_names__counts_words_alone_as_possible() -> None:
    texts = pa.array(["saw Kavčič in the hall", "met Rupert Lockwood today", "no complaints"])
    found = find_names(texts)
    assert (found.surely.tolist(), found.perhaps.tolist()) == ([False] * 3, [True, True, False])


def test_find_names__takes_many_rare_korean_words_of_their_form_as_names() -> None:
    rng = np.random.default_rng(0)
    names = [
        "김이박최정강조윤장임"[a] + "민서도하지"[b] + "준연윤은호"[c]
        for a, b, c in zip(
            rng.integers(0, 10, 40), rng.integers(0, 5, 40), rng.integers(0, 5, 40), strict=True
        )
    ]
    assert find_names(pa.array([f"{name} 통증 호소" for name in names])).surely.mean() > 0.9
    one = find_names(pa.array(["이상은 없음 경과", *[f"{word} 경과 양호" for word in WORDS]]))
    assert not one.surely.any()


@pytest.mark.parametrize("schema", ["korean_hospital", "slovenian_registry", "english_insurance"])
def test_measure_texts__finds_names_of_every_institution(schema: str) -> None:
    """Names are those of tables that other checks are tried on, some in no list of ours."""
    raw = SCHEMAS[schema].make(600, np.random.default_rng(1))
    names = raw[SCHEMAS[schema].of_kind("name")].agg(" ".join, axis=1)
    phrase = {
        "ko": "{} 님 경과 양호하며 다음 달 재방문",
        "sl": "pregled: {} brez posebnosti in kontrola čez mesec",
    }
    form = phrase.get(SCHEMAS[schema].language, "{} came with mild pain and was told to rest")
    found = _column([form.format(name) for name in names])
    assert found is not None
    assert found.n_found >= 0.8 * 600
    assert _messages(found)["people_in_text"].startswith("FAIL: ")


TELLING = [
    ("wrote from ana.kos@posta.si about the pain", "email"),
    ("reached on 010-1234-5678 in the evening", "phone"),
    ("phone: 07700 900123, call after work", "phone"),
    ("reached at (555) 123-4567 in the evening", "phone"),
    ("resident number 900101-1234567 was checked", "number"),
    ("transferred with MRN 0048213 from the ward", "hospital_number"),
    ("kartoteka št. 1204588 je bila pregledana", "hospital_number"),
    ("등록번호 12345678 환자와 통화함", "hospital_number"),
    ("lives alone at 12 Baker Street with a cat", "address"),
    ("stanuje na naslovu Dunajska cesta 12 s sinom", "address"),
    ("서울시 강남구 테헤란로 12 거주 중임", "address"),
]


def test_measure_texts__finds_what_tells_who_somebody_is() -> None:
    def holds(words: str, kind: str) -> None:
        found = _column([*_plain(30), words])
        assert found is not None
        assert (found.counts, found.n_found) == ({kind: 1}, 1)

    holds_for_each(TELLING, holds)


def test_measure_texts__counts_a_cell_once_and_dates_apart() -> None:
    found = _column(
        [*_plain(30), "Mrs Okafor, a.okafor@mail.uk, 2024-05-01", "seen on 12.3.2024, born in Leeds", None]
    )
    assert found is not None
    assert found.counts == {"names": 1, "email": 1, "date": 2, "place": 1}
    assert (found.n_cells, found.n_found) == (32, 1)
    told = _messages(found)
    assert says(told["people_in_text"], "FAIL: 1 of 32 (3.1 %)…`note`…people (1), e-mail addresses (1)")
    assert says(told["dates_in_text"], "WARN: …`note` hold dates (2), places (1)")


@pytest.mark.parametrize(
    "values",
    [
        ["I10 E11.9 J45.0", "M54.5 F32.1 N18.3"] * 20,
        [f"I10 E{n} J45.{n} K{n}" for n in range(40)],
        ["no complaints", "call back next month", "advice given"] * 20,
        ["acute viral pharyngitis (disorder)", "chronic pain of the lower back", "wilson disease of liver"]
        * 30,
        [f"{a} Medical Center" for a in ("Grace", "Charlotte", "Saint Mary", "Johns Hopkins", "Mason")] * 5,
        ["amoxicillin 250 MG Oral Tablet", "ibuprofen 400 MG Oral Tablet"] * 20,
        [f"sample {n}" for n in range(40)],
        [str(n) for n in range(40)],
        ["", None],
        [],
    ],
)
def test_measure_texts__says_nothing_of_codes_and_categories(values: list[str | None]) -> None:
    assert _column(values) is None


@pytest.mark.parametrize(
    ("stray", "kind"),
    [
        ("I10 0101006500006", "number"),
        ("ana.novak@example.si", "email"),
        ("SI56 1910 0000 0123 438", "number"),
        ("tel. 031 412 331", "phone"),
        ("+386 31 412 331", "phone"),
    ],
)
def test_measure_texts__finds_a_number_that_strayed_into_a_column_of_codes(stray: str, kind: str) -> None:
    codes = [f"{letter}{number:02d}.{number % 10}" for letter in "EFGHI" for number in range(40)]
    (found,) = measure_texts(pa.table({"code": [*codes, stray]}))
    assert (found.counts, found.is_text) == ({kind: 1}, False)
    assert measure_texts(pa.table({"code": [*codes, "I10 010100650000"]})) == ()  # a digit less


@pytest.mark.parametrize(
    ("strayed", "verdict"),
    [
        (["I10 (Novak)"], Verdict.WARN),
        (["J45/김철수"], Verdict.WARN),
        (["J45 HORVAT"], Verdict.WARN),
        (["I10 (Novak)", "E11 - Hadžić", "J45/Johnson"], Verdict.FAIL),
    ],
)
def test_text_findings__tells_surnames_that_strayed_into_codes(strayed: list[str], verdict: Verdict) -> None:
    codes = [f"{letter}{number:02d}.{number % 10}" for letter in "EFGHI" for number in range(40)]
    (found,) = measure_texts(pa.table({"code": [*codes, *strayed]}))
    (finding,) = text_findings([found])
    assert (found.counts, finding.verdict) == ({"names": len(strayed)}, verdict)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["E83.0 (Wilson)", "G20 (Parkinson)", "Q96 Turner", "J45 (재진)"], id="eponyms"),
        pytest.param(["Kranj", "Celje", "Novak", "Trbovlje", "Murska Sobota"] * 30, id="towns"),
    ],
)
def test_measure_texts__sees_no_surname_that_strayed_elsewhere(values: list[str]) -> None:
    codes = [f"{letter}{number:02d}.{number % 10}" for letter in "EFGHI" for number in range(40)]
    assert measure_texts(pa.table({"code": [*codes, *values]})) == ()


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([f"0.{number:016d}" for number in range(4 * 10**15, 4 * 10**15 + 300)], id="decimals"),
        pytest.param([f"{number}" for number in range(17 * 10**11, 17 * 10**11 + 300)], id="milliseconds"),
        pytest.param([f"{number:08d}" for number in range(31_041_233, 31_041_533)], id="numbers"),
    ],
)
def test_measure_texts__sees_no_stray_in_numbers(values: list[str]) -> None:
    assert measure_texts(pa.table({"number": values})) == ()


def test_text_findings__an_address_that_repeats_like_a_category_is_a_warning() -> None:
    (found,) = measure_texts(pa.table({"by": ["call back next month", "write to info@clinic.si"] * 50}))
    assert [one.verdict for one in text_findings([found])] == [Verdict.WARN]


def test_measure_texts__reads_columns_of_titles() -> None:
    doctors = ["dr. Novak", "Dr. Zupan", "prof. Kranjc"] * 50
    (found,) = measure_texts(pa.table({"by": doctors}))
    assert found.counts["names"] == 150
    (finding,) = text_findings([found])
    assert finding.verdict is Verdict.WARN  # three people, who may have many records each
    assert measure_texts(pa.table({"by": ["dr. med.", "drobno", "Magnezij 5"] * 50})) == ()


def test_measure_texts__finds_few_names_beside_categories() -> None:
    """Five phrases are no text; what stands beside them names people all the same."""
    phrases = ["no complaints", "call back next month", "advice given"] * 200
    for n, name in enumerate(("John Smith", "Mary Brown", "Susan Clarke", "Robert Wright", "Nancy Walker")):
        phrases[40 * n] = f"no complaints; spoke to {name} about the date"
    found = _column(phrases)
    assert found is not None
    assert (found.is_text, found.n_found) == (False, 5)
    assert "people_in_text" in _messages(found)
    repeated = _column(["ward of John Smith and others", "no complaints at all"] * 300)
    assert repeated is not None
    assert _messages(repeated)["people_in_text"].startswith("WARN: 300 of 600")


def test_text_findings__ask_for_a_reader_until_enough_is_read() -> None:
    found = _column(_plain(600))
    assert found is not None
    assert cells_to_read(600) == 208
    assert _messages(found)["text_not_read"].startswith("NOT_ASSESSED: `note` is free text (600 cells).")
    some = _messages(found, note=Reading(100))["text_not_read"]
    assert says(some, "read 100 cells…2.7 %…(95 % confidence); read 108 more for at most 1.0 %")
    enough = _messages(found, note=Reading(208))
    assert enough.keys() == {"text_read"}
    assert says(enough["text_read"], "PASS: …208 cells of `note`…95 % confidence at most 1.0 %…600 cells")
    named = _messages(found, note=Reading(50, 2))["people_in_text"]
    assert says(named, "FAIL: …50 cells of `note`…in 2: with 95 % confidence in at most 11.7 %")
    (group,) = texts_group([found], {"note": Reading(50, 2)})
    (table,) = group.tables
    (row,) = table.cells()
    written = dict(zip([column.key for column in table.columns], row, strict=True))
    assert (written["n_read"], written["n_found_by_reading"], written["n_to_read"]) == (50, 2, 208)
    assert list(texts_group([])) == []


def test_text_findings__say_that_words_may_be_names() -> None:
    found = _column([*_plain(30), "saw Kavčič in the hall today"])
    assert found is not None
    assert "1 cell holds a word that may be a name." in _messages(found)["text_not_read"]


@pytest.mark.parametrize("n_cells", [1, 7, 30])
def test_upper_bound__is_the_largest_share_not_ruled_out(n_cells: int) -> None:
    """Against the definition: count the ways to draw."""
    for n_read in range(1, n_cells + 1):
        for n_found in range(min(n_read, 3) + 1):
            likely = [
                k
                for k in range(n_found, n_cells - (n_read - n_found) + 1)
                if sum(comb(k, i) * comb(n_cells - k, n_read - i) for i in range(n_found + 1))
                > 0.05 * comb(n_cells, n_read)
            ]
            assert upper_bound(n_cells, n_read, n_found) == max(likely) / n_cells


def test_upper_bound__of_many_cells_is_that_of_clopper_and_pearson() -> None:
    for n_read, n_found in ((300, 0), (100, 3), (50, 50)):
        exact = 1.0 if n_found == n_read else stats.beta.ppf(0.95, n_found + 1, n_read - n_found)
        assert upper_bound(10**9, n_read, n_found) == pytest.approx(exact, abs=1e-6)
    assert (upper_bound(0, 0), cells_to_read(0)) == (1.0, 0)


def test_cells_to_read__are_the_fewest() -> None:
    for n_cells in (1, 5, 99, 1000):
        needed = cells_to_read(n_cells)
        assert upper_bound(n_cells, needed) <= 0.01
        assert needed == 0 or upper_bound(n_cells, needed - 1) > 0.01


def test_read_cells__reads_the_option_and_writes_it_back() -> None:
    read = read_cells(["a=b=300", "note=40/2"])
    assert read == {"a=b": Reading(300), "note": Reading(40, 2)}
    assert reading_words(read, ()) == ["--read", "a=b=300", "--read", "note=40/2"]
    for wrong in ("300", "note=", "note=x", "note=3/x", "=3", "note=-1"):
        with pytest.raises(AuditInputError, match="--read needs COLUMN=READ or COLUMN=READ/FOUND, received"):
            read_cells([wrong])


def test_check_reading__refuses_what_cannot_be() -> None:
    found = _column(_plain(20))
    assert found is not None
    check_reading([found], {"note": Reading(20, 20)})
    with pytest.raises(AuditInputError) as raised:
        check_reading([found], {"memo": Reading(1), "note": Reading(21, 3)})
    first, second = raised.value.problems
    assert says(first, "--read: no column `memo`")
    assert says(second, "--read: `note` has 20 cells…21…3")


def test_sample_of_cells__is_the_same_each_time_and_passes_over_blanks() -> None:
    column = pa.chunked_array([["a", None, " ", "b", "c", "d"]])
    drawn = sample_of_cells(column, 3)
    assert sample_of_cells(column, 9).tolist()[:3] == drawn.tolist()
    assert sorted(sample_of_cells(column, 9).tolist()) == [0, 3, 4, 5]


def test_are_sentences__of_nothing_is_not() -> None:
    assert not are_sentences([])
    assert are_sentences(["NO COMPLAINTS SINCE THE LAST VISIT", "PAIN AFTER WORK AND SLEPT BADLY"])


# --- models


class _Gliner:
    asked: ClassVar[dict[str, object]] = {}

    @classmethod
    def from_pretrained(cls, _name: str, **options: object) -> "_Gliner":
        cls.asked = options
        return cls()

    def predict_entities(self, words: str, _labels: list[str], **_: float) -> list[str]:
        return ["found"] if "ramsbottom" in words else []


def _module(name: str, **names: object) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(names)
    return made


def test_model__gliner_sees_what_lists_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gliner", _module("gliner", GLiNER=_Gliner))
    values = [*_plain(30), "then ramsbottom came in after work"]
    (found,) = measure_texts(pa.table({"note": values}), model="gliner")
    assert _Gliner.asked == {"local_files_only": True}
    assert (found.counts, found.model) == ({"model": 1}, "gliner")
    assert "names, by the model (1)" in _messages(found)["people_in_text"]
    assert _column(values).counts == {}  # type: ignore[union-attr]


def test_model__that_is_not_there_is_said_and_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"note": _plain(30)})

    def fails(name: str, **options: object) -> None:
        raise OSError(name)

    for module, model in (("gliner", "gliner"), ("spacy", "presidio")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(
            AuditInputError, match=r"is not installed; requirements-text\.txt lists what it needs"
        ):
            measure_texts(table, model=model)  # type: ignore[arg-type]
    monkeypatch.setitem(
        sys.modules, "gliner", _module("gliner", GLiNER=SimpleNamespace(from_pretrained=fails))
    )
    with pytest.raises(AuditInputError, match="is not on this machine; nothing is fetched"):
        measure_texts(table, model="gliner")


def _presidio(monkeypatch: pytest.MonkeyPatch, installed: list[str]) -> None:
    class Provider:
        def __init__(self, nlp_configuration: dict[str, object]) -> None:
            assert [each["model_name"] for each in nlp_configuration["models"]] == installed  # type: ignore[attr-defined]

        def create_engine(self) -> str:
            return "engine"

    class Analyzer:
        def __init__(self, supported_languages: list[str], **_: str) -> None:
            self.languages = supported_languages

        def analyze(self, text: str, language: str, **_: object) -> list[SimpleNamespace]:
            return [SimpleNamespace(score=0.85)] if "ramsbottom" in text and language == "en" else []

    models = SimpleNamespace(get_installed_models=lambda: installed)
    monkeypatch.setitem(sys.modules, "spacy", _module("spacy", util=models))
    monkeypatch.setitem(
        sys.modules, "presidio_analyzer", _module("presidio_analyzer", AnalyzerEngine=Analyzer)
    )
    engine = _module("presidio_analyzer.nlp_engine", NlpEngineProvider=Provider)
    monkeypatch.setitem(sys.modules, "presidio_analyzer.nlp_engine", engine)


def test_model__presidio_takes_installed_models_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"note": [*_plain(30), "then ramsbottom came in after work"]})
    _presidio(monkeypatch, ["en_core_web_lg", "sl_core_news_sm"])
    (found,) = measure_texts(table, model="presidio")
    assert found.counts == {"model": 1}
    _presidio(monkeypatch, [])
    with pytest.raises(AuditInputError, match="No spaCy model is on this machine"):
        measure_texts(table, model="presidio")


def test_measure_texts__leaves_out_what_is_skipped() -> None:
    table = pa.table({"note": _plain(30), "memo": _plain(30, 1)})
    assert [each.column for each in measure_texts(table, skip={"note"})] == ["memo"]
    assert Verdict.NOT_ASSESSED in {each.verdict for each in text_findings(measure_texts(table))}


def test_find_names__numbers_make_no_difference() -> None:
    texts = [f"{told} on day {i}" for i in range(40) for told in (*NAMING, "no change", "walked 5 km")]
    numbered, plain = (
        find_names(pa.array(texts)),
        find_names(pa.array([t.translate(_NO_DIGIT) for t in texts])),
    )
    assert (numbered.surely == plain.surely).all()
    assert (numbered.perhaps == plain.perhaps).all()
    assert numbered.surely.sum() >= 30 * len(NAMING)


_NO_DIGIT = str.maketrans("0123456789", "0" * 10)


def test_is_text_column__counts_a_korean_syllable_as_two_letters() -> None:
    notes = [f"밤마다 마른 기침이 심해져서 검사함 {number}" for number in range(60)]
    assert is_text_column(notes, n_distinct=4000, n_cells=10_000)
    assert not is_text_column(notes, n_distinct=2000, n_cells=10_000)
    assert not is_text_column(["검사 함"] * 60, n_distinct=4000, n_cells=10_000)
