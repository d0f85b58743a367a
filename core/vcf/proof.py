"""How a sceptic finds masked alleles that a VCF audit found again."""

from collections.abc import Iterator, Sequence
from itertools import islice

from core.reports.proof import Step, can_be_opened, file_code, literal, proof_tables, shell_command
from core.result import Table
from core.vcf.outcomes import PairOutcome, run_verdict
from core.verdict import Verdict
from core.words import text

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
_NOTE = (
    "Run each command in the folder of the files, with Python 3, and pysam where a file is BCF. It prints "
    "a line for each place: the ALT of the anonymized file, and which other columns are as in the original, "
    "so that they still tell of it."
)


def vcf_proof(outcomes: Sequence[PairOutcome]) -> tuple[Table, ...]:
    """Return the steps that show what is left at masked sites."""
    is_shown = run_verdict(outcomes) is Verdict.FAIL
    return proof_tables(islice(_steps(outcomes), _MOST_STEPS), note=_NOTE) if is_shown else ()


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
