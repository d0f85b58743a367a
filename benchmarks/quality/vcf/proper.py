"""Proper maskings of VCF files by reasonable people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.quality.vcf.cohorts import Change, Masking, Record, at_hidden, blanked, fine


def _both(change: Callable[[Record], Record]) -> Change:
    """Return a change of every record of both files; masked ones are masked anew."""

    def whole(masking: Masking, _rng: np.random.Generator) -> Masking:
        original = [change(record) for record in masking.original]
        masked = [blanked(r) if hit else r for r, hit in zip(original, masking.hidden, strict=True)]
        return replace(masking, original=original, masked=masked)

    return whole


def _named(name: str) -> Change:
    return lambda masking, _rng: replace(masking, name=name)


def _donors(make: Callable[[int, np.random.Generator], list[str]]) -> Change:
    return lambda masking, rng: replace(masking, masked_donors=make(len(masking.donors), rng))


def _header(change: Callable[[list[str]], list[str]]) -> Change:
    return lambda masking, _rng: replace(masking, masked_header=change(list(masking.masked_header)))


def _genotypes_only(record: Record) -> Record:
    return record._replace(format="GT", calls=tuple(call.split(":")[0] for call in record.calls))


def _as_maf(record: Record) -> Record:
    frequency = float(record.info.split(";")[0].removeprefix("AF="))
    return record._replace(info=f"MAF={min(frequency, 1 - frequency):.5f}")


def _lower_threshold(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Mask everything below 5 %, more than was asked for."""
    masked = []
    for before, after in zip(masking.original, masking.masked, strict=True):
        frequency = float(before.info.split(";")[0].removeprefix("AF="))
        masked.append(blanked(before) if min(frequency, 1 - frequency) < 0.05 else after)
    return replace(masking, masked=masked)


def _low(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Release a panel of common records at the low level: nothing rare is in it."""
    original = [record for record, hit in zip(masking.original, masking.hidden, strict=True) if not hit]
    return replace(masking, original=original, masked=original, name="low_anony_cohort.vcf.gz")


def _multiallelic(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Give rare sites two ALT alleles, both masked."""
    original = list(masking.original)
    for i in np.flatnonzero(masking.rare).tolist():
        other = next(base for base in "ACGT" if base not in (original[i].ref[0], original[i].alt[0]))
        original[i] = original[i]._replace(alt=f"{original[i].alt},{other}", info="AF=0.002,0.003")
    masked = [blanked(r) if hit else r for r, hit in zip(original, masking.hidden, strict=True)]
    return replace(masking, original=original, masked=masked)


# fmt: off
KINDS = (
    fine("plain text", "names of files", _named("high_0.01_anony_cohort.vcf")),
    fine("low level, common panel", "level", _low),
    fine("donors as SAMPLE and a number", "donors' names", _donors(lambda n, _rng: [f"SAMPLE{i + 1}" for i in range(n)])),
    fine("donors left out", "donors' names", _donors(lambda _n, _rng: [])),
    fine("ALT N at rare sites, INFO blank", "masked sites", at_hidden(lambda _b, a, _: a._replace(alt="N"), "rare")),
    fine("FILTER masked", "masked sites", at_hidden(lambda _b, a, _: a._replace(filter="MASKED"), "rare")),
    fine("genotypes blank as one point", "masked sites", at_hidden(lambda _b, a, _: a._replace(calls=tuple("." for _ in a.calls)), "rare")),
    fine("repeats as N", "masked repeats", at_hidden(lambda _b, a, _: a._replace(alt="N"), "repeats")),
    fine("both files: frequencies as MAF", "other files", _both(_as_maf)),
    fine("both files: genotypes alone", "other files", _both(_genotypes_only)),
    fine("more masked than asked for", "as it should be", _lower_threshold),
    fine("both alleles of multiallelic sites masked", "as it should be", _multiallelic),
    fine("header VCFv4.3", "header", _header(lambda lines: ["##fileformat=VCFv4.3", *lines[1:]])),
    fine("header sorted", "header", _header(lambda lines: [lines[0], *sorted(lines[1:])])),
)
# fmt: on
