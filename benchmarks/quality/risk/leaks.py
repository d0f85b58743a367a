"""What gives people away in a release that looks proper; each with the same release without it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.quality.risk.tables import ALL, RARE, People, dataset, given_away, judged, people
from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import Kind, Scenario
from core.risk import RiskSettings, judge_risk, measure_risk
from core.verdict import Verdict

KINDS: list[Kind] = []
_MIDDLE = (200, 1000, 5000)
_NAMES = (
    "Ana Novak", "Boris Kralj", "Mary Taylor", "Hugo Bennett", "Fiona Clarke", "Igor Turk", "Petra Golob",
    "James Foster", "Linda Hughes", "Susan Walker", "Maja Kotnik", "Robert Smith", "Karen Jones", "Nejc Zajc",
)  # fmt: skip
Leak = Callable[[Scenario, bool], Verdict]


def leak(
    family: str,
    *,
    at_least: Verdict = Verdict.FAIL,
    sizes: Sequence[int] = _MIDDLE,
    schemas: Sequence[str] = ALL,
) -> Callable[[Leak], Leak]:
    """Register a function that judges a scenario with the leak (True) or without (False)."""

    def register(tried: Leak) -> Leak:
        KINDS.append(
            Kind(
                tool="risk",
                name=tried.__name__.replace("_", " ").strip(),
                family=family,
                leaky=True,
                judge=lambda s: tried(s, True),
                control=lambda s: tried(s, False),
                at_least=at_least,
                sizes=sizes,
                schemas=schemas,
            )
        )
        return tried

    return register


def _rng(s: Scenario) -> np.random.Generator:
    return s.rng("leak")


def _ids(s: Scenario, n: int) -> np.ndarray:
    return np.array([f"{i:07x}" for i in s.rng("ids").permutation(2**20)[:n]])


# Classes that are smaller than asked for


@leak("small classes", sizes=(30, 200, 1000, 5000))
def _a_class_of_four(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    rows = table.classes()[-1][: 4 if leaky else 0]
    return judged(table.with_cells(rows, table.quasi[0], "90-99"))


# One person behind several records


def _visits(s: Scenario, *, persons_in_class: int) -> People:
    """Return classes of at least eight visits, each class made by so many persons."""
    table = people(s, k=8)
    patient = np.empty(len(table.frame), dtype=object)
    ids, used = _ids(s, len(table.frame)), 0
    for rows in table.classes():
        own = ids[used : used + min(persons_in_class, len(rows))]
        used += len(own)
        patient[rows] = own[np.arange(len(rows)) % len(own)]
    return table.with_column("patient", patient)


@leak("one person behind a class", sizes=(1000, 5000))
def _one_frequent_visitor_makes_a_class(s: Scenario, leaky: bool) -> Verdict:
    table = _visits(s, persons_in_class=10**6)
    rows = table.classes()[-1]
    table = table.with_cells(rows, "patient", "fffffff") if leaky else table
    return judged(table.saying(leave_out=("patient",)))


@leak("repeated visits", at_least=Verdict.WARN)
def _the_number_of_visits_singles_out(s: Scenario, leaky: bool) -> Verdict:
    table = people(s, k=6).with_column("pid", _ids(s, len(people(s, k=6).frame)))
    twice = np.arange(len(table.frame)).repeat(2)
    more = np.full(15 if leaky else 0, table.classes()[0][0])
    frame = table.frame.loc[np.concatenate([twice, more])].reset_index(drop=True)
    frame[table.diagnosis] = frame[table.diagnosis].to_numpy()[_rng(s).permutation(len(frame))]
    return judged(replace(table, frame=frame, k=3, l=1).saying(person="pid"))


# What a class gives away although its values are written differently


def _class_with(
    s: Scenario, table: People, column: str, forms: Sequence[str], usual: Sequence[str]
) -> People:
    """Return a class of these forms; the usual ones occur elsewhere too, or a class of them would stand out."""
    rows = table.classes()[-1]
    elsewhere = np.setdiff1d(np.flatnonzero(_rng(s).random(len(table.frame)) < 0.3), rows)
    words = [usual[i] for i in s.rng("usual").integers(0, len(usual), len(elsewhere))]
    table = table.with_cells(elsewhere, column, words)
    return table.with_cells(rows, column, [forms[i % len(forms)] for i in range(len(rows))])


def _spelled(name: str, leaky_forms: Sequence[str], fine_forms: Sequence[str]) -> None:
    def tried(s: Scenario, leaky: bool) -> Verdict:
        table = people(s)
        return judged(
            _class_with(s, table, table.diagnosis, leaky_forms if leaky else fine_forms, fine_forms)
        )

    tried.__name__ = name
    leak("values, not spellings", sizes=(30, 200, 1000, 5000))(tried)


_spelled("punctuation in words", ("H.I.V.", "HIV", "H-I-V"), ("HIV", "flu", "gout"))
_spelled("full width letters", ("HIV", "ＨＩＶ"), ("HIV", "ｆｌｕ", "gout"))
_spelled(
    "underscores for spaces", ("lung_cancer", "lung cancer", "lung-cancer"), ("flu", "lung_cancer", "gout")
)
_spelled("unknown in Slovenian", ("sifilis", "neznano", "ni podatka"), ("sifilis", "gripa", "neznano"))


def _amounts(name: str, leaky_forms: Sequence[str], fine_forms: Sequence[str]) -> None:
    def tried(s: Scenario, leaky: bool) -> Verdict:
        table = people(s)
        table = table.with_column(table.income, table.original[table.income], sensitive=True)
        return judged(_class_with(s, table, table.income, leaky_forms if leaky else fine_forms, fine_forms))

    tried.__name__ = name
    leak("values, not spellings")(tried)


_amounts(
    "one salary with and without decimals", ("50000", "50000.0", "50000.00"), ("50000", "31000.0", "68000")
)


# What a class makes likely although it holds several values


def _likely(s: Scenario, value: str, share: float, *, k: int = 30) -> People:
    table = people(s, k=k)
    rows = table.classes()[-1]
    return table.with_cells(rows[: int(np.ceil(share * len(rows)))], table.diagnosis, value)


@leak("likely values", at_least=Verdict.WARN, sizes=(1000, 5000, 20_000))
def _a_rare_disease_of_half_a_class(s: Scenario, leaky: bool) -> Verdict:
    return judged(_likely(s, RARE[people(s).language], 0.5) if leaky else people(s, k=30))


@leak("likely values", at_least=Verdict.WARN, sizes=(1000, 5000))
def _four_of_five_in_many_classes(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    for rows in table.classes()[:: 3 if leaky else 10**9][: None if leaky else 0]:
        value = table.frame[table.diagnosis].iloc[rows[0]]
        table = table.with_cells(rows[: int(np.ceil(0.85 * len(rows)))], table.diagnosis, value)
    return judged(replace(table, l=1))


@leak("related sensitive attributes", at_least=Verdict.WARN)
def _the_drug_tells_the_disease(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    words = sorted(set(table.frame[table.diagnosis]))
    drugs = {word: f"drug {number}" for number, word in enumerate(words)}
    values = table.frame[table.diagnosis].map(drugs).to_numpy()
    return judged(table.with_column("drug", values if leaky else _rng(s).permutation(values), sensitive=True))


# What the columns give away that nobody chose


@leak("columns nobody chose", at_least=Verdict.WARN)
def _three_measurements_together(s: Scenario, leaky: bool) -> Verdict:
    table, rng = people(s), _rng(s)
    n, step = len(table.frame), 1 if leaky else 60
    for name, mean, sd in (("marker_a", 171, 9), ("marker_b", 74, 13), ("marker_c", 88, 12)):
        table = table.with_column(name, (rng.normal(mean, sd, n) // step * step).astype(int))
    return judged(table)


@leak("columns nobody chose", at_least=Verdict.WARN)
def _notes_left_in(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    words = np.array(
        "came with mild pain after work and slept badly was told to rest call again soon".split()
    )
    texts = [" ".join(words[row]) for row in _rng(s).integers(0, len(words), (len(table.frame), 9))]
    return judged(table.with_column("note", texts) if leaky else table)


# Direct identifiers


def _identifier(name: str, column: str, kinds: Sequence[str], title: str = "") -> None:
    schemas = tuple(key for key in ALL if SCHEMAS[key].of_kind(*kinds))

    def tried(s: Scenario, leaky: bool) -> Verdict:
        schema = SCHEMAS[s.schema]
        table = people(s)
        raw = schema.make(len(table.frame), _rng(s))
        values = raw[schema.of_kind(*kinds)].agg(" ".join, axis=1)
        return judged(table.with_column(title or column, values) if leaky else table)

    tried.__name__ = name
    leak("direct identifiers", schemas=schemas)(tried)


_identifier("names left in", "full_name", ("name",))
_identifier("national numbers left in", "v3", ("national",))
_identifier("mail addresses left in", "v5", ("email",))


def _written(name: str, write: Callable[[str], str], at_least: Verdict = Verdict.FAIL) -> None:
    def tried(s: Scenario, leaky: bool) -> Verdict:
        table = people(s)
        given, surnames = _FULL_NAMES.get(name, _FULL_NAMES["Slovenian names"])
        pairs = _rng(s).integers(0, [len(given), len(surnames)], (len(table.frame), 2))
        values = [write(f"{given[a]} {surnames[b]}") for a, b in pairs]
        return judged(table.with_column("v7", values) if leaky else table)

    tried.__name__ = name
    leak("direct identifiers", at_least=at_least, sizes=(200, 1000))(tried)


_FULL_NAMES = {
    "Japanese names": (
        "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田".split(),
        "太郎 花子 翔太 美咲 健一 陽子 大輔 愛子 直樹 結衣 蓮司 葵".split(),
    ),
    "Slovenian names": (
        "Ana Marko Maja Luka Eva Jan Nina Tilen Sara Rok Petra Žiga Mojca Andrej Katja Bojan".split(),
        "Novak Horvat Kovačič Krajnc Zupančič Potočnik Mlakar Kos Vidmar Golob Turk Božič Kralj".split(),
    ),
}
_written("Japanese names", str, Verdict.WARN)
_written("names in Base64", lambda name: base64.b64encode(name.encode()).decode())
_written("names inside JSON", lambda name: json.dumps({"by": {"who": name, "at": 3}}))
_written("digests of names", lambda name: hashlib.sha256(name.encode()).hexdigest(), Verdict.WARN)


@leak("direct identifiers", schemas=("english_insurance", "us_claims"))
def _names_chosen_as_sensitive(s: Scenario, leaky: bool) -> Verdict:
    schema, table = SCHEMAS[s.schema], people(s)
    raw = schema.make(len(table.frame), _rng(s))
    names = raw[schema.of_kind("name")].agg(" ".join, axis=1)
    return judged(table.with_column("witness", names, sensitive=True) if leaky else table)


# A population that is known by its size alone


def _sample(s: Scenario, *, coarse: bool) -> tuple[People, int]:
    """Return a sample whose people are mostly alone in the population too, or one of large classes."""
    table = people(s, k=25)
    if not coarse:
        exact = _rng(s).integers(0, 10**7, len(table.frame))
        table = table.with_column("exact", exact)
        table = replace(table, quasi=(*table.quasi, "exact"))
    return table, 100 * len(table.frame)


def _figure(s: Scenario, leaky: bool, key: str, limit: float) -> Verdict:
    """Return FAIL where the figure that a policy is held against is above its limit."""
    table, size = _sample(s, coarse=not leaky)
    settings = RiskSettings(quasi_identifiers=table.quasi, population_size=size)
    found = judge_risk(measure_risk(dataset(table.frame), settings=settings)).figures[key]
    return Verdict.NOT_ASSESSED if found is None else Verdict.FAIL if found > limit else Verdict.PASS


@leak("population by its size")
def _a_marketer_s_limit_met_by_scaling(s: Scenario, leaky: bool) -> Verdict:
    return _figure(s, leaky, "marketer_risk", 0.05)


@leak("population by its size")
def _a_policy_of_average_risk_in_a_large_population(s: Scenario, leaky: bool) -> Verdict:
    table, size = _sample(s, coarse=not leaky)
    table = replace(table, k=1, limits={"average_risk": 0.1})
    return judged(table.saying(population_size=size))


# What a release holds


def _named(s: Scenario) -> tuple[People, list[str]]:
    table = people(s, largest=300)
    names = [f"{_NAMES[i]} {j}" for j, i in enumerate(_rng(s).integers(0, len(_NAMES), len(table.frame)))]
    return table, names


def _release(name: str, column: str, values: Callable[[list[str]], list[str]], *options: str) -> None:
    def tried(s: Scenario, leaky: bool) -> Verdict:
        table, names = _named(s)
        if not leaky:
            return given_away(table, ())
        secrets = values(names)
        return given_away(table.with_column(column, secrets), secrets, *options)

    tried.__name__ = name
    leak("releases", sizes=(200,))(tried)


_release("names as the person column of a release", "full_name", lambda names: names, "--person", "full_name")
_release(
    "names under a heading that says nothing in a release",
    "v7",
    lambda names: [n.rsplit(" ", 1)[0] for n in names],
)
_release("exact times in a release", "seen", lambda names: [f"2025-03-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}" for i in range(len(names))])  # fmt: skip


# Households


@leak("households")
def _a_class_is_one_household(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    household = np.array([f"H{i}" for i in range(len(table.frame))])
    if leaky:
        household[table.classes()[-1]] = "H-1"
    return judged(table.with_column("hh", household).saying(household="hh"))


@leak("households", at_least=Verdict.WARN, sizes=(200, 1000))  # in large classes six members are no risk
def _large_households_spread_over_classes(s: Scenario, leaky: bool) -> Verdict:
    table = people(s)
    household = _rng(s).permutation(len(table.frame))
    return judged(table.with_column("hh", household // 6 if leaky else household).saying(household="hh"))


# Beside the original


@leak("beside the original", at_least=Verdict.WARN)
def _measurements_hardly_changed(s: Scenario, leaky: bool) -> Verdict:
    """Release numbers that nobody chose, each changed by a five-hundredth."""
    table, rng = people(s), _rng(s)
    n = len(table.frame)
    exact = np.column_stack([rng.normal(mean, sd, n) for mean, sd in ((171, 9), (74, 13), (88, 12))])
    noise = 1 + rng.normal(0, 0.002, exact.shape)
    changed = (exact * noise).round(1) if leaky else exact // 60 * 60
    for number, name in enumerate(("marker_a", "marker_b", "marker_c")):
        table = table.with_column(name, changed[:, number])
        table = replace(
            table, original=table.original.assign(**{name: exact[:, number].round(1).astype(str)})
        )
    return judged(table, original=True)
