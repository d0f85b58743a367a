"""A delivery of ten tables beside its originals against pyarrow reading both folders, in one run."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.measuring import csv_bytes, peak_bytes, read_as_text, timed, worked_seconds
from core.declared import Declared, Originals, measure_declared, read_originals
from core.delivery import audit_delivery, named_tables
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

N_PERSONS = 100_000
START = np.datetime64("2014-01-01")
RULES = b"""
person = "person.person_id"
[[replaced]]
columns = ["*.person_id"]
[[replaced]]
columns = ["*.event_id"]
[[shifted]]
columns = ["*_date"]
least = -364
most = -7
whole_weeks = true
[[emptied]]
columns = ["person.name", "*.comment"]
[[grouped]]
columns = ["person.age"]
above = 89
into = "90+"
[[kept]]
columns = ["person.sex", "*.code", "*.value"]
[[refers]]
columns = ["*.person_id"]
to = "person.person_id"
"""


def folders(n_persons: int) -> tuple[dict[str, bytes], dict[str, bytes], bytes]:
    """Return original tables, released ones and the mapping: persons, and nine tables of as many events."""
    rng = np.random.default_rng(3)
    ids = np.char.add("P", (rng.permutation(9 * n_persons)[:n_persons] + 10_000_000).astype(str))
    new = _pseudonyms(rng, n_persons)
    shift = -7 * rng.integers(1, 53, n_persons)
    born, age = rng.integers(-25_000, -7_000, n_persons), rng.integers(20, 99, n_persons)
    sex = rng.choice(["F", "M"], n_persons)
    originals = {
        "person": {
            "person_id": ids,
            "name": np.char.add("Ana ", ids),
            "sex": sex,
            "age": age.astype(str),
            "birth_date": (START + born).astype(str),
        }
    }
    released = {
        "person": {
            "person_id": new,
            "name": np.full(n_persons, ""),
            "sex": sex,
            "age": np.where(age > 89, "90+", age.astype(str)),
            "birth_date": (START + born + shift).astype(str),
        }
    }
    for number in range(1, 10):
        who = rng.integers(0, n_persons, n_persons)
        begin, codes = rng.integers(0, 2500, n_persons), rng.integers(100, 400, n_persons).astype(str)
        last = begin + rng.integers(0, 9, n_persons)
        values = np.round(rng.normal(100, 20, n_persons), 1).astype(str)
        order = rng.permutation(n_persons)
        events = rng.permutation(n_persons) + 10_000_000 * number
        originals[f"table_{number}"] = {
            "event_id": events.astype(str),
            "person_id": ids[who],
            "start_date": (START + begin).astype(str),
            "end_date": (START + last).astype(str),
            "code": codes,
            "value": values,
            "comment": np.char.add("seen ", rng.integers(0, 300, n_persons).astype(str)),
        }
        released[f"table_{number}"] = {
            "event_id": _pseudonyms(rng, n_persons),
            "person_id": new[who][order],
            "start_date": (START + begin + shift[who]).astype(str)[order],
            "end_date": (START + last + shift[who]).astype(str)[order],
            "code": codes[order],
            "value": values[order],
            "comment": np.full(n_persons, ""),
        }
    both = [
        {name: csv_bytes(pa.table(columns)) for name, columns in tables.items()}
        for tables in (originals, released)
    ]
    return both[0], both[1], csv_bytes(pa.table({"id": ids, "new": new}))


def _pseudonyms(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.array([f"{each:010x}" for each in np.unique(rng.integers(0, 2**40, 2 * n))[rng.permutation(n)]])


def run() -> None:
    """Print the seconds of pyarrow, of our reading, of declared against done, and of the whole audit."""
    n_persons = int(sys.argv[-1]) if sys.argv[-1].isdigit() else N_PERSONS
    original, released, mapping = folders(n_persons)
    size = sum(map(len, (*original.values(), *released.values())))
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for side, tables in (("original", original), ("released", released), ("", {"mapping": mapping})):
            (Path(folder) / side).mkdir(exist_ok=True)
            for name, data in tables.items():
                paths[side, name] = Path(folder) / side / f"{name}.csv"
                paths[side, name].write_bytes(data)
        del original, released
        clocks = (time.perf_counter, worked_seconds)
        bars = [
            timed(
                lambda: [read_as_text(each.read_bytes()) for each in paths.values()], rounds=3, clock=clock
            )[0]
            for clock in clocks
        ]
        sides: dict[str, list[Dataset]] = {}

        def read() -> Originals:
            for side in ("original", "released", ""):
                sides[side] = [read_dataset(path) for (one, _), path in paths.items() if one == side]
            tables, mapping = named_tables(sides["original"]), sides[""][0]
            return read_originals(tables, mapping=mapping, rules=("rules.toml", RULES))

        seconds = {"reading": _both(read)}
        given = read()
        found: list[Declared] = []
        seconds["declared against done"] = _both(
            lambda: found.append(measure_declared(named_tables(sides["released"]), given))
        )
        seconds["audit without originals"] = _both(lambda: audit_delivery(sides["released"]))
        seconds["together"] = tuple(map(sum, zip(*seconds.values(), strict=True)))
        print(
            f"{n_persons:,} persons × 10 tables, {size / 1e6:.0f} MB, pyarrow {bars[0]:.2f} s, of processors "
            f"{bars[1]:.2f} s; {len(found[0].lines)} lines, of which not PASS: "
            f"{sum(each.verdict is not Verdict.PASS for each in found[0].lines)}"
        )
        for label, (elapsed, worked) in seconds.items():
            shares = elapsed / bars[0], worked / bars[1]
            print(f"{label}: {elapsed:.1f} s, ratio {shares[0]:.1f}; of processors {shares[1]:.1f}")
        print(f"memory {peak_bytes() / 1e9:.2f} GB")


def _both(work: Callable[[], object]) -> tuple[float, ...]:
    """Return the seconds that work takes, and those of processors."""
    started = time.perf_counter(), worked_seconds()
    work()
    return time.perf_counter() - started[0], worked_seconds() - started[1]
