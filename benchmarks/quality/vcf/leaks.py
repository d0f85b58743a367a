"""What people leave in a VCF file that they took for masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.vcf.cohorts import Change, Masking, Record, at_hidden, carries, leak
from core.verdict import Verdict

_ASK = Verdict.WARN
_UNSURE = Verdict.NOT_ASSESSED
Site = Callable[[Record, Record, np.random.Generator], Record]


def _alt(make: Callable[[Record], str], **more: str) -> Site:
    return lambda before, after, _rng: after._replace(alt=make(before), **more)


def _info(make: Callable[[Record], str]) -> Site:
    return lambda before, after, _rng: after.with_info(make(before))


def _variant(record: Record, joined: str = "-") -> str:
    return joined.join([record.chrom, str(record.pos), record.ref, record.alt])


def allele_kinds() -> Iterator[Kind]:
    """Yield masked sites whose ALT, or another column, still names the allele."""
    cases: tuple[tuple[str, Site, Verdict], ...] = (
        ("ALT kept, frequency removed", _alt(lambda r: r.alt), _ASK),
        ("ALT in small letters", _alt(lambda r: r.alt.lower()), Verdict.FAIL),
        ("ALT beside an N", _alt(lambda r: f"{r.alt},N"), _ASK),
        ("allele in REF, ALT blank", lambda b, a, _: a._replace(ref=b.alt), Verdict.FAIL),
        ("allele in FILTER", lambda b, a, _: a._replace(filter=f"ALT_{b.alt}"), Verdict.FAIL),
    )
    for name, site, at_least in cases:
        yield leak(name, "allele", at_hidden(site, "rare"), at_least=at_least)


def id_kinds() -> Iterator[Kind]:
    """Yield masked sites whose ID leads to the allele."""
    cases: tuple[tuple[str, Site, Verdict], ...] = (
        ("ID of dbSNP kept", lambda b, a, _: a._replace(id=_rs(b)), Verdict.FAIL),
        ("ID of dbSNP in FILTER", lambda b, a, _: a._replace(filter=_rs(b)), Verdict.FAIL),
        ("ID of ClinGen", lambda b, a, _: a._replace(id=f"CA{b.pos}"), Verdict.FAIL),
    )
    for name, site, at_least in cases:
        yield leak(name, "identifier of the variant", at_hidden(site, "rare"), at_least=at_least)


def _rs(record: Record) -> str:
    return record.id if record.id != "." else f"rs{record.pos}"


def info_kinds() -> Iterator[Kind]:
    """Yield masked sites whose INFO tells the allele, or how rare it is."""
    cases: tuple[tuple[str, Callable[[Record], str], Verdict], ...] = (
        (
            "annotation ANN",
            lambda r: f"ANN={r.alt}|missense_variant|MODERATE|GENE1|ENSG01|c.76{r.ref}>{r.alt}",
            Verdict.FAIL,
        ),
        ("HGVS of the genome", lambda r: f"HGVSg={r.chrom}:g.{r.pos}{r.ref}>{r.alt}", Verdict.FAIL),
        ("change of the protein", lambda _r: "AAChange=p.Lys12Arg", _ASK),
        ("variant as one word", lambda r: f"VARIANT={_variant(r).replace('chr', '')}", Verdict.FAIL),
        ("allele in small letters in INFO", lambda r: f"allele={r.alt.lower()}", Verdict.FAIL),
        ("percent-encoded change", lambda r: f"NOTE={r.ref}%3E{r.alt}", Verdict.FAIL),
        ("genotype in letters", lambda r: f"GENO={r.ref}{r.alt}", _ASK),
        ("frequency under the same key in small letters", lambda r: f"af={_frequency(r)}", _ASK),
        ("count of alleles", lambda _r: "AC_Het=1;AN_all=20000", _ASK),
        ("score of harm", lambda _r: "CADD_PHRED=27.3", _ASK),
    )
    for name, make, at_least in cases:
        yield leak(f"INFO: {name}", "INFO", at_hidden(_info(make), "rare"), at_least=at_least)


def _frequency(record: Record) -> str:
    return record.info.split(";")[0].removeprefix("AF=")


def _fields(form: str, make: Callable[[str, str], str]) -> Site:
    """Return a change of FORMAT and of each donor's fields, given their original fields by key."""

    def site(before: Record, after: Record, _rng: np.random.Generator) -> Record:
        return after._replace(format=form, calls=tuple(make(call, before.alt) for call in before.calls))

    return site


def _part(call: str, place: int) -> str:
    return call.split(":")[place]


def donor_kinds() -> Iterator[Kind]:
    """Yield masked sites whose donors' fields tell who carries the allele."""
    blank = "./."
    cases: tuple[tuple[str, Site, Verdict, tuple[str, ...]], ...] = (
        (
            "genotypes kept, ALT blank, all fields kept",
            lambda b, a, _: a._replace(format=b.format, calls=b.calls),
            Verdict.FAIL,
            (),
        ),
        (
            "carriers blanked in another form",
            _fields("GT", lambda c, _: ".|." if carries(c) else blank),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        ("depths of alleles kept", _fields("GT:AD", lambda c, _: f"{blank}:{_part(c, 1)}"), _ASK, ()),
        (
            "fraction of the allele",
            _fields("GT:VAF", lambda c, _: f"{blank}:{'0.49' if carries(c) else '0.00'}"),
            _ASK,
            (),
        ),
        (
            "own field says carrier",
            _fields("GT:CARR", lambda c, _: f"{blank}:{'yes' if carries(c) else 'no'}"),
            _ASK,
            (),
        ),
        (
            "quality left for carriers only",
            _fields("GT:GQ", lambda c, _: f"{blank}:{_part(c, 3) if carries(c) else '.'}"),
            _ASK,
            ("trio", "cohort"),
        ),
    )
    for name, site, at_least, schemas in cases:
        yield leak(
            name,
            "donors' fields",
            at_hidden(site, "rare"),
            at_least=at_least,
            schemas=schemas or ("one donor", "trio", "cohort"),
        )
    yield leak("neighbour's phasing identifier names the allele", "donors' fields", _phased_neighbour)


def _phased_neighbour(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Phase rare records with the next one, which is common, stands close by and stays as it is."""
    original, masked = list(masking.original), list(masking.masked)
    for i in np.flatnonzero(masking.rare[:-1]).tolist():
        if not masking.hidden[i + 1]:
            before, after = original[i], original[i + 1]
            name = f"{before.pos}_{before.ref}_{before.alt}"
            calls = tuple(f"{call}:{name}" for call in after.calls)
            original[i + 1] = after._replace(
                pos=before.pos + 12, chrom=before.chrom, format=f"{after.format}:PID", calls=calls
            )
            masked[i + 1] = original[i + 1]
    line = '##FORMAT=<ID=PID,Number=1,Type=String,Description="Phasing">'
    return replace(
        masking,
        header=[*masking.header, line],
        masked_header=[*masking.masked_header, line],
        original=original,
        masked=masked,
    )


def repeat_kinds() -> Iterator[Kind]:
    """Yield masked repeats that still tell their motif or length."""
    cases: tuple[tuple[str, Site, Verdict], ...] = (
        ("repeat as as many Ns", _alt(lambda r: "N" * len(r.alt)), Verdict.FAIL),
        ("half of the repeat kept", _alt(lambda r: r.alt[: 1 + (len(r.alt) - 1) // 2] + "N"), Verdict.FAIL),
        ("an N put in front", _alt(lambda r: "N" + r.alt), Verdict.FAIL),
        ("copies in a symbolic allele", _alt(lambda r: f"<CN{_copies(r)}>"), Verdict.FAIL),
        ("copies in a symbolic STR allele", _alt(lambda r: f"<STR{_copies(r)}>"), Verdict.FAIL),
        ("copies in INFO", _info(lambda r: f"REPCN={_copies(r)}"), _ASK),
        (
            "difference in the donors' fields",
            _fields("GT:GB", lambda _c, alt: f"./.:{len(alt) - 1}|0"),
            Verdict.FAIL,
        ),
        ("repeat in the ID", lambda b, a, _: a._replace(id=f"STR_{b.alt[1:5]}_{_copies(b)}"), _ASK),
    )
    for name, site, at_least in cases:
        yield leak(f"repeats: {name}", "repeats", at_hidden(site, "repeats"), at_least=at_least)
    yield leak("repeats: the same repeat unmasked nearby", "repeats", _repeat_nearby)


def _copies(record: Record) -> int:
    tail = record.alt[1:]
    for width in range(1, 7):
        if len(tail) % width == 0 and tail == tail[:width] * (len(tail) // width):
            return len(tail) // width
    return len(tail)


def _repeat_nearby(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Add the repeat once more, ten bases on, to both files; only one of the two is masked."""
    original, masked = [], []
    for before, after, repeat in zip(masking.original, masking.masked, masking.repeats, strict=True):
        original.append(before)
        masked.append(after)
        if repeat:
            moved = before._replace(pos=before.pos + 10, id=".", info="AF=0.4")
            original.append(moved)
            masked.append(moved)
    return replace(masking, original=original, masked=masked)


def _with_lines(*lines: str) -> Change:
    """Return a change that adds header lines to the original, and leaves them in the masked file."""
    return lambda masking, _rng: replace(
        masking, header=[*masking.header, *lines], masked_header=[*masking.masked_header, *lines]
    )


def header_kinds() -> Iterator[Kind]:
    """Yield headers that tell where the file comes from, or whose it is."""
    cases: tuple[tuple[str, tuple[str, ...], Verdict], ...] = (
        (
            "GATK's command line",
            ('##GATKCommandLine=<ID=HaplotypeCaller,CommandLine="HaplotypeCaller --input S17.bam">',),
            Verdict.FAIL,
        ),
        ("a source with a path", ("##source=/home/kim/pipelines/call.sh",), Verdict.FAIL),
        ("the date of the file", ("##fileDate=20260114",), _ASK),
        ("a pedigree", ("##PEDIGREE=<ID=D003,Father=D001,Mother=D002>",), Verdict.FAIL),
        ("an e-mail address", ("##contact=min.kim@hospital.example",), Verdict.FAIL),
        ("a user and a computer", ("##user=kim@node07.cluster.local",), Verdict.FAIL),
        ("a path in Windows form", (r"##project=C:\Users\kim\Desktop\S17",), Verdict.FAIL),
        (
            "the checksum of a contig",
            ("##contig=<ID=chr4,length=190214555,assembly=GRCh38,md5=aa6cc2e3>",),
            _ASK,
        ),
        ("a dbSNP number in a note", ("##comment=rs334 checked",), Verdict.FAIL),
    )
    for name, lines, at_least in cases:
        yield leak(f"header: {name}", "header", _with_lines(*lines), at_least=at_least)
    yield leak("header: the reference's path kept", "header", _header_kept(2))


def _header_kept(place: int) -> Change:
    def change(masking: Masking, _rng: np.random.Generator) -> Masking:
        header = list(masking.masked_header)
        header[place] = masking.header[place]
        return replace(masking, masked_header=header)

    return change


def sample_kinds() -> Iterator[Kind]:
    """Yield names of donors that were kept, or tell who they are."""
    for name, make, at_least in (
        ("kept", list, _ASK),
        ("without their letters", lambda donors: [donor.removeprefix("HN") for donor in donors], _ASK),
        ("as persons' names", lambda donors: [f"Kim_Minjun_{i}" for i in range(len(donors))], Verdict.FAIL),
    ):
        yield leak(f"donors' names {name}", "donors' names", _renamed(make), at_least=at_least)


def _renamed(make: Callable[[list[str]], list[str]]) -> Change:
    return lambda masking, _rng: replace(masking, masked_donors=make(list(masking.donors)))


def _unmasked(which: Callable[[Masking, np.random.Generator], np.ndarray]) -> Change:
    """Return a change that leaves records as they were."""

    def change(masking: Masking, rng: np.random.Generator) -> Masking:
        left = which(masking, rng) & masking.hidden
        masked = [b if keep else a for b, a, keep in zip(masking.original, masking.masked, left, strict=True)]
        return replace(masking, masked=masked)

    return change


def _one(masking: Masking, _rng: np.random.Generator) -> np.ndarray:
    return np.arange(len(masking.original)) == np.flatnonzero(masking.hidden)[-1]


def coverage_kinds() -> Iterator[Kind]:
    """Yield records that were forgotten, moved or exchanged."""
    for name, which in (("everything", lambda m, _: m.hidden), ("the last record", _one)):
        yield leak(f"not masked: {name}", "coverage", _unmasked(which))
    yield leak("the original and the masked file exchanged", "coverage", _exchanged)
    yield leak("masked records repeated unmasked at the same place", "coverage", _twice(0))
    yield leak("masked records repeated one base on", "coverage", _twice(1))
    yield leak("masked records removed", "coverage", _removed, at_least=_ASK)
    yield leak("the level in capitals", "level", _named("HIGH_0.01_anony_cohort.vcf.gz"), at_least=_UNSURE)
    yield leak("the low level with rare records", "level", _low, at_least=_ASK)
    yield leak("no frequencies in the original", "level", _no_frequencies, at_least=_UNSURE)
    yield leak("frequency declared as text, record kept", "declarations", _declared("String"))
    yield leak("records in another order", "coverage", _shuffled, at_least=_ASK)


def _exchanged(masking: Masking, _rng: np.random.Generator) -> Masking:
    return replace(masking, original=masking.masked, masked=masking.original)


def _twice(shift: int) -> Change:
    def change(masking: Masking, _rng: np.random.Generator) -> Masking:
        masked = []
        for before, after, hit in zip(masking.original, masking.masked, masking.hidden, strict=True):
            again = [before._replace(pos=before.pos + shift, id=".", info=".")] if hit else []
            masked += [*again, after] if shift < 0 else [after, *again]
        return replace(masking, masked=masked)

    return change


def _removed(masking: Masking, _rng: np.random.Generator) -> Masking:
    kept = [record for record, hit in zip(masking.masked, masking.hidden, strict=True) if not hit]
    return replace(masking, masked=kept)


def _named(name: str) -> Change:
    return lambda masking, _rng: replace(masking, name=name)


def _low(masking: Masking, _rng: np.random.Generator) -> Masking:
    return replace(masking, masked=masking.original, name="low_anony_cohort.vcf.gz")


def _no_frequencies(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Take the frequencies from both files; nothing rare is masked, only repeats are."""
    strip = lambda record: record._replace(info="DP=100")
    masked = [
        strip(b) if rare else a
        for b, a, rare in zip(masking.original, masking.masked, masking.rare, strict=True)
    ]
    return replace(masking, original=[strip(record) for record in masking.original], masked=masked)


def _declared(kind: str) -> Change:
    def change(masking: Masking, _rng: np.random.Generator) -> Masking:
        swap = lambda lines: [
            line.replace(
                "ID=AF,Number=A,Type=Float", f"ID=AF,Number={'0' if kind == 'Flag' else '.'},Type={kind}"
            )
            for line in lines
        ]
        masked = [
            b if rare else a
            for b, a, rare in zip(masking.original, masking.masked, masking.rare, strict=True)
        ]
        return replace(
            masking, header=swap(masking.header), masked_header=swap(masking.masked_header), masked=masked
        )

    return change


def _shuffled(masking: Masking, rng: np.random.Generator) -> Masking:
    return replace(masking, masked=[masking.masked[i] for i in rng.permutation(len(masking.masked))])


KINDS = (
    *allele_kinds(),
    *id_kinds(),
    *info_kinds(),
    *donor_kinds(),
    *repeat_kinds(),
    *header_kinds(),
    *sample_kinds(),
    *coverage_kinds(),
)
