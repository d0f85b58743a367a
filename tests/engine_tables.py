"""Tables for the tests of engines, and their audits in memory and in an engine held against each other."""

import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import parquet

from core.delivery import (
    DeliverySettings,
    DeliveryThresholds,
    delivery_document,
    judge_delivery,
    measure_delivery,
)
from core.delivery.in_engine import audit_delivery_in_engine
from core.engines import Engine, address_of, beside, connected
from core.leakage import LeakageSettings, LeakageThresholds, RowLeakage, count_row_matches, pair_tables
from core.leakage.chance import ColumnChance, column_chance
from core.leakage.in_engine import audit_rows_in_engine
from core.leakage.nearest import pack_tables
from core.leakage.whole_rows import expected_full_matches
from core.releases import ReleasedTable, Roles, judge_releases, releases_document
from core.releases.counts import count_classes
from core.releases.in_engine import TableInEngine, measure_releases_in_engine
from core.releases.measuring import _by_counts, _Pair
from core.risk import (
    RiskSettings,
    RiskThresholds,
    SudaSettings,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    risk_document,
)
from core.risk.in_engine import audit_in_engine, measure_in_engine, search_in_engine
from core.risk.measuring import settings_for_other
from core.tables import ReadOptions, read_dataset
from core.tabular import (
    AnonymizationLog,
    LogEntry,
    TabularAudit,
    judge_tabular,
    measure_classes,
    measure_tabular,
)
from core.tabular.in_engine import measure_in_engine as measure_tabular_in_engine
from core.verdict import Verdict

# Spellings that fold into one, look alike and are two in bytes, stand for missing, are stars.
_WORDS = [
    "flu",
    "Flu",
    " flu",
    "c\u0301",
    "\u0107",
    "Ｆlu",
    "unknown",
    "NA",
    " NA\u00a0",
    "",
    "  ",
    "*",
    " ** ",
    "모름",
    "00123",
    "123",
]
_CELLS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "word": (pa.string(), st.sampled_from(_WORDS)),
    "whole": (pa.int64(), st.integers(-2, 6)),
    "wide": (pa.int32(), st.sampled_from([0, 1, 2, 99, 100, 101, 5000, 5001, 10_000])),
    "float": (pa.float64(), st.sampled_from([0.0, -0.0, 1.5, math.nan, 1e17, 0.1])),
    "flag": (pa.bool_(), st.booleans()),
    "day": (
        pa.date32(),
        st.dates(
            min_value=__import__("datetime").date(2020, 1, 1),
            max_value=__import__("datetime").date(2020, 1, 4),
        ),
    ),
    "moment": (pa.timestamp("us"), st.sampled_from([0, 1_000_000, 86_400_000_000])),
}
THRESHOLDS = RiskThresholds(k=3, l=3, entropy_l=1.5, t=0.3, alpha=0.6, beta=1.0, delta=0.7, average_risk=0.4)


@st.composite
def audits(draw: st.DrawFn) -> tuple[pa.Table, RiskSettings]:
    """Draw a table with quasi-identifiers, sensitive attributes and persons, and settings for it."""
    kinds = st.sampled_from(sorted(_CELLS))
    names = [f"q{i}" for i in range(draw(st.integers(1, 3)))] + [
        f"s{i}" for i in range(draw(st.integers(0, 2)))
    ]
    n = draw(st.integers(1, 40))
    columns = {}
    for name in [*names, "other"]:
        of, cells = _CELLS[draw(kinds)]
        values = draw(st.lists(st.one_of(cells, cells, cells, st.none()), min_size=n, max_size=n))
        columns[name] = pa.array(values, of)
    columns["p"] = pa.array(
        draw(st.lists(st.one_of(st.integers(1, 15), st.none()), min_size=n, max_size=n)), pa.int64()
    )
    settings = RiskSettings(
        quasi_identifiers=tuple(name for name in names if name.startswith("q")),
        sensitive=tuple(name for name in names if name.startswith("s")),
        person=draw(st.sampled_from([None, None, "p"])),
        missing=draw(st.sampled_from(["value", "drop"])),
        missing_sensitive=draw(st.sampled_from(["unknown", "value"])),
        distance=draw(st.sampled_from(["auto", "equal"])),
        recursive_c=draw(st.sampled_from([3.0, 0.8])),
        closeness=draw(st.sampled_from([0.01, 0.0, 0.3])),
        population_size=draw(st.sampled_from([None, 1000])),
    )
    return pa.table(columns), settings


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the table as a Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def differences(table: pa.Table, engine: Engine, settings: RiskSettings) -> list[str]:
    """Return where the document of an engine differs from that of the audit in memory."""
    dataset = read_dataset(parquet_bytes(table), name=engine.address.name)
    here = measure_risk(dataset, settings=settings)
    ours = risk_document(
        judge_risk(here, THRESHOLDS),
        columns=measure_columns(here, dataset),
        suda=measure_special_uniques(here, dataset),
    )
    there = measure_in_engine(engine, settings=settings, thresholds=THRESHOLDS)
    columns, suda = search_in_engine(engine, there, suda=SudaSettings())
    theirs = risk_document(judge_risk(there, THRESHOLDS), columns=columns, suda=suda)
    checks = _MEASURED_THERE
    mine, found = ([f for f in each.pop("findings") if f["check"] in checks] for each in (ours, theirs))
    of_records = ("exposure_verdict", "overall", "persons_alone_share", "texts")
    for key in of_records:
        ours.pop(key, None), theirs.pop(key, None)
    return [*_differing(ours, theirs, ""), *_differing(_by_check(mine), _by_check(found), "findings")]


@st.composite
def released(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, RiskSettings]:
    """Draw an original, what was released of it, and settings for the latter."""
    original, settings = draw(audits())
    first = pa.nulls(original.num_rows, pa.string())
    table = original.set_column(0, "q0", first) if draw(st.booleans()) else original
    table = table.slice(0, draw(st.integers(1, original.num_rows)))
    gone = draw(st.sampled_from([[], ["other"], ["p"], ["s0"]]))
    return original.drop_columns([name for name in gone if name in original.column_names]), table, settings


def comparison_differences(
    tables: tuple[pa.Table, pa.Table], at: Sequence[str], settings: RiskSettings
) -> list[str]:
    """Return where a comparison in engines, original and table at addresses, differs from that in memory."""
    places = [address_of(each) for each in at]
    was, dataset = (
        read_dataset(parquet_bytes(table), name=place.name)
        for table, place in zip(tables, places, strict=True)
    )
    found = audit_in_engine(places[1], settings=settings, thresholds=THRESHOLDS, original=places[0])
    theirs = risk_document(found.audit)["original"]
    ours = risk_document(judge_risk(measure_risk(dataset, settings=settings, original=was), THRESHOLDS))
    mine = {**ours["original"], "ncp": None}
    mine["columns"] = [{**each, "changed_share": None, "ncp": None} for each in mine["columns"]]
    before = measure_risk(was, settings=settings_for_other(settings, was.columns))
    both = [risk_document(judge_risk(before, THRESHOLDS)), risk_document(found.original)]
    whole = [{key: each[key] for key in ("k", "class_sizes", "sensitive", "n_records")} for each in both]
    return [*_differing(mine, theirs, "original"), *_differing(*whole, "other")]


_INTERVALS = ["20-29", "20-24", "25-29", "20–29", "30+", "≥30", "<20", " <20", "n/a"]


@st.composite
def releases(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, Roles]:
    """Draw a release, an earlier one that has some of its records, and what their columns are."""
    names = [f"q{i}" for i in range(draw(st.integers(1, 3)))]
    names += [f"s{i}" for i in range(draw(st.integers(0, 2)))]
    n, n_more = draw(st.integers(1, 30)), draw(st.integers(0, 10))
    columns = {}
    kinds = {**_CELLS, "interval": (pa.string(), st.sampled_from(_INTERVALS))}
    for name in names:
        of, cells = kinds[draw(st.sampled_from(sorted(kinds)))]
        few = st.sampled_from(draw(st.lists(cells, min_size=2, max_size=2)))
        values = draw(
            st.lists(st.one_of(few, few, cells, st.none()), min_size=n + n_more, max_size=n + n_more)
        )
        columns[name] = pa.array(values, of)
    persons = draw(st.lists(st.one_of(st.integers(1, 15), st.none()), min_size=n, max_size=n))
    columns["p"] = pa.array([*persons, *range(20, 20 + n_more)], pa.int64())
    table = pa.table(columns)
    later, earlier = table.slice(0, n), table.slice(draw(st.integers(0, n - 1)))
    gone = draw(st.sampled_from([[], [], ["q1"], ["s0"]]))
    roles = Roles(
        quasi_identifiers=tuple(name for name in names if name.startswith("q")),
        sensitive=tuple(name for name in names if name.startswith("s")),
        person=draw(st.sampled_from([None, None, "p"])),
    )
    return later, earlier.drop_columns([name for name in gone if name in names]), roles


def releases_differences(tables: tuple[pa.Table, pa.Table], at: Sequence[str], roles: Roles) -> list[str]:
    """Return where releases in an engine are subtracted to other figures than those of counts in memory."""
    places = [address_of(each) for each in at]
    later, earlier = (
        read_dataset(parquet_bytes(table), name=place.name)
        for table, place in zip(tables, places, strict=True)
    )
    released = ReleasedTable(name=places[0].name, dataset=later, roles=roles)
    options = ReadOptions()
    with connected(places[0]) as engine:
        found = measure_releases_in_engine(
            [TableInEngine(name=places[0].name, engine=engine, roles=roles)],
            [places[1]],
            next_to=partial(beside, options=options),
            options=options,
        ).measurement
    pair = _Pair(released, earlier, roles.common(earlier.columns))
    counts = (
        count_classes(each.classes, each.values, unit=pair.unit(each)) for each in (pair.later, pair.earlier)
    )
    here = replace(
        _by_counts(released, pair.roles, places[1].name, *counts),
        changed_columns=tuple(each.name for each in pair.columns if each.is_changed),
        own_words=pair.own_words(),
        is_same=pair.is_same,
    )
    if here.own_words:
        here = replace(here, found_share=0.0)
    (there,) = found.compared
    figures = (
        [
            releases_document(judge_releases(replace(found, compared=(each,), elsewhere=()), k=k))
            for k in (2, 3, 5)
        ]
        for each in (here, there)
    )
    return [*_differing(*({"releases": each} for each in figures), "")]


_SPELLED = """1|1.0|01|+1|1e0|10e-1|-0|0|0.0|.5|0.5|5.|5|12e3|12000|1.50|1.5|9007199254740993|9007199254740992
nan|NaN|inf|-Inf|+infinity|2020-01-02|2020/1/2|2020-01-02 00:00|2020-01-02T10:30|2020-1-2 10:30:00
2020-13-01|2020.13.1| x|x\u00a0|X
x|1e|e1|*|-|1,5|NA|c\u0301|\u0107""".replace("\n", "|").split("|")
_KEYS = ["a", "b", " c", "1", "02", "3.0", "4e1", "2020-01-02", "2020/1/2", "d", "e", "f"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, LeakageSettings]:
    """Draw an original, a scrambled table with the same keys in part, and how they are compared."""
    tables = []
    kinds = {
        f"c{place}": draw(st.sampled_from([*_CELLS, "text", "text"]))
        for place in range(draw(st.integers(1, 3)))
    }
    keys = draw(st.permutations(_KEYS))
    for side in range(2):
        own = draw(st.permutations(keys[: draw(st.integers(6, len(keys)))]))
        columns = {"id": pa.array(own, pa.string())}
        for name, first in kinds.items():
            others = ["text", "whole", "float"] if side and first not in ("text", "word", "moment") else []
            kind = draw(st.sampled_from([first, first, *others]))
            of, cells = (pa.string(), st.sampled_from(_SPELLED)) if kind == "text" else _CELLS[kind]
            values = draw(st.lists(st.one_of(cells, cells, st.none()), min_size=len(own), max_size=len(own)))
            columns[name] = pa.array(values, of)
        tables.append(pa.table(columns))
    settings = LeakageSettings(
        key="id",
        ignore_values=draw(st.sampled_from([(), (), ("1",), ("NaN", "x"), ("2020-01-02", "0")])),
        missing_on_both=draw(st.sampled_from(["leave out", "match", "difference"])),
    )
    return tables[0], tables[1], settings


def row_differences(tables: Sequence[pa.Table], at: Sequence[str], settings: LeakageSettings) -> list[str]:
    """Return where the row rules of two tables in an engine differ from those in memory."""
    places = [address_of(each) for each in at]
    pair = pair_tables(
        *(read_dataset(parquet_bytes(t), name=p.name) for t, p in zip(tables, places, strict=True)),
        key=settings.key,
    )
    there = audit_rows_in_engine(*places, settings=settings, thresholds=LeakageThresholds()).audit
    here = count_row_matches(pair, pair.columns, settings)
    chance = column_chance(pack_tables(pair, pair.columns, settings), pair.original_rows, pair.scrambled_rows)
    names = (
        *("n_rows", "n_full", "n_partial", "n_none", "n_without_valid_cells"),
        *("mean_matching_cells", "std_matching_cells", "full_leakage_share", "partial_leakage_share"),
    )

    def figures(rows: RowLeakage, chance: ColumnChance, expected_full: float) -> dict[str, Any]:
        return {
            **{name: getattr(rows, name) for name in names},
            **{name: getattr(rows, name).tolist() for name in ("column_matches", "column_valid")},
            "expected": chance.expected_matches.tolist(),
            "variance": [round(each, 9) for each in chance.variance.tolist()],
            "expected_full": expected_full,
        }

    ours = figures(here, chance, expected_full_matches(pair, pair.columns))
    return [*_differing(ours, figures(there.rows, there.chance, there.expected_full), "")]


_PIECES = (
    *("900101-1234567", "9001011234567", "010-1234-5678", "2020-01-01", "2020/1/5T10:00", "a.b@c.org"),
    *(
        "남성",
        "역삼동",
        "홍길동",
        "김00",
        "김철수",
        "7",
        "-",
        " ",
        "_",
        "\u200b",
        "é",
        "٣",
        "Ⅷ",
        "1980-01-01",
    ),
    *("8c8e1c9a", "31778", "\n", "\u2028", "\u3000", "d2719b8e-1111-4222-8333-abcdefabcdef"),
    *("abcdef123456", "ID-", "𝟚", "한\u0301"),
)
_ACTIONS = (
    *("", "keep", "drop", "keep_if_permitted_else_drop", "pseudonymize", "pseudonymize", "pseudonymize"),
    *("date_floor_year", "date_floor_decade", "date_floor_year", "date_floor_decade"),
)
_LOGGED = {
    "action": st.sampled_from(_ACTIONS),
    "semantic": st.sampled_from(["", "age", "gender", "ssn", "visit_date"]),
}
_TOKENS = ["8c8e1c9a", "12345678", "P-1", "P-22", " P-3", "abcdef123456", "x"]
_VERIFIED: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    **_CELLS,
    "text": (pa.string(), st.lists(st.sampled_from(_PIECES), max_size=3).map("".join)),
    "token": (pa.string(), st.sampled_from(_TOKENS)),
    "number": (pa.float64(), st.one_of(st.floats(width=64), st.sampled_from([31778.0, 1e12, -2.5e-7]))),
    "small": (pa.float32(), st.floats(width=32)),
    "long": (pa.int64(), st.sampled_from([9001011234567, 31778, 12345678, -1])),
    "money": (pa.decimal128(9, 2), st.decimals(min_value=-9999, max_value=9999, places=2)),
    "midnight": (pa.timestamp("us"), st.sampled_from([0, 365 * 86_400_000_000])),
}


@st.composite
def verified(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, AnonymizationLog, str | None]:
    """Draw an original, an anonymized table in the same order, a log, and the key or none."""
    n = draw(st.integers(1, 15))
    n_after = draw(st.sampled_from([n, n, n, draw(st.integers(1, 15))]))
    tables = [{"rid": pa.array(range(size), pa.int64())} for size in (n, n_after)]
    entries = {}
    for name in [f"c{place}" for place in range(draw(st.integers(1, 3)))]:
        kinds = draw(st.lists(st.sampled_from(sorted(_VERIFIED)), min_size=2, max_size=2))
        kinds = kinds if draw(st.booleans()) else [kinds[0]] * 2
        values = []
        for table, kind, size in zip(tables, kinds, (n, n_after), strict=True):
            of, cells = _VERIFIED[kind]
            pool = [*draw(st.lists(cells, min_size=1, max_size=6)), None]
            kept = values[0][:size] if values and kinds[0] == kind and draw(st.booleans()) else []
            added = st.lists(st.sampled_from(pool), min_size=size - len(kept), max_size=size - len(kept))
            values.append([*kept, *draw(added)])
            table[name] = pa.array(values[-1], of)
        entries[name] = LogEntry(column=name, **{word: draw(of) for word, of in _LOGGED.items()})
    if draw(st.booleans()):
        tables[1].pop("c0"), tables[1].update(c0_year=tables[1]["rid"])
    log = AnonymizationLog(
        name="log.json",
        mode=draw(st.sampled_from(["low", "high"])),
        allow_dx=draw(st.booleans()),
        entries=entries,
    )
    return pa.table(tables[0]), pa.table(tables[1]), log, draw(st.sampled_from(["rid", "rid", None]))


def rule_differences(
    tables: Sequence[pa.Table], at: Sequence[str], log: AnonymizationLog, key: str | None
) -> list[str]:
    """Return where the published rule on two tables in an engine differs from that in memory."""
    places = [address_of(each) for each in at]
    original, anonymized = (
        read_dataset(parquet_bytes(t), name=p.name) for t, p in zip(tables, places, strict=True)
    )
    there = measure_tabular_in_engine(*places, log, key=key)
    here = measure_tabular(original, anonymized, log)
    ours = judge_tabular(here, classes=measure_classes(anonymized, here.quasi_identifiers))
    theirs = judge_tabular(there.measurement, classes=there.classes)
    unknown = {one.column for one in there.measurement.checks if "without --key" in one.reason}
    assert key is None or not unknown

    def figures(audit: TabularAudit) -> dict[str, Any]:
        measured = audit.measurement
        told = vars(measured) | {name: getattr(measured, name) for name in ("n_filled", "n_residual")}
        for name in ("columns", "log", "notes", "settings", "checks"):
            told.pop(name, None)
        checks = [vars(one) if one.column not in unknown else one.column for one in measured.checks]
        classes = audit.classes
        sizes = None if classes is None else [each.tolist() for each in classes.size_histogram]
        left_out = None if classes is None else (classes.k, classes.n_left_out)
        told |= {"residuals": [vars(one) for one in measured.residuals]}
        is_known = theirs.verdict is not Verdict.NOT_ASSESSED  # what is not known then changes nothing
        judged = audit.verdict if is_known else None
        return told | {"checks": checks, "classes": sizes, "left_out": left_out, "verdict": judged}

    return [*_differing(figures(ours), figures(theirs), "")]


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[dict[str, pa.Table], DeliverySettings]:
    """Draw tables of persons, of visits and perhaps of tests of these, and the keys that join them."""
    numbered = draw(st.booleans())
    person = st.integers(1, 9) if numbered else st.sampled_from([*"abcdefg", " a", "b ", "čč", "A1"])
    quasi: list[str] = []

    def table(name: str, keys: dict[str, list[Any]], n: int, most: int) -> pa.Table:
        columns = {
            column: pa.array(cells, pa.int64() if isinstance(cells[0], int) else None)
            for column, cells in keys.items()
        }
        for place in range(draw(st.integers(0, most))):
            of, cells = _CELLS[draw(st.sampled_from(sorted(_CELLS)))]
            values = draw(st.lists(st.one_of(cells, cells, st.none()), min_size=n, max_size=n))
            columns[f"{name}{place}"] = pa.array(values, of)
            if draw(st.integers(0, 3)):
                quasi.append(f"{name}.{name}{place}")
        return pa.table(columns)

    known = draw(st.lists(person, min_size=1, max_size=8, unique=draw(st.booleans())))
    ids = [*known[:1], *draw(st.permutations([*known[1:], None]))]
    n = draw(st.integers(1, 30))
    whose = [draw(person), *draw(st.lists(st.one_of(person, person, person, st.none()), max_size=n))]
    tables = {"persons": table("persons", {"pid": ids}, len(ids), 2)}
    if draw(st.booleans()):  # another type of the same key
        whose = [None if each is None else str(each) for each in whose]
    visits = {"patient": whose, "visit": [f"v{place:03}" for place in range(len(whose))]}
    tables["visits"] = table("visits", visits, len(whose), 3)
    keys = ["persons.pid=visits.patient"]
    if draw(st.booleans()):
        of = ["v000", *draw(st.lists(st.sampled_from([*visits["visit"], "v999", None]), max_size=12))]
        tables["tests"] = table("tests", {"visit_number": of}, len(of), 2)
        keys.append("visits.visit=tests.visit_number")
    return tables, DeliverySettings(
        keys=tuple(keys), person="persons.pid", quasi_identifiers=tuple(quasi) or ("persons.pid",)
    )


def delivery_differences(
    tables: Mapping[str, pa.Table], at: Sequence[str], chosen: DeliverySettings
) -> list[str]:
    """Return where the audit of a delivery in an engine differs from that in memory."""
    here = [read_dataset(parquet_bytes(each), name=f"{name}.parquet") for name, each in tables.items()]
    names = [Path(each).stem if "://" not in each else each.rpartition(".")[2] for each in at]
    renamed = dict(zip(names, tables, strict=True))
    ours = measure_delivery(here, chosen)
    theirs = audit_delivery_in_engine(
        [address_of(each) for each in at],
        settings=replace(
            chosen,
            **{
                key: tuple(_placed(each, tables, names) for each in getattr(chosen, key))
                for key in ("keys", "quasi_identifiers")
            },
            person=_placed(str(chosen.person), tables, names),
        ),
        thresholds=DeliveryThresholds(),
    ).audit.measurement
    found: list[str] = []
    for k in (2, 3, 5):
        documents = [
            delivery_document(judge_delivery(each, DeliveryThresholds(k=k, known_records=min(k, 3) - 1)))
            for each in (ours, theirs)
        ]
        told = [
            {
                key: each[key]
                for key in ("n_persons", "tables", "keys", "known", "records_alone", "unchosen_columns")
            }
            | {
                "all": each["share_found_by_all_columns"],
                "findings": _by_check([f for f in each["findings"] if f["check"] in _OF_DELIVERIES]),
            }
            for each in documents
        ]
        plain = json.dumps(told[1], default=str)
        for name, own in renamed.items():
            plain = (
                plain.replace(f"{name}.", f"{own}.")
                .replace(f'"{name}"', f'"{own}"')
                .replace(f"`{name}`", f"`{own}`")
            )
        found += _differing(json.loads(json.dumps(told[0], default=str)), json.loads(plain), f"k={k}")
    return found


_OF_DELIVERIES = frozenset(
    """joined_k alone_with_all_records unchosen_columns table_k few_in_table in_one_table_only
    records_of_nobody missing_persons many_to_many orphan_keys not_joined no_key""".split()
)


def _placed(written: str, tables: Mapping[str, pa.Table], names: Sequence[str]) -> str:
    for own, name in zip(tables, names, strict=True):
        written = re.sub(rf"\b{own}\.", f"{name}.", written)
    return written


_MEASURED_THERE = frozenset(
    """k average_risk sensitive distinct_l folded_distinct_l entropy_l folded_entropy_l t folded_t alpha
    folded_alpha basic_beta folded_basic_beta delta_ln folded_delta_ln dominant_value skewed_value
    missing_sensitive_values fully_suppressed dropped_records unknown_persons constant_columns
    missing_quasi_identifiers no_sensitive_attribute related_sensitive""".split()
)


def _by_check(findings: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        f"{each['check']} {each['column']}": (each["verdict"], each["n_affected"], each["message"])
        for each in findings
    }


def _differing(one: Any, other: Any, where: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _differing(one.get(key), other.get(key), f"{where}/{key}")
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        for position, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differing(left, right, f"{where}/{position}")
    elif isinstance(one, float) and isinstance(other, (int, float)):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{where}: {one} and {other}"
    elif one != other:
        yield f"{where}: {one} and {other}"
