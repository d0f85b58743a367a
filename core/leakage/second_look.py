"""A second look past spelling and simple disguises, reported apart from the literal figures.

Cells are compared again after Unicode composition, case and white space are made one, numbers are read
whatever their decimal sign, thousands or unit, and dates whatever the order of their parts. A column of
numbers of which few are literally in the original is put on the original's scale by its ranks, which undoes
any shift, factor, unit, rounding or other increasing change. A column of words of which none is there is
recoded by how often its words occur, where the frequencies are exactly the original's. Columns in one table
only are paired where their values say that they are one.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray, some_rows
from core.comparing.positions import Texts, dates_of
from core.leakage.kept_together import KeptTogether, find_kept_together
from core.leakage.near_copies import NearCopies, find_near_copies
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import (
    RowLeakage,
    WholeRows,
    count_row_matches,
    expected_full_matches,
    find_whole_rows,
    n_unique_found,
)
from core.tables import Dataset
from core.values.cells import as_numbers, canonical_codes, shared_codes
from core.values.encoded_texts import decoded

_MOST_THERE = 0.9  # a column with this share of its cells literally in the original is left as it is
_NEARLY_ALL = 0.95
_MOST_UNPAIRED = 100
_MOST_COLUMNS = 4000
_ALIKE, _UNLIKE = 0.6, 0.1
_NEIGHBOURS = (-2, -1, 1, 2)
_MOST_RECODED = 200
_MOST_LOOKED_AT = 2000
_MOST_ROWS, _SAMPLED_ROWS = 200_000, 100_000
_NUMBER = r"^[^0-9+\-.,]{0,4}(?P<n>[+\-]?[0-9][0-9 .,']*|[+\-]?[.,][0-9]+)(?:[^0-9.,].{0,14})?$"
_HEXADECIMAL = "^[0-9A-Fa-f]{32,}$"
_TRIED = 20  # values of which each has to look encoded, before all are decoded
_MOST_DIGESTS = 300_000  # of different values


@dataclass(frozen=True, kw_only=True, eq=False)
class SecondLook:
    """The figures after spelling and disguises are undone."""

    # columns whose cells had to be read anew, put on the original's scale, or recoded
    respelled: tuple[str, ...]
    rescaled: tuple[str, ...]
    recoded: tuple[str, ...]
    renamed: Mapping[str, str]  # original columns, and the scrambled columns that were taken for them
    # the row rules, None where rows are not paired; rows that random order would leak fully
    rows: RowLeakage | None
    expected_full: float
    whole_rows: WholeRows  # what does not depend on the order of rows
    near_copies: NearCopies
    kept_together: KeptTogether | None
    n_columns: int  # columns looked at, drawn at random (seeded) where there are more than 4,000


def look_again(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    *,
    max_comparisons: int,
    holdout: Dataset | None = None,
) -> SecondLook | None:
    """Undo spelling and simple disguises and measure again."""
    pair = _sampled(pair, settings.seed)
    generator = np.random.default_rng((settings.seed, 4))
    columns = [columns[place] for place in some_rows(generator, len(columns), _MOST_COLUMNS)]
    renamed = _columns_of_other_names(pair, columns, holdout)
    pair = _with_own_names(pair, renamed)
    chosen = {*columns, *renamed}
    names = [name for name in pair.columns if name in chosen]
    made = {name: _plain(pair, name, holdout) for name in names}
    changed = {name: column for name, column in made.items() if column is not None}
    if not changed and not renamed:
        return None
    plain = _plain_pair(pair, changed)
    strangers = None if holdout is None else _replaced(holdout, {n: c.holdout for n, c in changed.items()})
    beside = None if strangers is None else _beside(pair, plain.original, strangers, names)
    whole_rows = find_whole_rows(plain, names, holdout=beside)
    if beside is None and whole_rows.excess > 0:
        whole_rows = _with_neighbours(whole_rows, plain, changed, names)
    return SecondLook(
        respelled=tuple(name for name, column in changed.items() if column.how == "respelled"),
        rescaled=tuple(name for name, column in changed.items() if column.how == "rescaled"),
        recoded=tuple(name for name, column in changed.items() if column.how == "recoded"),
        renamed=renamed,
        rows=None if pair.original_rows is None else count_row_matches(plain, tuple(names), settings),
        expected_full=expected_full_matches(plain, names),
        whole_rows=whole_rows,
        near_copies=find_near_copies(
            plain, names, settings, max_comparisons=max_comparisons, holdout=strangers
        ),
        kept_together=find_kept_together(plain, names, holdout=beside),
        n_columns=len(names),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _PlainColumn:
    """A column of all tables after spelling or disguise is undone."""

    how: str
    original: pa.Array
    scrambled: pa.Array
    holdout: pa.Array | None


def _sampled(pair: TablePair, seed: int) -> TablePair:
    """Return samples of very long tables, rows that belong together kept so."""
    if max(pair.original.n_records, pair.scrambled.n_records) <= _MOST_ROWS:
        return pair
    generator = np.random.default_rng((seed, 3))
    if pair.original_rows is None or pair.scrambled_rows is None:
        rows = [
            np.sort(generator.permutation(table.n_records)[:_SAMPLED_ROWS])
            for table in (pair.original, pair.scrambled)
        ]
    else:
        chosen = np.sort(generator.permutation(pair.n_pairs)[:_SAMPLED_ROWS])
        rows = [pair.original_rows[chosen], pair.scrambled_rows[chosen]]
    places = None if pair.original_rows is None else np.arange(len(rows[0]))
    return replace(
        pair,
        original=replace(pair.original, table=pair.original.table.take(rows[0])),
        scrambled=replace(pair.scrambled, table=pair.scrambled.table.take(rows[1])),
        original_rows=places,
        scrambled_rows=places,
    )


def _with_own_names(pair: TablePair, renamed: Mapping[str, str]) -> TablePair:
    """Return the pair with scrambled columns under the original's names; whose name is taken is left out."""
    if not renamed:
        return pair
    own = {other: name for name, other in renamed.items()}
    kept = [name for name in pair.scrambled.columns if name in own or name not in renamed]
    table = pair.scrambled.table.select(kept).rename_columns([own.get(name, name) for name in kept])
    there = {*pair.columns, *renamed} & set(table.column_names)
    return replace(
        pair,
        scrambled=replace(pair.scrambled, table=table),
        columns=tuple(name for name in pair.original.columns if name in there),
    )


def _with_neighbours(
    found: WholeRows, plain: TablePair, changed: Mapping[str, _PlainColumn], names: Sequence[str]
) -> WholeRows:
    """Add the rows found when numbers put on the original's scale are one or two of its values up or down.

    Whoever is on that scale has the original's values: strangers meet them more often than the original's
    own persons meet each other, but the neighbours' as often as their own.
    """
    rescaled = {name: column for name, column in changed.items() if column.how == "rescaled"}
    if not rescaled:
        return found
    moved = (
        _plain_pair(plain, {name: _moved(column, by) for name, column in rescaled.items()})
        for by in _NEIGHBOURS
    )
    n_neighbours = sum(n_unique_found(pair, names) for pair in moved)
    return replace(found, n_neighbours=n_neighbours, n_moves=len(_NEIGHBOURS))


def _moved(column: _PlainColumn, by: int) -> _PlainColumn:
    """Return a column on the original's scale with each number some values up; from the last ones down."""
    numbers, known = as_numbers(column.scrambled), as_numbers(column.original)
    ordered = np.empty(0) if known is None else np.unique(known[~np.isnan(known)])
    if numbers is None or not len(ordered):
        return column
    place = np.searchsorted(ordered, numbers) + by
    place = np.where((place < 0) | (place >= len(ordered)), place - 2 * by, place)
    numbers = np.where(np.isnan(numbers), np.nan, ordered[np.clip(place, 0, len(ordered) - 1)])
    return replace(column, scrambled=pa.array(numbers, from_pandas=True).cast(pa.string()))


def _plain_pair(pair: TablePair, changed: Mapping[str, _PlainColumn]) -> TablePair:
    """Return the pair with the changed columns."""
    return replace(
        pair,
        original=_replaced(pair.original, {name: column.original for name, column in changed.items()}),
        scrambled=_replaced(pair.scrambled, {name: column.scrambled for name, column in changed.items()}),
        notes=(),
    )


def _beside(pair: TablePair, original: Dataset, strangers: Dataset, names: Sequence[str]) -> TablePair:
    """Return the original beside the hold-out."""
    return replace(
        pair,
        original=original,
        scrambled=strangers,
        columns=tuple(names),
        original_rows=None,
        scrambled_rows=None,
    )


def _replaced(dataset: Dataset, columns: Mapping[str, pa.Array | None]) -> Dataset:
    """Return a dataset with other cells in some columns."""
    table = dataset.table
    made = []
    for field, own in zip(table.schema, table.columns, strict=True):
        cells = columns.get(field.name)
        made.append(own if cells is None else cells.cast(field.type))
    return replace(dataset, table=pa.table(made, schema=table.schema))


def _plain(pair: TablePair, name: str, holdout: Dataset | None) -> _PlainColumn | None:
    """Return a column after spelling or disguise is undone; None where nothing is gained by it."""
    original, scrambled = pair.original.table[name], pair.scrambled.table[name]
    before = _share_there(original, scrambled)
    if before >= _MOST_THERE:
        return None
    stranger = None if holdout is None else holdout.table[name]
    parts = [original, scrambled] + ([] if stranger is None else [stranger])
    turned = _turned_back(parts) if before < _UNLIKE else None
    return turned or _undone(parts, before)


def _turned_back(parts: Sequence[Texts]) -> _PlainColumn | None:
    """Return a column whose cells stood backwards, in Base64, or as digests that anybody can compute."""
    whole = [_whole_array(part) for part in parts]
    for turned in (*_turned(whole[1]), *_undigested(whole[0], whole[1])):
        if turned.null_count == whole[1].null_count and _share_there(whole[0], turned) >= _MOST_THERE:
            return _as_column("respelled", [whole[0], turned, *whole[2:]])
    return None


def _undone(parts: Sequence[Texts], before: float) -> _PlainColumn | None:
    """Return a column of other numbers, spelling or words; None where nothing is gained by it."""
    plain = [one for part in parts if (one := as_numbers(part)) is not None]
    if len(plain) == len(parts):  # of spelling, decimal commas alone can be undone
        read = [pa.array(one, from_pandas=True).cast(pa.string()) for one in plain]
        is_respelled = _share_there(read[0], read[1]) >= _MOST_THERE
        return _as_column("respelled", read) if is_respelled else _rescaled(plain, parts[0])
    texts = _respelled(parts)
    after = _share_there(texts[0], texts[1])
    if after >= _MOST_THERE:
        return _as_column("respelled", texts)
    numbers = [as_numbers(part) for part in texts]
    known = [part for part in numbers if part is not None]
    if len(known) == len(texts):
        return _rescaled(known, texts[0])
    recoded = None if after else _recoded(texts[0], texts[1])
    if recoded is not None:
        return _as_column("recoded", [texts[0], recoded, *texts[2:]])
    return _as_column("respelled", texts) if after > before else None


def _rescaled(numbers: Sequence[FloatArray], original: Texts) -> _PlainColumn:
    """Return a column of numbers, the others on the original's scale."""
    others = (_on_the_scale_of(numbers[0], part) for part in numbers[1:])
    return _as_column("rescaled", [_whole_array(original), *others])


def _whole_array(cells: Texts) -> pa.Array:
    return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells


def _turned(cells: pa.Array) -> Iterator[pa.Array]:
    """Yield cells backwards, and out of each encoding that some of them all look like."""
    yield pc.utf8_reverse(cells)
    encoded = pc.dictionary_encode(cells)
    values = encoded.dictionary.drop_null().to_pylist()
    ways = [set(decoded(each).values()) for each in values[:_TRIED]]
    shared = set.intersection(*ways) if ways else set()
    read = [{way: text for text, way in decoded(each).items()} for each in values] if shared else []
    for way in sorted(shared):
        texts = [found.get(way, each) for found, each in zip(read, values, strict=True)]
        yield pa.array(texts, cells.type).take(encoded.indices)


def _undigested(original: pa.Array, cells: pa.Array) -> Iterator[pa.Array]:
    """Yield the original's values in the place of their digests, where all cells look like such."""
    lengths = set(pc.utf8_length(cells.drop_null()).unique().to_pylist())
    if len(lengths) != 1 or not pc.all(pc.match_substring_regex(cells, _HEXADECIMAL)).as_py():
        return
    values = original.drop_null().unique().slice(0, _MOST_DIGESTS).to_pylist()
    for name in sorted(hashlib.algorithms_guaranteed):
        if {2 * hashlib.new(name, usedforsecurity=False).digest_size} == lengths:
            of = {
                hashlib.new(name, each.encode(), usedforsecurity=False).hexdigest(): each for each in values
            }
            yield pa.array([cell and of.get(cell.lower(), cell) for cell in cells.to_pylist()], cells.type)


def _as_column(how: str, parts: Sequence[pa.Array]) -> _PlainColumn:
    """Return the parts by table."""
    return _PlainColumn(
        how=how, original=parts[0], scrambled=parts[1], holdout=parts[2] if len(parts) > 2 else None
    )


def _share_there(original: Texts, scrambled: Texts) -> float:
    """Return the share of scrambled cells whose value the original has; 1 where there is no cell."""
    codes = shared_codes(original, scrambled, dates=True)
    n_there = int(codes.anonymized_counts.sum())
    return float(codes.anonymized_counts[codes.original_counts > 0].sum() / n_there) if n_there else 1.0


def _respelled(parts: Sequence[Texts]) -> list[pa.Array]:
    """Return the cells of a column with one spelling: dates or numbers where each table has hardly else."""
    folded = [_folded(part) for part in parts]
    dates = [_as_dates(_whole_array(part)) for part in parts]
    if all(part is not None for part in dates):
        return [part for part in dates if part is not None]
    numbers = [_as_plain_numbers(part) for part in folded]
    if all(part is not None for part in numbers):
        return [part for part in numbers if part is not None]
    return folded


def _folded(cells: Texts) -> pa.Array:
    """Return cells in one composition, case and white space."""
    text = pc.utf8_lower(pc.utf8_normalize(_whole_array(cells), form="NFKC"))
    return pc.utf8_trim_whitespace(pc.replace_substring_regex(text, r"\s+", " "))


def _as_dates(cells: pa.Array) -> pa.Array | None:
    """Return cells as year-month-day; None where hardly all are dates of one order."""
    found = dates_of(cells)
    if found is None:
        return None
    encoded, dates = found
    written = pa.array((dates.year * 10000 + dates.month * 100 + dates.day).astype(str), pa.large_string())
    return pc.if_else(pa.array(dates.day > 0), written, encoded.dictionary).take(encoded.indices)


def _as_plain_numbers(cells: pa.Array) -> pa.Array | None:
    """Return cells as numbers with a decimal point and no unit; None where hardly all are numbers."""
    found = pc.extract_regex(cells, _NUMBER)
    n_there = len(cells) - cells.null_count
    if not n_there or len(cells) - found.null_count < _NEARLY_ALL * n_there:
        return None
    number = pc.replace_substring_regex(pc.struct_field(found, "n"), "[ ']", "")
    number = _with_decimal_point(number)
    number = pc.replace_substring_regex(number, r"[.]$", "")
    return pc.if_else(pc.is_valid(found), number, cells)


def _with_decimal_point(numbers: pa.Array) -> pa.Array:
    """Return numbers with thousands marks gone; which of point and comma marks decimals is told by all."""
    comma = bool(pc.any(pc.match_substring_regex(numbers, r",[0-9]{1,2}$|,[0-9]{4,}$|\..*,")).as_py())
    if comma:
        return pc.replace_substring(pc.replace_substring(numbers, ".", ""), ",", ".")
    return pc.replace_substring(numbers, ",", "")


def _on_the_scale_of(original: FloatArray, numbers: FloatArray) -> pa.Array:
    """Return for each number the original's number of the same rank."""
    ordered, own = np.sort(original[~np.isnan(original)]), np.sort(numbers[~np.isnan(numbers)])
    if not len(ordered) or not len(own):
        return pa.array(numbers, from_pandas=True).cast(pa.string())
    rank = np.searchsorted(own, numbers, "left") / len(own) * len(ordered)
    place = np.clip(np.floor(rank + 1e-9).astype(np.int64), 0, len(ordered) - 1)
    mapped = np.where(np.isnan(numbers), np.nan, ordered[place])
    return pa.array(mapped, from_pandas=True).cast(pa.string())


def _recoded(original: pa.Array, scrambled: pa.Array) -> pa.Array | None:
    """Return words recoded by frequency; None where the frequencies are not exactly the original's."""
    counted = [pc.value_counts(part.drop_null()) for part in (original, scrambled)]
    orders = [np.argsort(pc.struct_field(part, "counts").to_numpy(), kind="stable") for part in counted]
    counts = [
        pc.struct_field(part, "counts").to_numpy()[order] for part, order in zip(counted, orders, strict=True)
    ]
    if len(counts[0]) != len(counts[1]) or len(counts[0]) > _MOST_RECODED or len(counts[0]) < 2:
        return None
    if not np.array_equal(counts[0], counts[1]):
        return None
    words = pc.struct_field(counted[0], "values").take(pa.array(orders[0]))
    codes = pc.struct_field(counted[1], "values").take(pa.array(orders[1]))
    return words.take(pc.index_in(scrambled, value_set=codes))


def not_comparable(pair: TablePair, columns: Sequence[str], again: SecondLook | None) -> tuple[str, ...]:
    """Return the columns that share hardly a value with the original's and that no second look could undo."""
    undone = set[str]()
    if again is not None:
        undone = {*again.respelled, *again.rescaled, *again.recoded, *again.renamed, *again.renamed.values()}
    return tuple(name for name in _unlike(pair, columns) if name not in undone)


def _unlike(pair: TablePair, columns: Sequence[str]) -> list[str]:
    """Return the columns whose first cells have hardly anything in common; none of very many columns."""
    if len(columns) > _MOST_UNPAIRED:
        return []
    return [name for name in columns if _likeness(pair, name, name, _MOST_LOOKED_AT) < _UNLIKE]


def _columns_of_other_names(
    pair: TablePair, columns: Sequence[str], holdout: Dataset | None
) -> dict[str, str]:
    """Pair columns that only one table has, or hold something else there, the most alike first, each once."""
    unlike = _unlike(pair, columns)
    lost = [name for name in pair.only_in_original if holdout is None or name in set(holdout.columns)]
    lost, extra = [*lost, *unlike], [*pair.only_in_scrambled, *unlike]
    if not lost or not extra or max(len(lost), len(extra)) > _MOST_UNPAIRED:
        return {}
    alike = [
        (_likeness(pair, name, other), -place, name, other)
        for place, name in enumerate(lost)
        for other in extra
    ]
    renamed: dict[str, str] = {}
    for share, _, name, other in sorted(alike, reverse=True):
        if share >= _ALIKE and name not in renamed and other not in set(renamed.values()):
            renamed[name] = other
    return {name: renamed[name] for name in lost if name in renamed}


def _likeness(pair: TablePair, name: str, other: str, n_rows: int = _MOST_LOOKED_AT * 50) -> float:
    """Return how much of two columns is common: the overlap of their values, or of their distributions."""
    original, scrambled = (
        _folded(table.table[column].slice(0, n_rows))
        for table, column in ((pair.original, name), (pair.scrambled, other))
    )
    codes = shared_codes(original, scrambled, dates=True)
    shares = [codes.original_counts / max(len(original), 1), codes.anonymized_counts / max(len(scrambled), 1)]
    overlap = float(np.minimum(*shares).sum())
    numbers = [as_numbers(part) for part in (original, scrambled)]
    if numbers[0] is None or numbers[1] is None:
        return overlap
    known = [np.sort(part[~np.isnan(part)]) for part in numbers if part is not None]
    if not all(len(part) for part in known) or len(np.unique(canonical_codes(original))) < 10:
        return overlap
    every = np.concatenate(known)
    apart = np.abs(
        np.searchsorted(known[0], every, "right") / len(known[0])
        - np.searchsorted(known[1], every, "right") / len(known[1])
    ).max()
    return max(overlap, 1 - 4 * float(apart))
