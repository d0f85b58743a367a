"""Identifiers replaced by the mapping: everywhere the same, each by its own, and nowhere else."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import poisson_tail
from core.coding import BoolArray, IntArray, coded
from core.declared.drawn import pseudonym_lines
from core.declared.lines import Case, Line, counts_of, n_different
from core.declared.lists import IdMap, as_texts
from core.declared.pairing import Pair, Sheet
from core.declared.rules import Rule
from core.verdict import Verdict
from core.words import Text, counted, joined, listed, text

_LONG = 5  # letters of an identifier that is met by nothing but itself, where not digits alone
_LONG_NUMBER = 8
_BY_CHANCE = 1e-6
_MAPPED = 0.5  # share of a column's identifiers in the mapping, from which it is held against it
_PARTS, _MARKS = re.compile(r"[^\W_]+(?:[-./][^\W_]+)*"), re.compile("[-./]")


def replaced_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each column of a rule, one for all of them together, and one for everything else."""
    columns = case.columns(rule)
    for pair, column in columns:
        yield _column_line(case, rule, pair, column)
    if columns:
        yield _one_to_one(rule, columns)
        yield _elsewhere(case, rule, columns)
        yield from pseudonym_lines(case, rule)


def _bools(values: pa.Array) -> BoolArray:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)


def _column_line(case: Case, rule: Rule, pair: Pair, column: str) -> Line:
    values, mine, _ = pair.joint(column)
    ours, theirs = pair.cells(column)
    filled = (ours >= 0) & (theirs >= 0)
    same, lost = filled & (ours == theirs), (ours < 0) & (theirs >= 0)
    originals = as_texts(pair.original[pair.columns[column]].values)
    is_original = np.append(_bools(pc.is_in(values, value_set=originals)), False)[mine]
    wrong, stray, unmapped = _against(case.mapping, pair, column)
    if not len(pair.mine):
        stray = stray | is_original
    of = f"{pair.name}.{column}"
    said = counts_of(
        of,
        (same, "{column} keeps the original in {records}."),
        (
            wrong,
            "{column} has not what the mapping says in {records}.",
        ),
        (
            stray & ~is_original,
            "{column} has what is in no line of the mapping in {records}.",
        ),
        (
            stray & is_original & ~same.any(),
            "{column} has original identifiers in {records}.",
        ),
        (lost, "{column} has no identifier any more in {records}."),
    )
    concerned = same | wrong | lost
    left = [] if said else _not_told(of, unmapped, filled)
    return Line(
        kind="replaced",
        of=of,
        verdict=Verdict.FAIL if said else Verdict.NOT_ASSESSED if left else Verdict.PASS,
        message=joined(said or left or [_all_replaced(of, int(filled.sum()))]),
        n_persons=n_different(pair.persons[concerned]),
        n_records=max(int(concerned.sum()), int(stray.sum())),
        n_looked_at=int(filled.sum()),
        line=rule.line,
    )


def _against(mapping: IdMap | None, pair: Pair, column: str) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return which paired records have not what the mapping says, and which records nothing that is in it.

    Then which original values are not in it. None of them where the column is not of the mapping.
    """
    values, mine, _ = pair.joint(column)
    ours, theirs = pair.cells(column)
    originals = as_texts(pair.original[pair.columns[column]].values)
    nothing = np.zeros(len(ours), dtype=bool), np.zeros(len(mine), dtype=bool), np.zeros(1, dtype=bool)
    if mapping is None or not len(originals):
        return nothing
    is_mapped = _bools(pc.is_in(originals, value_set=mapping.originals))
    if is_mapped.mean() < _MAPPED:
        return nothing
    image = _images(values, mapping)[theirs]
    known = np.append(_bools(pc.is_in(values, value_set=mapping.pseudonyms)), True)
    wrong = (ours >= 0) & (theirs >= 0) & (image != -1) & (image != ours) & (ours != theirs)
    return wrong, ~known[mine], ~is_mapped


def _not_told(of: str, unmapped: BoolArray, filled: BoolArray) -> list[Text]:
    """Return why identifiers were not held against the mapping, or their originals."""
    if filled.any():
        n = int(unmapped.sum())
        return (
            [
                text(
                    "{column} has originals that are not in the mapping: {values}.",
                    column=f"`{of}`",
                    values=counted(n, "value"),
                )
            ]
            if n
            else []
        )
    return [text("{column}: no record could be held against its original.", column=f"`{of}`")]


def _all_replaced(of: str, n: int) -> Text:
    return text("{column} is replaced in {records}.", records=counted(n, "record"), column=f"`{of}`")


def _images(values: pa.Array, mapping: IdMap) -> IntArray:
    """Return shape (n_values + 1,): the code of what stands for each value; -2 none of them, -1 unmapped."""
    at = pc.index_in(values, value_set=mapping.originals)
    to = pc.index_in(mapping.pseudonyms.take(at), value_set=values).fill_null(-2).to_numpy()
    return np.append(np.where(_bools(at.is_valid()), to, -1), -1).astype(np.int64)


def _one_to_one(rule: Rule, columns: Sequence[tuple[Pair, str]]) -> Line:
    """Return whether each identifier has one pseudonym in all columns, and each pseudonym one identifier."""
    values = [as_texts(pair.joint(column)[0]) for pair, column in columns]
    together = coded(pa.chunked_array(values))
    pairs, start = [], 0
    for (pair, column), mine in zip(columns, values, strict=True):
        place = together.codes[start : start + len(mine)].astype(np.int64)
        start += len(mine)
        ours, theirs = pair.cells(column)
        filled = (ours >= 0) & (theirs >= 0)
        if column != pair.own:  # by which unsure records were paired
            filled &= ~np.isin(pair.mine, pair.unsure)
        pairs.append(np.stack([place[theirs[filled]], place[ours[filled]]], axis=1))
    distinct = np.unique(np.concatenate(pairs), axis=0)
    several, shared = (np.unique(distinct[:, side], return_counts=True)[1] > 1 for side in (0, 1))
    told = [
        text(message, found=n, columns=listed(rule.columns, at_most=4))
        for n, message in (
            (
                int(several.sum()),
                "Identifiers with several pseudonyms in {columns}: {found}.",
            ),
            (
                int(shared.sum()),
                "Pseudonyms for several identifiers in {columns}: {found}.",
            ),
            (
                len(distinct),
                "Identifiers with one pseudonym of their own in {columns}: {found}.",
            ),
        )
    ]
    said = [each for each in told[:2] if each.values["found"]]
    return Line(
        kind="replaced",
        of=", ".join(rule.columns),
        verdict=Verdict.FAIL if said else Verdict.PASS if len(distinct) else Verdict.NOT_ASSESSED,
        message=joined(said or told[2:]),
        n_persons=int(several.sum() + shared.sum()),
        n_looked_at=len(distinct),
        line=rule.line,
    )


# --- anywhere else


def _elsewhere(case: Case, rule: Rule, columns: Sequence[tuple[Pair, str]]) -> Line:
    """Return where else identifiers stand: other columns, texts, pseudonyms, names of files."""
    own = {(pair.name, column) for pair, column in columns}
    ids = _identifiers(columns)
    places, n_records, n_cells = [], 0, 0
    persons: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    looked_at: list[Pair | Sheet] = [*case.pairs, *case.alone]
    for pair in looked_at:
        sheet = pair if isinstance(pair, Sheet) else pair.released
        for column in sheet.columns:
            n_cells += sheet[column].n_filled
            found = _found_in(sheet, column, ids, pair, columns, is_own=(sheet.name, column) in own)
            if found.any():
                places.append(f"{sheet.name}.{column}")
                n_records += int(found.sum())
                if isinstance(pair, Pair):
                    persons.append(pair.persons[found[pair.mine]])
    said = _where(n_records, places, sum(_names_one(each, ids) for each in case.files))
    nowhere = text("The identifiers of {columns} stand nowhere else.", columns=listed(rule.columns))
    return Line(
        kind="replaced",
        of=", ".join(rule.columns),
        verdict=Verdict.FAIL if said else Verdict.PASS,
        message=joined(said or [nowhere]),
        n_persons=n_different(np.concatenate(persons)),
        n_records=n_records,
        n_looked_at=n_cells,
        line=rule.line,
    )


def _where(n_records: int, places: Sequence[str], n_files: int) -> list[Text]:
    told = [
        text(
            "Identifiers stand in {places}: {records}.",
            records=counted(n_records, "record"),
            places=listed(places, at_most=6),
        ),
        text(
            "Names of files that hold identifiers: {found}.",
            found=n_files,
        ),
    ]
    return [each for each, n in zip(told, (n_records, n_files), strict=True) if n]


def _folded(values: pa.Array) -> pa.Array:
    """Return identifiers by their letters and digits, without leading zeros."""
    letters = pc.replace_substring_regex(pc.utf8_lower(as_texts(values)), r"[^\p{L}\p{N}]+", "")
    return pc.utf8_ltrim(letters, "0")


def _identifiers(columns: Sequence[tuple[Pair, str]]) -> frozenset[str]:
    found = [_folded(pair.original[pair.columns[column]].values) for pair, column in columns]
    return frozenset(pc.unique(pa.chunked_array(found)).to_pylist()) - {""}


def _is_long(word: str) -> bool:
    return len(word) >= (_LONG_NUMBER if word.isdigit() else _LONG)


def _found_in(
    sheet: Sheet,
    column: str,
    ids: frozenset[str],
    pair: Pair | Sheet,
    columns: Sequence[tuple[Pair, str]],
    *,
    is_own: bool,
) -> BoolArray:
    """Return shape (n_records,): whether a cell holds an identifier, in a column of its own its own one."""
    if is_own:  # an identifier kept whole is told by its column; here: one that stands in its pseudonym
        return _inside(pair, column) if isinstance(pair, Pair) else np.zeros(sheet.n_records, dtype=bool)
    if isinstance(pair, Pair) and pair.are_dates(column):
        return np.zeros(sheet.n_records, dtype=bool)
    cells = sheet[column]
    words = _words_of(cells.values, ids)
    long = np.array([any(map(_is_long, each)) for each in words], dtype=bool)
    found = cells.in_records(long)
    if not isinstance(pair, Pair) or not any(words):
        return found
    mine = next((each for each in columns if each[0] is pair), None)
    if mine is None or pair.columns.get(column) == pair.columns[mine[1]]:
        return found
    values, _, theirs = pair.joint(mine[1])
    owner = np.full(sheet.n_records, -1)
    owner[pair.mine] = theirs[pair.theirs]
    texts = _folded(values).to_pylist()
    short = np.flatnonzero(cells.in_records(np.array([bool(each) for each in words])) & (owner >= 0) & ~found)
    hits = np.array([texts[owner[at]] in words[cells.codes[at]] for at in short.tolist()], dtype=bool)
    mean = sum(len(words[code]) for code in cells.codes[short].tolist()) / max(len(ids), 1)
    if hits.sum() > 2 and poisson_tail(int(hits.sum()), max(mean, 1e-9)) < _BY_CHANCE:
        found[short[hits]] = True
    return found


def _words_of(values: pa.Array, ids: frozenset[str]) -> list[frozenset[str]]:
    """Return the identifiers in each value; days are none."""
    found = [frozenset[str]()] * len(values)
    bare = _folded(values)
    whole = pc.is_in(bare, value_set=pa.array(ids, pa.large_string()))
    hits = np.flatnonzero(_bools(whole))
    for at, word in zip(hits.tolist(), bare.take(pa.array(hits)).to_pylist(), strict=True):
        found[at] = frozenset((word,))
    several = pc.match_substring_regex(as_texts(values), r"[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]")
    plain = pc.match_substring_regex(
        as_texts(values), r"^[0-9-]+[.,]?[0-9]*$|^[0-9]{1,4}[-./ ][0-9]{1,2}[-./ ][0-9]"
    )
    rest = np.flatnonzero(_bools(pc.and_(several, pc.invert(plain))))
    for at, value in zip(rest.tolist(), values.take(pa.array(rest)).to_pylist(), strict=True):
        found[at] |= _words(value, ids)
    return found


def _words(value: str, ids: frozenset[str]) -> frozenset[str]:
    parts = _PARTS.findall(value[:100_000].lower())
    tokens = [one for part in parts for one in (part, *_MARKS.split(part))]
    return ids.intersection("".join(_MARKS.split(each)).lstrip("0") for each in tokens)


def _inside(pair: Pair, column: str) -> BoolArray:
    """Return shape (n_released,): whether a record's pseudonym holds the identifier that it stands for."""
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    texts = _folded(values).to_pylist()
    held = np.zeros(pair.released.n_records, dtype=bool)
    filled = np.flatnonzero((mine >= 0) & (theirs >= 0) & (mine != theirs))
    both, place = np.unique(np.stack([mine[filled], theirs[filled]]), axis=1, return_inverse=True)
    holds = [bool(texts[other]) and texts[other] in texts[one] for one, other in both.T.tolist()]
    lengths = np.array([len(texts[other]) for other in both[1].tolist()], dtype=np.int64)
    inside = np.array(holds, dtype=bool)
    if inside.sum() < _MAPPED * len(inside):  # half are no chance
        inside &= lengths >= _LONG
    held[pair.mine[filled]] = inside[place.ravel()]
    return held


def _names_one(name: str, ids: frozenset[str]) -> bool:
    return any(map(_is_long, _words(name.rpartition(".")[0] or name, ids)))
