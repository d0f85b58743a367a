"""What the records of the anonymized file say in words: of people, of files, and of other records' alleles.

Every field is looked at as a column of a table is: its key is a header, and its values are held against the
shapes of names, numbers and addresses of people (:mod:`core.people.roles`). Fields whose value begins with a letter
are read in every record, where there are many of one field in some of them; all else in the first records and
in some of those after them, which finds a field that many records have. A field that is once seen to hold
words is read like the others from there on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.vcf.header import VcfHeader, attributes_of
from core.vcf.header_leaks import Line, has_email, has_file, has_host, has_path, has_person
from core.vcf.lines import Block, Places, where
from core.vcf.neighbours import Pointers
from core.vcf.readings import NUMERIC, Kind, kind_of
from core.vcf.records import USUAL_FILTERS
from core.vcf.sample_names import decoded, holds_full_name, speaks_of_a_person

FIRST_ROWS, EACH_ROW = 500, 256  # records that are read whole: the first ones, and one in so many after them
FIRST_VALUES, EACH_VALUE = 1_000, 16  # of a field that is read in every record
MOST_VALUES, MOST_FIELDS = 500, 256  # different ones that are kept
MOST_IDS = 1 << 20
MOST_CELLS = 64  # samples of a record that are looked at
LONGEST_KEY, LONGEST_VALUE, LONGEST_KEPT = 64, 4_000, 200  # bytes
_WORDY = np.zeros(256, dtype=np.bool_)  # bytes that a value which is no number begins with
_WORDY[[byte for byte in range(33, 256) if byte not in b"0123456789.,;+-=|"]] = True
_EQUALS = b"="[0]
_PART = re.compile(rb"[^\W_]+")
_ID = re.compile(rb"(?<![A-Za-z0-9])(?:rs|ss|esv|nsv|COSV|COSM)[0-9]{3,}(?![0-9])")
_PLACE = re.compile(
    rb"(?:(?<![A-Za-z0-9])((?:chr)?(?:[0-9]{1,2}|[XYM]|MT))[:_-])?(?:(?<![0-9.])|(?<=g\.))([0-9]{2,10})"
    rb"[:_-]?([ACGT]+)[>/:_|-]([ACGT]+(?:[/,][ACGT]+)*)(?![A-Za-z])"
)
# What such a word or place holds in any case, in signs that stand for many: looked for much faster.
_AS_ID = bytes.maketrans(b"123456789", b"000000000")
_ID_BEGINS = (b"rs0", b"ss0", b"sv0", b"COSV0", b"COSM0")
_AS_PLACE = bytes.maketrans(b"123456789CGT:/_|-", b"000000000AAA>>>>>")
_PLACE_HOLDS = (b"0A", b"0>A")
_ALLELES = re.compile(rb"[/,]")
_OF_GENES = re.compile(rb"(?i)GENE|SYMBOL|HGNC|TRANSCRIPT|FEATURE|CLN|DISEASE|PHENO|OMIM|PUBMED")
_BETWEEN = re.compile(r"[^\w\s'.]+|\d+")  # what separates names from each other
_COUNTED_FROM_0 = b"NC_"  # what positions between colons are counted on (SPDI)
_FEW_NAMES = 8  # that are looked for one by one
_ANNOTATION = (
    Kind.ANNOTATES
    | Kind.DESCRIBES
    | Kind.IDENTIFIER
    | Kind.FREQUENCY
    | Kind.COUNTS
    | Kind.LENGTH
    | Kind.REPEAT
)
_USUAL_FORMATS = frozenset(b"GT PGT PID PS HP FT AD DP GQ PL GL GP SB OGT LGT DS RO AO MIN_DP".split())
_OF_PEOPLE = frozenset(
    (
        "national identification number",
        "e-mail address",
        "phone number",
        "postal address",
        "person's name",
        "identity document or account number",
        "online identifier or network address",
        "date of birth",
    )
)
_BY_KEY = _OF_PEOPLE | {"patient or person number", "date of death"} - {"person's name"}


class WordFinding(NamedTuple):
    """What a check found: in how many of the values looked at, and in which fields."""

    check: str
    n_found: int
    of: int
    fields: tuple[str, ...]


@dataclass(eq=False)
class FieldWords:
    """What was seen of one field."""

    is_text: bool  # whether its values may be words: nothing declares them as numbers
    is_annotation: bool  # whether they are of genes, databases and the like, and not of people
    n_seen: int = 0
    n_names: int = 0  # values with the name of a sample of the original
    values: set[bytes] = field(default_factory=set)


class RecordWords:
    """Takes the records of the anonymized file, some of them whole, and what targets were called.

    Parameters
    ----------
    header
        Of the anonymized file.
    names
        Of the original's samples, in capitals, without those that say nothing.
    """

    def __init__(self, header: VcfHeader, names: AbstractSet[bytes]) -> None:
        declared = [attributes_of(line) for line in header.lines if line.startswith((b"##INFO", b"##FORMAT"))]
        self._numbers = {
            key + b"/" + told.get(b"ID", b"")
            for key, told in declared
            if told.get(b"Type") in (b"Integer", b"Float")
        }
        self._names = names
        self._parts = {_key_of(name) for name in names}
        self._fields: dict[bytes, FieldWords] = {}
        self._tracked: set[bytes] = set()  # keys of INFO whose words begin with a digit
        self._n_rows = 0
        self._ids: set[bytes] = set()  # of other records, that some record names
        self._listed: dict[bytes, int] = {}  # identifiers of records that have several, and where one stands
        self._targets: list[tuple[bytes, Places, bytes]] = []  # their IDs joined by tabs
        self.places = Pointers()  # of other records, that some record names

    def read(self, lines: Block) -> None:
        """Read lines of the anonymized file."""
        first, self._n_rows = self._n_rows, self._n_rows + len(lines)
        rows = [*range(max(0, min(FIRST_ROWS - first, len(lines))))]
        start = max(first, FIRST_ROWS)
        rows += range(start + -start % EACH_ROW - first, len(lines), EACH_ROW)
        for row in rows:
            self._read_whole(lines[row])
        low, high = lines.starts[[0, -1]].tolist()
        cells = np.frombuffer(lines.text, dtype=np.uint8)[low : high + 1]
        found = where(high - low, lambda at, end: cells[at:end] == _EQUALS)
        found = found[_WORDY[cells[found + 1]]] + low
        self._read_values(lines, found.tolist())
        for key in self._tracked:
            pattern = re.compile(rb"[;\t]%s=(?=[0-9.+-])" % re.escape(key))
            self._read_values(lines, [match.end() - 1 for match in pattern.finditer(lines.text, low, high)])

    def _read_values(self, lines: Block, equals: Iterable[int]) -> None:
        """Read the values of INFO that stand behind signs of equality; of many under one key, some."""
        text = lines.text
        before, one = b"\n", None  # the field that was met last: the sign before its key, and the key
        for at in equals:
            if not text.startswith(before, at - len(before)):
                least = max(at - LONGEST_KEY, 0)
                begin = max(text.rfind(b";", least, at), text.rfind(b"\t", least, at))
                before, one = (
                    text[begin:at],
                    self._field(b"INFO/" + text[begin + 1 : at]) if begin >= 0 else None,
                )
            if one is None:
                continue
            one.n_seen += 1
            if one.n_seen <= FIRST_VALUES or not one.n_seen % EACH_VALUE:
                self._read_value(lines, at, one)

    def _read_value(self, lines: Block, at: int, one: FieldWords) -> None:
        text = lines.text
        ends = [text.find(sign, at, at + LONGEST_VALUE) for sign in (b";", b"\t", b"\n")]
        value = text[at + 1 : min((end for end in ends if end >= 0), default=at + LONGEST_VALUE)]
        if self._see(one, value):
            row = int(np.searchsorted(lines.starts, at, side="right")) - 1
            self._point(value, lines[row].split(b"\t", 5))

    def _field(self, name: bytes) -> FieldWords | None:
        if name not in self._fields and len(self._fields) < MOST_FIELDS:
            kinds = kind_of(name.partition(b"/")[2].upper())
            is_annotation = bool(kinds & _ANNOTATION) or _OF_GENES.search(name) is not None
            self._fields[name] = FieldWords(name not in self._numbers, is_annotation)
        return self._fields.get(name)

    def _see(self, one: FieldWords, value: bytes) -> bool:
        """Take a value up; tell whether it may name another record."""
        if self._names and self._holds_name(value):
            one.n_names += 1
        if not one.is_annotation and len(one.values) < MOST_VALUES:
            one.values.add(value[:LONGEST_KEPT])
        plain = value.translate(_AS_PLACE)
        if b"A>A" in plain and any(part in plain for part in _PLACE_HOLDS):
            return True
        plain = value.translate(_AS_ID)
        return any(begin in plain for begin in _ID_BEGINS)

    def _holds_name(self, value: bytes) -> bool:
        """Tell whether the name of a sample stands in a value, as a word or between others."""
        value = value.upper()
        if len(self._names) > _FEW_NAMES and self._parts.isdisjoint(_PART.findall(value)):
            return False
        return any(name in value and _is_within(name, value) for name in self._names)

    def _read_whole(self, line: bytes) -> None:
        columns = line.split(b"\t", 9)
        if len(columns) < 8:
            return
        for name, value in ((b"ID", columns[2]), (b"FILTER", columns[6])):
            if value not in USUAL_FILTERS:
                self._take(name, value, columns)
        for text in columns[7].split(b";"):
            key, equals, value = text.partition(b"=")
            # what begins with a letter is read in every record
            if equals and not (value and _WORDY[value[0]]) and key not in self._tracked:
                self._take(b"INFO/" + key, value, columns)
                if value.translate(None, NUMERIC):
                    self._tracked.add(key)
        if len(columns) > 9:
            self._read_samples(columns[8].split(b":"), columns[9])

    def _take(self, name: bytes, value: bytes, columns: Sequence[bytes]) -> None:
        """Take a value of a record up, unless its field is declared to hold numbers."""
        one = self._field(name)
        if one is not None and one.is_text:
            one.n_seen += 1
            if self._see(one, value):
                self._point(value, columns)

    def _read_samples(self, keys: Sequence[bytes], samples: bytes) -> None:
        wanted = [
            (at, one)
            for at, key in enumerate(keys)
            if key not in _USUAL_FORMATS and (one := self._field(b"FORMAT/" + key)) and one.is_text
        ]
        if not wanted:
            return
        for cell in samples.split(b"\t", MOST_CELLS)[:MOST_CELLS]:
            values = cell.split(b":")
            for at, one in wanted:
                if at < len(values) and values[at].strip(b"."):
                    one.n_seen += 1
                    self._see(one, values[at])

    def _point(self, value: bytes, columns: Sequence[bytes]) -> None:
        """Take up which other records a value names; `columns` are those of its own record."""
        contig, position, own = columns[0], int(columns[1]), {*columns[2].split(b";")}
        alleles = {columns[3], *columns[4].split(b"\t", 1)[0].split(b",")}
        if len(self._ids) < MOST_IDS:
            self._ids |= {*_ID.findall(value)} - own
        last = position + len(columns[3])
        is_spdi = _COUNTED_FROM_0 in value and b":g." not in value
        for match in _PLACE.finditer(value):
            place = int(match[2]) + is_spdi
            is_own = {match[3], *_ALLELES.split(match[4])} <= alleles or place != position
            if not (position - 1 <= place <= last and is_own):
                self.places.add((not is_spdi and match[1]) or contig, place)

    def note_targets(self, contig: bytes, positions: Places, ids: Sequence[bytes]) -> None:
        """Note what targets of the original are called."""
        self._targets.append((contig, positions, b"\t".join(ids)))

    def note_identifiers(self, positions: Places, ids: Sequence[bytes]) -> None:
        """Take up what records with several identifiers are called: one may be another record's."""
        for position, names in zip(positions.tolist(), ids, strict=True):
            if len(listed := names.split(b";")) > 1 and len(self._listed) < MOST_IDS:
                self._listed |= dict.fromkeys(listed, position)

    def named_sites(self) -> Pointers:
        """Return where records stand that another one names, by an identifier or a position."""
        for contig, positions, ids in self._targets if self._ids or self._listed else ():
            for position, names in zip(positions.tolist(), ids.split(b"\t"), strict=True):
                own = names.split(b";")
                listed = (self._listed.get(one, position) for one in own)
                if not self._ids.isdisjoint(own) or any(place != position for place in listed):
                    self.places.add(contig, position)
        return self.places

    def findings(self) -> tuple[WordFinding, ...]:
        """Return which fields name samples of the original, speak of people, or name files."""
        of = max((one.n_seen for one in self._fields.values()), default=0)
        named = {name: one.n_names for name, one in self._fields.items() if one.n_names}
        people = {name: one.n_seen for name, one in self._of_people() if name not in named}
        found = (("samples_in_records", named), ("people_in_records", people))
        return tuple(
            WordFinding(check, max(each.values()), of, tuple(map(decoded, sorted(each))))
            for check, each in found
            if each
        )

    def _of_people(self) -> Iterator[tuple[bytes, FieldWords]]:
        """Yield the fields whose key or values are of people, or whose values name files or computers."""
        texts = {name: one for name, one in self._fields.items() if one.values}
        for name, (kind, is_by_values) in (_kinds_of(texts) if texts else {}).items():
            one, key = texts[name], name.rpartition(b"/")[2]
            says = {decoded(value) for value in one.values} - {".", "", "0", "1"}
            is_by_key = b"/" in name and kind in _BY_KEY and not is_by_values and bool(says)
            is_told = (
                (is_by_values and kind in _OF_PEOPLE)
                or any(_names_place(key, value) for value in one.values)
                or any(_holds_full_name(value) or speaks_of_a_person(value) for value in says)
            )
            if is_by_key or (one.is_text and is_told):
                yield name, one


def _names_place(key: bytes, value: bytes) -> bool:
    """Tell whether a value holds an address, a path, a computer, a file of data, or says who a sample is."""
    line = Line(key, value)
    return (
        has_email(line)
        or has_path(line)
        or has_host(line)
        or has_file(line)
        or (has_person(Line(b"", value)))
    )


def _holds_full_name(value: str) -> bool:
    pieces = _BETWEEN.split(value.replace("_", " "))
    return any(holds_full_name(piece, surely=True) for piece in pieces)


def _kinds_of(fields: dict[bytes, FieldWords]) -> dict[bytes, tuple[str, bool]]:
    """Return what each field seems to hold, and whether its values say so."""
    from core.people.roles.suggest import suggest_roles  # noqa: PLC0415 - takes long to import

    found: dict[bytes, tuple[str, bool]] = {}
    for name, one in fields.items():
        values = [decoded(value) for value in sorted(one.values)]
        (told,) = suggest_roles(pa.table({decoded(name.rpartition(b"/")[2]): pa.array(values, pa.string())}))
        found[name] = told.kind, told.from_values
    return found


def _key_of(name: bytes) -> bytes:
    """Return the longest part of a name, by which it is looked up."""
    return max(_PART.findall(name) or [name], key=len)


def _is_within(name: bytes, value: bytes) -> bool:
    """Tell whether a name stands in a text, not within a longer word."""
    return re.search(rb"(?<![A-Za-z0-9])%s(?![A-Za-z0-9])" % re.escape(name), value) is not None
