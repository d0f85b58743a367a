"""What is new in a record beside masking, and in which way a masked one is blank."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.vcf.frequencies import float_prefix
from core.vcf.records import USUAL_FILTERS, Record

HARMLESS_NUMBERS = (b"DP", b"MQ", b"MQ0", b"MQ0F", b"AN", b"NS")  # fields of INFO that masking may leave
NOTHING = b"0.,"  # what a number may hold that is as good as a missing one
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


def is_rewritten(original: Record, kept: Record, *, in_order: bool) -> bool:
    """Tell whether a record that had not to be masked has anything new; to take away makes nothing new.

    Samples that are not `in_order` may stand in any other.
    """
    return _has_new_column(original, kept) or (
        kept.samples != original.samples
        and (in_order or not {*kept.cells} <= {*original.cells})
        and _has_new_value(original, kept)
    )


def _has_new_column(original: Record, kept: Record) -> bool:
    return (
        kept.id not in (original.id, b".")
        or kept.pos != original.pos
        or (kept.qual not in (original.qual, b".") and kept.qual != as_written(original.qual))
        or (
            kept.filter != original.filter
            and kept.filter not in USUAL_FILTERS
            and not (kept.alt != original.alt and _MASKING_FILTER.search(kept.filter))
        )
        or (kept.info not in (original.info, b".") and adds_info(original.info, kept.info.split(b";")))
        or (
            kept.format not in (original.format, b"", b"GT", b".")
            and not is_part(kept.format.split(b":"), original.format.split(b":"))
        )
        or (kept.alt != original.alt and _has_new_allele(original, kept))
    )


def _has_new_allele(original: Record, kept: Record) -> bool:
    """Tell whether ALT has a new allele; N and “.” are none, unless beside alleles that are named."""
    new = [alt for alt in kept.alts if alt not in original.alts]
    return bool(new) and (len(new) < len(kept.alts) or any(alt.strip(b"N.<>*") for alt in new))


def is_part(some: Iterable[bytes], every: Iterable[bytes]) -> bool:
    """Tell whether texts are others, in their order, of which some may be left out."""
    rest = iter(every)
    return all(text in rest for text in some)


def _has_new_value(original: Record, kept: Record) -> bool:
    """Tell whether a sample has a value, beside its genotype, that is neither the original's nor blank."""
    if b":" not in kept.samples:
        return False
    keys, before_keys = kept.format.split(b":"), original.format.split(b":")
    same = kept.format == original.format
    places = None if same else [before_keys.index(key) if key in before_keys else -1 for key in keys]
    for before, after in set(zip(original.cells, kept.cells, strict=False)):
        if before != after:
            mine, theirs = before.split(b":"), after.split(b":")
            if places is not None:
                mine = [mine[at] if 0 <= at < len(mine) else b"" for at in places]
            if len(theirs) > len(mine) or any(
                value != old and value.strip(b"./|,")
                for old, value in zip(mine[1:], theirs[1:], strict=False)
            ):
                return True
    return False


def _name(key: bytes) -> str:
    """Return how a field is called whose key is given between a semicolon and ``=``."""
    return f"INFO/{key[1:-1].decode()}"


def _value(key: bytes, info: bytes) -> bytes:
    """Return what stands under a key, given between a semicolon and ``=``; empty for nothing."""
    text = b";" + info
    at = text.find(key)
    return text[at + len(key) :].partition(b";")[0] if at >= 0 else b""


@dataclass(eq=False)
class Forms:
    """In which ways the columns of masked records are blank: which way can be a code.

    A column that is everywhere the original's, or everywhere one text, holds none.
    """

    harmless: tuple[bytes, ...] = ()  # keys of INFO, each between a semicolon and "="
    texts: dict[tuple[str, bool], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    changed: set[tuple[str, bool]] = field(default_factory=set)
    is_repeat: bool = False  # of the record that is taken up: repeats may be masked otherwise

    @classmethod
    def of(cls, header: Iterable[bytes]) -> "Forms":
        """Return none yet, for a file with such header lines."""
        declared = {line.partition(b",")[0].removeprefix(b"##INFO=<ID=") for line in header}
        return cls(tuple(b";%s=" % key for key in HARMLESS_NUMBERS if key in declared))

    def add(self, original: Record, kept: Record, *, is_repeat: bool) -> None:
        """Take the forms of a record up, if it is masked in ALT."""
        if kept.alt == original.alt:
            return
        self.is_repeat = is_repeat
        if not is_repeat and not kept.alt.strip(b"N.<>*_REFO,"):
            alts = kept.alts
            form = alts[0] if len(set(alts)) == 1 and len(alts) in (1, len(original.alts)) else kept.alt
            self._note("ALT", form, is_changed=True)
        if len(original.alts) > 1 and not kept.alt.strip(b".,"):
            self._note("ALT/number", b"one" if b"," not in kept.alt else b"many", is_changed=True)
        self._note_harmless(original.info, kept.info)
        if len(original.format) > len(b"GT:") and original.format.startswith(b"GT:") and kept.format:
            is_left = kept.format == original.format
            self._note("FORMAT", b"left" * is_left, is_changed=not is_left)
        self._note("FILTER", kept.filter, is_changed=kept.filter != original.filter)
        self._note("QUAL", kept.qual, is_changed=kept.qual != original.qual)
        if kept.info != original.info:
            words = b";".join(text for text in kept.info.split(b";") if b"=" not in text and text.isupper())
            self._note("INFO", words, is_changed=True)
        if kept.samples and kept.is_uniform:
            cell = kept.telling_samples[1:]
            if not cell.strip(b"./|:,"):
                self._note_samples(original, kept, cell)
        elif kept.samples != original.samples and original.has_genotypes and kept.has_genotypes:
            self._note_mixed(original, kept)

    def _note_harmless(self, original: bytes, kept: bytes) -> None:
        """Note of fields that say nothing of the allele whether they are left, blank or gone."""
        for key in self.harmless:
            value = _value(key, original)
            if value.strip(NOTHING):
                left = _value(key, kept)
                is_left = left == value
                self._note(_name(key), b"left" if is_left else left, is_changed=not is_left)

    def never_lost(self, *, is_repeat: bool) -> list[bytes]:
        """Return the harmless fields, each behind a semicolon, that no masked record lost so far."""
        return [key for key in self.harmless if b"" not in self.texts[_name(key), is_repeat]]

    def note_left(self, column: str, text: bytes, *, is_repeat: bool) -> None:
        """Note of a record's column that it is the original's."""
        self.is_repeat = is_repeat
        self._note(column, text, is_changed=False)

    def _note_mixed(self, original: Record, kept: Record) -> None:
        """Note missing genotypes of one record that differ where the original's are written alike."""
        if original.n_samples != kept.n_samples:
            return
        forms: dict[bytes, set[bytes]] = defaultdict(set)
        for before, after in set(zip(original.cells, kept.cells, strict=True)):
            genotype = after.partition(b":")[0]
            if genotype.strip(b"./|"):
                return
            forms[_CALLED.sub(b".", before.partition(b":")[0])].add(genotype)
        for found in forms.values():
            for genotype in found if len(found) > 1 else ():
                self._note("genotypes", genotype, is_changed=True)

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
