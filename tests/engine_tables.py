"""Tables for the tests of engines, and their audits in memory and in an engine held against each other."""

import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.delivery import (
    DeliveryAudit,
    DeliverySettings,
    DeliveryThresholds,
    judge_delivery,
    measure_delivery,
)
from core.delivery.in_engine import audit_delivery_in_engine
from core.delivery.result import TOOL as DELIVERIES
from core.delivery.result import delivery_result
from core.engines import Address, Engine, address_of, beside, connected
from core.leakage import LeakageSettings, LeakageThresholds, RowLeakage, count_row_matches, pair_tables
from core.leakage.chance import ColumnChance, column_chance
from core.leakage.in_engine import audit_rows_in_engine
from core.leakage.nearest import pack_tables
from core.leakage.whole_rows import expected_full_matches
from core.releases import ReleasedTable, ReleasesAudit, Roles, judge_releases
from core.releases.counts import beside as beside_in_memory
from core.releases.counts import count_classes
from core.releases.in_engine import TableInEngine, measure_releases_in_engine
from core.releases.measuring import _Pair, by_counts
from core.releases.result import releases_groups
from core.result import Figure, Table
from core.risk import (
    RiskAudit,
    RiskSettings,
    RiskThresholds,
    SudaSettings,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
)
from core.risk.in_engine import audit_in_engine, measure_in_engine, search_in_engine
from core.risk.measuring import settings_for_other
from core.risk.result import TOOL as RISK
from core.risk.result import risk_result
from core.tables import Dataset, ReadOptions, read_dataset
from tests.one_json import document_of, figures_of

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
]
_WORDS += ["모름", "00123", "123"]
Kind = tuple[pa.DataType, st.SearchStrategy[Any]]
_CELLS: dict[str, Kind] = {
    "word": (pa.string(), st.sampled_from(_WORDS)),
    "whole": (pa.int64(), st.integers(-2, 6)),
    "wide": (pa.int32(), st.sampled_from([0, 1, 2, 99, 100, 101, 5000, 5001, 10_000])),
    "float": (pa.float64(), st.sampled_from([0.0, -0.0, 1.5, math.nan, 1e17, 0.1])),
    "comma": (pa.string(), st.sampled_from(["1.234,5", "1.000,0", "1 234,5", "0,50", "0,5", "3", "−2,25"])),
    "thousand": (pa.string(), st.sampled_from(["1.234", "1,234", "2.500", "7", "900", "1'200"])),
    "flag": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates(min_value=date(2020, 1, 1), max_value=date(2020, 1, 4))),
    "moment": (pa.timestamp("us"), st.sampled_from([0, 1_000_000, 86_400_000_000])),
}


def few(n: int) -> settings:
    """Return how many tables are drawn; none is drawn again to find a smaller one, which takes minutes."""
    phases = [Phase.explicit, Phase.reuse, Phase.generate]
    return settings(max_examples=n, deadline=None, suppress_health_check=[*HealthCheck], phases=phases)


def in_duckdb(folder: Path, tables: Mapping[str, pa.Table]) -> list[str]:
    """Write tables as files of these names; return their addresses."""
    for name, table in tables.items():
        (folder / f"{name}.parquet").write_bytes(parquet_bytes(table))
    return [f"duckdb:{folder / name}.parquet" for name in tables]


def _drawn(draw: st.DrawFn, kind: Kind, n: int, *, cells: Any = None) -> pa.Array:
    """Draw cells of a kind, one in four or so missing."""
    of, usual = kind
    one = st.one_of(*(cells or [usual] * 3), st.none())
    return pa.array(draw(st.lists(one, min_size=n, max_size=n)), of)


def _names(draw: st.DrawFn) -> list[str]:
    names = [f"q{i}" for i in range(draw(st.integers(1, 3)))]
    return names + [f"s{i}" for i in range(draw(st.integers(0, 2)))]


def _roles(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    quasi, sensitive = (tuple(name for name in names if name[0] == first) for first in "qs")
    return {"quasi_identifiers": quasi, "sensitive": sensitive}


def _read(tables: Sequence[pa.Table], at: Sequence[Address]) -> list[Dataset]:
    both = zip(tables, at, strict=True)
    return [read_dataset(parquet_bytes(table), name=place.name) for table, place in both]


THRESHOLDS = RiskThresholds(k=3, l=3, entropy_l=1.5, t=0.3, alpha=0.6, beta=1.0, delta=0.7, average_risk=0.4)


@st.composite
def audits(draw: st.DrawFn) -> tuple[pa.Table, RiskSettings]:
    """Draw a table with quasi-identifiers, sensitive attributes and persons, and settings for it."""
    names, n = _names(draw), draw(st.integers(1, 40))
    kinds = st.sampled_from(sorted(_CELLS))
    columns = {name: _drawn(draw, _CELLS[draw(kinds)], n) for name in [*names, "other"]}
    columns["p"] = _drawn(draw, (pa.int64(), st.integers(1, 15)), n, cells=[st.integers(1, 15)])
    settings = RiskSettings(
        **_roles(names),
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
    """Return where an engine says something else than the audit in memory."""
    dataset = read_dataset(parquet_bytes(table), name=engine.address.name)
    here = measure_risk(dataset, settings=settings)
    found = measure_columns(here, dataset), measure_special_uniques(here, dataset)
    ours = _said_of_risk(judge_risk(here, THRESHOLDS), columns=found[0], suda=found[1])
    there = measure_in_engine(engine, settings=settings, thresholds=THRESHOLDS)
    columns, suda = search_in_engine(engine, there, suda=SudaSettings())
    theirs = _said_of_risk(judge_risk(there, THRESHOLDS), columns=columns, suda=suda)
    told = [
        [f for f in each.pop("findings") if f["check"] in _MEASURED_THERE and not _is_of_quasi(f, settings)]
        for each in (ours, theirs)
    ]
    for each in (ours, theirs):
        each["figures"].pop("persons_alone_share ", None)  # of records
    return [*differing(ours, theirs, ""), *differing(*map(_by_check, told), "findings")]


def _is_of_quasi(finding: Mapping[str, Any], settings: RiskSettings) -> bool:
    """Return whether numbers are doubtful of a column that an engine takes as it is written."""
    return finding["check"] == "ambiguous_numbers" and finding["column"] not in settings.sensitive


_ROWS = (
    *"""class_sizes small_classes sensitive columns singling_out_sets unchosen_columns special_uniques
    unique_sets population_models""".split(),
)


def _said_of_risk(audit: RiskAudit, **searched: Any) -> dict[str, Any]:
    """Return figures, rows and findings, and what findings are made of."""
    measured, document = audit.measurement, document_of(RISK, risk_result(audit, **searched))
    return {
        "unit": measured.unit,
        "verdict": document["verdicts"]["Thresholds"],
        "figures": {f"{each['measure']} {each['of']}": each["value"] for each in document["figures"]},
        "notes": {each["key"]: each["note"] for each in document["tables"] if each["key"] in _ROWS},
        "likely": [
            vars(found)
            for each in measured.sensitive
            for found in (each.likelihood.dominant, each.likelihood.skewed)
        ],
        "unchosen": vars(measured.unchosen),
        "further": [(each.columns, [*each.sizes], [*each.n_of_size]) for each in measured.further],
        "related": [vars(each) for each in measured.related],
        "linkage": None if measured.linkage is None else vars(measured.linkage),
        "findings": document["findings"],
        **{key: document.get(key) for key in _ROWS},
    }


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
    was, dataset = _read(tables, places)
    found = audit_in_engine(places[1], settings=settings, thresholds=THRESHOLDS, original=places[0])
    theirs = _compared(found.audit)
    mine = _compared(judge_risk(measure_risk(dataset, settings=settings, original=was), THRESHOLDS))
    mine["ncp"] = None
    mine["columns"] = [{**each, "changed_share": None, "ncp": None} for each in mine["columns"]]
    before = measure_risk(was, settings=settings_for_other(settings, was.columns))
    both = [_said_of_risk(judge_risk(before, THRESHOLDS)), _said_of_risk(found.original)]
    whole = [
        {"k": each["figures"]["k "], "n": each["figures"]["n_records "]}
        | {key: each[key] for key in ("class_sizes", "sensitive", "likely")}
        for each in both
    ]
    return [*differing(mine, theirs, "original"), *differing(*whole, "other")]


def _compared(audit: RiskAudit) -> dict[str, Any]:
    """Return what became of an original."""
    comparison = audit.measurement.comparison
    columns, before = [vars(each) for each in comparison.columns], comparison.classes_original
    return {**vars(comparison), "columns": columns, "classes_original": before and before.k}


_INTERVALS = ["20-29", "20-24", "25-29", "20–29", "30+", "≥30", "<20", " <20", "n/a"]


@st.composite
def releases(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, Roles]:
    """Draw a release, an earlier one that has some of its records, and what their columns are."""
    names = _names(draw)
    n, n_more = draw(st.integers(1, 30)), draw(st.integers(0, 10))
    columns = {}
    kinds = {**_CELLS, "interval": (pa.string(), st.sampled_from(_INTERVALS))}
    for name in names:
        kind = kinds[draw(st.sampled_from(sorted(kinds)))]
        of_two = st.sampled_from(draw(st.lists(kind[1], min_size=2, max_size=2)))
        columns[name] = _drawn(draw, kind, n + n_more, cells=[of_two, of_two, kind[1]])
    persons = draw(st.lists(st.one_of(st.integers(1, 15), st.none()), min_size=n, max_size=n))
    columns["p"] = pa.array([*persons, *range(20, 20 + n_more)], pa.int64())
    table = pa.table(columns)
    later, earlier = table.slice(0, n), table.slice(draw(st.integers(0, n - 1)))
    gone = draw(st.sampled_from([[], [], ["q1"], ["s0"]]))
    roles = Roles(**_roles(names), person=draw(st.sampled_from([None, None, "p"])))
    return later, earlier.drop_columns([name for name in gone if name in names]), roles


def releases_differences(tables: tuple[pa.Table, pa.Table], at: Sequence[str], roles: Roles) -> list[str]:
    """Return where releases in an engine are subtracted to other figures than those of counts in memory."""
    places = [address_of(each) for each in at]
    later, earlier = _read(tables, places)
    released = ReleasedTable(name=places[0].name, dataset=later, roles=roles)
    next_to = partial(beside, options=ReadOptions())
    with connected(places[0]) as engine:
        held = [TableInEngine(name=places[0].name, engine=engine, roles=roles)]
        found = measure_releases_in_engine(
            held, places[1:], next_to=next_to, options=ReadOptions()
        ).measurement
    pair = _Pair(released, earlier, roles.common(earlier.columns))
    sides = (pair.later, pair.earlier)
    counts = (count_classes(each.classes, each.values, unit=pair.unit(each)) for each in sides)
    here = replace(
        by_counts(released, pair.roles, places[1].name, beside_in_memory(*counts)),
        changed_columns=tuple(each.name for each in pair.columns if each.is_changed),
        own_words=pair.own_words(),
        is_same=pair.is_same,
    )
    if here.own_words:
        here = replace(here, found_share=0.0)
    one, other = (
        {
            k: _said_of_releases(judge_releases(replace(found, compared=(of,), elsewhere=()), k=k))
            for k in (2, 3, 5)
        }
        for of in (here, *found.compared)
    )
    return [*differing(one, other, "")]


def _said_of_releases(audit: ReleasesAudit) -> dict[str, Any]:
    """Return figures, rows and findings of one pair of releases, and what findings are made of."""
    (compared,) = audit.measurement.compared
    parts = [part for group in releases_groups(audit) for part in group.parts]
    keys = """is_same is_comparable is_ledger missing_columns changed_columns renamed own_words n_later
    found_share"""
    overlap = compared.overlap
    return {
        "figures": [(each.measure, each.value, each.of) for each in parts if isinstance(each, Figure)],
        "tables": {each.key: each.cells() for each in parts if isinstance(each, Table)},
        "findings": _by_check([each.document() for each in audit.findings]),
        "overlap": overlap and (overlap.is_sure, overlap.is_included, overlap.deviations),
        **{key: getattr(compared, key) for key in keys.split()},
    }


_SPELLED = """1|1.0|01|+1|1e0|10e-1|-0|0|0.0|.5|0.5|5.|5|12e3|12000|1.50|1.5|9007199254740993|9007199254740992
nan|NaN|inf|-Inf|+infinity|2020-01-02|2020/1/2|2020-01-02 00:00|2020-01-02T10:30|2020-1-2 10:30:00
2020-13-01|2020.13.1| x|x\u00a0|X
x|1e|e1|*|-|1,5|NA|c\u0301|\u0107""".replace("\n", "|").split("|")
_KEYS = ["a", "b", " c", "1", "02", "3.0", "4e1", "2020-01-02", "2020/1/2", "d", "e", "f"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, LeakageSettings]:
    """Draw an original, a scrambled table with the same keys in part, and how they are compared."""
    tables = []
    first_kinds = st.sampled_from([*_CELLS, "text", "text"])
    kinds = {f"c{place}": draw(first_kinds) for place in range(draw(st.integers(1, 3)))}
    keys = draw(st.permutations(_KEYS))
    for side in range(2):
        own = draw(st.permutations(keys[: draw(st.integers(6, len(keys)))]))
        columns = {"id": pa.array(own, pa.string())}
        for name, first in kinds.items():
            no_others = ("text", "word", "moment", "comma", "thousand")
            others = ["text", "whole", "float"] if side and first not in no_others else []
            kind = draw(st.sampled_from([first, first, *others]))
            chosen = (pa.string(), st.sampled_from(_SPELLED)) if kind == "text" else _CELLS[kind]
            columns[name] = _drawn(draw, chosen, len(own), cells=[chosen[1]] * 2)
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
    pair = pair_tables(*_read(tables, places), key=settings.key)
    there = audit_rows_in_engine(*places, settings=settings, thresholds=LeakageThresholds()).audit
    here = count_row_matches(pair, pair.columns, settings)
    chance = column_chance(pack_tables(pair, pair.columns, settings), pair.original_rows, pair.scrambled_rows)
    names = "n_rows n_full n_partial n_none n_without_valid_cells mean_matching_cells std_matching_cells"
    names += " full_leakage_share partial_leakage_share"

    def figures(rows: RowLeakage, chance: ColumnChance, expected_full: float) -> dict[str, Any]:
        return {
            **{name: getattr(rows, name) for name in names.split()},
            **{name: getattr(rows, name).tolist() for name in ("column_matches", "column_valid")},
            "expected": chance.expected_matches.tolist(),
            "variance": [round(each, 9) for each in chance.variance.tolist()],
            "expected_full": expected_full,
        }

    ours = figures(here, chance, expected_full_matches(pair, pair.columns))
    return [*differing(ours, figures(there.rows, there.chance, there.expected_full), "")]


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


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[dict[str, pa.Table], DeliverySettings]:
    """Draw tables of persons, of visits and perhaps of tests of these, and the keys that join them."""
    numbered = draw(st.booleans())
    person = st.integers(1, 9) if numbered else st.sampled_from([*"abcdefg", " a", "b ", "čč", "A1"])
    quasi: list[str] = []

    def table(name: str, keys: dict[str, list[Any]], most: int) -> pa.Table:
        columns = {
            at: pa.array(cells, pa.int64() if isinstance(cells[0], int) else None)
            for at, cells in keys.items()
        }
        n = len(next(iter(columns.values())))
        for place in range(draw(st.integers(0, most))):
            kind = _CELLS[draw(st.sampled_from(sorted(_CELLS)))]
            columns[f"{name}{place}"] = _drawn(draw, kind, n, cells=[kind[1]] * 2)
            quasi.extend([f"{name}.{name}{place}"] if draw(st.integers(0, 3)) else [])
        return pa.table(columns)

    known = draw(st.lists(person, min_size=1, max_size=8, unique=draw(st.booleans())))
    n = draw(st.integers(1, 18))  # of more, values say what names do not: the engine has names alone
    whose = [draw(person), *draw(st.lists(st.one_of(person, person, person, st.none()), max_size=n))]
    tables = {
        "persons": table("persons", {"pid": [*known[:1], *draw(st.permutations([*known[1:], None]))]}, 2)
    }
    if draw(st.booleans()):  # another type of the same key
        whose = [None if each is None else str(each) for each in whose]
    visits = {"patient": whose, "visit": [f"v{place:03}" for place in range(len(whose))]}
    tables["visits"] = table("visits", visits, 3)
    keys = ["persons.pid=visits.patient"]
    if draw(st.booleans()):
        of = ["v000", *draw(st.lists(st.sampled_from([*visits["visit"], "v999", None]), max_size=12))]
        tables["tests"] = table("tests", {"visit_number": of}, 2)
        keys.append("visits.visit=tests.visit_number")
    chosen = {"keys": tuple(keys), "quasi_identifiers": tuple(quasi) or ("persons.pid",)}
    others = [f"{name}.{each}" for name in tables for each in tables[name].column_names if each[-1].isdigit()]
    chosen["sensitive"] = tuple(each for each in others if each not in quasi and draw(st.booleans()))
    return tables, DeliverySettings(person="persons.pid", **chosen)


def delivery_differences(
    tables: Mapping[str, pa.Table], at: Sequence[str], chosen: DeliverySettings
) -> list[str]:
    """Return where the audit of a delivery in an engine differs from that in memory."""
    here = [read_dataset(parquet_bytes(each), name=f"{name}.parquet") for name, each in tables.items()]
    names = [Path(each).stem if "://" not in each else each.rpartition(".")[2] for each in at]
    ours = measure_delivery(here, chosen)
    placed = {
        key: tuple(_placed(each, tables, names) for each in getattr(chosen, key))
        for key in ("keys", "quasi_identifiers", "sensitive")
    }
    there = replace(chosen, **placed, person=_placed(str(chosen.person), tables, names))
    places, thresholds = [address_of(each) for each in at], DeliveryThresholds()
    theirs = audit_delivery_in_engine(places, settings=there, thresholds=thresholds).audit.measurement
    found: list[str] = []
    for k in (2, 3, 5):
        asked = {"l": k, "entropy_l": 1.5, "t": 0.3, "alpha": 0.6, "beta": 1.0, "delta": 0.7}
        limits = DeliveryThresholds(k=k, known_records=min(k, 3) - 1, **asked)
        one, other = (json.dumps(_told(judge_delivery(each, limits)), default=str) for each in (ours, theirs))
        for name, own in zip(names, tables, strict=True):
            for form in ("{}.", '"{}"', "`{}`"):
                other = other.replace(form.format(name), form.format(own))
        found += differing(json.loads(one), json.loads(other), f"k={k}")
    return found


def _told(audit: DeliveryAudit) -> dict[str, Any]:
    measured, document = audit.measurement, document_of(DELIVERIES, delivery_result(audit))
    measures = "n_persons smallest_known_class smallest_table_class alone_share all_columns_found_share"
    findings = [each for each in document["findings"] if each["check"] in _OF_DELIVERIES]
    return {
        **{key: document.get(key) for key in ("released_tables", "keys", "known", "records_alone")},
        **{measure: figures_of(document, measure) for measure in measures.split()},
        "unchosen": [str(place) for place in measured.unchosen],
        "tables": [(each.repeats, each.n_nobody) for each in measured.tables],
        "links": [(each.one_is_unique, each.other_is_unique) for each in measured.links],
        "one_values": [{**vars(each), "place": str(each.place)} for each in measured.one_values],
        "sensitive": [
            (str(each.place), each.by_record, each.found and (dict(each.found.figures), each.found.n_missing))
            for each in measured.sensitive
        ],
        "cut": [each.n_cut for each in (*measured.known, *measured.records_alone)],
        "findings": _by_check(findings),
    }


_OF_DELIVERIES = frozenset(
    """joined_k alone_with_all_records unchosen_columns table_k few_in_table in_one_table_only
    records_of_nobody missing_persons many_to_many orphan_keys not_joined no_key one_value_of_class
    all_in_table sensitive distinct_l folded_distinct_l entropy_l folded_entropy_l t folded_t alpha
    folded_alpha basic_beta folded_basic_beta delta_ln folded_delta_ln""".split()
)


def _placed(written: str, tables: Mapping[str, pa.Table], names: Sequence[str]) -> str:
    for own, name in zip(tables, names, strict=True):
        written = re.sub(rf"\b{own}\.", f"{name}.", written)
    return written


_MEASURED_THERE = frozenset(
    """k average_risk sensitive distinct_l folded_distinct_l entropy_l folded_entropy_l t folded_t alpha
    folded_alpha basic_beta folded_basic_beta delta_ln folded_delta_ln dominant_value skewed_value
    alike_in_class missing_sensitive_values fully_suppressed dropped_records unknown_persons constant_columns
    missing_quasi_identifiers no_sensitive_attribute related_sensitive ambiguous_numbers""".split()
)


def _by_check(findings: list[dict[str, Any]]) -> dict[str, Any]:
    told = ("verdict", "n_affected", "message")
    return {f"{each['check']} {each['column']}": [each[key] for key in told] for each in findings}


def differing(one: Any, other: Any, where: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differing(one.get(key), other.get(key), f"{where}/{key}")
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        for position, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differing(left, right, f"{where}/{position}")
    elif isinstance(one, float) and isinstance(other, (int, float)):
        yield from (
            [] if math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) else [f"{where}: {one} and {other}"]
        )
    elif one != other:
        yield f"{where}: {one} and {other}"
