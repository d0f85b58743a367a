"""Rules as they seem: what was done to each column, with the exceptions, to be confirmed."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray
from core.declared.lines import EPSILON, Case, Line, at_person, moved_by
from core.declared.pairing import Pair, most_frequent
from core.declared.rules import Rule, Rules, read_rules, rules_toml
from core.declared.shifted import moved_in_texts
from core.values.cells import as_numbers
from core.verdict import Verdict
from core.words import say

_MOSTLY = 0.8  # share of records that have to agree with a rule
_FEW_VALUES = 0.05  # of the records, up to which values that became others may be groups


_OMOP = Path(__file__).parent / "omop.toml"
_OF_OMOP = ("person.person_id", "person.gender_concept_id")  # columns by which its tables are recognized


def proposed_rules(pairs: Sequence[Pair]) -> Rules:
    """Return what seems to have been done; columns that were treated alike stand in one rule.

    Of tables in the OMOP common data model also what is usual there, see ``omop.toml``.
    """
    usual = _usual(pairs)
    found: dict[Rule, list[str]] = {}
    for pair in pairs:
        for column in pair.columns:
            if any(each.kind == "emptied" and f"{pair.name}.{column}" in each.columns for each in usual):
                continue
            rule = _rule(pair, column, is_person=column == pair.own)
            if rule is not None:
                found.setdefault(rule, []).append(f"{pair.name}.{column}")
        gone = [each for each in pair.original.columns if each not in pair.columns.values()]
        for column in gone:
            found.setdefault(Rule(kind="emptied", columns=()), []).append(f"{pair.name}.{column}")
    rules = [*(replace(rule, columns=tuple(columns)) for rule, columns in _one_shift(found).items()), *usual]
    named = next((f"{each.name}.{each.columns[each.own]}" for each in _by_persons(pairs) if each.own), "")
    return Rules(rules=tuple(sorted(rules, key=lambda each: _ORDER.index(each.kind))), person=named)


def _usual(pairs: Sequence[Pair]) -> list[Rule]:
    """Return the rules of OMOP about columns that are there, none where the tables are not of that model."""
    places = [f"{pair.name}.{column}" for pair in pairs for column in pair.columns]
    if not {each.lower() for each in places}.issuperset(_OF_OMOP):
        return []
    rules = []
    for rule in read_rules(_OMOP.read_bytes(), name=_OMOP.name).rules:
        to = next((each for each in places if each.lower() == rule.to), "")
        columns = [each for each in places if rule.names(*each.lower().rsplit(".", 1)) and each != to]
        if columns and (to or not rule.to):
            rules.append(replace(rule, columns=tuple(columns), to=to, line=0))
    return rules


def _by_persons(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the tables, those in which each person has one record first."""
    return sorted(
        pairs, key=lambda each: each.own is None or each.original[each.columns[each.own]].counts.max() > 1
    )


def _one_shift(found: dict[Rule, list[str]]) -> dict[Rule, list[str]]:
    """Return rules with the columns of all that are shifted in one."""
    shifted = [each for each in found if each.kind == "shifted"]
    if len(shifted) < 2:
        return found
    one = Rule(
        kind="shifted",
        columns=(),
        whole_weeks=all(each.whole_weeks for each in shifted),
        one_for_all=all(each.one_for_all for each in shifted),
    )
    others = {rule: columns for rule, columns in found.items() if rule not in shifted}
    return {one: [column for each in shifted for column in found[each]], **others}


_ORDER = ("replaced", "shifted", "emptied", "grouped", "kept", "removed", "refers")


def _rule(pair: Pair, column: str, *, is_person: bool) -> Rule | None:
    """Return what seems to have been done to a column, without naming it; None where nothing can be told."""
    mine, theirs = pair.cells(column)
    filled = (mine >= 0) & (theirs >= 0)
    if (theirs >= 0).any() and not (pair.released[column].codes >= 0).any():
        return Rule(kind="emptied", columns=())
    if not filled.any():
        return Rule(kind="kept", columns=()) if len(mine) and not (theirs >= 0).any() else None
    is_changed = pair.changed(column)
    if is_person and is_changed.mean() > 1 - _MOSTLY:
        return Rule(kind="replaced", columns=())
    if _is_shifted(pair, column):
        return _shifted(pair, column)
    if is_changed.mean() <= 1 - _MOSTLY:
        return _grouped(pair, column, is_changed) or Rule(kind="kept", columns=())
    return _shifted_texts(pair, column) or _recoded(pair, column, filled)


def _shifted_texts(pair: Pair, column: str) -> Rule | None:
    rows, moved, _ = moved_in_texts(pair, column)
    if pair.are_dates(column) or not len(rows) or np.mean(np.abs(moved) > EPSILON) < _MOSTLY:
        return None
    return Rule(kind="shifted", columns=(), whole_weeks=_are_weeks(moved[~np.isnan(moved)]))


def _is_shifted(pair: Pair, column: str) -> bool:
    if not pair.are_dates(column):
        return False
    moved = moved_by(pair, column)
    known = ~np.isnan(moved)
    if known.mean() < _MOSTLY or np.mean(np.abs(moved[known]) > EPSILON) < 1 - _MOSTLY:
        return False
    expected = at_person(most_frequent(pair.persons, moved), pair.persons)
    return bool(np.mean(np.abs(moved[known] - expected[known]) <= EPSILON) >= _MOSTLY)


def _shifted(pair: Pair, column: str) -> Rule:
    moved = most_frequent(pair.persons, moved_by(pair, column))
    days = moved[~np.isnan(moved)]
    same = len(np.unique(days)) == 1 and len(days) > 1
    return Rule(kind="shifted", columns=(), whole_weeks=_are_weeks(days), one_for_all=same)


def _are_weeks(days: FloatArray) -> bool:
    """Return whether nearly all numbers of days are whole weeks: one in seven is by chance."""
    return bool(np.mean(np.abs(days / 7 - np.round(days / 7)) <= EPSILON) >= _MOSTLY)


def _grouped(pair: Pair, column: str, is_changed: BoolArray) -> Rule | None:
    """Return the largest numbers in one group, where these alone were changed."""
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    into = np.unique(mine[is_changed])
    if not is_changed.any() or len(into) != 1 or into[0] < 0:
        return None
    numbers = _numbers_of(values, theirs)
    if numbers is None:
        return None
    lowest, highest = numbers[theirs[is_changed]].min(), numbers[theirs[~is_changed & (theirs >= 0)]].max()
    if lowest <= highest:
        return None
    return Rule(kind="grouped", columns=(), above=float(highest), into=values[int(into[0])].as_py())


def _numbers_of(values: pa.Array, codes: IntArray) -> FloatArray | None:
    used = np.unique(codes[codes >= 0])
    found = as_numbers(values.take(pa.array(used)))
    if found is None:
        return None
    numbers = np.full(len(values) + 1, np.nan)
    numbers[used] = found
    return numbers


def _recoded(pair: Pair, column: str, filled: BoolArray) -> Rule | None:
    """Return groups or pseudonyms: each original value became one other value."""
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    distinct = np.unique(np.stack([theirs[filled], mine[filled]], axis=1), axis=0)
    if len(np.unique(distinct[:, 0])) != len(distinct):
        return None
    if pair.are_dates(column):
        texts = [values[int(each)].as_py() for each in np.unique(distinct[:, 1])[:1000]]
        if all(len(each) == 4 and each.isdecimal() for each in texts):
            return Rule(kind="grouped", columns=(), to="year")
        return None
    if len(np.unique(distinct[:, 1])) == len(distinct):
        return Rule(kind="replaced", columns=())
    if len(distinct) > max(_FEW_VALUES * len(mine), 30):
        return None
    names = values.to_pylist()
    codes = tuple((names[one], names[other]) for one, other in distinct.tolist())
    return Rule(kind="grouped", columns=(), codes=codes)


def proposed_file(rules: Rules, lines: Sequence[Line]) -> bytes:
    """Return the rules as a file, with the exceptions above each."""
    notes: dict[Rule, list[str]] = {}
    for rule in rules.rules:
        told = [each for each in lines if each.kind == rule.kind and each.verdict is not Verdict.PASS]
        notes[rule] = [say(each.message) for each in told if _is_of(each, rule)]
    return rules_toml(rules, notes=notes)


def _is_of(line: Line, rule: Rule) -> bool:
    return line.of in rule.columns or line.of == ", ".join(rule.columns)


def implied_columns(case: Case) -> Iterator[tuple[Pair, str]]:
    """Yield the columns that no rule speaks of; one of removal says nothing of the cells that stay."""
    for pair in case.pairs:
        for column in pair.columns:
            rules = (each for each in case.rules.rules if each.kind != "removed")
            if not any(rule.names(pair.name, column) for rule in rules):
                yield pair, column
