"""Disclosure risk: releases that give people away though their figures look fine, and proper ones."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.quality.risk.tables import ALL, RARE, People, dataset, given_away, judged, people
from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import Kind, Scenario
from core.risk import RiskSettings, judge_risk, measure_risk
from core.verdict import Verdict

Leak = Callable[[Scenario, bool], Verdict]
Changed = Callable[[Scenario, People, bool], People]  # with the leak (True) or without


def _leak(family: str, name: str, tried: Leak, **how: Any) -> Kind:
    judge, control = lambda s: tried(s, True), lambda s: tried(s, False)
    how = {"schemas": ALL, **how}
    return Kind(tool="risk", name=name, family=family, leaky=True, judge=judge, control=control, **how)


def _fine(family: str, name: str, judge: Callable[[Scenario], Verdict], **how: Any) -> Kind:
    return Kind(tool="risk", name=name, family=family, leaky=False, judge=judge, **{"schemas": ALL, **how})


def _table(change: Changed, k: int = 5) -> Leak:
    """Return what judges a proper table after a change."""
    return lambda s, leaky: judged(change(s, people(s, k), leaky))


def _proper(
    change: Callable[[Scenario, People], People] = lambda s, t: t, k: int = 5
) -> Callable[[Scenario], Verdict]:
    return lambda s: judged(change(s, people(s, k)))


def _rng(s: Scenario) -> np.random.Generator:
    return s.rng("leak")


def _ids(s: Scenario, n: int) -> np.ndarray:
    return np.array([f"{i:07x}" for i in s.rng("ids").permutation(2**20)[:n]])


def _drawn(s: Scenario, table: People, values: Sequence[str]) -> list[str]:
    return [values[i] for i in _rng(s).integers(0, len(values), len(table.frame))]


def _class_of_four(_s: Scenario, table: People, leaky: bool) -> People:
    return table.with_cells(table.classes()[-1][: 4 if leaky else 0], table.quasi[0], "90-99")


def _one_visitor(s: Scenario, table: People, leaky: bool) -> People:
    """Let one person make all visits of a class."""
    table = table.with_column("patient", _ids(s, len(table.frame)))
    table = table.with_cells(table.classes()[-1], "patient", "fffffff") if leaky else table
    return table.saying(leave_out=("patient",))


def _many_visits(s: Scenario, table: People, leaky: bool) -> People:
    table = table.with_column("pid", _ids(s, len(table.frame)))
    more = np.full(15 if leaky else 0, table.classes()[0][0])
    rows = np.concatenate([np.arange(len(table.frame)).repeat(2), more])
    frame = table.frame.loc[rows].reset_index(drop=True)
    frame[table.diagnosis] = _rng(s).permutation(frame[table.diagnosis].to_numpy())
    return replace(table, frame=frame, k=3, l=1).saying(person="pid")


# What a class gives away although its values are written differently


def _class_with(forms: Sequence[str], usual: Sequence[str], *, amounts: bool = False) -> Changed:
    """Return a change: a class has these forms, or, without the leak, the usual ones, which occur elsewhere too."""

    def change(s: Scenario, table: People, leaky: bool) -> People:
        column = table.income if amounts else table.diagnosis
        if amounts:
            table = table.with_column(column, table.original[column], sensitive=True)
        rows = table.classes()[-1]
        elsewhere = np.setdiff1d(np.flatnonzero(_rng(s).random(len(table.frame)) < 0.3), rows)
        words = [usual[i] for i in s.rng("usual").integers(0, len(usual), len(elsewhere))]
        written = forms if leaky else usual
        table = table.with_cells(elsewhere, column, words)
        return table.with_cells(rows, column, [written[i % len(written)] for i in range(len(rows))])

    return change


# What a class makes likely although it holds several values


def _likely(table: People, rows: np.ndarray, value: str, share: float) -> People:
    return table.with_cells(rows[: int(np.ceil(share * len(rows)))], table.diagnosis, value)


def _rare_disease(_s: Scenario, table: People, leaky: bool) -> People:
    return _likely(table, table.classes()[-1], RARE[table.language], 0.5) if leaky else table


def _four_of_five(_s: Scenario, table: People, leaky: bool) -> People:
    for rows in table.classes()[::3] if leaky else ():
        table = _likely(table, rows, table.frame[table.diagnosis].iloc[rows[0]], 0.85)
    return replace(table, l=1)


def _drugs(s: Scenario, table: People, leaky: bool) -> People:
    words = sorted(set(table.frame[table.diagnosis]))
    values = (
        table.frame[table.diagnosis].map({word: f"drug {at}" for at, word in enumerate(words)}).to_numpy()
    )
    return table.with_column("drug", values if leaky else _rng(s).permutation(values), sensitive=True)


# What the columns give away that nobody chose


_MARKERS = ("marker_a", "marker_b", "marker_c")  # said to be harmless


def _measurements(s: Scenario, leaky: bool) -> Verdict:
    table, rng = people(s), _rng(s)
    for name, mean, sd in (("marker_a", 171, 9), ("marker_b", 74, 13), ("marker_c", 88, 12)):
        step = 1 if leaky else 60
        table = table.with_column(name, (rng.normal(mean, sd, len(table.frame)) // step * step).astype(int))
    return judged(table.saying(other=_MARKERS))


def _hardly_changed(s: Scenario, leaky: bool) -> Verdict:
    """Release numbers that nobody chose, each changed by a five-hundredth, beside the original."""
    table, rng = people(s), _rng(s)
    for name, mean, sd in (("marker_a", 171, 9), ("marker_b", 74, 13), ("marker_c", 88, 12)):
        exact = rng.normal(mean, sd, len(table.frame))
        noise = rng.normal(1, 0.002, len(exact))
        table = table.with_column(name, (exact * noise).round(1) if leaky else exact // 60 * 60)
        original = table.original.assign(**{name: exact.round(1).astype(str)})
        table = replace(table, original=original)
    return judged(table.saying(other=_MARKERS), original=True)


def _known_besides(column: str, value: Callable[[int], object], n_values: int) -> Changed:
    """Return a change that adds a column nobody chose, in which few of a class are alike; its control has one value."""

    def change(s: Scenario, table: People, leaky: bool) -> People:
        drawn = _rng(s).integers(0, n_values, len(table.frame)) if leaky else np.zeros(len(table.frame), int)
        return table.with_column(column, [value(int(each)) for each in drawn])

    return change


def _notes(s: Scenario, table: People, leaky: bool) -> People:
    words = np.array(
        "came with mild pain after work and slept badly was told to rest call again soon".split()
    )
    texts = [" ".join(words[row]) for row in _rng(s).integers(0, len(words), (len(table.frame), 9))]
    return table.with_column("note", texts) if leaky else table


# Direct identifiers


def _left_in(column: str, kind: str, *, sensitive: bool = False) -> Changed:
    """Return a change that adds a column of an institution's own."""

    def change(s: Scenario, table: People, leaky: bool) -> People:
        raw = SCHEMAS[s.schema].make(len(table.frame), _rng(s))
        values = raw[SCHEMAS[s.schema].of_kind(kind)].agg(" ".join, axis=1)
        return table.with_column(column, values, sensitive=sensitive) if leaky else table

    return change


_SLOVENIAN = (
    "Ana Marko Maja Luka Eva Jan Nina Tilen Sara Rok Petra Žiga Mojca Andrej Katja Bojan".split(),
    "Novak Horvat Kovačič Krajnc Zupančič Potočnik Mlakar Kos Vidmar Golob Turk Božič Kralj".split(),
)
_JAPANESE = (
    "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田".split(),
    "太郎 花子 翔太 美咲 健一 陽子 大輔 愛子 直樹 結衣 蓮司 葵".split(),
)


def _full_names(s: Scenario, n: int, names: tuple[list[str], list[str]] = _SLOVENIAN) -> list[str]:
    given, surnames = names
    return [f"{given[a]} {surnames[b]}" for a, b in _rng(s).integers(0, [len(given), len(surnames)], (n, 2))]


def _named(write: Callable[[str], str], names: tuple[list[str], list[str]] = _SLOVENIAN) -> Changed:
    def change(s: Scenario, table: People, leaky: bool) -> People:
        values = [write(name) for name in _full_names(s, len(table.frame), names)]
        return table.with_column("v7", values) if leaky else table

    return change


# A population that is known by its size alone


def _sample(s: Scenario, *, coarse: bool) -> tuple[People, int]:
    """Return a sample whose people are mostly alone in the population too, or one of large classes."""
    table = people(s, k=25)
    if not coarse:
        table = table.with_column("exact", _rng(s).integers(0, 10**7, len(table.frame)))
        table = replace(table, quasi=(*table.quasi, "exact"))
    return table, 100 * len(table.frame)


def _marketer(s: Scenario, leaky: bool) -> Verdict:
    """Return FAIL where the figure that a policy is held against is above its limit."""
    table, size = _sample(s, coarse=not leaky)
    settings = RiskSettings(quasi_identifiers=table.quasi, population_size=size)
    found = judge_risk(measure_risk(dataset(table.frame), settings=settings)).figures["marketer_risk"]
    return Verdict.NOT_ASSESSED if found is None else Verdict.FAIL if found > 0.05 else Verdict.PASS


def _average(s: Scenario, leaky: bool) -> Verdict:
    table, size = _sample(s, coarse=not leaky)
    return judged(replace(table, k=1, limits={"average_risk": 0.1}).saying(population_size=size))


# What a release holds


def _released(column: str, value: Callable[[int, str], str], *options: str) -> Leak:
    def tried(s: Scenario, leaky: bool) -> Verdict:
        table = people(s)
        if not leaky:
            return given_away(table, ())
        secrets = [value(at, f"{name} {at}") for at, name in enumerate(_full_names(s, len(table.frame)))]
        return given_away(table.with_column(column, secrets), secrets, *options)

    return tried


# Households


def _one_household(_s: Scenario, table: People, leaky: bool) -> People:
    household = np.array([f"H{i}" for i in range(len(table.frame))])
    if leaky:
        household[table.classes()[-1]] = "H-1"
    return table.with_column("hh", household).saying(household="hh")


def _households_of_six(s: Scenario, table: People, leaky: bool) -> People:
    household = _rng(s).permutation(len(table.frame))
    return table.with_column("hh", household // 6 if leaky else household).saying(household="hh")


def _stars(_s: Scenario, table: People) -> People:
    rows = table.classes()[-1]
    for column in table.quasi:
        table = table.with_cells(rows, column, "*")
    return table


_ASK, _LARGE = {"at_least": Verdict.WARN}, {"sizes": (1000,)}
_SMALL = {"sizes": (200,)}
_DRUGS = ("ibuprofen", "metformin", "salbutamol", "sertraline", "omeprazole")
# fmt: off
KINDS = (
    _leak("small classes", "a class of four", _table(_class_of_four)),
    _leak("one person behind a class", "one frequent visitor makes a class", _table(_one_visitor, 8), **_LARGE),
    _leak("repeated visits", "the number of visits singles out", _table(_many_visits, 6), **_ASK),
    _leak("values, not spellings", "punctuation in words", _table(_class_with(("H.I.V.", "HIV", "H-I-V"), ("HIV", "flu", "gout")))),
    _leak("values, not spellings", "full width letters", _table(_class_with(("HIV", "ＨＩＶ"), ("HIV", "ｆｌｕ", "gout")))),
    _leak("values, not spellings", "unknown in Slovenian", _table(_class_with(("sifilis", "neznano", "ni podatka"), ("sifilis", "gripa", "neznano")))),
    _leak(
        "values, not spellings", "one salary with and without decimals",
        _table(_class_with(("50000", "50000.0", "50000.00"), ("50000", "31000.0", "68000"), amounts=True)),
    ),
    _leak("likely values", "a rare disease of half a class", _table(_rare_disease, 30), **_ASK, **_LARGE),
    _leak("likely values", "four of five in many classes", _table(_four_of_five), **_ASK, **_LARGE),
    _leak("related sensitive attributes", "the drug tells the disease", _table(_drugs), **_ASK),
    _leak("columns nobody chose", "three measurements together", _measurements, **_ASK),
    _leak("columns nobody chose", "exact ages beside their bands", _table(_known_besides("A01", lambda n: 18 + n, 70)), **_ASK),
    _leak("columns nobody chose", "villages beside regions", _table(_known_besides("kraj", lambda n: f"V{n}", 90)), **_ASK),
    _leak("columns nobody chose", "numbers of accounts with several visits", _table(_known_besides("konto", lambda n: f"acc{n * 37:05d}", 60)), **_ASK),
    _leak("columns nobody chose", "notes left in", _table(_notes), **_ASK),
    _leak("direct identifiers", "names left in", _table(_left_in("full_name", "name"))),
    _leak("direct identifiers", "national numbers left in", _table(_left_in("v3", "national")), schemas=ALL[:2]),
    _leak("direct identifiers", "Japanese names", _table(_named(str, _JAPANESE)), **_ASK),
    _leak("direct identifiers", "names in Base64", _table(_named(lambda name: base64.b64encode(name.encode()).decode()))),
    _leak("direct identifiers", "digests of names", _table(_named(lambda name: hashlib.sha256(name.encode()).hexdigest())), **_ASK),
    _leak("direct identifiers", "names chosen as sensitive", _table(_left_in("witness", "name", sensitive=True)), schemas=ALL[2:]),
    _leak("population by its size", "a marketer s limit met by scaling", _marketer),
    _leak("population by its size", "a policy of average risk in a large population", _average),
    _leak("releases", "names as the person column of a release", _released("full_name", lambda _, name: name, "--person", "full_name"), **_SMALL),
    _leak("releases", "exact times in a release", _released("seen", lambda i, _: f"2025-03-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}"), **_SMALL),
    _leak("households", "a class is one household", _table(_one_household)),
    _leak("households", "large households spread over classes", _table(_households_of_six), **_ASK),
    _leak("beside the original", "measurements hardly changed", _hardly_changed, **_ASK),
    _fine("generalized", "generalized ages and places", _proper()),
    _fine("generalized", "some records suppressed with stars", _proper(_stars, 6)),
    _fine("generalized", "a constant column is kept", _proper(lambda _s, t: t.with_column("year", ["2025"] * len(t.frame)))),
    _fine("missing values", "ages missing for a whole class", _proper(lambda _s, t: t.with_cells(t.classes()[0], t.quasi[0], ""))),
    _fine("sensitive values", "a decimal laboratory value", _proper(lambda s, t: t.with_column("haemoglobin", _rng(s).normal(13.6, 1.4, len(t.frame)).round(1), sensitive=True))),
    _fine("sensitive values", "two answers that differ by a sign", _proper(lambda s, t: t.with_column("salary_class", _drawn(s, t, ("<=50K", ">50K")), sensitive=True), 40), **_LARGE),
    _fine("sensitive values", "neighbouring years", _proper(lambda s, t: t.with_column("onset", _drawn(s, t, "2019 2020 2021 2022".split()), sensitive=True), 20), **_LARGE),
    _fine("sensitive values", "closeness asked for and kept", _proper(lambda _s, t: replace(t, limits={"t": 0.6}), 60), **_LARGE),
    _fine("other columns", "harmless answers said to be harmless", _proper(lambda s, t: t.with_column("satisfaction", _drawn(s, t, "12345")).saying(other=("satisfaction",))), **_LARGE),
    _fine("other columns", "a drug called name said to be harmless", _proper(lambda s, t: t.with_column("name", _drawn(s, t, _DRUGS)).saying(other=("name",)))),
    _fine("persons", "one record a person", _proper(lambda s, t: t.with_column("pid", _ids(s, len(t.frame))).saying(person="pid"))),
    _fine("population", "sampling weights", _proper(lambda _s, t: t.with_column("w", ["25"] * len(t.frame)).saying(weight="w"))),
    _fine("population", "a policy of average risk alone", _proper(lambda _s, t: replace(t, k=1, limits={"average_risk": 0.1}), 10)),
    _fine("households", "everybody of another household", lambda s: judged(_one_household(s, people(s), False)), **_LARGE),
    _fine("beside the original", "generalized beside its original", lambda s: judged(people(s), original=True)),
)
# fmt: on
