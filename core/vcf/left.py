"""What masking left of each cell of a record: the same, a blank, nothing, or something new.

Masking only takes away. What is new can hold anything; and where a blank is written in one way here and in
another there, or a field is left here and taken there, which way it is can be a code.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from core.vcf.frequencies import float_prefix
from core.vcf.memoized import remembered
from core.vcf.records import USUAL_FILTERS, Record

HARMLESS_NUMBERS = (b"DP", b"MQ", b"MQ0", b"MQ0F", b"AN", b"NS")  # fields of INFO that masking may leave
FILLED = frozenset(
    b"AC AN AF MAC MAF NS AC_Hom AC_Het AC_Hemi".split()
)  # what fill-tags writes after masking
NOTHING = b"0.,"  # what a number may hold that is as good as a missing one
QUAL_BLANKS = (b".", b"0")
TRAILING = "FORMAT/."  # missing values at the end of samples
MANY_WAYS = 9  # of a column; more are not told apart
MOST_NAMES = 64  # of columns and fields that are followed
_LEFT = b"left"  # in the place of a text that is the original's
_MASKED_FILTER = re.compile(rb"(?i)\.|PASS|.*(?:mask|anon|redact|hidden|removed).*")
_MASKED_WORD = re.compile(rb"(?i)MASKED|REDACTED|ANONYMI[SZ]ED")
_BEGIN_OF_ID = re.compile(rb"[A-Za-z]{2,12}")
_CALLED = re.compile(rb"[0-9]+")


class Left(NamedTuple):
    """What stands in a column, or in a field of INFO or FORMAT, of a masked record."""

    column: str
    how: Literal["same", "blank", "gone", "new"]
    text: bytes = b""  # of a blank, as it is written


def left_of(original: Record, kept: Record, *, in_order: bool, is_part: bool = False) -> Iterator[Left]:
    """Yield what was left of cells of a record: all that is not the same, and what else blanks may vary in.

    Parameters
    ----------
    original, kept
        A record, and its own one of the anonymized file.
    in_order
        Whether each sample is whose it was; else samples may stand in any other order.
    is_part
        Whether the record is one allele of the original's several, so that lists and genotypes are others.
    """
    is_hidden = kept.alt != original.alt
    if kept.pos != original.pos:
        yield Left("POS", "new")
    if not is_hidden:  # what a masked record has there is spoken of by other checks
        yield from _cell(_kind_of_id(original.id), original.id, kept.id, b".")
    if kept.qual == original.qual or kept.qual != _as_written(original.qual):
        yield from _cell("QUAL", original.qual, kept.qual, *QUAL_BLANKS)
    yield from _filter(original.filter, kept.filter, is_hidden=is_hidden)
    if kept.format not in (original.format, b"", b"GT", b".") and not _is_part(
        kept.format.split(b":"), original.format.split(b":")
    ):
        yield Left("FORMAT", "new")
    if is_part:
        return
    if is_hidden:
        yield from _alt(original.alts, kept)
    if is_hidden or kept.info != original.info:
        yield from _info(original.info, kept.info, is_hidden=is_hidden)
    if kept.samples != original.samples and (in_order or not {*kept.cells} <= {*original.cells}):
        yield from (Left(f"FORMAT/{key}", "new") for key in _new_values(original, kept))
    yield from _masked_samples(original, kept) if is_hidden else _lost_samples(original, kept)


def _cell(column: str, before: bytes, after: bytes, *blanks: bytes) -> Iterator[Left]:
    if after == before:
        yield Left(column, "same", after if after in blanks else _LEFT)
    else:
        yield Left(column, "blank", after) if after in blanks else Left(column, "new")


def _kind_of_id(identifier: bytes) -> str:
    """Return the column with what an ID begins with, for all of a kind may be taken out: ``ID=rs``."""
    return f"ID={begin[0].decode()}" if (begin := _BEGIN_OF_ID.match(identifier)) else "ID"


def _as_written(qual: bytes) -> bytes:
    """Return QUAL as it is after htslib read and wrote it: ``NaN`` is ``nan``, ``1e400`` is ``inf``."""
    number = float_prefix(qual)
    return b"%g" % (0.0 if number is None else number)


def _filter(before: bytes, after: bytes, *, is_hidden: bool) -> Iterator[Left]:
    """Yield FILTER: a masked record may say that it is one; a point and PASS are blanks."""
    if is_hidden and after != before and all(_MASKED_FILTER.fullmatch(one) for one in after.split(b";")):
        yield Left("FILTER", "blank", after)
    elif is_hidden or before not in USUAL_FILTERS:
        yield from _cell("FILTER", before, after, *USUAL_FILTERS)
    elif after != before:
        is_blank = after in USUAL_FILTERS
        yield Left(f"FILTER={before.decode()}", "blank", after) if is_blank else Left("FILTER", "new")


def _alt(before: tuple[bytes, ...], kept: Record) -> Iterator[Left]:
    """Yield ALT: blanks are N, a point, and a symbol that names nothing, once or for each allele."""
    after, number = kept.alts, "many" if b"," in kept.alt else "one"
    new = [alt for alt in after if alt not in before]
    if any(alt.strip(b"N.<>*") for alt in new) or len(new) < len(after) > len(before):
        yield Left("ALT", "new")
    elif not kept.alt.strip(b"N.<>*_REFO,"):
        is_one = len(set(after)) == 1 and len(after) in (1, len(before))
        yield Left("ALT", "blank", after[0] if is_one else kept.alt)
    if len(before) > 1 and not kept.alt.strip(b".,"):
        yield Left("ALT/number", "blank", number.encode())


def _info(before: bytes, after: bytes, *, is_hidden: bool) -> Iterator[Left]:
    """Yield fields of INFO, which may be left out or blanked, and in a masked record a word that says so."""
    was = before.split(b";")
    fields = [] if after == b"." else after.split(b";")
    words = [text for text in fields if b"=" not in text and text.isupper()]
    if is_hidden:
        if after != before:
            yield Left("INFO", "blank", b";".join(words))
        if masked := [text for text in fields if _MASKED_WORD.fullmatch(text) and text not in was]:
            fields.remove(masked[0])
    left = {_key(text): text for text in fields}
    for text in was:
        key, _, value = text.partition(b"=")
        if text != key and not value.strip(NOTHING):
            continue
        if key not in left:
            yield Left(_named("INFO", key), "gone")
        elif text in fields:
            yield Left(_named("INFO", key), "same", _LEFT)
        elif _is_blanked(left[key]):
            yield Left(_named("INFO", key), "blank", left[key][len(key) + 1 :])
    if after != before:
        own = {*map(_key, was)}
        rest = iter(was)
        counted = [text for text in fields if _key(text) in own or not _says_nobody_has_it(text)]
        is_new = not all(any(_is_field(text, one) for one in rest) for text in counted)
        new = [
            key
            for key, text in left.items()
            if text in counted and text not in was and not (key in own and _is_blanked(text))
        ]
        yield from (Left(_named("INFO", key), "new") for key in (new or [b""]) if is_new)


def _says_nobody_has_it(text: bytes) -> bool:
    """Tell whether a field counts alleles and finds none."""
    return _key(text) in FILLED and _is_blanked(text)


def _is_field(text: bytes, original: bytes) -> bool:
    """Tell whether a field is one of the original's, or that one blanked."""
    return text == original or (_key(text) == _key(original) and _is_blanked(text))


def _key(text: bytes) -> bytes:
    return text.partition(b"=")[0]


def _is_blanked(text: bytes) -> bool:
    return set(text.partition(b"=")[2].split(b",")) in ({b"."}, {b"0"})


def _named(column: str, key: bytes) -> str:
    return f"{column}/{key.decode('utf-8', 'surrogateescape')}" if key else column


def _is_part(some: Iterable[bytes], every: Iterable[bytes]) -> bool:
    """Tell whether texts are others, in their order, of which some may be left out."""
    rest = iter(every)
    return all(text in rest for text in some)


def _new_values(original: Record, kept: Record) -> set[str]:
    """Return the keys of values, beside genotypes, that are neither the original's nor blank."""
    found: set[str] = set()
    if b":" not in kept.samples:
        return found
    keys, was = kept.format.split(b":"), original.format.split(b":")
    places = [was.index(key) if key in was else -1 for key in keys]
    for before, after in set(zip(original.cells, kept.cells, strict=False)):
        if before == after:
            continue
        mine = before.split(b":")
        for place, value in enumerate(after.split(b":")[1:], 1):
            at = places[place] if place < len(places) else -1
            old = mine[at] if 0 <= at < len(mine) else b""
            if value != old and value.strip(b"./|,"):
                found.add(_named("", keys[place])[1:] if place < len(keys) else ".")
    return found


def _masked_samples(original: Record, kept: Record) -> Iterator[Left]:
    """Yield how FORMAT and samples of a masked record are blank."""
    if original.format.startswith(b"GT:") and kept.format:
        is_left = kept.format == original.format
        yield Left("FORMAT", "same", _LEFT) if is_left else Left("FORMAT", "gone")
    if kept.samples and kept.is_uniform:
        cell = kept.telling_samples[1:]
        if cell.strip(b"./|:,"):
            return
        genotype, _, rest = cell.partition(b":")
        is_plain = rest == b":".join([b"."] * kept.format.count(b":"))
        own = _CALLED.sub(b".", original.samples[1:].partition(b"\t")[0].partition(b":")[0])
        yield Left("genotypes", "same" if genotype == own else "blank", genotype)
        yield Left("samples", "same") if is_plain else Left("samples", "blank", rest)
    elif kept.samples != original.samples and original.has_genotypes and kept.has_genotypes:
        yield from _mixed(original, kept)


def _mixed(original: Record, kept: Record) -> Iterator[Left]:
    """Yield missing genotypes of one record that differ where the original's are written alike."""
    if original.n_samples != kept.n_samples:
        return
    forms: dict[bytes, set[bytes]] = defaultdict(set)
    for before, after in set(zip(original.cells, kept.cells, strict=True)):
        genotype = after.partition(b":")[0]
        if genotype.strip(b"./|"):
            return
        forms[_CALLED.sub(b".", before.partition(b":")[0])].add(genotype)
    yield from (
        Left("genotypes", "blank", one) for found in forms.values() if len(found) > 1 for one in found
    )


def _lost_samples(original: Record, kept: Record) -> Iterator[Left]:
    """Yield the fields that samples of a record have no longer, or fewer of them."""
    if original.samples == kept.samples or not (original.samples and kept.samples):
        return
    if original.format != kept.format:
        gone = {*original.format.split(b":")} - {b"GT", *kept.format.split(b":")}
        yield from (Left(_named("FORMAT", key), "gone") for key in gone)
        return
    is_whole = original.n_samples == kept.n_samples  # else samples were left out or added
    if is_whole and original.samples.count(b":") > kept.samples.count(b":"):
        yield Left(TRAILING, "gone")
    before, after = _n_values(original), _n_values(kept)
    lost = (key for key in before if after[key] < (before[key] if is_whole else 1))
    yield from (Left(_named("FORMAT", key), "blank") for key in lost)


def _n_values(record: Record) -> Counter[bytes]:
    """Return how many samples have a value in each field but GT."""
    found: Counter[bytes] = Counter()
    for cell, n in Counter(record.cells).items():
        for key, value in zip(record.format.split(b":"), cell.split(b":"), strict=False):
            if key != b"GT" and value.strip(b".,|/"):
                found[key] += n
    return found


class PhaseSets:
    """Numbers that the sets of phase of each sample got, in the order in which they come: 1, 2, 3."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, bytes], dict[bytes, bytes]] = defaultdict(dict)
        self._n_sets: Counter[int] = Counter()

    def are_counted(self, original: Record, kept: Record) -> bool:
        """Tell whether PS of a record counts the sets of each sample, of the file or of the contig."""
        before, after = (_values(record, b"PS") for record in (original, kept))
        if len(before) != len(after):
            return False
        for sample, (old, new) in enumerate(zip(before, after, strict=True)):
            if new in (old, b".", b""):
                continue
            numbers = self._numbers[sample, original.chrom]
            if old not in numbers and new in (b"%d" % (len(numbers) + 1), b"%d" % (self._n_sets[sample] + 1)):
                numbers[old] = new
                self._n_sets[sample] += 1
            if numbers.get(old) != new:
                return False
        return True


def _values(record: Record, key: bytes) -> list[bytes]:
    """Return each sample's value under a key of FORMAT, empty for none."""
    keys = record.format.split(b":")
    at = keys.index(key) if key in keys else len(keys)
    return [b"".join(cell.split(b":")[at : at + 1]) for cell in record.cells]


class Ways:
    """In which ways cells are blank, and what some records lost although others after them have it.

    Attributes
    ----------
    harmless
        Keys of INFO that the header declares and masking may leave.
    open, begun
        What records that are not masked lost and none had since; the line, of those looked at, where it was
        lost first.
    at
        The line that is looked at.
    """

    def __init__(self, declared: Iterable[bytes]) -> None:
        self.harmless = sorted({*declared}.intersection(HARMLESS_NUMBERS))
        self.open: set[str] = set()
        self.begun: dict[str, int] = {}
        self.at = 0
        self._columns = {*("ALT", "ALT/number", "FILTER", "FORMAT", "INFO", "QUAL", "genotypes", "samples")}
        self._columns |= {_named("INFO", key) for key in self.harmless}
        self._texts: dict[tuple[str, bool], set[bytes]] = defaultdict(set)
        self._changed: set[tuple[str, bool]] = set()
        self._lost: dict[str, float] = {}  # the highest frequency of a record that lost it

    def add_masked(self, left: Iterable[Left], *, is_repeat: bool) -> None:
        """Take up in which ways a record is blank that is masked in ALT; repeats may be masked otherwise."""
        for one in left:
            if one.how == "new" or one.column not in self._columns or (is_repeat and one.column == "ALT"):
                continue
            key = one.column, is_repeat
            if one.how != "same":
                self._changed.add(key)
            if len(self._texts[key]) < MANY_WAYS:
                self._texts[key].add(one.text)

    def add_other(self, left: Iterable[Left], maf: float) -> None:
        """Take up what a record lost that is not masked."""
        for one in left:
            if one.how not in ("blank", "gone") or (one.column not in self._lost and self.is_full):
                continue
            if one.column not in self._lost:
                self.open.add(one.column)
                self.begun[one.column] = self.at
            self._lost[one.column] = max(maf, self._lost.get(one.column, maf))

    @property
    def is_full(self) -> bool:
        """Tell whether no further names are followed."""
        return len(self._lost) == MOST_NAMES

    def see(self, line: bytes, *names: str) -> None:
        """Note what a line has of what records before it lost; only some names where they are given."""
        self.open.difference_update([name for name in names or self.open if has(line, name)])

    def result(self) -> tuple[tuple[str, float], ...]:
        """Return the columns that are blank in several ways, each up to a threshold from which it is not."""
        ways = {key[0]: math.inf for key in self._changed if len(self._texts[key]) > 1}
        lost = {name: maf for name, maf in self._lost.items() if name not in self.open and name not in ways}
        highest: dict[str, float] = {}
        for name, maf in sorted({**ways, **lost}.items()):
            column = "ID" if name.startswith("ID=") else shown(name)
            highest[column] = max(maf, highest.get(column, maf))
        return tuple(highest.items())


def shown(name: str) -> str:
    """Return a column's name as text, whatever bytes it is of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


_PATTERNS = {
    "ID": r"^(?:[^\t]*\t){2}(?:[^.\t]|\.[^\t])",
    "QUAL": r"^(?:[^\t]*\t){5}(?:[^.\t]|\.[^\t])",
    "FILTER": r"^(?:[^\t]*\t){6}(?:[^.P\t]|\.[^\t]|P[^A]|PA[^S]|PAS[^S]|PASS[^\t])",
    "FILTER=PASS": r"^(?:[^\t]*\t){6}PASS\t",
    "FILTER=.": r"^(?:[^\t]*\t){6}\.\t",
    TRAILING: r"^(?:[^\t]*\t){9}.*:\.(?:[\t\n]|$)",
}


@remembered
def pattern_of(name: str) -> str:
    """Return the pattern of lines that have a column or a field, as Python and RE2 read it."""
    if name in _PATTERNS:
        return _PATTERNS[name]
    if name.startswith("ID="):
        return r"^(?:[^\t]*\t){2}" + name.removeprefix("ID=")
    column, _, text = name.partition("/")
    key = "".join(f"\\x{byte:02x}" for byte in text.encode("utf-8", "surrogateescape"))
    if column == "INFO":
        value = r"=[0.,]*[^\t\n;0.,][^\t\n;]*"  # something else than NOTHING
        return rf"^(?:[^\t]*\t){{7}}(?:[^\t;]*;)*{key}(?:{value})?(?:[;\t\n]|$)"
    return rf"^(?:[^\t]*\t){{8}}(?:[^\t:]*:)*{key}[:\t]"


def has(line: bytes, name: str) -> bool:
    """Tell whether a line has a value in a column, or in a field of INFO or of a sample."""
    if re.search(pattern_of(name).encode(), line) is None:
        return False
    if not name.startswith("FORMAT/") or name == TRAILING:
        return True
    format_, *cells = line.split(b"\t")[8:]
    at = format_.split(b":").index(name.partition("/")[2].encode("utf-8", "surrogateescape"))
    return any(cell.split(b":")[at].strip(b".,|/") for cell in cells if cell.count(b":") >= at)
