"""Texts that encode others, one upon the other, and names that are spelled otherwise."""

import base64
import codecs

import numpy as np
import pyarrow as pa
import pytest

from core.encodings import decoded
from core.tabular.second_opinion.ciphers import are_alike_in_places
from core.tabular.second_opinion.rewriting import dates_respelled, legible, respelled
from core.verdict import Verdict
from tests.second_opinion_examples import disguised_in, log_of, the_finding


@pytest.mark.parametrize(
    ("text", "original"),
    [
        (base64.b64encode(b"ana.novak@example.org").decode()[::-1], "ana.novak@example.org"),
        (base64.b64encode(b"Ana Novak".hex().encode()).decode(), "Ana Novak"),
        (base64.urlsafe_b64encode("김민준".encode("cp949")).decode().rstrip("="), "김민준"),
        (base64.b32encode(codecs.encode("Ana Novak", "rot13").encode()).decode().lower(), "Ana Novak"),
        (" ".join(f"{letter:08b}" for letter in b"Ana Novak"), "Ana Novak"),
        (" ".join(str(ord(letter)) for letter in "Ana Novak"), "Ana Novak"),
        (base64.b85encode(b"P0448482").decode(), "P0448482"),
        (base64.a85encode(b"P0448482").decode(), "P0448482"),
        ("%41%6E%61", "Ana"),
        ("&#65;na", "Ana"),
        ("zero-four-one-nine-two", "04192"),
        ("nič štiri ena devet", "0419"),
        ("공일이삼사", "01234"),
        ("three nil five point four", "305.4"),
    ],
)
def test_decoded__undoes_encodings_upon_each_other(text: str, original: str) -> None:
    assert original in decoded(text)


@pytest.mark.parametrize("text", ["Ana Novak", "58bfcb98329b007d", "", "Highlandschool", "=", "%zz", "0x0"])
def test_decoded__takes_no_plain_text_or_random_token_for_an_encoding(text: str) -> None:
    assert decoded(text) == {}


@pytest.mark.parametrize("shuffled", [False, True])
def test_disguises__sees_telephones_in_words(shuffled: bool) -> None:
    rng = np.random.default_rng(3)
    phones = [f"0{rng.integers(30, 71)} {rng.integers(100, 999)} {rng.integers(100, 999)}" for _ in range(60)]
    words = "zero one two three four five six seven eight nine".split()
    spoken = ["-".join(words[int(digit)] for digit in phone if digit != " ") for phone in phones]
    note = rng.choice(["a", "b", "c"], 60).tolist()
    order = rng.permutation(60) if shuffled else np.arange(60)
    opinion = disguised_in(
        {"phone": phones, "note": note},
        {"phone": [spoken[i] for i in order], "note": [note[i] for i in order]},
        log_of(phone=("phone", "generalize"), note=("other", "keep")),
    )
    finding = the_finding(opinion, "disguise_encoding")
    assert finding.verdict is Verdict.FAIL
    assert "with its digits in words" in finding.message


def test_respelled__names_and_dates_as_they_are_read_otherwise() -> None:
    texts = pa.array(["\\uc1a1\\uc218", "Аnа Nоvаk", "%4D%61ry", "ana (at) example (dot) org", "plain"])
    assert legible(texts).to_pylist() == ["송수", "Ana Novak", "Mary", "ana example org", "plain"]
    western = [spelled.to_pylist() for spelled in respelled(pa.array(["ana novak", "kyd"]))]
    assert ["kavon ana", "dyk"] in western
    assert ["n nvk", ""] in western
    assert ["4n4 n0v4k", ""] in western
    korean = [spelled.to_pylist() for spelled in respelled(pa.array(["김민준", "이하늘", "서울시청역앞"]))]
    assert ["gim minjun", "i haneul", ""] in korean
    assert ["kim min joon", "lee ha neul", ""] in korean
    assert ["kim minjun", "lee haneul", ""] in korean
    dates = pa.array(["1978-03-05", "2001-12-21", "1990-01-31"])
    forms = {texts.to_pylist()[0] for texts in dates_respelled(dates)}
    assert forms >= {"1978 03 05", "19780305", "05031978", "780305", "050378", "5 3 1978", "50308791"}
    assert list(dates_respelled(pa.array(["Ana", "Eva", "Rok"]))) == []


def test_are_alike_in_places__sees_characters_moved_or_replaced() -> None:
    rng = np.random.default_rng(2)
    ids = [f"P{number:06d}" for number in rng.choice(1_000, 90, replace=False)]
    assert are_alike_in_places(ids, ["".join(value[i] for i in (6, 0, 5, 1, 2, 4, 3)) for value in ids])
    assert are_alike_in_places(ids, [bytes(b ^ 42 for b in value.encode()).hex() for value in ids])
    assert not are_alike_in_places(ids, [rng.bytes(7).hex() for _ in ids])
    assert not are_alike_in_places(ids, [f"S{number:06d}" for number in rng.permutation(90)])
    assert not are_alike_in_places(ids, ids)
