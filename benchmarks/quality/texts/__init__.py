"""Columns of notes: who is named in them and how, and notes that name nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from benchmarks.quality.scoreboard import Kind, Scenario, leak_of
from core.people.free_text import Reading, cells_to_read, measure_texts, text_findings
from core.verdict import Verdict, worst

KINDS: list[Kind] = []
SIZES = (200, 1000)
_PARTS = {
    "en": (
        ("came with", "returned because of", "was seen for", "complained about", "had again", "reports"),
        ("a dry cough", "pain in the left knee", "shortness of breath", "a rash", "headaches", "dizziness"),
        ("since monday", "for three weeks", "after a walk", "at night", "without fever", "on both sides"),
        ("advised to rest", "blood was taken", "x-ray without findings", "sent home", "will be called", "dose kept"),
    ),
    "sl": (
        ("prišla zaradi", "ponovno navaja", "danes omenja", "pregledana zaradi", "že dolgo ima", "opisuje"),
        ("suhega kašlja", "bolečin v levem kolenu", "težkega dihanja", "izpuščaja", "glavobola", "vrtoglavice"),
        ("od ponedeljka", "tri tedne", "po hoji", "ponoči", "brez vročine", "na obeh straneh"),
        ("priporočen počitek", "odvzeta kri", "rentgen brez posebnosti", "odpuščena domov", "sledi klic", "terapija ista"),
    ),
    "ko": (
        ("오늘 아침부터", "지난주부터", "운동 후에", "밤마다", "어제 저녁부터", "오래전부터"),
        ("마른 기침이", "왼쪽 무릎 통증이", "숨이 차는 증상이", "발진이", "두통이", "어지러움이"),
        ("심해져서 내원함", "계속되어 내원함", "다시 시작됨", "조금 줄었다고 함", "있다고 호소함", "있어 검사함"),
        ("휴식을 권고함", "혈액 검사를 시행함", "방사선 소견 없음", "귀가 조치함", "전화 예정임", "용량 유지함"),
    ),
}  # fmt: skip
_EN = (
    "Mary Taylor", "James Foster", "Linda Hughes", "Robert Walker", "Susan Clarke", "Peter Bennett", "Karen Smith",
)  # fmt: skip
_SL = ("Ana Novak", "Boris Kralj", "Maja Kotnik", "Petra Golob", "Igor Turk", "Nejc Zajc", "Marija Horvat")
_KO = ("김민준", "이서연", "박지훈", "최수빈", "정예은", "강도윤", "윤서준")
Insert = Callable[[np.random.Generator], str]


def _notes(rng: np.random.Generator, n: int, language: str) -> list[str]:
    parts = [rng.choice(each, n) for each in _PARTS[language]]
    end = "" if language == "ko" else "."
    return [f"{' '.join(words)}{end}" for words in zip(*parts, strict=True)]


def _verdict(notes: Sequence[str], *, read: bool = True) -> Verdict:
    """Return what is said of notes, of which a person has read enough cells and found nobody."""
    texts = measure_texts(pa.table({"note": pa.array(notes, pa.string())}))
    reading = {each.column: Reading(cells_to_read(each.n_cells)) for each in texts if read and each.is_text}
    return worst([Verdict.PASS, *(each.verdict for each in text_findings(texts, reading))])


def leak(
    family: str, language: str, *, share: float = 0.05, at_least: Verdict = Verdict.FAIL
) -> Callable[[Insert], Insert]:
    """Register what is written into some of the notes; the control is the same notes without it."""

    def register(insert: Insert) -> Insert:
        def judged(scenario: Scenario, leaky: bool) -> Verdict:
            rng = scenario.rng("texts")
            notes = _notes(rng, scenario.n_records, language)
            for at in rng.choice(len(notes), max(round(share * len(notes)), 2), replace=False):
                said = insert(rng)
                if leaky:
                    notes[at] = said.replace("{note}", notes[at])
            return _verdict(notes)

        KINDS.append(leak_of("texts", insert.__name__, judged, family=family, at_least=at_least, sizes=SIZES))
        return insert

    return register


def clean(make: Callable[[np.random.Generator, int], Sequence[str]]) -> None:
    """Register notes that name nobody."""
    KINDS.append(
        Kind(
            tool="texts",
            name=make.__name__.replace("_", " ").strip(),
            family="proper",
            leaky=False,
            judge=lambda scenario: _verdict(make(scenario.rng("texts"), scenario.n_records)),
            sizes=SIZES,
            orders=(False,),
        )
    )


# Names


@leak("names", "en", share=0.02)
def _a_title_and_a_surname(rng: np.random.Generator) -> str:
    return f"Mrs {rng.choice(_EN).split()[1]} {{note}}"


@leak("names", "en")
def _an_initial_and_a_surname(rng: np.random.Generator) -> str:
    given, family = rng.choice(_EN).split()
    return f"{{note}} Discussed with {given[0]}. {family}."


@leak("names", "en", share=0.02)
def _a_patient_by_given_name(rng: np.random.Generator) -> str:
    return f"{{note}} Patient {rng.choice(_EN).split()[0]} was told."


@leak("names", "sl")
def _slovenian_names_in_a_sentence(rng: np.random.Generator) -> str:
    return f"{{note}} Spremlja jo {rng.choice(_SL)}."


@leak("names", "ko", share=0.02)
def _korean_names_with_an_honorific(rng: np.random.Generator) -> str:
    return f"{rng.choice(_KO)} 님 {{note}}"


@leak("names", "ko")
def _korean_names_of_patients(rng: np.random.Generator) -> str:
    return f"환자 {rng.choice(_KO)} {{note}}"


# Numbers and addresses


@leak("numbers", "en", share=0.01)
def _e_mail_addresses(rng: np.random.Generator) -> str:
    return f"{{note}} Answer to p{rng.integers(10**6)}@example.org please."


@leak("numbers", "ko", share=0.01)
def _korean_telephones(rng: np.random.Generator) -> str:
    return f"{{note}} 연락처 010-{rng.integers(1000, 9999)}-{rng.integers(1000, 9999)}"


@leak("dates", "en", at_least=Verdict.WARN)
def _dates_of_visits(rng: np.random.Generator) -> str:
    return f"{{note}} Next visit 2024-0{rng.integers(1, 10)}-1{rng.integers(0, 10)}."


# Notes that name nobody


@clean
def _english_notes(rng: np.random.Generator, n: int) -> Sequence[str]:
    return _notes(rng, n, "en")


@clean
def _diseases_called_after_somebody(rng: np.random.Generator, n: int) -> Sequence[str]:
    names = ("Wilson disease", "Parkinson's disease", "Crohn disease", "Graves disease", "the Barthel index")
    return [f"{note} Known {rng.choice(names)}." for note in _notes(rng, n, "en")]


@clean
def _letters_of_vitamins_stages_and_groups(rng: np.random.Generator, n: int) -> Sequence[str]:
    letters = ("Takes vitamin D. Next visit planned.", "Stage I. Will be called.", "Section B. Treatment goes on.",
               "Group C. Blood sample taken.", "Known hepatitis C. Told to rest.", "Child A. Stable since then.")  # fmt: skip
    return [f"{note} {rng.choice(letters)}" for note in _notes(rng, n, "en")]


@clean
def _wards_and_hospitals(rng: np.random.Generator, n: int) -> Sequence[str]:
    wards = ("Ward B", "the Royal Infirmary", "Cardiology", "the Emergency Department", "Outpatients")
    return [f"{note} Transferred from {rng.choice(wards)}." for note in _notes(rng, n, "en")]


@clean
def _slovenian_wards(rng: np.random.Generator, n: int) -> Sequence[str]:
    wards = ("Oddelek za kardiologijo", "UKC Ljubljana", "Nevrološka klinika", "Splošna bolnišnica Celje")
    return [f"{note} Napotitev: {rng.choice(wards)}." for note in _notes(rng, n, "sl")]
