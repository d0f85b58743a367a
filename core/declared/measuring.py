"""A delivery held against its originals: tables and records paired, each rule looked at."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, IntArray
from core.comparing.names import folded_name
from core.declared.columns import (
    emptied_lines,
    gone_by,
    grouped_lines,
    kept_lines,
    refers_lines,
    removed_columns,
    removed_lines,
    row_lines,
)
from core.declared.lines import Case, Line
from core.declared.lists import IdMap, Shifts, as_texts, read_mapping, read_shifts
from core.declared.pairing import (
    Images,
    Pair,
    Sheet,
    images_by_bags,
    pair_records,
    pair_tables,
    persons_of,
    sheets,
)
from core.declared.proposing import implied_columns, proposed_file, proposed_rules
from core.declared.replaced import replaced_lines
from core.declared.returned import returned_lines
from core.declared.rules import Rule, Rules, matches, read_rules
from core.declared.shifted import n_near_dates, shifted_lines
from core.errors import AuditInputError, refuse
from core.people.roles.vocabulary import name_tokens
from core.processes.jobs import Threads
from core.tables import Dataset
from core.verdict import Verdict
from core.words import Text, listed, text

_OF_PERSONS = frozenset(
    ("person", "patient", "subject", "participant", "client", "member", "환자", "pacient")
)
FEWEST_NEAR = 5  # persons among whom a date has to hide
_LOOKED_AT = 1_000  # values that show whether a mapping has any of a column
_ENOUGH = 0.5  # share of a mapping's originals in a column, from which it is the one of persons


@dataclass(frozen=True, kw_only=True, eq=False)
class Declared:
    """What a delivery says beside its originals.

    Attributes
    ----------
    lines
        What is said of each rule and table.
    is_proposed
        Whether the rules were proposed from what is seen.
    rule_file
        The rules as a file, with the exceptions in it.
    near
        Of each column, TABLE.COL, whose dates are shifted as a rule file declares: among how many persons who
        knows a date finds its person, see :func:`core.declared.shifted.n_near_dates`.
    """

    lines: tuple[Line, ...]
    is_proposed: bool
    rule_file: bytes
    near: Mapping[str, int] = field(default_factory=dict)

    @property
    def shifted(self) -> tuple[str, ...]:
        """Return the columns whose dates hide a person among enough others to be known by intervals alone."""
        return tuple(place for place, n_near in self.near.items() if n_near >= FEWEST_NEAR)


@dataclass(frozen=True, kw_only=True, eq=False)
class Originals:
    """What a delivery was made of, and what its makers say was done."""

    tables: Mapping[str, Dataset] = field(default_factory=dict)
    mapping: IdMap | None = None
    shifts: Shifts | None = None
    rules: Rules | None = None
    files: Mapping[str, str] = field(default_factory=dict)  # names of mapping, shifts and rules, for problems
    given: Mapping[str, Dataset] = field(
        default_factory=dict
    )  # mapping and shifts as the tables they came in
    rule_file: bytes = b""


def read_originals(
    tables: Mapping[str, Dataset],
    *,
    mapping: Dataset | None = None,
    shifts: Dataset | None = None,
    rules: tuple[str, bytes] | None = None,
) -> Originals:
    """Read what a delivery was made of; `rules` is a rule file's name and what it holds.

    AuditInputError: all that is wrong with mapping, shifts and rules, at once.
    """
    problems: list[str] = []
    given = {name: table for name, table in (("mapping", mapping), ("shifts", shifts)) if table is not None}
    read: dict[str, Any] = {}
    asked: dict[str, Callable[[], object]] = {}
    if not tables and (given or rules is not None):
        problems.append(text("Mapping, shifts and rules need the originals that they are about."))
    if mapping is not None:
        asked["mapping"] = partial(read_mapping, mapping)
    if shifts is not None:
        asked["shifts"] = partial(read_shifts, shifts)
    if rules is not None:
        asked["rules"] = partial(read_rules, rules[1], name=rules[0])
    for name, reads in asked.items():
        try:
            read[name] = reads()
        except AuditInputError as error:
            problems += error.problems
    refuse(problems)
    files = {name: table.name for name, table in given.items()} | ({"rules": rules[0]} if rules else {})
    return Originals(tables=tables, files=files, given=given, rule_file=rules[1] if rules else b"", **read)


def measure_declared(
    released: Mapping[str, Dataset], given: Originals, *, files: Sequence[str] = ()
) -> Declared:
    """Hold a delivery against its originals.

    Parameters
    ----------
    released
        Tables by name, as a rule file names them.
    given
        The originals, mapping, shifts and rules. Without rules, these are proposed from what is seen.
    files
        The names of the released files.

    Raises
    ------
    AuditInputError
        A rule names no column, or the shifts lack persons; all problems at once.
    """
    pairs = pair_tables(sheets(released), sheets(given.tables))
    with Threads() as threads:  # which code the columns side by side
        deque(
            threads.map(
                lambda each: each[0].joint(each[1]), [(each, one) for each in pairs for one in each.columns]
            ),
            0,
        )
    paired = [each.released.name for each in pairs]
    alone = [each for each in sheets(released) if each.name not in paired]
    known = [each.original.name for each in pairs]
    left = [each for each in sheets(given.tables) if each.name not in known]
    identifiers = _with_persons(pairs, left, given)
    shifts = _given_shifts(identifiers, given) if given.shifts is not None else None
    refuse([*_unknown_columns(given, pairs, [*alone, *left]), *_lacking(shifts, given)])
    gone = _gone(given.rules or Rules(rules=()), pairs)
    _with_records(pairs, given, gone)
    rules = proposed_rules(pairs) if given.rules is None else given.rules
    case = Case(
        rules=rules,
        pairs=pairs,
        alone=alone,
        unreleased=left,
        identifiers=identifiers,
        files=files,
        mapping=given.mapping,
        given=shifts,
        gone=gone,
    )
    lines = tuple(_as_sure_as_pairs(case, _lines(case)))
    return Declared(
        lines=lines,
        is_proposed=given.rules is None,
        rule_file=proposed_file(rules, lines),
        near={} if given.rules is None else dict(_shifted(case, lines)),
    )


def _with_persons(pairs: Sequence[Pair], left: Sequence[Sheet], given: Originals) -> pa.Array:
    """Say whose each original record is; return the persons' identifiers."""
    places = _person_places(pairs, left, given)
    owners = persons_of([*(each.original for each in pairs), *left], places)
    for pair in pairs:
        nobody = np.full(pair.original.n_records, -1)
        pair.person = owners[pair.original.name][0] if pair.original.name in owners else nobody
        own = places.get(pair.original.name)
        pair.own = next((mine for mine, theirs in pair.columns.items() if theirs == own), None)
    return next((ids for _, ids in owners.values()), pa.array([], pa.large_string()))


def _with_records(pairs: Sequence[Pair], given: Originals, gone: Mapping[str, IntArray]) -> None:
    """Find the records that are the same, those of tables with the persons' own column first."""
    images = _images(pairs, given)
    for pair in sorted(pairs, key=lambda each: each.own is None):
        pair_records(pair, images, gone=gone[pair.name])
        _learn(pair, images)


def _shifted(case: Case, lines: Sequence[Line]) -> Iterator[tuple[str, int]]:
    """Yield the columns all of whose dates are surely shifted as declared, and how many persons are near.

    Where rules speak of some records alone, all are spoken of by rules of shifts that hold.
    """
    near: dict[str, int] = {}
    left: dict[str, BoolArray] = {}
    paired = {each.of for each in lines if each.kind == "rows" and each.verdict is Verdict.PASS}
    for rule in case.rules.of("shifted"):
        whole = [each for each in lines if each.kind == "shifted" and each.line == rule.line]
        if any(each.verdict is Verdict.FAIL for each in whole):
            continue
        columns = case.columns(rule)
        shifts = case.shifts(rule, [(pair, column) for pair, column in columns if pair.are_dates(column)])
        for pair, column in columns:
            place, is_whole = f"{pair.name}.{column}", pair.name in paired and pair.are_dates(column)
            own = [each.verdict for each in whole if each.of == place]
            if is_whole and own and set(own) == {Verdict.PASS}:
                asked = case.spoken_of(rule, pair, column)
                left[place] = left.get(place, pair.cells(column)[0] >= 0) & ~asked
                near[place] = min(near.get(place, len(asked)), n_near_dates(pair, column, shifts, asked))
    yield from ((place, n_near) for place, n_near in near.items() if not left[place].any())


# --- what pairs records


def _person_places(pairs: Sequence[Pair], left: Sequence[Sheet], given: Originals) -> dict[str, str]:
    """Return the column of persons of each original that has one, by the original's name.

    It is declared, or has the mapping's originals, or is named so; in other tables it is the one of the same
    name, or that the rules replace alike or refer to it, or that the mapping has.
    """
    tables = [(each.name, each.original) for each in pairs] + [(each.name, each) for each in left]
    root = _person_column(tables, given)
    if root is None:
        return {}
    rules = () if given.rules is None else given.rules.of("replaced", "refers")
    alike = [
        each for each in rules if each.names(*root) or (each.kind == "refers" and matches(each.to, *root))
    ]

    def is_alike(name: str, column: str) -> bool:
        return folded_name(column) == folded_name(root[1]) or any(each.names(name, column) for each in alike)

    found: dict[str, str] = {}
    for name, sheet in tables:
        columns = [one for one in sheet.columns if is_alike(name, one)]
        if not columns and given.mapping is not None:
            columns = [one for one in sheet.columns if _mapped(sheet, one, given.mapping) >= _ENOUGH]
        if columns:
            found[sheet.name] = next((each for each in columns if (name, each) == root), columns[0])
    return found


def _person_column(tables: Sequence[tuple[str, Sheet]], given: Originals) -> tuple[str, str] | None:
    """Return the table and column that name persons."""
    places = [(name, sheet, column) for name, sheet in tables for column in sheet.columns]
    if given.rules is not None and given.rules.person:
        declared = [(name, column) for name, _, column in places if matches(given.rules.person, name, column)]
        return next(iter(declared), None)
    if given.mapping is not None:
        share = {(name, column): _mapped(sheet, column, given.mapping) for name, sheet, column in places}
        best = max(share, key=lambda each: share[each], default=None)
        return best if best is not None and share[best] >= _ENOUGH else None
    n_of: dict[str, int] = {}
    for _, _, column in places:
        n_of[column] = n_of.get(column, 0) + 1
    keys = [(name, column) for name, sheet, column in places if _is_key(column, [(name, sheet)])]
    named = [each for each in keys if {*name_tokens(each[1])} & _OF_PERSONS]
    shared = [each for each in keys if n_of[each[1]] > 1]
    return max(named or shared, key=lambda each: n_of[each[1]], default=None)


def _mapped(sheet: Sheet, column: str, mapping: IdMap) -> float:
    """Return the share of a column's distinct values that are originals of the mapping."""
    values = as_texts(sheet[column].values)
    if not len(values):
        return 0.0
    some = values[:: max(len(values) // _LOOKED_AT, 1)]  # of other columns hardly any is
    known = mapping.originals.filter(pc.is_in(mapping.originals, value_set=some))
    share = float(np.mean(pc.is_in(some, value_set=known).to_numpy(False)))
    if len(some) == len(values) or share < _ENOUGH / 2:
        return share
    return float(np.mean(pc.is_in(values, value_set=mapping.originals).to_numpy(False)))


def _is_key(column: str, tables: Sequence[tuple[str, Sheet]]) -> bool:
    """Return whether a column names each record of some table once."""
    return any(
        column in sheet.columns and 1 < sheet[column].n_distinct == sheet.n_records for _, sheet in tables
    )


def _images(pairs: Sequence[Pair], given: Originals) -> Images:
    """Return what stands for identifiers: by the mapping, else by what the tables share."""
    images = Images()
    _know_codes(pairs, given, images)
    owned = [each for each in pairs if each.own is not None]
    if given.mapping is not None:
        images.is_whole = True
        for pair in pairs:
            for mine, theirs in pair.columns.items():
                if mine == pair.own or _mapped(pair.original, theirs, given.mapping) >= _ENOUGH:
                    images.know(theirs, given.mapping.originals, given.mapping.pseudonyms)
    elif owned and not any(_same_persons(each) for each in owned):
        known = images_by_bags(owned)
        for pair in owned:
            images.know(pair.columns[str(pair.own)], *known)
    return images


def _know_codes(pairs: Sequence[Pair], given: Originals, images: Images) -> None:
    """Remember the groups of codes that rules declare; other codes stand for themselves."""
    rules = (
        []
        if given.rules is None
        else [each for each in given.rules.of("grouped") if each.codes and not each.where]
    )
    for rule, pair in product(rules, pairs):
        to = dict(rule.codes)
        for mine, theirs in pair.columns.items():
            if rule.names(pair.name, mine):
                values = pair.original[theirs].values.to_pylist()
                groups = [to.get(each, each) for each in values]
                images.know(theirs, pa.array(values, pa.large_string()), pa.array(groups, pa.large_string()))


def _same_persons(pair: Pair) -> bool:
    if pair.own is None:
        return False
    own = pair.own
    mine, theirs = (as_texts(each.values) for each in (pair.released[own], pair.original[pair.columns[own]]))
    return bool(len(mine)) and float(np.mean(pc.is_in(mine, value_set=theirs).to_numpy(False))) >= _ENOUGH


def _learn(pair: Pair, images: Images) -> None:
    """Remember what stands for the values of columns that number records, by the records that are paired."""
    for mine, theirs in pair.columns.items():
        if images.of(theirs) is not None or not len(pair.mine):
            continue
        original = pair.original[theirs]
        if original.n_distinct != original.n_records or not pair.changed(mine).any():
            continue
        ours, others = pair.cells(mine)
        values, *_ = pair.joint(mine)
        filled = (ours >= 0) & (others >= 0) & ~np.isin(pair.mine, pair.unsure)
        images.know(theirs, values.take(pa.array(others[filled])), values.take(pa.array(ours[filled])))


def _gone(rules: Rules, pairs: Sequence[Pair]) -> dict[str, IntArray]:
    found: dict[str, list[IntArray]] = {each.name: [np.zeros(0, dtype=np.int64)] for each in pairs}
    for rule in rules.of("removed"):
        for pair, column in removed_columns(rule, pairs):
            found[pair.name].append(gone_by(rule, pair, column))
    for rule in rules.of("refers"):  # a record goes with what it refers to
        for pair in pairs:
            for column in pair.original.columns:
                called = pair.called(column)
                is_it = any(matches(rule.to, pair.name, one) for one in called)
                if not is_it and any(rule.names(pair.name, one) for one in called):
                    found[pair.name].append(_gone_with(rule, pair, column, pairs, found))
    return {name: np.unique(np.concatenate(each)) for name, each in found.items()}


def _gone_with(
    rule: Rule, pair: Pair, column: str, pairs: Sequence[Pair], gone: Mapping[str, Sequence[IntArray]]
) -> IntArray:
    """Return the original records that refer to nothing but what rules take away."""
    there: dict[bool, list[pa.Array]] = {side: [pa.array([], pa.large_string())] for side in (False, True)}
    for each in pairs:
        stays = np.ones(each.original.n_records, dtype=bool)
        stays[np.concatenate(gone[each.name])] = False
        for other in each.original.columns:
            if any(matches(rule.to, each.name, one) for one in each.called(other)):
                cells = each.original[other]
                for side, values in there.items():
                    used = np.unique(cells.codes[(stays == side) & (cells.codes >= 0)])
                    values.append(as_texts(cells.values.take(pa.array(used))))
    cells = pair.original[column]
    is_gone, is_there = (
        pc.is_in(as_texts(cells.values), value_set=pa.concat_arrays(there[side])).to_numpy(False)
        for side in (False, True)
    )
    return np.flatnonzero(cells.in_records(is_gone & ~is_there))


# --- shifts that were given


def _given_shifts(identifiers: pa.Array, given: Originals) -> FloatArray:
    """Return shape (n_persons,): the days given for each person of the originals, NaN for none."""
    assert given.shifts is not None  # noqa: S101 - for the type checker
    names = as_texts(identifiers)
    at = pc.index_in(names, value_set=as_texts(given.shifts.persons))
    if given.mapping is not None and not at.is_valid().to_numpy(False).any():
        image = pc.index_in(names, value_set=given.mapping.originals)
        at = pc.index_in(given.mapping.pseudonyms.take(image), value_set=as_texts(given.shifts.persons))
    return np.append(given.shifts.days, np.nan)[at.fill_null(-1).to_numpy()]


def _lacking(shifts: FloatArray | None, given: Originals) -> Iterator[Text]:
    if shifts is not None and np.isnan(shifts).any():
        yield text(
            "{file} lacks persons of the originals: {found}.",
            found=int(np.isnan(shifts).sum()),
            file=given.files.get("shifts", "shifts"),
        )


def _unknown_columns(given: Originals, pairs: Sequence[Pair], others: Sequence[Sheet]) -> Iterator[Text]:
    """Yield the columns that rules name and that are in no table."""
    if given.rules is None:
        return
    places = [
        *(
            (each.name, column)
            for each in pairs
            for column in {*each.released.columns, *each.original.columns}
        ),
        *((each.name, column) for each in others for column in each.columns),
    ]
    written = [(one, each.line) for each in given.rules.rules for one in each.columns]
    written += [(f"*.{one}", each.line) for each in given.rules.rules for one, _ in each.where]
    written += [(each.to, each.line) for each in given.rules.of("refers")]
    written += [(given.rules.person, 1)] if given.rules.person else []
    for one, line in written:
        if not any(matches(one, *place) for place in places):
            yield text(
                "{file}, line {line}: no column is named {column}.",
                file=given.files.get("rules", "rules"),
                line=line,
                column=f"`{one[:100]}`",
            )


# --- lines


_OF_KIND: Mapping[str, Callable[[Case, Rule], Iterator[Line]]] = {
    "replaced": replaced_lines,
    "emptied": emptied_lines,
    "grouped": grouped_lines,
    "kept": kept_lines,
    "removed": removed_lines,
    "refers": refers_lines,
}


def _lines(case: Case) -> Iterator[Line]:
    yield from row_lines(case)
    yield from _table_lines(case)
    implied = [*implied_columns(case)]
    first = min(case.rules.of("shifted"), key=lambda each: bool(each.where), default=None)
    for rule in sorted(case.rules.rules, key=lambda each: each.kind != "shifted"):
        if rule.kind == "shifted":
            lines = [*shifted_lines(case, rule, implied if rule is first else ())]
        else:
            lines = [*_OF_KIND[rule.kind](case, rule)]
        if rule.kind in ("replaced", "shifted", "grouped", "kept"):
            lines += _absent(case, rule)
        if rule.kind in ("replaced", "emptied", "grouped") and not rule.to:
            lines += returned_lines(case, rule)
        yield from lines or [_of_nothing(case, rule)]
    yield from _undeclared(case, implied)


def _as_sure_as_pairs(case: Case, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines; what fails by records that no mapping pairs, nor their place, is not assessed."""
    unsure = [] if case.mapping is not None else [each for each in case.pairs if each.way == "key"]
    unsure = [each for each in unsure if not _same_persons(each)]
    for line in lines:
        of_one = [each for each in case.pairs if line.of.startswith((f"{each.name}.", each.name))]
        is_unsure = bool(unsure) and (not of_one or any(each in unsure for each in of_one))
        if is_unsure and line.verdict is Verdict.FAIL and line.kind not in ("emptied", "refers"):
            line = replace(line, verdict=Verdict.NOT_ASSESSED)  # noqa: PLW2901 - the same line, less sure
        yield line


def _of_nothing(case: Case, rule: Rule) -> Line:
    """Return the line of a rule without a column; what was not released is emptied and removed."""
    is_gone = rule.kind in ("emptied", "removed") and any(
        rule.names(sheet.name, column) for sheet in case.unreleased for column in sheet.columns
    )
    columns = listed(rule.columns, at_most=4)
    said = (
        text("The table of {columns} was not released.", columns=columns)
        if is_gone
        else text("No table beside its original has {columns}.", columns=columns)
    )
    verdict = Verdict.PASS if is_gone else Verdict.NOT_ASSESSED
    return Line(kind=rule.kind, of=", ".join(rule.columns), verdict=verdict, message=said, line=rule.line)


def _absent(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield the original columns that a rule is about and that were not released."""
    for pair in case.pairs:
        for column in sorted({*pair.original.columns} - {*pair.columns.values()}):
            if rule.names(pair.name, column) and column not in pair.released.columns:
                place = f"{pair.name}.{column}"
                said = text("{column} is not there any more.", column=f"`{place}`")
                yield Line(
                    kind=rule.kind, of=place, verdict=Verdict.NOT_ASSESSED, message=said, line=rule.line
                )


def _table_lines(case: Case) -> Iterator[Line]:
    for sheet in case.alone:
        yield Line(
            kind="tables",
            of=sheet.name,
            verdict=Verdict.NOT_ASSESSED,
            message=text("{table} has no original that it could be held against.", table=f"`{sheet.name}`"),
            n_looked_at=sheet.n_records,
        )


def _is_left_by_where(case: Case, pair: Pair, column: str) -> bool:
    """Return whether rules speak of some records of a column alone, and others are not as they were."""
    rules = [each for each in case.rules.rules if each.kind != "removed" and each.names(pair.name, column)]
    if not rules or any(not each.where for each in rules):
        return False
    return bool((pair.changed(column) & ~case.named_by_where(pair, column)).any())


def _undeclared(case: Case, implied: Sequence[tuple[Pair, str]]) -> Iterator[Line]:
    """Yield one line for each table whose columns are not as they were and are spoken of by no rule."""
    for pair in case.pairs:
        columns = [
            column
            for each, column in implied
            if each is pair and not pair.are_dates(column) and pair.changed(column).any()
        ]
        columns += [column for column in pair.columns if _is_left_by_where(case, pair, column)]
        new = [
            each
            for each in pair.released.columns
            if each not in pair.columns
            and not any(rule.names(pair.name, each) for rule in case.rules.of("emptied"))
        ]
        for names, message in (
            (columns, "No rule says what was done to {columns}."),
            (new, "{columns} are in no original."),
        ):
            if names:
                yield Line(
                    kind="undeclared",
                    of=pair.name,
                    verdict=Verdict.NOT_ASSESSED,
                    message=text(message, columns=listed([f"{pair.name}.{one}" for one in names])),
                    n_looked_at=pair.released.n_records,
                )
