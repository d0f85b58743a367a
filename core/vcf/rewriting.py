"""What is new in a record beside masking, and in which way a masked one is blank."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.vcf.frequencies import float_prefix
from core.vcf.records import USUAL_FILTERS, Record

MANY_FORMS = 9  # of a column; more are not told apart
_CALLED = re.compile(rb"[0-9]+")
_MASKING_FILTER = re.compile(rb"(?i)mask|anon|redact|hidden|removed")


def as_written(qual: bytes) -> bytes:
    """Return QUAL as it is after htslib read and wrote it: ``NaN`` is ``nan``, ``1e400`` is ``inf``."""
    number = float_prefix(qual)
    return b"%g" % (0.0 if number is None else number)


def adds_info(original: bytes, fields: Iterable[bytes]) -> bool:
    """Tell whether some fields are not of an INFO column, or in another order; blanked ones are."""
    rest = iter(original.split(b";"))
    return not all(any(_is_field(other, text) for other in rest) for text in fields)


def _is_field(original: bytes, text: bytes) -> bool:
    if original == text:
        return True
    key, _, value = text.partition(b"=")
    return original.startswith(key + b"=") and set(value.split(b",")) in ({b"."}, {b"0"})


def is_rewritten(original: Record, kept: Record) -> bool:
    """Tell whether a record that had not to be masked has anything new; to take away makes nothing new."""
    return _has_new_column(original, kept) or (
        kept.format == original.format and kept.samples != original.samples and _has_new_value(original, kept)
    )


def _has_new_column(original: Record, kept: Record) -> bool:
    return (
        kept.id not in (original.id, b".")
        or kept.pos != original.pos
        or (kept.qual not in (original.qual, b".") and kept.qual != as_written(original.qual))
        or (
            kept.filter != original.filter
            and kept.filter not in USUAL_FILTERS
            and not _MASKING_FILTER.search(kept.filter)
        )
        or (kept.info not in (original.info, b".") and adds_info(original.info, kept.info.split(b";")))
        or (
            kept.format != original.format
            and not set(kept.format.split(b":")) <= {*original.format.split(b":"), b"", b"GT", b"."}
        )
        or (kept.alt != original.alt and _has_new_allele(original, kept))
    )


def _has_new_allele(original: Record, kept: Record) -> bool:
    """Tell whether ALT has a new allele; N and “.” are none, unless beside alleles that are named."""
    new = [alt for alt in kept.alts if alt not in original.alts]
    return bool(new) and (len(new) < len(kept.alts) or any(alt.strip(b"N.<>*") for alt in new))


def _has_new_value(original: Record, kept: Record) -> bool:
    """Tell whether a sample has a value, beside its genotype, that is neither the original's nor blank."""
    if b":" not in kept.samples:
        return False
    for before, after in set(zip(original.cells, kept.cells, strict=False)):
        if before != after:
            mine, theirs = before.split(b":"), after.split(b":")
            if len(theirs) > len(mine) or any(
                value != old and value.strip(b"./|,")
                for old, value in zip(mine[1:], theirs[1:], strict=False)
            ):
                return True
    return False


@dataclass(eq=False)
class Forms:
    """In which ways the columns of masked records are blank: which way can be a code.

    A column that is everywhere the original's, or everywhere one text, holds none.
    """

    texts: dict[tuple[str, bool], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    changed: set[tuple[str, bool]] = field(default_factory=set)
    is_repeat: bool = False  # of the record that is taken up: repeats may be masked otherwise

    def add(self, original: Record, kept: Record, *, is_repeat: bool) -> None:
        """Take the forms of a record up, if it is masked in ALT."""
        if kept.alt == original.alt:
            return
        self.is_repeat = is_repeat
        if not is_repeat and not kept.alt.strip(b"N.<>*_REFO,"):
            alts = kept.alts
            form = alts[0] if len(set(alts)) == 1 and len(alts) in (1, len(original.alts)) else kept.alt
            self._note("ALT", form, is_changed=True)
        self._note("FILTER", kept.filter, is_changed=kept.filter != original.filter)
        self._note("QUAL", kept.qual, is_changed=kept.qual != original.qual)
        if kept.info != original.info:
            words = b";".join(text for text in kept.info.split(b";") if b"=" not in text and text.isupper())
            self._note("INFO", words, is_changed=True)
        if kept.samples and kept.is_uniform:
            cell = kept.telling_samples[1:]
            if not cell.strip(b"./|:,"):
                self._note_samples(original, kept, cell)

    def _note_samples(self, original: Record, kept: Record, cell: bytes) -> None:
        genotype, _, rest = cell.partition(b":")
        n_fields = kept.format.count(b":")
        is_plain = rest == b":".join([b"."] * n_fields)
        first = original.samples[1 : original.samples.find(b"\t", 1) if original.n_samples > 1 else None]
        own = _CALLED.sub(b".", first.partition(b":")[0])
        self._note("genotypes", genotype, is_changed=genotype != own)
        self._note("samples", b"" if is_plain else rest, is_changed=not is_plain)

    def _note(self, column: str, text: bytes, *, is_changed: bool) -> None:
        key = column, self.is_repeat
        if is_changed:
            self.changed.add(key)
        if len(self.texts[key]) < MANY_FORMS:
            self.texts[key].add(text)

    def has_room(self, column: str, *, is_repeat: bool) -> bool:
        """Tell whether one more way in which a column is blank would be told apart from the others."""
        return len(self.texts[column, is_repeat]) < MANY_FORMS

    def varying(self) -> tuple[str, ...]:
        """Return the columns that are blank in more than one way."""
        return tuple(sorted({key[0] for key in self.changed if len(self.texts[key]) > 1}))
