"""What an export tells whoever has earlier exports of the log: who came or left between them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from core.coding import IntArray, combination_codes, sorted_distinct, value_codes
from core.errors import AuditInputError
from core.events.measuring import AnonymizedEvents
from core.events.release import Release
from core.events.settings import ANY
from core.events.stages import EXPORTED, PUBLISHED
from core.events.trace_risk import whole_trace_codes
from core.events.traces import build_traces
from core.releases import EarlierTable, Ledger, ReleasedTable, ReleasesMeasurement, Roles, measure_releases
from core.releases.counts import Groups, Moved, beside, count_classes, looked_up, overlap_of
from core.releases.measuring import (
    Compared,
    NotCompared,
    Relinked,
    common_roles,
    joint_values,
    no_table_for,
    table_for,
)
from core.releases.persons import Records, alike_in_both, are_same_people, surplus_of_persons
from core.tables import Dataset, read_dataset
from core.words import input_error, text

EXPORT = "anonymized_events.csv"


def exported_table(anonymized: AnonymizedEvents, release: Release) -> ReleasedTable:
    """Return the export, read back from its bytes, as releases are compared: pseudonyms as persons."""
    return ReleasedTable(
        name=EXPORT,
        dataset=_numbered(read_dataset(release.events_csv, name=EXPORT)),
        roles=Roles(
            quasi_identifiers=anonymized.stages.columns,
            person=anonymized.measured.log.settings.user_column,
        ),
    )


def _numbered(export: Dataset) -> Dataset:
    """Return an export with days and weeks as numbers, in whichever form it was written."""
    table = export.table
    for column, names in EXPORTED.items():
        if column in table.column_names:
            numbers = {name: number for number, name in names.items()} | {PUBLISHED: ANY}
            cells = table[column].combine_chunks().dictionary_encode()
            values = pa.array([numbers.get(each, each) for each in cells.dictionary.to_pylist()])
            place = table.column_names.index(column)
            table = table.set_column(place, column, values.cast(table[column].type).take(cells.indices))
    return replace(export, table=table)


def beside_earlier(
    anonymized: AnonymizedEvents, release: Release, earlier: Sequence[EarlierTable | Ledger]
) -> ReleasesMeasurement | None:
    """Hold an export against earlier ones; None where there are none, or nothing is exported.

    Where they have no pseudonyms in common, who has the same whole trace in both is taken for one; the others
    came or left. Of a ledger, which knows no traces, as many are told of as came to one combination.
    """
    if not earlier or not release.verification.n_events:
        return None
    table = exported_table(anonymized, release)
    compared: list[Compared] = []
    not_compared: list[NotCompared] = []
    for each in earlier:
        if isinstance(each, Ledger):
            found = measure_releases([table], [each])
            compared += [
                replace(one, came=_most_at_once(one.came), left=_most_at_once(one.left))
                for one in found.compared
            ]
            not_compared += found.not_compared
        elif table_for(each.dataset.name, each.dataset.columns, [table]) is None:
            not_compared.append(no_table_for(each.release))
        else:
            try:
                compared.append(_beside(table, _numbered(each.dataset), each.release))
            except AuditInputError as error:
                not_compared += [
                    NotCompared(release=each.release, reason=text(why)) for why in error.problems
                ]
    return ReleasesMeasurement(
        n_earlier=len(compared) + len(not_compared),
        compared=tuple(compared),
        not_compared=tuple(not_compared),
    )


def _most_at_once(moved: Moved) -> Moved:
    """Return the fewest users that explain what moved: as many as moved in one combination."""
    order = np.argsort(-moved.groups.n, kind="stable")
    size, within, n = (each[order] for each in (moved.groups.size, moved.groups.within, moved.groups.n))
    groups = Groups(who=np.zeros_like(size), size=size, within=within, n=n)
    return Moved(n=int(n.max(initial=0)), groups=groups)


def _beside(table: ReleasedTable, earlier: Dataset, release: str) -> Compared:
    roles = common_roles(table, earlier.columns, release)
    if roles.person is None:
        raise input_error(
            "{release}: it has no column {column} with pseudonyms; it was not compared.",
            release=release,
            column=f"`{table.roles.person}`",
        )
    now, then = _coded(table.dataset, earlier, roles)
    traces = _traces_of_both(now, then)
    missing = [name for name in table.roles.quasi_identifiers if name not in roles.quasi_identifiers]
    found = replace(
        _by_traces(now, then, traces),
        table=table.name,
        release=release,
        roles=roles,
        missing_columns=tuple(missing),
    )
    if not are_same_people(now, then):
        return replace(found, has_fresh_pseudonyms=True, relinked=_found_again(found, traces))
    # a pseudonym links the rows of one export: both together tell more where each has k users of one trace
    alike = alike_in_both(
        *(
            Records(unit=each.units, classes=codes, written=codes, values={})
            for each, codes in zip((now, then), traces, strict=True)
        )
    )
    return replace(
        found,
        overlap=None,
        n_common=alike.n,
        came=surplus_of_persons(now, then),
        left=surplus_of_persons(then, now),
        alike=alike,
    )


def _by_traces(now: Records, then: Records, traces: tuple[IntArray, IntArray]) -> Compared:
    """Compare two exports by the whole traces of their users."""
    counts = tuple(count_classes(each.classes, {}, unit=each.unit) for each in (now, then))
    both = beside(*counts)
    return Compared(
        table="",
        release="",
        roles=Roles(quasi_identifiers=()),
        n_later=len(now.units),
        n_earlier=len(then.units),
        is_same=len(now.classes) == len(then.classes)
        and np.array_equal(*both.counts)
        and np.array_equal(np.sort(traces[0]), np.sort(traces[1])),
        found_share=both.n_found / max(counts[1].n, 1),
        overlap=overlap_of(both),
        came=_moved(now, then, traces),
        left=_moved(then, now, traces[::-1]),
    )


def _coded(later: Dataset, earlier: Dataset, roles: Roles) -> tuple[Records, Records]:
    """Return the rows of two exports with pseudonyms and combinations coded alike."""
    n = later.n_records, earlier.n_records

    def codes(name: str) -> tuple[IntArray, IntArray]:
        return joint_values([each.table[name] for each in (later, earlier)])

    columns = [np.concatenate(codes(name)) + 1 for name in roles.quasi_identifiers]
    classes = value_codes(combination_codes(columns, n_records=sum(n)))
    units = codes(str(roles.person))
    sides = zip(units, (classes[: n[0]], classes[n[0] :]), strict=True)
    one, other = (Records(unit=unit, classes=each, written=each, values={}) for unit, each in sides)
    return one, other


def _traces_of_both(now: Records, then: Records) -> tuple[IntArray, IntArray]:
    """Return for each of the users of both, in order, what set of combinations they have, coded alike.

    Of combinations that both exports have: a later one goes on in time.
    """
    n_now, n_then = len(now.units), len(then.units)
    user = [np.searchsorted(now.units, now.unit), n_now + np.searchsorted(then.units, then.unit)]
    common = [np.isin(now.classes, then.classes), np.isin(then.classes, now.classes)]
    users = np.concatenate([np.arange(n_now + n_then), user[0][common[0]], user[1][common[1]]])
    classes = np.concatenate([now.classes[common[0]], then.classes[common[1]]]) + 1
    everybody = np.zeros(n_now + n_then, dtype=np.int64)  # has one in common, who has no other
    codes = whole_trace_codes(build_traces(users, users, np.concatenate([everybody, classes])))
    return codes[:n_now], codes[n_now:]


def _moved(of: Records, than: Records, traces: tuple[IntArray, IntArray]) -> Moved:
    """Return the users whose whole trace one export has more often, by combinations that it has more of."""
    counts, others = (count_classes(each.classes, {}, unit=each.unit) for each in (of, than))
    more = counts.counts - looked_up(others.keys, others.counts, counts.keys)
    n_codes = int(max(codes.max(initial=-1) for codes in traces)) + 1
    mine, theirs = (np.bincount(codes, minlength=n_codes) for codes in traces)
    surplus = np.maximum(mine - theirs, 0)
    trace = traces[0][np.searchsorted(of.units, of.unit)]
    place = np.searchsorted(counts.keys, of.classes.astype(np.uint64))
    asked = (surplus[trace] > 0) & (more[place] > 0)
    pairs = sorted_distinct(trace[asked] * len(more) + place[asked])
    who, place = pairs // max(len(more), 1), pairs % max(len(more), 1)
    groups = Groups(who=who, size=more[place], within=counts.counts[place], n=surplus[who])
    return Moved(n=int(surplus.sum()), groups=groups)


def _found_again(found: Compared, traces: tuple[IntArray, IntArray]) -> Relinked:
    """Return the users whose whole trace is one user's in each export."""
    alone = [codes[np.bincount(codes)[codes] == 1] for codes in traces]
    return Relinked(
        columns=found.roles.quasi_identifiers,
        n=len(np.intersect1d(*alone)),
        n_persons=found.n_later,
        is_shown=found.overlap is not None and found.overlap.is_shown,
    )
