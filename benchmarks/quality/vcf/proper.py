"""Proper maskings of VCF files by reasonable people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.quality.scoreboard import Kind
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


def _everywhere(change: Callable[[Record], Record]) -> Change:
    """Return a change of every released record."""
    return lambda masking, _rng: replace(masking, masked=[change(record) for record in masking.masked])


def _genotypes_only(record: Record) -> Record:
    return record._replace(format="GT", calls=tuple(call.split(":")[0] for call in record.calls))


def _without_donors(masking: Masking, _rng: np.random.Generator) -> Masking:
    return replace(masking, masked_donors=())


def _as_maf(record: Record) -> Record:
    frequency = float(record.info.split(";")[0].removeprefix("AF="))
    return record._replace(info=f"MAF={min(frequency, 1 - frequency):.5f}")


def _some_missing(record: Record) -> Record:
    calls = tuple(
        "./.:0,0:0:0:0,0,0" if i % 5 == record.pos % 5 and i else call for i, call in enumerate(record.calls)
    )
    return record._replace(calls=calls)


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


def proper_kinds() -> Iterator[Kind]:
    """Yield proper maskings."""
    yield fine("plain text", "names of files", _named("high_0.01_anony_cohort.vcf"))
    yield fine(".vcf.bgz", "names of files", _named("high_0.01_anony_cohort.vcf.bgz"))
    yield fine("low level, common panel", "level", _low)
    for name, make in (
        ("numbers in random order", lambda n, rng: [f"P{i:04d}" for i in rng.permutation(n)]),
        ("SAMPLE and a number", lambda n, _rng: [f"SAMPLE{i + 1}" for i in range(n)]),
    ):
        yield fine(f"donors as {name}", "donors' names", _donors(make))
    yield fine("donors left out", "donors' names", _without_donors)
    for name, site in (
        ("ALT N at rare sites, INFO blank", lambda _b, a, _: a._replace(alt="N")),
        ("FILTER masked", lambda _b, a, _: a._replace(filter="MASKED")),
        ("QUAL 0", lambda _b, a, _: a._replace(qual="0")),
        ("genotypes blank as one point", lambda _b, a, _: a._replace(calls=tuple("." for _ in a.calls))),
    ):
        yield fine(name, "masked sites", at_hidden(site, "rare"))
    for name, alt in (("N", "N"), ("a constant ten Ns", "NNNNNNNNNN")):
        yield fine(
            f"repeats as {name}",
            "masked repeats",
            at_hidden(lambda _b, a, _, alt=alt: a._replace(alt=alt), "repeats"),
        )
    for name, change in (
        ("frequencies as MAF", _as_maf),
        ("genotypes alone", _genotypes_only),
        ("some calls missing", _some_missing),
        ("no quality anywhere", lambda r: r._replace(qual=".", filter=".")),
    ):
        yield fine(f"both files: {name}", "other files", _both(change))
    yield fine("more masked than asked for", "as it should be", _lower_threshold)
    yield fine("both alleles of multiallelic sites masked", "as it should be", _multiallelic)
    for name, header in (
        (
            "without the command line",
            lambda lines: [line for line in lines if not line.startswith("##cmdline")] + ["##cmdline=."],
        ),
        ("VCFv4.3", lambda lines: ["##fileformat=VCFv4.3", *lines[1:]]),
    ):
        yield fine(f"header {name}", "header", _header(header))
    yield fine("IDs removed everywhere", "other files", _everywhere(lambda record: record._replace(id=".")))
    yield fine("header sorted", "header", _header(lambda lines: [lines[0], *sorted(lines[1:])]))


KINDS = tuple(proper_kinds())
