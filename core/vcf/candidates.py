"""The original records that may be targets, kept as compact arrays while a file streams by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt


class Mark:
    """What the published rule and the tables need; the bits above are those of the checks of masked sites."""

    REPEAT = 1 << 0  # a short tandem repeat: a target at any threshold
    REPEAT_MASKED = 1 << 1  # some anonymized record at the site satisfies the repeat rule
    MISSING = 1 << 2  # no anonymized record at the site
    SAME_SITE = 1 << 3  # the candidate before stands at the same site
    REPEAT_KEPT = 1 << 4  # an anonymized record at the site still holds a repeat
    ALT_CHANGED = 1 << 5  # the record's own ALT, or one at its site, differs from the original's
    SOLE_CARRIER = 1 << 6  # exactly one sample carries the rarest allele, which is still named
    NAMED = 1 << 7  # the record's own ALT still names one of its alleles
    BLANK = 1 << 8  # the MAF rule is satisfied at any threshold


FIRST_CHECK = 1 << 10


MAX_NUMBER = np.iinfo(np.uint16).max  # motifs and sets of keys beyond share one name

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.uint64]
Offsets = npt.NDArray[np.integer[Any]]
Numbers = Sequence[int] | Offsets


class Listed(ABC, Sequence[str]):
    """Things of which each is said when it is asked for; parts are lists."""

    @abstractmethod
    def said(self, place: int) -> str:
        """Say one of them."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # compared by value, as a list is

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        places = range(len(self))[index]
        return self.said(places) if isinstance(places, int) else [self.said(place) for place in places]


class Places(Listed):
    """Places in a file, written as ``CHROM:POS``."""

    def __init__(self, names: Sequence[str], contigs: Numbers, positions: Numbers) -> None:
        self._names = names
        self._contigs = contigs
        self._positions = positions

    def __len__(self) -> int:
        return len(self._contigs)

    def said(self, place: int) -> str:
        """Write one place."""
        return f"{self._names[self._contigs[place]]}:{self._positions[place]}"


@dataclass(eq=False)
class Tally:
    """How many records or sites, and where."""

    n: int = 0
    contig_ids: dict[bytes, int] = field(default_factory=dict)
    contigs: array[int] = field(default_factory=lambda: array("i"))
    positions: array[int] = field(default_factory=lambda: array("q"))
    mafs: array[float] = field(default_factory=lambda: array("d"))

    def add(self, contig: bytes, position: int | bytes, maf: float = np.inf) -> None:
        """Count one more at a position."""
        self.n += 1
        self.contigs.append(self.contig_ids.setdefault(contig, len(self.contig_ids)))
        self.positions.append(int(position))
        self.mafs.append(maf)

    def chosen(self, which: Sequence[int]) -> Places:
        """Return the positions of some, by their numbers from 0."""
        return Places(
            self._names, [self.contigs[one] for one in which], [self.positions[one] for one in which]
        )

    @property
    def places(self) -> Places:
        """Return every position, in the order they came."""
        return Places(self._names, self.contigs, self.positions)

    @property
    def _names(self) -> list[str]:
        return [contig.decode("utf-8", "backslashreplace") for contig in self.contig_ids]


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Original records that are a target at some threshold, in file order; arrays of one length."""

    contigs: Offsets  # index into `contig_names`, one a candidate
    positions: Offsets  # POS
    mafs: Floats  # site frequency in [0, 0.5) or, for repeats, any value; infinity where not computable
    # index into `mark_sets`: bits of :class:`core.vcf.candidates.Mark` and of the checks of masked sites
    marks: Offsets
    mark_sets: Marks
    # for the few candidates where it is neither their own frequency nor any: which they are, ascending, and
    # the frequency up to which the MAF rule is satisfied; see :meth:`masked_up_to`
    moved: Offsets
    moved_up_to: Floats
    long: Offsets  # candidates whose REF is longer than one base, ascending, and its last position
    long_ends: Offsets
    # index into `key_sets`: the fields that checks name, each behind its check; 0 for none
    keys: npt.NDArray[np.uint16]
    key_sets: tuple[tuple[str, ...], ...]
    motifs: npt.NDArray[np.uint16]  # index into `motif_names`, 0 where there is no repeat
    contig_names: tuple[str, ...]
    motif_names: tuple[str, ...]

    def places(self, which: Offsets) -> Places:
        """Return where candidates stand."""
        return Places(self.contig_names, self.contigs[which], self.positions[which])

    def contigs_of(self, which: Offsets) -> list[str]:
        """Return the contigs of candidates."""
        return [self.contig_names[contig] for contig in self.contigs[which].tolist()]

    def ends(self, which: Offsets) -> npt.NDArray[np.int64]:
        """Return the last position of REF of candidates."""
        ends = self.positions[which].astype(np.int64)
        if len(self.long):
            places = np.minimum(np.searchsorted(self.long, which), len(self.long) - 1)
            found = self.long[places] == which
            ends[found] = self.long_ends[places[found]]
        return ends

    def masked_up_to(self) -> Floats:
        """Return for every candidate what is below a threshold exactly when the MAF rule is not satisfied."""
        values = self.mafs.copy()
        values[self.moved] = self.moved_up_to
        values[self.marked(Mark.BLANK)] = np.inf
        return values

    def is_unmasked(self, maf_threshold: float) -> npt.NDArray[np.bool_]:
        """Tell for every candidate whether the MAF rule is not satisfied at a threshold."""
        unmasked = self.mafs < maf_threshold
        unmasked[self.moved] = self.moved_up_to < maf_threshold
        unmasked &= ~self.marked(Mark.BLANK)
        return unmasked

    def marked(self, marks: int, which: Offsets | slice = slice(None)) -> npt.NDArray[np.bool_]:
        """Tell which candidates, or which of some of them, have one or more of some marks."""
        found: npt.NDArray[np.bool_] = ((self.mark_sets & np.uint64(marks)) != 0)[self.marks[which]]
        return found


class _Column:
    """A growing array of `kind`, or from a number that does not fit, of `wider`; never copied to be read."""

    def __init__(self, kind: type[Any], wider: type[Any] | None = None) -> None:
        self._data = bytearray()
        self._kind = kind
        self._wider = wider

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add values at the end."""
        if self._wider is not None and len(values) and int(values.max()) > np.iinfo(self._kind).max:
            self._data = bytearray(self.values().astype(self._wider).tobytes())
            self._kind, self._wider = self._wider, None
        self._data += np.ascontiguousarray(values, dtype=self._kind).data

    def values(self) -> npt.NDArray[Any]:
        """Return everything added so far."""
        return np.frombuffer(self._data, dtype=self._kind)


class Found(NamedTuple):
    """Candidates of one run of lines, in order; lists and arrays of one length.

    `contigs` are runs of one contig with their lengths, `lengths` those of REF. `motifs` has the few places
    that have one, `keys` the numbers of sets of keys; `numbers` are the places in the file.
    """

    contigs: list[tuple[bytes, int]]
    positions: Offsets
    mafs: Floats
    marks: Marks
    masked_up_to: Floats
    motifs: dict[int, bytes]
    lengths: Offsets
    keys: npt.NDArray[np.uint16]
    numbers: Numbers


class CandidateCollector:
    """Takes the candidates of one run after the other and joins them at the end."""

    def __init__(self, *, keeps_order: bool) -> None:
        self.contig_ids: dict[bytes, int] = {}
        self.motif_ids: dict[bytes, int] = {b"": 0}
        self.key_ids: dict[tuple[bytes, ...], int] = {(): 0}
        self.key_sets: list[tuple[bytes, ...]] = [()]
        self.keeps_order = keeps_order
        self.n_candidates = 0
        self.contigs = _Column(np.uint16, np.int64)
        self.positions = _Column(np.uint32, np.int64)
        self.mafs = _Column(np.float64)
        self.marks = _Column(np.uint16, np.int64)
        self.mark_ids: dict[int, int] = {}
        self.moved = _Column(np.int64)
        self.moved_up_to = _Column(np.float64)
        self.long = _Column(np.int64)
        self.long_ends = _Column(np.int64)
        self.keys = _Column(np.uint16)
        self.motifs = _Column(np.uint16)
        self.numbers = _Column(np.int64)

    def add(self, found: Found) -> None:
        """Keep candidates."""
        n_found = len(found.positions)
        ids = [self.contig_ids.setdefault(name, len(self.contig_ids)) for name, _ in found.contigs]
        contigs = np.repeat(np.array(ids, dtype=np.int64), [count for _, count in found.contigs])
        positions, marks = found.positions, found.marks
        same = (np.diff(positions) == 0) & (np.diff(contigs) == 0)
        marks[1:][same] |= np.uint64(Mark.SAME_SITE)
        is_blank = found.masked_up_to == np.inf
        marks[is_blank] |= np.uint64(Mark.BLANK)
        self.contigs.append(contigs)
        self.positions.append(positions)
        self.mafs.append(found.mafs)
        self.marks.append(self._mark_numbers(marks))
        moved = np.flatnonzero((found.masked_up_to != found.mafs) & ~is_blank)
        self.moved.append(moved + self.n_candidates)
        self.moved_up_to.append(found.masked_up_to[moved])
        long = np.flatnonzero(found.lengths > 1)
        self.long.append(long + self.n_candidates)
        self.long_ends.append(positions[long] + found.lengths[long] - 1)
        self.keys.append(found.keys)
        motifs = np.zeros(n_found, dtype=np.uint16)
        for place, motif in found.motifs.items():
            motifs[place] = _number_in(self.motif_ids, motif)
        self.motifs.append(motifs)
        if self.keeps_order:
            self.numbers.append(np.array(found.numbers, dtype=np.int64))
        self.n_candidates += n_found

    def _mark_numbers(self, marks: Marks) -> Offsets:
        """Return the number of each one's set of marks."""
        found = np.full(len(marks), self._mark_number(int(marks[0])))
        others = np.flatnonzero(marks != marks[0])  # mostly few, and sorting takes time
        sets, numbers = np.unique(marks[others], return_inverse=True)
        found[others] = np.array(list(map(self._mark_number, sets.tolist())), dtype=np.int64)[numbers]
        return found

    def _mark_number(self, marks: int) -> int:
        return self.mark_ids.setdefault(marks, len(self.mark_ids))

    def key_set(self, keys: tuple[bytes, ...], known: int = 0) -> int:
        """Return the number of a set of keys together with those of a known one, 0 for none."""
        if known:
            keys = tuple(dict.fromkeys((*self.key_sets[known], *keys)))
        if keys not in self.key_ids:
            self.key_sets.append(keys)
        return _number_in(self.key_ids, keys)

    def result(self) -> Candidates:
        """Return what was collected, without copying it."""
        candidates = Candidates(
            contigs=self.contigs.values(),
            positions=self.positions.values(),
            mafs=self.mafs.values(),
            marks=self.marks.values(),
            mark_sets=np.array(list(self.mark_ids), dtype=np.uint64),
            moved=self.moved.values(),
            moved_up_to=self.moved_up_to.values(),
            long=self.long.values(),
            long_ends=self.long_ends.values(),
            keys=self.keys.values(),
            key_sets=tuple(
                tuple(key.decode("utf-8", "backslashreplace") for key in keys) for keys in self.key_sets
            ),
            motifs=self.motifs.values(),
            contig_names=tuple(name.decode("utf-8", "backslashreplace") for name in self.contig_ids),
            motif_names=tuple(name.decode("ascii") for name in self.motif_ids),
        )
        return _in_file_order(candidates, self.numbers.values()) if self.keeps_order else candidates


def _number_in(ids: dict[Any, int], value: object) -> int:
    """Return the number of a value; those beyond the last number share it."""
    return min(ids.setdefault(value, len(ids)), MAX_NUMBER)


def _in_file_order(candidates: Candidates, order: Offsets) -> Candidates:
    """Order sites by where their first record stands in the file, keeping a site's records together."""
    begins = ~candidates.marked(Mark.SAME_SITE)
    first = order[begins][np.cumsum(begins) - 1]
    in_file = np.lexsort((np.arange(len(order)), first))
    masked_up_to = candidates.masked_up_to()[in_file]
    ends = np.zeros(len(order), dtype=np.int64)
    ends[candidates.long] = candidates.long_ends
    long = np.flatnonzero(ends[in_file])
    moved = np.flatnonzero((masked_up_to != candidates.mafs[in_file]) & (masked_up_to != np.inf))
    return replace(
        candidates,
        contigs=candidates.contigs[in_file],
        positions=candidates.positions[in_file],
        mafs=candidates.mafs[in_file],
        marks=candidates.marks[in_file],
        moved=moved,
        moved_up_to=masked_up_to[moved],
        long=long,
        long_ends=ends[in_file][long],
        keys=candidates.keys[in_file],
        motifs=candidates.motifs[in_file],
    )
