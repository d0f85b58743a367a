"""What leaves the house: the exported files, and k counted again from their bytes."""

import hashlib
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from core.coding import BoolArray, IntArray, combined_codes, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents
from core.events.settings import REMOVE_USERS, ReleaseOptions
from core.events.stages import exported_labels, first_positions
from core.events.traces import pseudonym_codes
from core.files.plain_text import ReproducibleZip
from core.people.pseudonyms import TokenSource, new_pseudonyms

NOT_FOR_SHARING = "not_for_sharing"
FILES_NOT_ALWAYS_WRITTEN = tuple(
    f"{NOT_FOR_SHARING}/{name}" for name in ("user_removal_report_counts.csv", "user_mapping.csv")
)

_ABOUT = {
    "anonymized_events.csv": "The export: pseudonym and contributing columns.",
    "event_removal_report.csv": "Users per combination before and after removal, fewer than k masked. It "
    "tells of removed users and is not for sharing.",
    "user_removal_report_counts.csv": "Events of each removed user, under pseudonyms. Not for sharing.",
    "user_mapping.csv": "Users and their pseudonyms. Whoever has it undoes the pseudonyms.",
}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NOT_AS_IT_IS = r'^[=+\-@\t\r]|[,"\r\n]'


@dataclass(frozen=True, kw_only=True)
class Verification:
    """k as counted from the bytes of the exported file."""

    n_events: int  # Records, distinct users, and distinct combinations of the contributing columns
    n_users: int
    n_combinations: int
    smallest: int | None  # distinct users of the smallest combination; None without records
    k_reached: bool  # whether there is a record, and every combination has at least k users


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """The files of one export."""

    options: ReleaseOptions  # how users appear in it
    events_csv: bytes = field(repr=False)  # ``anonymized_events.csv``: user and contributing columns
    # ``event_removal_report.csv``: users per combination before and after removal
    removal_report_csv: bytes = field(repr=False)
    # ``user_removal_report_counts.csv``, where users were removed
    user_removal_csv: bytes | None = field(repr=False)
    # makes :attr:`user_mapping_csv`, when it is asked for
    write_user_mapping: Callable[[], bytes] = field(repr=False)
    verification: Verification  # k, counted again from `events_csv`

    @cached_property
    def user_mapping_csv(self) -> bytes:
        """Return original identifiers and their pseudonyms: whoever has it undoes the pseudonymization."""
        return self.write_user_mapping()


def release_events(
    anonymized: AnonymizedEvents, options: ReleaseOptions, token_source: TokenSource
) -> Release:
    """Pseudonymize users, write the files, and count k again from the written bytes.

    Records are sorted by what they say, then by pseudonym: the order of the file would tell in
    which week a flattened event was.
    """
    log = anonymized.measured.log
    kept = np.flatnonzero(anonymized.event_is_kept)
    name_of_user = log.users if options.keep_user_ids else new_pseudonyms(len(log.users), token_source)
    codes = pseudonym_codes(anonymized, options.pseudonym_per)[kept]
    users = anonymized.user_of_event[kept]
    if options.pseudonym_per == "user":
        names, name_of_event, user_of_name = name_of_user, users, np.arange(len(name_of_user))
    else:
        name_of_event = value_codes(codes)
        user_of_name = np.empty(int(name_of_event.max(initial=-1)) + 1, dtype=np.int64)
        user_of_name[name_of_event] = users
        names = new_pseudonyms(len(user_of_name), token_source)
    events_csv = _events_csv(anonymized, kept, name_of_event, names)
    return Release(
        options=options,
        events_csv=events_csv,
        removal_report_csv=_removal_report_csv(anonymized),
        user_removal_csv=_user_removal_csv(anonymized, name_of_user),
        write_user_mapping=partial(_user_mapping_csv, anonymized, names, user_of_name, name_of_user),
        verification=verify_release(
            events_csv,
            k=anonymized.rule.k,
            n_columns=len(anonymized.stages.columns),
            user_of_name=None
            if options.pseudonym_per == "user"
            else dict(zip(names, user_of_name.tolist(), strict=True)),
        ),
    )


def release_files(release: Release, *, with_user_mapping: bool) -> dict[str, bytes]:
    """Return the files of an export by name; the user mapping only when asked for.

    All but the export itself are in a folder of their own, because they are not for sharing.
    """
    files = {"event_removal_report.csv": release.removal_report_csv}
    if release.user_removal_csv is not None:
        files["user_removal_report_counts.csv"] = release.user_removal_csv
    if with_user_mapping:
        files["user_mapping.csv"] = release.user_mapping_csv
    kept_back = {f"{NOT_FOR_SHARING}/{name}": data for name, data in files.items()}
    return {"anonymized_events.csv": release.events_csv, **kept_back}


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportFile:
    """A file of an export as a page offers it."""

    name: str  # its published name, without folder
    # the name with the first digits of the content's SHA-256: a browser or server that remembers files by
    # name cannot hand out another export's
    unique_name: str
    data: bytes = field(repr=False)  # the bytes
    about: str  # what is in it


def export_files(release: Release, *, with_user_mapping: bool) -> tuple[ExportFile, ...]:
    """Return the files of an export with what to say about each."""
    return tuple(
        ExportFile(
            name=name,
            unique_name=f"{name.removesuffix('.csv')}_{hashlib.sha256(data).hexdigest()[:8]}.csv",
            data=data,
            about=_ABOUT[name],
        )
        for path, data in release_files(release, with_user_mapping=with_user_mapping).items()
        for name in [path.rpartition("/")[2]]
    )


def release_zip(release: Release, *, with_user_mapping: bool) -> bytes:
    """Return the files of an export in one archive; the same files make the same bytes."""
    archive = io.BytesIO()
    with ReproducibleZip(archive, "w") as members:
        for name, data in release_files(release, with_user_mapping=with_user_mapping).items():
            members.writestr(name, data)
    return archive.getvalue()


def verify_release(
    events_csv: bytes, *, k: int, n_columns: int, user_of_name: dict[str, int] | None = None
) -> Verification:
    """Count users per combination in the bytes of an exported file."""
    names = [f"f{position}" for position in range(n_columns + 1)]
    table = csv.read_csv(
        pa.BufferReader(events_csv),
        read_options=csv.ReadOptions(autogenerate_column_names=True, skip_rows_after_names=1),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )
    user, *columns = (table[name] for name in names)
    users = value_codes(user) if user_of_name is None else _users_of(user, user_of_name)
    combination = combined_codes([value_codes(column) for column in columns], n_records=table.num_rows)
    combination = value_codes(combination)
    n_users = int(users.max(initial=-1)) + 1
    one_of_each_pair = first_positions(value_codes(combination * max(n_users, 1) + users))
    per_combination = np.bincount(combination[one_of_each_pair])
    smallest = int(per_combination.min()) if len(per_combination) else None
    return Verification(
        n_events=table.num_rows,
        n_users=n_users,
        n_combinations=len(per_combination),
        smallest=smallest,
        k_reached=smallest is not None and smallest >= k,
    )


def _users_of(names: pa.ChunkedArray, user_of_name: dict[str, int]) -> IntArray:
    encoded = pc.dictionary_encode(names).combine_chunks()
    users = np.array([user_of_name[name] for name in encoded.dictionary.to_pylist()], dtype=np.int64)
    return value_codes(users[encoded.indices.to_numpy(zero_copy_only=False)])


def csv_cell(text: str) -> str:
    """Return a cell of a comma-separated file that no spreadsheet runs as a formula."""
    if text.startswith(_FORMULA_STARTS):
        text = f"'{text}"
    if any(character in text for character in ',"\r\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text


def _csv_cells(texts: Sequence[str]) -> pa.Array:
    """Return :func:`csv_cell` of many texts, looking only at those that need it."""
    cells = pa.array(texts, pa.string())
    to_change = pc.match_substring_regex(cells, _NOT_AS_IT_IS).to_numpy(zero_copy_only=False)
    if not to_change.any():
        return cells
    changed = pa.array([csv_cell(texts[position]) for position in np.flatnonzero(to_change).tolist()])
    return pc.replace_with_mask(cells, pa.array(to_change), changed)


def _csv_lines(rows: Iterable[Sequence[str]]) -> bytes:
    return "".join(",".join(map(csv_cell, row)) + "\n" for row in rows).encode("utf-8-sig")


def _events_csv(
    anonymized: AnonymizedEvents, kept: IntArray, name_of_event: IntArray, names: tuple[str, ...]
) -> bytes:
    """Return the released events, sorted by combination and then by name."""
    stages = anonymized.stages
    header = _csv_lines([(anonymized.measured.log.settings.user_column, *stages.columns)])
    if not len(kept):
        return header
    groups = anonymized.group_of_event[kept]
    written = _csv_cells(names)
    rank_of_name = np.empty(len(names), dtype=np.int64)
    rank_of_name[pc.array_sort_indices(written).to_numpy()] = np.arange(len(names))
    order = np.lexsort((rank_of_name[name_of_event], stages.rank_of_group[groups]))
    combinations = _combination_cells(anonymized)
    lines = pc.binary_join_element_wise(
        written.take(pa.array(name_of_event[order])), combinations.take(pa.array(groups[order])), ","
    )
    return header + _text_of(pc.binary_join_element_wise(lines, "\n", "").cast(pa.large_string()))


def _text_of(lines: pa.Array) -> bytes:
    """Return all texts of an array, one after the other."""
    lines = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return data.slice(int(ends[0]), int(ends[-1] - ends[0])).to_pybytes()


def _labels(anonymized: AnonymizedEvents) -> list[Sequence[str]]:
    """Return the values of each contributing column as they are written."""
    stages, any_value = anonymized.stages, anonymized.measured.log.settings.any_value
    return [
        exported_labels(name, labels, any_value=any_value)
        for name, labels in zip(stages.columns, stages.labels, strict=True)
    ]


def _combination_cells(anonymized: AnonymizedEvents) -> pa.Array:
    """Return the contributing cells of each combination as they are written, commas between."""
    stages = anonymized.stages
    cells = [
        _csv_cells(labels).take(pa.array(stages.values_of_group[:, column]))
        for column, labels in enumerate(_labels(anonymized))
    ]
    return pc.binary_join_element_wise(*cells, ",") if len(cells) > 1 else cells[0]


def _removal_report_csv(anonymized: AnonymizedEvents) -> bytes:
    """Return users per combination before and after removal, with totals per first value."""
    # of a total with masked groups only what is certain is told: subtracting gives none away
    stages, reduced, labels = anonymized.stages, anonymized.reduced, _labels(anonymized)
    groups = np.flatnonzero(reduced.n_users_before > 0)
    groups = groups[np.argsort(stages.rank_of_group[groups])]
    user = anonymized.measured.log.settings.user_column
    rows: list[Sequence[str]] = [(*stages.columns, f"{user}_original", f"{user}_anonymized")]
    blank = [""] * (len(stages.columns) - 1)
    for first in dict.fromkeys(stages.values_of_group[groups, 0].tolist()):
        of_value = groups[stages.values_of_group[groups, 0] == first]
        for group in of_value:
            cells = [labels[n][value] for n, value in enumerate(stages.values_of_group[group])]
            rows.append([*cells, *_counts(anonymized, np.array([group]))])
        rows.append([labels[0][first], *blank, *_counts(anonymized, of_value)])
    note = f"Not for sharing: it tells of removed users. Groups of fewer than {reduced.k} are masked."
    return _csv_lines([*rows, [note, *blank, "", ""]])


def _counts(anonymized: AnonymizedEvents, groups: IntArray) -> list[str]:
    """Return users before and after removal; a masked group counts as at least one user in a total."""
    reduced = anonymized.reduced
    before = reduced.n_users_before[groups]
    masked = before < reduced.k
    n_before = str(int(np.where(masked, 1, before).sum()))
    if masked.any():
        n_before = f"<{reduced.k}" if len(groups) == 1 else f"at least {n_before}"
    return [n_before, str(int(reduced.n_users_after[groups].sum()))]


def shared_groups(codes: IntArray, parts: IntArray, users: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Put groups of events together of which fewer than k users have a part, and others until k have each.

    All by event: `codes` of groups from 0, `parts` of each group from 0, and whose it is. Together comes
    first what has such a part, then the smallest of the others, so that no difference of sums gives one away.

    Returns the codes, those put together as one more than the largest; and shape (n_groups + 1, n_parts),
    distinct users. Where even all together have a part of fewer than k users, it is theirs to mask.
    """
    n_groups, n_parts = int(codes.max(initial=-1)) + 1, int(parts.max(initial=-1)) + 1
    n_all = int(users.max(initial=-1)) + 1
    n_events = np.bincount(codes, minlength=n_groups)
    is_named = n_events > 0
    while True:
        now = np.where(is_named[codes], codes, n_groups)
        each = sorted_distinct((now * n_parts + parts) * n_all + users) // max(n_all, 1)
        n_users = np.bincount(each, minlength=(n_groups + 1) * n_parts).reshape(n_groups + 1, n_parts)
        few: BoolArray = np.any((n_users > 0) & (n_users < k), axis=1)
        if few[:-1].any():
            is_named &= ~few[:-1]
        elif few[-1] and is_named.any():
            is_named[np.flatnonzero(is_named)[np.argmin(n_events[is_named])]] = False
        else:
            return now, n_users


def removed_users(anonymized: AnonymizedEvents) -> BoolArray:
    """Return shape (n_users,): users with events after cleanup of whom none is released."""
    present = np.zeros(anonymized.stages.n_users, dtype=bool)
    present[anonymized.stages.user_of_unit] = True
    return present & ~anonymized.reduced.user_is_kept


def _user_removal_csv(anonymized: AnonymizedEvents, names: tuple[str, ...]) -> bytes | None:
    """Return the events after cleanup of each removed user, most first; None where none was removed."""
    users = np.flatnonzero(removed_users(anonymized))
    if anonymized.rule.strategy != REMOVE_USERS or not len(users):
        return None
    n_events = np.bincount(anonymized.user_of_event, minlength=len(names))
    ordered = sorted(users.tolist(), key=lambda user: (-n_events[user], names[user]))
    return _csv_lines([("User", "Event Count"), *((names[user], str(n_events[user])) for user in ordered)])


def _user_mapping_csv(
    anonymized: AnonymizedEvents,
    names: tuple[str, ...],
    user_of_name: IntArray,
    name_of_user: tuple[str, ...],
) -> bytes:
    """Return original identifiers and pseudonyms, sorted; every name that any file of the export has."""
    users = anonymized.measured.log.users
    pairs = {(users[user], name) for name, user in zip(names, user_of_name.tolist(), strict=True)}
    pairs |= {(users[user], name_of_user[user]) for user in np.flatnonzero(removed_users(anonymized))}
    return _csv_lines([(anonymized.measured.log.settings.user_column, "pseudonym"), *sorted(pairs)])
