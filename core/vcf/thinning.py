"""What records that had not to be masked lost although records after them kept it.

Whoever takes something out of a whole file leaves it nowhere. Where it is gone from some records alone, which
these are can be a code.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator

from core.vcf.candidates import Tally
from core.vcf.info import Field
from core.vcf.records import USUAL_FILTERS, Record
from core.vcf.rewriting import NOTHING

MAX_NAMES = 64  # of columns and fields that are followed
_COLUMNS = ("ID", "QUAL", "FILTER")
TRAILING = "FORMAT/."  # missing values at the end of samples
ENDING = re.compile(rb":\.(?=[\t\n]|\Z)")
_GENOTYPE = b"GT"  # is compared by itself


_HAVE: dict[str, Callable[[Record], bool]] = {
    "ID": lambda record: record.id != b".",
    "QUAL": lambda record: record.qual != b".",
    "FILTER": lambda record: record.filter not in USUAL_FILTERS,
    "FILTER=PASS": lambda record: record.filter == b"PASS",
    "FILTER=.": lambda record: record.filter == b".",
    TRAILING: lambda record: ENDING.search(record.samples) is not None,
}


class Thinning:
    """The columns and fields that records lost, and whether later ones have them.

    Attributes
    ----------
    open
        Names of what no record has had after one that lost it: a column's, ``INFO/…`` or ``FORMAT/…``.
    begun
        In which line of the run that is looked at each name was first lost.
    at
        The line that is looked at.
    """

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.begun: dict[str, int] = {}
        self.at = 0
        self._names: set[str] = set()
        self._sets: dict[frozenset[str], int] = {}
        self._lost = Tally()
        self._lost_sets: array[int] = array("I")  # of each record that lost something

    def compare(self, original: Record, kept: Record, maf: float) -> None:
        """Take up what an anonymized record lost, and what it has of what others lost."""
        self.see(kept)
        lost = frozenset(_lost(original, kept))
        for name in lost - self._names:
            if len(self._names) == MAX_NAMES:
                return
            self._names.add(name)
            self.open.add(name)
            self.begun[name] = self.at
        if lost:
            self._lost.add(kept.chrom, kept.pos, maf)
            self._lost_sets.append(self._sets.setdefault(lost, len(self._sets)))

    def see(self, record: Record, *names: str) -> None:
        """Note what a record has of what earlier ones lost, or of some names that were lost before it."""
        self.open.difference_update([name for name in names or self.open if _has(record, name)])

    def result(self) -> tuple[Tally, tuple[str, ...]]:
        """Return the records that lost what later ones had, and the names of that."""
        names = self._names - self.open
        telling = [not names.isdisjoint(lost) for lost in self._sets]
        found = Tally(contig_ids=self._lost.contig_ids)
        for place, number in enumerate(self._lost_sets if any(telling) else ()):
            if telling[number]:
                found.n += 1
                found.contigs.append(self._lost.contigs[place])
                found.positions.append(self._lost.positions[place])
                found.mafs.append(self._lost.mafs[place])
        shown = (
            name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names
        )
        return found, tuple(sorted(shown))


def _lost(original: Record, kept: Record) -> Iterator[str]:
    """Yield the names of what a record has no longer, or, of samples, in fewer of them."""
    yield from (name for name in _COLUMNS if _has(original, name) and not _has(kept, name))
    if original.filter != kept.filter and {original.filter, kept.filter} == USUAL_FILTERS:
        yield f"FILTER={original.filter.decode()}"
    if original.info != kept.info:
        left = {field.key for field in kept.fields.fields() if _says_more(field)}
        for field in original.fields.fields():
            if _says_more(field) and field.key not in left:
                yield f"INFO/{_text(field.key)}"
    if original.format != kept.format:
        gone = set(original.format.split(b":")) - {_GENOTYPE, *kept.format.split(b":")}
        yield from (f"FORMAT/{_text(key)}" for key in gone if original.samples and kept.samples)
    elif original.samples != kept.samples:
        if original.n_samples == kept.n_samples and original.samples.count(b":") > kept.samples.count(b":"):
            yield TRAILING
        before, after = _n_values(original), _n_values(kept)
        is_whole = original.n_samples == kept.n_samples  # else samples were left out or added
        lost = (key for key in before if after[key] < (before[key] if is_whole else 1))
        yield from (f"FORMAT/{_text(key)}" for key in lost)


def _has(record: Record, name: str) -> bool:
    """Tell whether a record has a value in a column or field."""
    if name in _HAVE:
        return _HAVE[name](record)
    column, _, text = name.partition("/")
    key = text.encode("utf-8", "surrogateescape")
    if column == "INFO":
        return key in record.info.upper() and any(
            field.key == key and _says_more(field) for field in record.fields.fields()
        )
    keys = record.format.split(b":")
    if key not in keys or not record.samples:
        return False
    at = keys.index(key)
    return any(_is_value(cell.split(b":")[at]) for cell in record.cells if cell.count(b":") >= at)


def _says_more(field: Field) -> bool:
    """Tell whether a field of INFO is a flag, or has a value other than zero."""
    return field.value is None or bool(field.value.strip(NOTHING))


def _n_values(record: Record) -> Counter[bytes]:
    """Return how many samples have a value in each field but GT."""
    keys = record.format.split(b":")
    found: Counter[bytes] = Counter()
    for cell, n in Counter(record.cells).items():
        for key, value in zip(keys, cell.split(b":"), strict=False):
            if key != _GENOTYPE and _is_value(value):
                found[key] += n
    return found


def _is_value(text: bytes) -> bool:
    return bool(text.strip(b".,|/"))


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogateescape")
