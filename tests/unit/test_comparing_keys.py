"""Keys in cells: hits in rows and what chance gives, counted by hand and literally."""

import codecs
import re

import numpy as np
import pyarrow as pa
import pytest

from core.comparing.keys import Hits, Keys, hits_in_rows
from core.comparing.readings import READINGS, keys_of
from core.comparing.words import form_of, words_of, words_with


def test_hits_in_rows__counts_rows_that_hold_their_own_value() -> None:
    held = np.array([0, 0, 1]), np.array([0, 1, 1])  # the first cell holds both values
    hits = hits_in_rows(held, np.array([0, 1, 1, -1]), np.array([0, 0, 1, 1]))
    assert (hits.n_hits, hits.n_compared) == (2, 3)
    # rows with each cell (1, 2) times rows with each value that it holds (2 and 2, 2), of four rows
    assert hits.n_by_chance == (1 * 2 + 1 * 2 + 2 * 2) / 4


def test_hits_in_rows__chance_is_the_mean_of_all_orders() -> None:
    rng = np.random.default_rng(3)
    cells, values = rng.integers(0, 9, 40), rng.integers(-1, 7, 40)
    pairs = np.array([(text, number) for text in range(9) for number in range(7) if rng.random() < 0.3])
    held = pairs[:, 0], pairs[:, 1]
    turned = [hits_in_rows(held, cells, np.roll(values, by)).n_hits for by in range(40)]
    assert hits_in_rows(held, cells, values).n_by_chance == pytest.approx(np.mean(turned))


def test_hits_in_rows__of_nothing_held_are_none() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    hits = hits_in_rows((nothing, nothing), np.array([0, 1]), np.array([0, 1]))
    assert hits == Hits(n_hits=0, n_compared=2, n_by_chance=0.0, by_rows=True)
    assert not hits.are_more(5, 1e-4)


@pytest.mark.parametrize(
    ("n_hits", "n_by_chance", "are_more"),
    [(3, 0.02, True), (40, 2.0, True), (9, 0.5, True), (2, 0.0, False), (3, 0.4, False), (40, 20.0, False)],
)
def test_hits__are_more_than_chance_gives(n_hits: int, n_by_chance: float, are_more: bool) -> None:
    hits = Hits(n_hits=n_hits, n_compared=100, n_by_chance=n_by_chance, by_rows=True)
    assert hits.are_more(5, 1e-4) is are_more


def test_keys__are_held_inside_texts_and_ends_by_whole_ones() -> None:
    keys = Keys(of_rows=True)
    keys.add("name", ["Ana Novak", "Rok Kos"])
    held = keys.held(["xxkavonana77", "novak", "sokkor sokkor"])
    assert [each.tolist() for each in held["name", "written backwards"]] == [[0, 2], [0, 1]]
    assert [each.tolist() for each in held["name", "by its last 5 characters"]] == [[1], [0]]


def test_words_with__parts_names_of_scripts_without_spaces_from_what_follows() -> None:
    names = words_of(pa.array(["김민준", "이서연"]))
    form = form_of("values", [names], np.array([True, True]), plain=names, length=np.array([3, 3]))
    held = form.held(words_with(pa.array(["김민준님 재진", "경과 양호", "보호자 이서연과"]), [form]))
    assert [each.tolist() for each in held] == [[0, 2], form.of_value.tolist()]


def test_readings__have_code_that_writes_what_their_key_is() -> None:
    names = {"codecs": codecs, "re": re}
    for reading in (one for one in READINGS if one.code):
        for value in ("Ana-12 345", "P00991"):
            written = eval(reading.code, names, {"v": value})  # noqa: S307 - our own
            by_key = {one: keys[0] for one, keys in keys_of([value])}[reading]
            assert by_key == re.sub(r"[\W_]", "", written).lower(), reading.how
