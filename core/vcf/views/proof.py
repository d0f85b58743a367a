"""How a sceptic finds masked alleles that a VCF audit found again, and what was tried where it found none."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from core.reports import ReportTable
from core.reports.proof import Step, Tried, literal, proof_tables, tried_tables
from core.vcf.checks import ALL_CHECKS
from core.vcf.outcomes import PairOutcome, run_verdict
from core.verdict import Verdict
from core.words import counted, text

_PLACE = re.compile(r".{1,200}:\d{1,12}")
_MOST_PLACES, _MOST_STEPS = 5, 20
_BINARY = ".bcf"
_READABLE = (".vcf", ".gz", ".bgz", _BINARY)
_LINES = 'o = lambda f: (gzip.open if f.endswith("gz") else open)(f, "rt")'
_LINES_OF_BCF = (
    'o = lambda f: map(str, pysam.VariantFile(f)) if f.endswith(".bcf") else '
    '(gzip.open if f.endswith("gz") else open)(f, "rt")'
)
_RECORDS = (
    'at = lambda f: {r[0] + ":" + r[1]: r for l in o(f) '
    'if l[0] != "#" for r in [l.rstrip("\\n").split("\\t")] if r[0] + ":" + r[1] in p}'
)
_COMPARE = (
    '[print(i, "ALT", b[i][4], "as in the original:", *[n for n, k in '
    '(("ID", 2), ("REF", 3), ("QUAL", 5), ("FILTER", 6), ("INFO", 7)) if i in a and a[i][k] == b[i][k]], '
    '*["samples"] * (i in a and a[i][9:] == b[i][9:])) for i in p if i in b]'
)


def vcf_proof(outcomes: Sequence[PairOutcome]) -> tuple[ReportTable, ...]:
    """Return the steps that show what is left at masked sites, or the attacks that were tried."""
    if run_verdict(outcomes) is Verdict.FAIL:
        steps = [*_steps(outcomes)][:_MOST_STEPS]
        if steps:
            return proof_tables(steps, note=_NOTE)
    return tried_tables(_tried(outcomes))


_NOTE = (
    "Run each command in the folder of the files, with Python 3, and pysam where a file is BCF. It prints "
    "a line for each place: the ALT of the anonymized file, and which other columns are as in the original, "
    "so that they still tell of it."
)


def _steps(outcomes: Sequence[PairOutcome]) -> Iterator[Step]:
    for outcome in outcomes:
        names = outcome.pair.original.name, outcome.pair.anonymized.name
        if outcome.audit is None or not all(name.endswith(_READABLE) for name in names):
            continue
        for exposure in outcome.audit.exposure:
            places = list(exposure.places[:_MOST_PLACES])
            if exposure.verdict is Verdict.FAIL and places and all(map(_PLACE.fullmatch, places)):
                yield Step(
                    text("{file}: {message}", file=names[1], message=exposure.message),
                    _command(*names, places),
                    text("{n} line", "{n} lines", n=len(dict.fromkeys(places))),
                )


def _command(original: str, anonymized: str, places: Sequence[str]) -> str:
    wanted, ours, theirs = literal(list(dict.fromkeys(places))), literal(original), literal(anonymized)
    lines = ("import gzip", _LINES)
    if _BINARY in (original[-4:], anonymized[-4:]):
        lines = ("import gzip, pysam", _LINES_OF_BCF)
    code = "; ".join((*lines, f"p = {wanted}", _RECORDS, f"a, b = at({ours}), at({theirs})", _COMPARE))
    return f"python3 -c {shlex.quote(code)}"


def _tried(outcomes: Sequence[PairOutcome]) -> Iterator[Tried]:
    for outcome in outcomes:
        if outcome.audit is not None:
            yield Tried(
                text("{file}: reading masked alleles from what is left", file=outcome.pair.anonymized.name),
                text("{checks} on every record", checks=counted(len(ALL_CHECKS), "check")),
                text(
                    "{n} finding worse than PASS",
                    "{n} findings worse than PASS",
                    n=sum(each.verdict is not Verdict.PASS for each in outcome.audit.exposure),
                ),
            )
        if outcome.donors is not None:
            yield Tried(
                text(
                    "{file}: what the variants that remain say of the donors",
                    file=outcome.pair.anonymized.name,
                ),
                text("{checks}", checks=counted(len(outcome.donors.exposure), "check")),
                text(
                    "{n} finding worse than PASS",
                    "{n} findings worse than PASS",
                    n=sum(each.verdict is not Verdict.PASS for each in outcome.donors.exposure),
                ),
            )
