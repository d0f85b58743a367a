"""What people leave in a VCF file that they took for masked."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.vcf.cohorts import Change, Masking, Record, at_hidden, carries, leak
from core.verdict import Verdict

_ASK = Verdict.WARN
_UNSURE = Verdict.NOT_ASSESSED
_AMBIGUOUS = {"AC": "M", "AG": "R", "AT": "W", "CG": "S", "CT": "Y", "GT": "K"}
_COMPLEMENT = str.maketrans("ACGT", "TGCA")
Site = Callable[[Record, Record, np.random.Generator], Record]


def _alt(make: Callable[[Record], str], **more: str) -> Site:
    return lambda before, after, _rng: after._replace(alt=make(before), **more)


def _info(make: Callable[[Record], str]) -> Site:
    return lambda before, after, _rng: after.with_info(make(before))


def _ambiguous(record: Record) -> str:
    return _AMBIGUOUS.get("".join(sorted({record.ref[:1], record.alt[:1]})), "N")


def _variant(record: Record, joined: str = "-") -> str:
    return joined.join([record.chrom, str(record.pos), record.ref, record.alt])


def _short(site: Site) -> Site:
    """Return the change for substitutions of one base; other records stay masked."""
    return lambda before, after, rng: (
        site(before, after, rng) if len(before.ref) == len(before.alt) == 1 else after
    )


def allele_kinds() -> Iterator[Kind]:
    """Yield masked sites whose ALT, or another column, still names the allele."""
    cases: tuple[tuple[str, Site, Verdict], ...] = (
        ("ALT kept, frequency removed", _alt(lambda r: r.alt), _ASK),
        ("ALT kept, frequency raised", _alt(lambda r: r.alt, info="AF=0.3"), _ASK),
        ("ALT kept, frequency missing", _alt(lambda r: r.alt, info="AF=."), _ASK),
        ("ALT in small letters", _alt(lambda r: r.alt.lower()), Verdict.FAIL),
        ("ALT beside an N", _alt(lambda r: f"{r.alt},N"), _ASK),
        ("ALT in a symbolic allele", _alt(lambda r: f"<{r.alt}>"), Verdict.FAIL),
        ("ALT in a longer symbolic allele", _alt(lambda r: f"<SNV:{r.ref}:{r.alt}>"), Verdict.FAIL),
        ("ALT as an ambiguity letter", _short(_alt(_ambiguous)), Verdict.FAIL),
        ("REF and ALT exchanged", _short(lambda b, a, _: a._replace(ref=b.alt, alt=b.ref)), Verdict.FAIL),
        (
            "REF and ALT with a base more",
            lambda b, a, _: a._replace(ref=b.ref + "T", alt=b.alt + "T"),
            Verdict.FAIL,
        ),
        ("allele in REF, ALT blank", lambda b, a, _: a._replace(ref=b.alt), Verdict.FAIL),
        (
            "allele in QUAL's place as its code",
            _short(lambda b, a, _: a._replace(qual=str(ord(b.alt)))),
            _ASK,
        ),
        ("length of the allele as Ns", _alt(lambda r: "N" * len(r.alt)), _ASK),
        ("allele in FILTER", lambda b, a, _: a._replace(filter=f"ALT_{b.alt}"), Verdict.FAIL),
        ("allele spelled in ID", lambda b, a, _: a._replace(id=_variant(b, ":")), Verdict.FAIL),
        (
            "allele in ID behind underscores",
            lambda b, a, _: a._replace(id=_variant(b, "_").replace("chr", "")),
            Verdict.FAIL,
        ),
    )
    for name, site, at_least in cases:
        yield leak(name, "allele", at_hidden(site, "rare"), at_least=at_least)


def id_kinds() -> Iterator[Kind]:
    """Yield masked sites whose ID leads to the allele."""
    cases: tuple[tuple[str, Site, Verdict], ...] = (
        ("ID of dbSNP kept", lambda b, a, _: a._replace(id=_rs(b)), Verdict.FAIL),
        ("ID of dbSNP in capitals", lambda b, a, _: a._replace(id=_rs(b).upper()), Verdict.FAIL),
        ("ID of COSMIC", lambda b, a, _: a._replace(id=f"COSV{b.pos}"), Verdict.FAIL),
        ("ID of ClinVar in INFO", _info(lambda r: f"CLNVID={r.pos}"), _ASK),
        ("number of dbSNP in INFO", _info(lambda r: f"RS={_rs(r)[2:]}"), Verdict.FAIL),
        ("ID of dbSNP in INFO", _info(lambda r: f"known={_rs(r)}"), Verdict.FAIL),
        ("ID of dbSNP in FILTER", lambda b, a, _: a._replace(filter=_rs(b)), Verdict.FAIL),
        ("ID of an own table", lambda b, a, _: a._replace(id=f"v{b.pos % 977}"), _ASK),
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
        ("annotation CSQ", lambda r: f"CSQ={r.alt}|synonymous_variant|LOW|GENE2", Verdict.FAIL),
        ("HGVS of coding DNA", lambda r: f"HGVSc=NM_000059.4:c.{r.pos % 900}{r.ref}>{r.alt}", Verdict.FAIL),
        ("HGVS of the genome", lambda r: f"HGVSg={r.chrom}:g.{r.pos}{r.ref}>{r.alt}", Verdict.FAIL),
        ("change of the protein", lambda _r: "AAChange=p.Lys12Arg", _ASK),
        ("the old allele under its own key", lambda r: f"ORIG_ALT={r.alt}", Verdict.FAIL),
        (
            "the old multiallelic spelling",
            lambda r: f"OLD_MULTIALLELIC={r.chrom}:{r.pos}:{r.ref}/{r.alt}",
            Verdict.FAIL,
        ),
        ("variant as one word", lambda r: f"VARIANT={_variant(r).replace('chr', '')}", Verdict.FAIL),
        ("allele in small letters in INFO", lambda r: f"allele={r.alt.lower()}", Verdict.FAIL),
        (
            "allele on the other strand",
            lambda r: f"REVALT={r.alt[::-1].translate(_COMPLEMENT)}",
            Verdict.FAIL,
        ),
        ("percent-encoded change", lambda r: f"NOTE={r.ref}%3E{r.alt}", Verdict.FAIL),
        (
            "allele in Base64",
            lambda r: f"X={base64.b64encode(_variant(r).encode()).decode().rstrip('=')}",
            _ASK,
        ),
        ("allele in hexadecimal", lambda r: f"H={_variant(r).encode().hex()}", _ASK),
        ("allele inside a key", lambda r: f"ALT_{r.alt}=1", _ASK),
        ("genotype in letters", lambda r: f"GENO={r.ref}{r.alt}", _ASK),
        ("rare frequency of another project", lambda r: f"gnomAD_AF={_frequency(r)}", _ASK),
        ("rare frequencies by ancestry", lambda r: f"AF_eas={_frequency(r)};AF_nfe=0.0001", _ASK),
        ("frequency under the same key in small letters", lambda r: f"af={_frequency(r)}", _ASK),
        ("count of alleles", lambda _r: "AC_Het=1;AN_all=20000", _ASK),
        ("counts of reads of both alleles", lambda _r: "DP4=20,21,3,4", _ASK),
        ("consequence alone", lambda _r: "EFFECT=stop_gained", _ASK),
        ("score of harm", lambda _r: "CADD_PHRED=27.3", _ASK),
        ("class of variant", lambda r: f"TYPE={'snp' if len(r.alt) == 1 else 'ins'}", _ASK),
        ("length of an insertion or deletion", lambda r: f"SVLEN={len(r.alt) - len(r.ref)}", _ASK),
        ("name of a disease", lambda _r: "CLNDN=Hereditary_breast_cancer", _ASK),
        ("carriers by name", lambda _r: "CARRIERS=D001", _ASK),
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
        ("genotypes kept", _fields("GT", lambda c, _: _part(c, 0)), Verdict.FAIL, ()),
        (
            "genotypes kept with a bar",
            _fields("GT", lambda c, _: _part(c, 0).replace("/", "|")),
            Verdict.FAIL,
            (),
        ),
        (
            "genotypes kept, ALT blank, all fields kept",
            lambda b, a, _: a._replace(format=b.format, calls=b.calls),
            Verdict.FAIL,
            (),
        ),
        (
            "only carriers blanked",
            _fields("GT", lambda c, _: blank if carries(c) else _part(c, 0)),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        (
            "only carriers kept",
            _fields("GT", lambda c, _: _part(c, 0) if carries(c) else blank),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        (
            "carriers blanked in another form",
            _fields("GT", lambda c, _: ".|." if carries(c) else blank),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        (
            "carriers blanked as haploid",
            _fields("GT", lambda c, _: "." if carries(c) else blank),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        (
            "half-blanked carriers",
            _fields("GT", lambda c, _: "./0" if carries(c) else blank),
            Verdict.FAIL,
            ("trio", "cohort"),
        ),
        ("depths of alleles kept", _fields("GT:AD", lambda c, _: f"{blank}:{_part(c, 1)}"), _ASK, ()),
        ("likelihoods kept", _fields("GT:PL", lambda c, _: f"{blank}:{_part(c, 4)}"), _ASK, ()),
        ("dosages", _fields("GT:DS", lambda c, _: f"{blank}:{1.0 * c.split(':')[0].count('1')}"), _ASK, ()),
        (
            "posterior probabilities",
            _fields("GT:GP", lambda c, _: f"{blank}:{'0.01,0.98,0.01' if carries(c) else '0.98,0.01,0.01'}"),
            _ASK,
            (),
        ),
        (
            "reads of the allele",
            _fields("GT:AO", lambda c, _: f"{blank}:{_part(c, 1).split(',')[1]}"),
            _ASK,
            (),
        ),
        (
            "fraction of the allele",
            _fields("GT:VAF", lambda c, _: f"{blank}:{'0.49' if carries(c) else '0.00'}"),
            _ASK,
            (),
        ),
        (
            "translated genotypes",
            _fields("GT:TGT", lambda c, alt: f"{blank}:{alt}/{alt}" if carries(c) else f"{blank}:A/A"),
            Verdict.FAIL,
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
        (
            "depth left for others only",
            _fields("GT:DP", lambda c, _: f"{blank}:{'.' if carries(c) else _part(c, 2)}"),
            _ASK,
            ("trio", "cohort"),
        ),
        (
            "carriers' last fields left out",
            _fields("GT:DP", lambda c, _: blank if carries(c) else f"{blank}:{_part(c, 2)}"),
            _ASK,
            ("trio", "cohort"),
        ),
        (
            "filters of carriers",
            _fields("GT:FT", lambda c, _: f"{blank}:{'PASS' if carries(c) else 'LowQual'}"),
            _ASK,
            ("trio", "cohort"),
        ),
        (
            "phasing identifier with the allele",
            _fields("GT:PID", lambda c, alt: f"{blank}:10042_A_{alt}" if carries(c) else f"{blank}:."),
            Verdict.FAIL,
            (),
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
        ("repeat as one N a copy", _alt(lambda r: "N" * _copies(r)), Verdict.FAIL),
        ("half of the repeat kept", _alt(lambda r: r.alt[: 1 + (len(r.alt) - 1) // 2] + "N"), Verdict.FAIL),
        (
            "an N put into the middle",
            _alt(lambda r: r.alt[: len(r.alt) // 2] + "N" + r.alt[len(r.alt) // 2 + 1 :]),
            Verdict.FAIL,
        ),
        ("an N put in front", _alt(lambda r: "N" + r.alt), Verdict.FAIL),
        ("first base replaced", _alt(lambda r: "N" + r.alt[1:]), Verdict.FAIL),
        ("repeat in small letters with an N", _alt(lambda r: r.alt.lower() + "N"), Verdict.FAIL),
        ("copies in a symbolic allele", _alt(lambda r: f"<CN{_copies(r)}>"), Verdict.FAIL),
        ("copies in a symbolic STR allele", _alt(lambda r: f"<STR{_copies(r)}>"), Verdict.FAIL),
        ("motif in a symbolic allele", _alt(lambda r: f"<N:({r.alt[1:7]})n>"), _ASK),
        ("ALT kept", _alt(lambda r: r.alt), Verdict.FAIL),
        ("copies in INFO", _info(lambda r: f"REPCN={_copies(r)}"), _ASK),
        ("unit in INFO", _info(lambda r: f"RU={r.alt[1:4]}"), _ASK),
        ("length in INFO", _info(lambda r: f"BPDIFFS={len(r.alt) - 1}"), _ASK),
        ("end in INFO", _info(lambda r: f"END={r.pos + len(r.alt)}"), _ASK),
        (
            "copies in the donors' fields",
            _fields("GT:REPCN", lambda _c, alt: f"./.:{(len(alt) - 1) // 3}"),
            Verdict.FAIL,
        ),
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
            "another tool's command line",
            ("##bcftools_viewCommand=view -s HN17 /data/u/kim/all.bcf",),
            Verdict.FAIL,
        ),
        (
            "GATK's command line",
            ('##GATKCommandLine=<ID=HaplotypeCaller,CommandLine="HaplotypeCaller --input S17.bam">',),
            Verdict.FAIL,
        ),
        ("a source with a path", ("##source=/home/kim/pipelines/call.sh",), Verdict.FAIL),
        ("the centre that made it", ("##center=St. Mary Hospital, ward 7",), _ASK),
        ("the date of the file", ("##fileDate=20260114",), _ASK),
        ("a sample line", ('##SAMPLE=<ID=D001,Description="Kim Minjun, born 1980">',), Verdict.FAIL),
        ("a pedigree", ("##PEDIGREE=<ID=D003,Father=D001,Mother=D002>",), Verdict.FAIL),
        ("an e-mail address", ("##contact=min.kim@hospital.example",), Verdict.FAIL),
        ("a user and a computer", ("##user=kim@node07.cluster.local",), Verdict.FAIL),
        ("a file of reads", ("##inputs=S17_Kim_Minjun.bam",), Verdict.FAIL),
        ("a path in Windows form", (r"##project=C:\Users\kim\Desktop\S17",), Verdict.FAIL),
        (
            "a path in a description",
            ('##INFO=<ID=XX,Number=1,Type=Integer,Description="see /data/u/kim/readme.txt">',),
            Verdict.FAIL,
        ),
        ("an address of a server", ("##url=https://lims.hospital.example/case/1187",), _ASK),
        (
            "the checksum of a contig",
            ("##contig=<ID=chr4,length=190214555,assembly=GRCh38,md5=aa6cc2e3>",),
            _ASK,
        ),
        ("a variant in a note", ("##note=chr1:10042 A>G confirmed by Sanger",), Verdict.FAIL),
        ("a dbSNP number in a note", ("##comment=rs334 checked",), Verdict.FAIL),
        ("a patient's number", ("##patient=1187-33",), _ASK),
        ("a name in a description", ('##FILTER=<ID=q9,Description="asked for by Kim Minjun">',), _ASK),
    )
    for name, lines, at_least in cases:
        yield leak(f"header: {name}", "header", _with_lines(*lines), at_least=at_least)
    yield leak("header: the command line kept", "header", _header_kept(1))
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
        ("kept in small letters", lambda donors: [donor.lower() for donor in donors], _ASK),
        ("kept behind a prefix", lambda donors: [f"anon_{donor}" for donor in donors], _ASK),
        ("without their letters", lambda donors: [donor.removeprefix("HN") for donor in donors], _ASK),
        ("backwards", lambda donors: [donor[::-1] for donor in donors], _ASK),
        ("as persons' names", lambda donors: [f"Kim_Minjun_{i}" for i in range(len(donors))], Verdict.FAIL),
        (
            "as resident numbers",
            lambda donors: [f"{800101 + i}-1234567" for i in range(len(donors))],
            Verdict.FAIL,
        ),
        (
            "as e-mail addresses",
            lambda donors: [f"donor{i}@example.org" for i in range(len(donors))],
            Verdict.FAIL,
        ),
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
    for name, which in (
        ("everything", lambda m, _: m.hidden),
        ("the last record", _one),
        ("a contig", lambda m, _: np.array([r.chrom == m.original[0].chrom for r in m.original])),
        ("the second half", lambda m, _: np.arange(len(m.original)) >= len(m.original) // 2),
        ("repeats", lambda m, _: m.repeats),
        ("rare records", lambda m, _: m.rare),
        (
            "what is rarer than one in a thousand is masked, the rest",
            lambda m, _: np.array([float(_frequency(r)) > 0.001 for r in m.original]),
        ),
    ):
        yield leak(f"not masked: {name}", "coverage", _unmasked(which))
    yield leak("the original and the masked file exchanged", "coverage", _exchanged)
    yield leak("masked records repeated unmasked at the same place", "coverage", _twice(0))
    yield leak("masked records repeated one base on", "coverage", _twice(1))
    yield leak("masked records repeated seven bases before", "coverage", _twice(-7))
    yield leak("masked records removed", "coverage", _removed, at_least=_ASK)
    yield leak("common records removed", "coverage", _common_removed, at_least=_ASK)
    yield leak("the name does not say the level", "level", _named("anony_cohort.vcf.gz"), at_least=_UNSURE)
    yield leak("the level in capitals", "level", _named("HIGH_0.01_anony_cohort.vcf.gz"), at_least=_UNSURE)
    yield leak("the low level with rare records", "level", _low, at_least=_ASK)
    yield leak("no frequencies in the original", "level", _no_frequencies, at_least=_UNSURE)
    yield leak("multiallelic records masked in one allele", "coverage", _multiallelic, at_least=_ASK)
    yield leak("frequency declared a flag, record kept", "declarations", _flagged)
    yield leak("frequency declared as text, record kept", "declarations", _declared("String"))
    yield leak("rare by counts alone, record kept", "declarations", _by_counts)
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


def _common_removed(masking: Masking, _rng: np.random.Generator) -> Masking:
    kept = [r for i, (r, hit) in enumerate(zip(masking.masked, masking.hidden, strict=True)) if hit or i % 10]
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


def _multiallelic(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Give the rare sites a second ALT; only the first was masked, the frequency removed."""
    original, masked = list(masking.original), list(masking.masked)
    for i in np.flatnonzero(masking.rare).tolist():
        other = next(base for base in "ACGT" if base not in (original[i].ref[0], original[i].alt[0]))
        original[i] = original[i]._replace(
            alt=f"{original[i].alt},{other}", info=f"AF={_frequency(original[i])},0.002"
        )
        masked[i] = masked[i]._replace(alt=f"N,{other}")
    return replace(masking, original=original, masked=masked)


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


def _flagged(masking: Masking, rng: np.random.Generator) -> Masking:
    """Declare AF a flag: by the published tool every record that has it counts as rare."""
    return _declared("Flag")(masking, rng)


def _by_counts(masking: Masking, _rng: np.random.Generator) -> Masking:
    original = []
    for record in masking.original:
        count = max(1, round(float(_frequency(record)) * 20_000))
        original.append(record._replace(info=f"AC={count};AN=20000"))
    masked = [
        b if rare else (a if repeat else b)
        for a, b, rare, repeat in zip(masking.masked, original, masking.rare, masking.repeats, strict=True)
    ]
    return replace(masking, original=original, masked=masked)


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
