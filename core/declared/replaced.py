"""Identifiers replaced by the mapping: everywhere the same, each by its own, and nowhere else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import poisson_tail
from core.coding import BoolArray, CodedColumn, IntArray, coded, value_codes
from core.declared.drawn import Linked, pseudonym_lines
from core.declared.lines import Case, Line, Shown, counts_of, n_different, shown
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
        links = _Links.of(columns)
        yield _one_to_one(rule, links)
        yield _elsewhere(case, rule, links)
        yield from pseudonym_lines(rule, links.columns, links.originals, links.pseudonyms)


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
        shown=shown("alike", pair, column, same)
        + shown("mapped", pair, column, wrong | (stray[pair.mine] & ~same & filled))
        + shown("blank", pair, column, lost),
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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Links:
    """Identifiers and their pseudonyms in all columns of a rule, each pair of them once.

    Attributes
    ----------
    values
        Everything written in the columns.
    originals, pseudonyms
        Shape (n_links,) each: codes of `values`.
    """

    values: pa.Array
    originals: IntArray
    pseudonyms: IntArray
    columns: Sequence[Linked]

    @classmethod
    def of(cls, columns: Sequence[tuple[Pair, str]]) -> "_Links":
        values = [as_texts(pair.joint(column)[0]) for pair, column in columns]
        together = coded(pa.chunked_array(values))
        n_values, start = len(together.values), 0
        places, both = [], []
        for (pair, column), mine in zip(columns, values, strict=True):
            place = together.codes[start : start + len(mine)].astype(np.int64)
            start += len(mine)
            ours, theirs = pair.cells(column)
            places.append(np.flatnonzero((ours >= 0) & (theirs >= 0)))
            both.append(place[theirs[places[-1]]] * n_values + place[ours[places[-1]]])
        links = value_codes(np.concatenate(both))
        distinct = np.empty(int(links.max(initial=-1)) + 1, dtype=np.int64)
        distinct[links] = np.concatenate(both)
        parts = np.split(links, np.cumsum([len(each) for each in both])[:-1])
        found = [Linked(*column, at, link) for column, at, link in zip(columns, places, parts, strict=True)]
        originals, pseudonyms = np.divmod(distinct, max(n_values, 1))
        return cls(values=together.values, originals=originals, pseudonyms=pseudonyms, columns=found)

    @cached_property
    def holds(self) -> tuple[BoolArray, BoolArray]:
        """Return shape (n_links,) each: whether pseudonyms hold their identifiers; whether these are long."""
        texts = _folded(self.values)
        one, other = (texts.take(pa.array(each)) for each in (self.originals, self.pseudonyms))
        lengths = pc.utf8_length(one).to_numpy(zero_copy_only=False)
        found = [mine in theirs for mine, theirs in zip(one.to_pylist(), other.to_pylist(), strict=True)]
        return np.array(found, dtype=bool) & (lengths > 0), lengths >= _LONG


def _one_to_one(rule: Rule, links: _Links) -> Line:
    """Return whether each identifier has one pseudonym in all columns, and each pseudonym one identifier."""
    is_sure = np.zeros(len(links.originals), dtype=bool)
    for each in links.columns:
        if each.column != each.pair.own and len(each.pair.unsure):  # by which they were paired
            is_sure[each.link[~np.isin(each.pair.mine[each.at], each.pair.unsure)]] = True
        else:
            is_sure[each.link] = True
    n_distinct = int(is_sure.sum())
    several, shared = (np.bincount(side[is_sure]) > 1 for side in (links.originals, links.pseudonyms))
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
                n_distinct,
                "Identifiers with one pseudonym of their own in {columns}: {found}.",
            ),
        )
    ]
    said = [each for each in told[:2] if each.values["found"]]
    return Line(
        kind="replaced",
        of=", ".join(rule.columns),
        verdict=Verdict.FAIL if said else Verdict.PASS if n_distinct else Verdict.NOT_ASSESSED,
        message=joined(said or told[2:]),
        n_persons=int(several.sum() + shared.sum()),
        n_looked_at=n_distinct,
        line=rule.line,
        shown=_two_links(links, is_sure) if said else (),
    )


def _two_links(links: _Links, is_sure: BoolArray) -> tuple[Shown, ...]:
    """Return two records of one identifier with two pseudonyms, or of one pseudonym for two identifiers."""
    for side in (links.originals, links.pseudonyms):
        most = int(np.argmax(np.bincount(side[is_sure])))
        two = np.flatnonzero(is_sure & (side == most))[:2]
        if len(two) == 2:
            return tuple(_one_of(links, int(each)) for each in two)
    return ()


def _one_of(links: _Links, link: int) -> Shown:
    """Return a record that has a link."""
    each = next(one for one in links.columns if (one.link == link).any())
    (found,) = shown("links", each.pair, each.column, each.at[each.link == link], most=1)
    return found


# --- anywhere else


def _elsewhere(case: Case, rule: Rule, links: _Links) -> Line:
    """Return where else identifiers stand: other columns, texts, pseudonyms, names of files."""
    own = {(each.pair.name, each.column): each for each in links.columns}
    ids = _Ids.of([each.pair.original[each.pair.columns[each.column]].values for each in links.columns])
    places, n_records, n_cells = [], 0, 0
    shows: tuple[Shown, ...] = ()
    persons: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    looked_at: list[Pair | Sheet] = [*case.pairs, *case.alone]
    for pair in looked_at:
        sheet = pair if isinstance(pair, Sheet) else pair.released
        mine = next((each for each in links.columns if each.pair is pair), None)
        for column in sheet.columns:
            n_cells += sheet[column].n_filled
            if linked := own.get((sheet.name, column)):
                # an identifier kept whole is told by its column; here: one that stands in its pseudonym
                found = _inside(links, linked)
            elif isinstance(pair, Pair) and pair.are_dates(column):
                continue
            else:
                found = _found_in(sheet, column, ids, mine)
            if found.any():
                places.append(f"{sheet.name}.{column}")
                n_records += int(found.sum())
                if isinstance(pair, Pair):
                    persons.append(pair.persons[found[pair.mine]])
                    shows += _shows(pair, column, found[pair.mine], linked or mine, is_own=linked is not None)
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
        shown=shows,
    )


def _shows(
    pair: Pair, column: str, found: BoolArray, own: Linked | None, *, is_own: bool
) -> tuple[Shown, ...]:
    """Return cells that hold identifiers, beside those of their records."""
    if own is None:
        return ()
    cells = shown("held" if is_own else "within", pair, own.column, found)
    return tuple(each._replace(column=column) for each in cells)


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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Ids:
    """Identifiers by their letters and digits, none of them empty."""

    values: pa.Array

    @classmethod
    def of(cls, columns: Sequence[pa.Array]) -> "_Ids":
        found = pc.unique(pa.chunked_array([_folded(each) for each in columns]))
        return cls(values=found.filter(pc.not_equal(found, "")))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return them for words to be looked up."""
        return frozenset(self.values.to_pylist())

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        found = pc.min_max(pc.binary_length(self.values))
        return found["min"].as_py() or 0, found["max"].as_py() or 0

    def are_whole(self, bare: pa.Array) -> IntArray:
        """Return which of some texts, folded, are identifiers, by number."""
        lengths = pc.binary_length(bare).to_numpy(zero_copy_only=False)
        may_be = np.flatnonzero((lengths >= max(self._lengths[0], 1)) & (lengths <= self._lengths[1]))
        texts, known = bare.take(pa.array(may_be)), self.values
        if len(texts) < len(known):  # what is looked up in is the smaller
            known = known.filter(pc.is_in(known, value_set=texts))
        return may_be[_bools(pc.is_in(texts, value_set=known))] if len(known) else may_be[:0]


def _is_long(word: str) -> bool:
    return len(word) >= (_LONG_NUMBER if word.isdigit() else _LONG)


def _found_in(sheet: Sheet, column: str, ids: _Ids, own: Linked | None) -> BoolArray:
    """Return shape (n_records,): whether a cell holds an identifier; short ones where they are its record's.

    `own` are the identifiers of the table's records, None where it has none.
    """
    cells = sheet[column]
    words = _words_of(cells, ids)
    found = np.zeros(sheet.n_records, dtype=bool)
    if not words:
        return found
    has_words, long = (np.zeros(len(cells.values), dtype=bool) for _ in range(2))
    has_words[list(words)] = True
    long[[code for code, each in words.items() if any(map(_is_long, each))]] = True
    found |= cells.in_records(long)
    if own is None or own.pair.columns.get(column) == own.pair.columns[own.column]:
        return found
    values, _, theirs = own.pair.joint(own.column)
    owner = np.full(sheet.n_records, -1)
    owner[own.pair.mine] = theirs[own.pair.theirs]
    short = np.flatnonzero(cells.in_records(has_words) & (owner >= 0) & ~found)
    texts = _folded(values.take(pa.array(owner[short]))).to_pylist()
    held = [words[code] for code in cells.codes[short].tolist()]
    hits = np.array([one in each for one, each in zip(texts, held, strict=True)], dtype=bool)
    mean = sum(map(len, held)) / max(len(ids.values), 1)
    if hits.sum() > 2 and poisson_tail(int(hits.sum()), max(mean, 1e-9)) < _BY_CHANCE:
        found[short[hits]] = True
    return found


def _words_of(cells: CodedColumn, ids: _Ids) -> dict[int, frozenset[str]]:
    """Return the identifiers in the values that hold some, by code; days are none."""
    if "words" not in cells.kept:
        cells.kept["words"] = _folded(cells.values), _of_several_words(cells.values)
    bare, several = cells.kept["words"]
    whole = ids.are_whole(bare)
    found = {
        code: frozenset((word,))
        for code, word in zip(whole.tolist(), bare.take(pa.array(whole)).to_pylist(), strict=True)
    }
    for code, value in zip(several.tolist(), cells.values.take(pa.array(several)).to_pylist(), strict=True):
        if words := _words(value, ids.words):
            found[code] = found.get(code, frozenset()) | words
    return found


def _of_several_words(values: pa.Array) -> IntArray:
    """Return which values are of several words and no numbers or days, by number."""
    texts = as_texts(values)
    several = _bools(pc.match_substring_regex(texts, r"[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]"))
    rest = np.flatnonzero(several)
    plain = pc.match_substring_regex(
        texts.take(pa.array(rest)), r"^[0-9-]+[.,]?[0-9]*$|^[0-9]{1,4}[-./ ][0-9]{1,2}[-./ ][0-9]"
    )
    return rest[~_bools(plain)]


def _words(value: str, ids: frozenset[str]) -> frozenset[str]:
    parts = _PARTS.findall(value[:100_000].lower())
    tokens = [one for part in parts for one in (part, *_MARKS.split(part))]
    return ids.intersection("".join(_MARKS.split(each)).lstrip("0") for each in tokens)


def _inside(links: _Links, linked: Linked) -> BoolArray:
    """Return shape (n_released,): whether a record's pseudonym holds the identifier that it stands for."""
    holds, are_long = links.holds
    is_mine = np.zeros(len(holds), dtype=bool)
    is_mine[linked.link] = True
    is_mine &= links.originals != links.pseudonyms
    if np.count_nonzero(holds & is_mine) < _MAPPED * np.count_nonzero(is_mine):  # half are no chance
        holds = holds & are_long
    held = np.zeros(linked.pair.released.n_records, dtype=bool)
    held[linked.pair.mine[linked.at]] = (holds & is_mine)[linked.link]
    return held


def _names_one(name: str, ids: _Ids) -> bool:
    return any(map(_is_long, _words(name.rpartition(".")[0] or name, ids.words)))
