"""What people leave in a VCF file that they took for masked, and what somebody hides in it on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.quality.vcf.cohorts import ASK, Change, Masking, Record, at_hidden, carries, leak
from core.verdict import Verdict

_UNSURE = Verdict.NOT_ASSESSED
_FAIL = Verdict.FAIL
Site = Callable[[Record, Record, np.random.Generator], Record]


def _alt(make: Callable[[Record], str], **more: str) -> Site:
    return lambda before, after, _rng: after._replace(alt=make(before), **more)


def _info(make: Callable[[Record], str]) -> Site:
    return lambda before, after, _rng: after.with_info(make(before))


def _rs(record: Record) -> str:
    return record.id if record.id != "." else f"rs{record.pos}"


def _frequency(record: Record) -> str:
    return record.info.split(";")[0].removeprefix("AF=")


def _fields(form: str, make: Callable[[str, str], str]) -> Site:
    """Return a change of FORMAT and of each donor's fields, given their original fields by key."""

    def site(before: Record, after: Record, _rng: np.random.Generator) -> Record:
        return after._replace(format=form, calls=tuple(make(call, before.alt) for call in before.calls))

    return site


def _part(call: str, place: int) -> str:
    return call.split(":")[place]


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


def _reference_kept(masking: Masking, _rng: np.random.Generator) -> Masking:
    return replace(
        masking, masked_header=[*masking.masked_header[:2], masking.header[2], *masking.masked_header[3:]]
    )


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


def _exchanged(masking: Masking, _rng: np.random.Generator) -> Masking:
    return replace(masking, original=masking.masked, masked=masking.original)


def _twice(shift: int) -> Change:
    def change(masking: Masking, _rng: np.random.Generator) -> Masking:
        masked = []
        for before, after, hit in zip(masking.original, masking.masked, masking.hidden, strict=True):
            masked += [after, *([before._replace(pos=before.pos + shift, id=".", info=".")] if hit else [])]
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
        a if repeat else strip(a)
        for a, repeat in zip(
            _unmasked(lambda m, _: m.rare)(masking, _rng).masked, masking.repeats, strict=True
        )
    ]
    return replace(masking, original=[strip(record) for record in masking.original], masked=masked)


def _declared_as_text(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Call frequencies text, and leave rare records as they are."""
    number, text = "ID=AF,Number=A,Type=Float", "ID=AF,Number=.,Type=String"
    header, masked_header = (
        [line.replace(number, text) for line in lines] for lines in (masking.header, masking.masked_header)
    )
    masked = _unmasked(lambda m, _: m.rare)(masking, _rng).masked
    return replace(masking, header=header, masked_header=masked_header, masked=masked)


def _shuffled(masking: Masking, rng: np.random.Generator) -> Masking:
    return replace(masking, masked=[masking.masked[i] for i in rng.permutation(len(masking.masked))])


def _code(record: Record) -> int:
    """Return the allele's last base as a number from 0 to 3."""
    return "ACGT".find(record.alt[-1].upper()) % 4


def _at(place: str, *texts: str) -> Site:
    """Return a change that writes one of several texts, chosen by the allele, into a column."""
    return lambda before, after, _rng: after._replace(**{place: texts[_code(before) % len(texts)]})


def _calls(form: str, *texts: str) -> Site:
    """Return a change that gives all donors one of several texts, chosen by the allele."""

    def site(before: Record, after: Record, _rng: np.random.Generator) -> Record:
        forms = form.split(" ")
        chosen = texts[_code(before) % len(texts)]
        return after._replace(
            format=forms[_code(before) % len(forms)], calls=tuple(chosen for _ in before.calls)
        )

    return site


def _at_next(change: Callable[[Record, Record], Record]) -> Change:
    """Return a change of the common record behind each rare one, given the rare one and itself."""

    def whole(masking: Masking, _rng: np.random.Generator) -> Masking:
        masked = list(masking.masked)
        for i in np.flatnonzero(masking.rare[:-1] & ~masking.hidden[1:]).tolist():
            masked[i + 1] = change(masking.original[i], masked[i + 1])
        return replace(masking, masked=masked)

    return whole


def _last_field(call: str, code: int) -> str:
    *rest, last = call.split(":")
    return ":".join([*rest, f"{last}{',0' * code}"])


def _blanked(call: str, field: int) -> str:
    fields = call.split(":")
    return ":".join([*fields[:field], ".", *fields[field + 1 :]])


def _lines(change: Callable[[list[str]], list[str]]) -> Change:
    """Return a change of the lines of the masked header."""
    return lambda masking, _rng: replace(masking, masked_header=change(list(masking.masked_header)))


_BLANK = "./."
# fmt: off
_AT_RARE: tuple[tuple[str, str, Site, Verdict], ...] = (
    ("allele", "ALT kept, frequency removed", _alt(lambda r: r.alt), ASK),
    ("allele", "ALT in small letters", _alt(lambda r: r.alt.lower()), _FAIL),
    ("allele", "ALT beside an N", _alt(lambda r: f"{r.alt},N"), ASK),
    ("allele", "allele in REF, ALT blank", lambda b, a, _: a._replace(ref=b.alt), _FAIL),
    ("allele", "allele in FILTER", lambda b, a, _: a._replace(filter=f"ALT_{b.alt}"), _FAIL),
    ("identifier of the variant", "ID of dbSNP kept", lambda b, a, _: a._replace(id=_rs(b)), _FAIL),
    ("identifier of the variant", "ID of dbSNP in FILTER", lambda b, a, _: a._replace(filter=_rs(b)), _FAIL),
    ("identifier of the variant", "ID of ClinGen", lambda b, a, _: a._replace(id=f"CA{b.pos}"), _FAIL),
    ("INFO", "INFO: annotation ANN", _info(lambda r: f"ANN={r.alt}|missense_variant|MODERATE|GENE1|ENSG01|c.76{r.ref}>{r.alt}"), _FAIL),
    ("INFO", "INFO: HGVS of the genome", _info(lambda r: f"HGVSg={r.chrom}:g.{r.pos}{r.ref}>{r.alt}"), _FAIL),
    ("INFO", "INFO: change of the protein", _info(lambda _r: "AAChange=p.Lys12Arg"), ASK),
    ("INFO", "INFO: variant as one word", _info(lambda r: f"VARIANT={r.chrom[3:]}-{r.pos}-{r.ref}-{r.alt}"), _FAIL),
    ("INFO", "INFO: percent-encoded change", _info(lambda r: f"NOTE={r.ref}%3E{r.alt}"), _FAIL),
    ("INFO", "INFO: genotype in letters", _info(lambda r: f"GENO={r.ref}{r.alt}"), ASK),
    ("INFO", "INFO: frequency under the same key in small letters", _info(lambda r: f"af={_frequency(r)}"), ASK),
    ("INFO", "INFO: score of harm", _info(lambda _r: "CADD_PHRED=27.3"), ASK),
    ("donors' fields", "genotypes kept, ALT blank, all fields kept", lambda b, a, _: a._replace(format=b.format, calls=b.calls), _FAIL),
    ("donors' fields", "depths of alleles kept", _fields("GT:AD", lambda c, _: f"{_BLANK}:{_part(c, 1)}"), ASK),
    ("donors' fields", "fraction of the allele", _fields("GT:VAF", lambda c, _: f"{_BLANK}:{'0.49' if carries(c) else '0.00'}"), ASK),
    ("donors' fields", "own field says carrier", _fields("GT:CARR", lambda c, _: f"{_BLANK}:{'yes' if carries(c) else 'no'}"), ASK),
    ("codes in masked records", "code: FILTER in four words for masked", _at("filter", "masked", "hidden", "removed", "redacted"), ASK),
    ("codes in masked records", "code: ALT as one to four Ns", _at("alt", "N", "NN", "NNN", "NNNN"), ASK),
    ("codes in masked records", "code: ALT in four forms of nothing", _at("alt", ".", "N", "*", "<NON_REF>"), ASK),
    ("codes in masked records", "code: ALT as a name", _at("alt", "<X1>", "<X2>", "<X3>", "<X4>"), ASK),
    ("codes in masked records", "code: QUAL nan or inf", _at("qual", "nan", "inf", "-inf", "."), ASK),
    ("codes in masked records", "code: position with leading zeros", lambda b, a, _: a._replace(pos="0" * _code(b) + str(a.pos)), ASK),
    ("codes in masked records", "code: MASKED with a value", _info(lambda r: f"MASKED={_code(r)}"), ASK),
    ("codes in masked records", "code: key that is the gene, value missing", _info(lambda _r: "BRCA1=."), ASK),
    ("codes in masked records", "code: blank genotypes in four forms", _calls("GT", "./.", ".|.", ".", "./././."), ASK),
    ("codes in masked records", "code: FORMAT key of one's own, blank", _calls("GT:XA GT:XC GT:XG GT:XT", "./.:."), ASK),
    ("codes in masked records", "code: trailing blanks in all donors' fields", _calls("GT:DP:GQ", "./.", "./.:.", "./.:.:."), ASK),
)
_FOR_CARRIERS = (
    ("carriers blanked in another form", _fields("GT", lambda c, _: ".|." if carries(c) else _BLANK), _FAIL),
    ("quality left for carriers only", _fields("GT:GQ", lambda c, _: f"{_BLANK}:{_part(c, 3) if carries(c) else '.'}"), ASK),
)
_AT_REPEATS = (
    ("repeat as as many Ns", _alt(lambda r: "N" * len(r.alt)), _FAIL),
    ("half of the repeat kept", _alt(lambda r: r.alt[: 1 + (len(r.alt) - 1) // 2] + "N"), _FAIL),
    ("an N put in front", _alt(lambda r: "N" + r.alt), _FAIL),
    ("copies in a symbolic allele", _alt(lambda r: f"<CN{_copies(r)}>"), _FAIL),
    ("copies in INFO", _info(lambda r: f"REPCN={_copies(r)}"), ASK),
    ("difference in the donors' fields", _fields("GT:GB", lambda _c, alt: f"./.:{len(alt) - 1}|0"), _FAIL),
    ("repeat in the ID", lambda b, a, _: a._replace(id=f"STR_{b.alt[1:5]}_{_copies(b)}"), ASK),
)
_AT_NEXT = (
    ("flag added to INFO", lambda r, n: n.with_info("DB") if _code(r) % 2 else n),
    ("QUAL changed", lambda r, n: n._replace(qual=str(50 + _code(r)))),
    ("REF in small letters", lambda _r, n: n._replace(ref=n.ref.lower())),
    ("alleles of genotypes exchanged", lambda _r, n: n._replace(calls=tuple(c.replace("0/1", "1/0") for c in n.calls))),
    ("last field of all changed", lambda r, n: n._replace(calls=tuple(_last_field(c, 1 + _code(r)) for c in n.calls))),
    ("depths of one donor blanked", lambda _r, n: n._replace(calls=(_blanked(n.calls[0], 2), *n.calls[1:]))),
)
_HEADERS = (
    ("GATK's command line", '##GATKCommandLine=<ID=HaplotypeCaller,CommandLine="HaplotypeCaller --input S17.bam">', _FAIL),
    ("a source with a path", "##source=/home/kim/pipelines/call.sh", _FAIL),
    ("the date of the file", "##fileDate=20260114", ASK),
    ("a pedigree", "##PEDIGREE=<ID=D003,Father=D001,Mother=D002>", _FAIL),
    ("an e-mail address", "##contact=min.kim@hospital.example", _FAIL),
    ("a path in Windows form", r"##project=C:\Users\kim\Desktop\S17", _FAIL),
    ("the checksum of a contig", "##contig=<ID=chr4,length=190214555,assembly=GRCh38,md5=aa6cc2e3>", ASK),
    ("a dbSNP number in a note", "##comment=rs334 checked", _FAIL),
)
_HEADER_CODES: tuple[tuple[str, Callable[[list[str]], list[str]]], ...] = (
    ("reference as a word of one's own", lambda ls: ["##reference=Q2hyMToxMDA0MkE+Rw" if one.startswith("##reference") else one for one in ls]),
    ("a line in hexadecimal", lambda ls: [ls[0], "##x=636872313a31303034323a413a47", *ls[1:]]),
    ("a word of a description changed", lambda ls: [ls[0], '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depths">', *(one for one in ls[1:] if "INFO=<ID=DP" not in one)]),
    ("another version of the format", lambda ls: [ls[0].replace("4.2", "4.1"), *ls[1:]]),
    ("a contig taken out", lambda ls: [one for one in ls if "ID=chr2" not in one]),
)
KINDS = (
    *(leak(name, family, at_hidden(site, "rare"), at_least=least) for family, name, site, least in _AT_RARE),
    *(
        leak(name, "donors' fields", at_hidden(site, "rare"), at_least=least, schemas=("trio", "cohort"))
        for name, site, least in _FOR_CARRIERS
    ),
    leak("neighbour's phasing identifier names the allele", "donors' fields", _phased_neighbour),
    *(leak(f"repeats: {name}", "repeats", at_hidden(site, "repeats"), at_least=least) for name, site, least in _AT_REPEATS),
    leak("repeats: the same repeat unmasked nearby", "repeats", _repeat_nearby),
    *(leak(f"neighbour: {name}", "codes in other records", _at_next(change), at_least=ASK) for name, change in _AT_NEXT),
    *(leak(f"header: {name}", "header", _with_lines(line), at_least=least) for name, line, least in _HEADERS),
    leak("header: the reference's path kept", "header", _reference_kept),
    *(leak(f"header code: {name}", "codes in the header", _lines(change), at_least=ASK) for name, change in _HEADER_CODES),
    leak("donors' names kept", "donors' names", _renamed(list), at_least=ASK),
    leak("donors' names without their letters", "donors' names", _renamed(lambda names: [n.removeprefix("HN") for n in names]), at_least=ASK),
    leak("donors' names as persons' names", "donors' names", _renamed(lambda names: [f"Kim_Minjun_{i}" for i in range(len(names))])),
    leak("not masked: everything", "coverage", _unmasked(lambda m, _: m.hidden)),
    leak("not masked: the last record", "coverage", _unmasked(_one)),
    leak("the original and the masked file exchanged", "coverage", _exchanged),
    leak("masked records repeated unmasked at the same place", "coverage", _twice(0)),
    leak("masked records repeated one base on", "coverage", _twice(1)),
    leak("masked records removed", "coverage", _removed, at_least=ASK),
    leak("records in another order", "coverage", _shuffled, at_least=ASK),
    leak("the level in capitals", "level", _named("HIGH_0.01_anony_cohort.vcf.gz"), at_least=_UNSURE),
    leak("the low level with rare records", "level", _low, at_least=ASK),
    leak("no frequencies in the original", "level", _no_frequencies, at_least=_UNSURE),
    leak("frequency declared as text, record kept", "declarations", _declared_as_text),
)
# fmt: on
