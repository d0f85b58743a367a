"""What somebody hides in a VCF file on purpose: codes in what looks masked, elsewhere, or in its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.vcf.cohorts import Change, Masking, Record, at_hidden, carries, leak
from core.verdict import Verdict

_ASK = Verdict.WARN
_SIZES = (200, 1000)
Site = Callable[[Record, Record, np.random.Generator], Record]


def _code(record: Record) -> int:
    """Return the allele's last base as a number from 0 to 3."""
    return "ACGT".find(record.alt[-1].upper()) % 4


def _at(place: str, *texts: str) -> Site:
    """Return a change that writes one of several texts, chosen by the allele, into a column."""
    return lambda before, after, _rng: after._replace(**{place: texts[_code(before) % len(texts)]})


def _with(make: Callable[[Record], str]) -> Site:
    return lambda before, after, _rng: after.with_info(make(before))


def _calls(form: str, *texts: str) -> Site:
    """Return a change that gives all donors one of several texts, chosen by the allele."""

    def site(before: Record, after: Record, _rng: np.random.Generator) -> Record:
        forms = form.split(" ")
        chosen = texts[_code(before) % len(texts)]
        return after._replace(
            format=forms[_code(before) % len(forms)], calls=tuple(chosen for _ in before.calls)
        )

    return site


def masked_kinds() -> Iterator[Kind]:
    """Yield masked records whose form tells the allele."""
    cases: tuple[tuple[str, Site], ...] = (
        ("FILTER says masked, and a letter", _at("filter", *(f"masked_{base}" for base in "ACGT"))),
        ("FILTER in four words for masked", _at("filter", "masked", "hidden", "removed", "redacted")),
        ("FILTER PASS or missing", _at("filter", "PASS", ".")),
        ("FILTER PASS once or more", _at("filter", "PASS", "PASS;PASS", "PASS;PASS;PASS", ".")),
        ("ALT as one to four Ns", _at("alt", "N", "NN", "NNN", "NNNN")),
        ("ALT in four forms of nothing", _at("alt", ".", "N", "*", "<NON_REF>")),
        ("ALT as one to four points", _at("alt", ".", ".,.", ".,.,.", ".,.,.,.")),
        ("ALT as Ns in either case", _at("alt", "N", "n", "Nn", "nN")),
        ("ALT as symbolic Ns", _at("alt", "<N>", "<NN>", "<NNN>", "N")),
        ("ALT complemented", lambda b, a, _: a._replace(alt=b.alt.translate(str.maketrans("ACGT", "TGCA")))),
        ("ALT as the next base", lambda b, a, _: a._replace(alt="CGTA"[_code(b)])),
        ("ALT as a name", _at("alt", "<X1>", "<X2>", "<X3>", "<X4>")),
        ("QUAL missing or 0", _at("qual", ".", "0")),
        ("QUAL as several spellings of 0", _at("qual", "0", "0.0", "-0", "0e1")),
        ("QUAL nan or inf", _at("qual", "nan", "inf", "-inf", ".")),
        ("position with leading zeros", lambda b, a, _: a._replace(pos="0" * _code(b) + str(a.pos))),
        ("REF in small letters", lambda b, a, _: a._replace(ref=a.ref.lower() if _code(b) % 2 else a.ref)),
        ("depth rewritten as a letter's number", _with(lambda r: f"DP={ord(r.alt[-1])}")),
        ("quality of mapping rewritten", _with(lambda r: f"MQ={60 - _code(r)}")),
        ("number of alleles rewritten", _with(lambda r: f"AN={2 + 2 * _code(r)}")),
        ("MASKED with a value", _with(lambda r: f"MASKED={_code(r)}")),
        ("MASKED or REDACTED", _with(lambda r: ("MASKED", "REDACTED", "ANONYMIZED", "MASKED")[_code(r)])),
        ("MASKED once or more", _with(lambda r: ";".join(["MASKED"] * (1 + _code(r))))),
        ("key with a missing value", _with(lambda r: f"X{_code(r)}=.")),
        ("key that is the gene, value missing", _with(lambda _r: "BRCA1=.")),
        ("semicolons in INFO", _with(lambda r: "MASKED" + ";" * _code(r))),
        ("INFO in two orders", _with(lambda r: "MQ=60;DP=9" if _code(r) % 2 else "DP=9;MQ=60")),
        ("a number in a field of one's own", _with(lambda r: f"Q={_code(r)}")),
        ("ID in hexadecimal", lambda b, a, _: a._replace(id=f"{(b.pos * 7919 + _code(b)) % 65521:04x}")),
        ("ID of points", _at("id", ".", "..", "...", "....")),
        ("blank genotypes in four forms", _calls("GT", "./.", ".|.", ".", "./././.")),
        ("FORMAT in two orders", _calls("GT:DP:GQ GT:GQ:DP", "./.:.:.")),
        ("FORMAT key of one's own, blank", _calls("GT:XA GT:XC GT:XG GT:XT", "./.:.")),
        ("trailing blanks in all donors' fields", _calls("GT:DP:GQ", "./.", "./.:.", "./.:.:.")),
        ("genotypes blank by a comma", _calls("GT:AD", "./.:.", "./.:.,.", "./.:.,.,.")),
    )
    for name, site in cases:
        yield leak(
            f"code: {name}", "codes in masked records", at_hidden(site, "rare"), at_least=_ASK, sizes=_SIZES
        )


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


def neighbour_kinds() -> Iterator[Kind]:
    """Yield common records that were changed to tell of the masked one before them."""
    cases: tuple[tuple[str, Callable[[Record, Record], Record]], ...] = (
        ("field added to INFO", lambda r, n: n.with_info(f"PREV={r.alt}")),
        ("flag added to INFO", lambda r, n: n.with_info("DB") if _code(r) % 2 else n),
        ("depth changed", lambda r, n: n.with_info(f"DP={40 + _code(r)}")),
        (
            "frequency written with more zeros",
            lambda r, n: n._replace(info=f"{n.info}{'0' * (1 + _code(r))}"),
        ),
        ("fields of INFO in another order", lambda _r, n: n._replace(info=";".join(n.info.split(";")[::-1]))),
        ("a semicolon behind INFO", lambda _r, n: n._replace(info=f"{n.info};")),
        ("QUAL changed", lambda r, n: n._replace(qual=str(50 + _code(r)))),
        ("QUAL with more zeros", lambda r, n: n._replace(qual=f"{float(n.qual or 1):.{1 + _code(r)}f}")),
        ("ID changed", lambda r, n: n._replace(id=f"k{_code(r)}")),
        ("FILTER changed", lambda r, n: n._replace(filter=("q1", "q2", "q3", "q4")[_code(r)])),
        ("an N added to ALT", lambda r, n: n._replace(alt=f"{n.alt},{'N' * (1 + _code(r))}")),
        ("ALT in small letters", lambda _r, n: n._replace(alt=n.alt.lower())),
        ("REF in small letters", lambda _r, n: n._replace(ref=n.ref.lower())),
        ("position with leading zeros", lambda r, n: n._replace(pos="0" * (1 + _code(r)) + str(n.pos))),
        (
            "alleles of genotypes exchanged",
            lambda _r, n: n._replace(calls=tuple(c.replace("0/1", "1/0") for c in n.calls)),
        ),
        (
            "genotypes with a bar",
            lambda _r, n: n._replace(calls=tuple(c.replace("/", "|", 1) for c in n.calls)),
        ),
        (
            "last field of carriers changed",
            lambda r, n: n._replace(
                calls=tuple(_last_field(c, carries(o)) for c, o in zip(n.calls, r.calls, strict=True))
            ),
        ),
        (
            "last field of all changed",
            lambda r, n: n._replace(calls=tuple(_last_field(c, 1 + _code(r)) for c in n.calls)),
        ),
        ("ID taken away", lambda r, n: n._replace(id=".") if _code(r) % 2 else n),
        ("QUAL taken away", lambda r, n: n._replace(qual=".") if _code(r) % 2 else n),
        (
            "a field taken out of INFO",
            lambda r, n: n._replace(info=n.info.split(";")[0]) if _code(r) % 2 else n,
        ),
        (
            "depths of one donor blanked",
            lambda _r, n: n._replace(calls=(_blanked(n.calls[0], 2), *n.calls[1:])),
        ),
        (
            "likelihoods left out",
            lambda _r, n: n._replace(
                format="GT:AD:DP:GQ", calls=tuple(c.rpartition(":")[0] for c in n.calls)
            ),
        ),
        ("record written twice", lambda _r, n: n),
    )
    for name, change in cases:
        made = _at_next(change) if name != "record written twice" else _doubled
        yield leak(f"neighbour: {name}", "codes in other records", made, at_least=_ASK, sizes=_SIZES)


def _doubled(masking: Masking, _rng: np.random.Generator) -> Masking:
    masked: list[Record] = []
    for i, record in enumerate(masking.masked):
        masked += [record] * (2 if i and masking.rare[i - 1] and not masking.hidden[i] else 1)
    return replace(masking, masked=masked)


def _exchanged(masking: Masking, _rng: np.random.Generator) -> Masking:
    """Put common records at one position, and exchange them in the masked file."""
    original, masked = list(masking.original), list(masking.masked)
    for i in np.flatnonzero(~masking.hidden[:-1] & ~masking.hidden[1:]).tolist()[::5]:
        moved = original[i + 1]._replace(chrom=original[i].chrom, pos=original[i].pos)
        original[i + 1] = moved
        masked[i], masked[i + 1] = moved, original[i]
    return replace(masking, original=original, masked=masked)


def _header(*lines: str, replaced: str = "") -> Change:
    """Return a change that adds lines to the masked header, or puts them in place of one."""

    def change(masking: Masking, _rng: np.random.Generator) -> Masking:
        header = [line for line in masking.masked_header if not replaced or not line.startswith(replaced)]
        return replace(
            masking,
            masked_header=[*header[:1], *lines, *header[1:]]
            if replaced != "##fileformat"
            else [*lines, *header],
        )

    return change


def _lines(change: Callable[[list[str]], list[str]]) -> Change:
    """Return a change of the lines of the masked header."""
    return lambda masking, _rng: replace(masking, masked_header=change(list(masking.masked_header)))


def header_kinds() -> Iterator[Kind]:
    """Yield headers that hold a code where definitions stand."""
    cases: Sequence[tuple[str, Change]] = (
        ("contig named by an allele", _header("##contig=<ID=chr1_10042_A_G>")),
        (
            "contig of another length",
            _header("##contig=<ID=chr1,length=100421337>", replaced="##contig=<ID=chr1,"),
        ),
        (
            "reference as a word of one's own",
            _header("##reference=Q2hyMToxMDA0MkE+Rw", replaced="##reference"),
        ),
        ("words behind the version", _header("##fileformat=VCFv4.2 D001 is Kim", replaced="##fileformat")),
        (
            "an attribute of one's own",
            _header(
                '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth",Note=G42T77>',
                replaced="##INFO=<ID=DP",
            ),
        ),
        ("an ALT definition with an allele", _header('##ALT=<ID=DEL,Description="chr1:10042:A:G">')),
        ("phasing with words", _header("##phasing=D001 carries chr1 10042")),
        ("a line in hexadecimal", _header("##x=636872313a31303034323a413a47")),
        (
            "a word of a description changed",
            _header('##INFO=<ID=DP,Number=1,Type=Integer,Description="Depths">', replaced="##INFO=<ID=DP"),
        ),
        ("assembly with a person", _header("##assembly=Kim Minjun")),
        ("lines in another order", _lines(lambda lines: [*lines[:7], *lines[:6:-1]])),
        ("a line once or more", _lines(lambda lines: [*lines, lines[-1], lines[-1]])),
        ("another version of the format", _lines(lambda lines: [lines[0].replace("4.2", "4.1"), *lines[1:]])),
        (
            "a type changed",
            _lines(lambda lines: [one.replace("ID=DP,Number=1", "ID=DP,Number=.") for one in lines]),
        ),
        ("a contig taken out", _lines(lambda lines: [one for one in lines if "ID=chr2" not in one])),
    )
    for name, change in cases:
        yield leak(f"header code: {name}", "codes in the header", change, at_least=_ASK, sizes=_SIZES)


def order_kinds() -> Iterator[Kind]:
    """Yield records whose order is the code."""
    yield leak(
        "neighbour: two records of a position exchanged",
        "codes in other records",
        _exchanged,
        at_least=_ASK,
        sizes=_SIZES,
    )


KINDS = (*order_kinds(), *masked_kinds(), *neighbour_kinds(), *header_kinds())
