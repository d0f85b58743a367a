"""What somebody hides in a VCF file on purpose: codes in what looks masked, elsewhere, or in its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.vcf.cohorts import Change, Masking, Record, at_hidden, leak
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
        ("FILTER in four words for masked", _at("filter", "masked", "hidden", "removed", "redacted")),
        ("ALT as one to four Ns", _at("alt", "N", "NN", "NNN", "NNNN")),
        ("ALT in four forms of nothing", _at("alt", ".", "N", "*", "<NON_REF>")),
        ("ALT as symbolic Ns", _at("alt", "<N>", "<NN>", "<NNN>", "N")),
        ("ALT as a name", _at("alt", "<X1>", "<X2>", "<X3>", "<X4>")),
        ("QUAL nan or inf", _at("qual", "nan", "inf", "-inf", ".")),
        ("position with leading zeros", lambda b, a, _: a._replace(pos="0" * _code(b) + str(a.pos))),
        ("MASKED with a value", _with(lambda r: f"MASKED={_code(r)}")),
        ("key that is the gene, value missing", _with(lambda _r: "BRCA1=.")),
        ("INFO in two orders", _with(lambda r: "MQ=60;DP=9" if _code(r) % 2 else "DP=9;MQ=60")),
        ("blank genotypes in four forms", _calls("GT", "./.", ".|.", ".", "./././.")),
        ("FORMAT key of one's own, blank", _calls("GT:XA GT:XC GT:XG GT:XT", "./.:.")),
        ("trailing blanks in all donors' fields", _calls("GT:DP:GQ", "./.", "./.:.", "./.:.:.")),
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
        ("flag added to INFO", lambda r, n: n.with_info("DB") if _code(r) % 2 else n),
        ("QUAL changed", lambda r, n: n._replace(qual=str(50 + _code(r)))),
        ("FILTER changed", lambda r, n: n._replace(filter=("q1", "q2", "q3", "q4")[_code(r)])),
        ("REF in small letters", lambda _r, n: n._replace(ref=n.ref.lower())),
        ("position with leading zeros", lambda r, n: n._replace(pos="0" * (1 + _code(r)) + str(n.pos))),
        (
            "alleles of genotypes exchanged",
            lambda _r, n: n._replace(calls=tuple(c.replace("0/1", "1/0") for c in n.calls)),
        ),
        (
            "last field of all changed",
            lambda r, n: n._replace(calls=tuple(_last_field(c, 1 + _code(r)) for c in n.calls)),
        ),
        (
            "depths of one donor blanked",
            lambda _r, n: n._replace(calls=(_blanked(n.calls[0], 2), *n.calls[1:])),
        ),
    )
    for name, change in cases:
        made = _at_next(change) if name != "record written twice" else _doubled
        yield leak(f"neighbour: {name}", "codes in other records", made, at_least=_ASK, sizes=_SIZES)


def _doubled(masking: Masking, _rng: np.random.Generator) -> Masking:
    masked: list[Record] = []
    for i, record in enumerate(masking.masked):
        masked += [record] * (2 if i and masking.rare[i - 1] and not masking.hidden[i] else 1)
    return replace(masking, masked=masked)


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
        (
            "contig of another length",
            _header("##contig=<ID=chr1,length=100421337>", replaced="##contig=<ID=chr1,"),
        ),
        (
            "reference as a word of one's own",
            _header("##reference=Q2hyMToxMDA0MkE+Rw", replaced="##reference"),
        ),
        ("a line in hexadecimal", _header("##x=636872313a31303034323a413a47")),
        (
            "a word of a description changed",
            _header('##INFO=<ID=DP,Number=1,Type=Integer,Description="Depths">', replaced="##INFO=<ID=DP"),
        ),
        ("another version of the format", _lines(lambda lines: [lines[0].replace("4.2", "4.1"), *lines[1:]])),
        ("a contig taken out", _lines(lambda lines: [one for one in lines if "ID=chr2" not in one])),
    )
    for name, change in cases:
        yield leak(f"header code: {name}", "codes in the header", change, at_least=_ASK, sizes=_SIZES)


KINDS = (*masked_kinds(), *neighbour_kinds(), *header_kinds())
