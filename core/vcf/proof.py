"""How a sceptic finds masked alleles that a VCF audit found again, and what was tried where it found none."""

from collections.abc import Iterator, Sequence

from core.reports import ReportTable
from core.reports.proof import (
    Step,
    Tried,
    can_be_opened,
    file_code,
    literal,
    proof_tables,
    shell_command,
    tried_tables,
)
from core.vcf.checks import ALL_CHECKS
from core.vcf.outcomes import PairOutcome, run_verdict
from core.verdict import Verdict
from core.words import counted, text

_MOST_PLACES, _MOST_STEPS = 5, 20
_READ = (  # by what files hold, whatever they are called
    'import gzip; g = lambda f: gzip.open if open(f, "rb").read(2) == b"\\x1f\\x8b" else open; '
    't = lambda f: g(f)(f, "rt", encoding="utf-8", errors="backslashreplace"); '
    'n = lambda f: map(str, __import__("pysam").VariantFile(f)); '
    'o = lambda f: (n if g(f)(f, "rb").read(3) == b"BCF" else t)(f)'
)
_RECORDS = (
    'at = lambda f: {":".join(r[:2]): r for l in o(f) for r in [l.rstrip("\\n").split("\\t")] '
    'if len(r) > 7 and ":".join(r[:2]) in p}'
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
        if outcome.audit is None or not all(map(can_be_opened, names)):
            continue
        for exposure in outcome.audit.exposure:
            places = list(exposure.places[:_MOST_PLACES])
            if exposure.verdict is Verdict.FAIL and places and all(map(_is_place, places)):
                yield Step(
                    text("{file}: {message}", file=names[1], message=exposure.message),
                    _command(*names, places),
                    text("{n} line", "{n} lines", n=len(dict.fromkeys(places))),
                )


def _is_place(words: str) -> bool:
    contig, _, position = words.rpartition(":")
    return bool(contig) and position.isdecimal()


def _command(original: str, anonymized: str, places: Sequence[str]) -> str:
    wanted, ours, theirs = literal([*dict.fromkeys(places)]), file_code(original), file_code(anonymized)
    return shell_command(_READ, f"p = {wanted}", _RECORDS, f"a, b = at({ours}), at({theirs})", _COMPARE)


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
