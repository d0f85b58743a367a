"""The report of a run of the VCF verifier."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from core.errors import AuditInputError
from core.reports import InputFacts, Report, report_of
from core.reports.proof import Step, can_be_opened, file_code, literal, proof_tables, shell_command
from core.result import Table
from core.settings.form import option_words
from core.vcf.files import VcfFile
from core.vcf.outcomes import PairOutcome, run_verdict
from core.vcf.pairing import pair_files
from core.vcf.result import run_result
from core.vcf.settings import VcfSettings
from core.vcf.tool import TOOL
from core.verdict import Verdict
from core.words import own, text

ORIGINALS, ANONYMIZED = "originals", "anonymized"  # folders of the files where a run is repeated


def vcf_report(
    outcomes: Sequence[PairOutcome],
    *,
    unmatched: Sequence[str] = (),
    panel: VcfFile | None = None,
    created_at: datetime,
) -> Report:
    """Return the report of a run, with what was found out about the donors where it was asked for.

    It holds counts, positions and header keys; no allele, genotype, sample name or header value.
    """
    inputs = _inputs(outcomes, panel)
    result = run_result(outcomes, dict.fromkeys(unmatched, ""))
    settings = next((outcome.audit.settings for outcome in outcomes if outcome.audit is not None), None)
    path = f"panel/{panel.name}" if panel else ""
    report = report_of(
        TOOL,
        result,
        inputs=inputs,
        created_at=created_at,
        arguments=(vcf_arguments(outcomes, settings, unmatched=unmatched, panel=path),) if settings else (),
    )
    return report.with_tables(vcf_proof(outcomes))


def _inputs(outcomes: Sequence[PairOutcome], panel: VcfFile | None) -> tuple[InputFacts, ...]:
    """Return what the report says of the files, each once, in the folders where a run is repeated."""
    sides = {
        f"{folder}/{file.name}": (role, file)
        for outcome in outcomes
        for role, folder, file in (
            (own("original"), ORIGINALS, outcome.pair.original),
            (own("anonymized"), ANONYMIZED, outcome.pair.anonymized),
        )
    }
    sides |= {} if panel is None else {f"panel/{panel.name}": (own("panel"), panel)}
    facts = (_facts(file, role, path) for path, (role, file) in sides.items())
    return tuple(each for each in facts if each is not None)


def _facts(file: VcfFile, role: str, path: str) -> InputFacts | None:
    """Return what the report says of a file; None of one that cannot be opened."""
    try:
        digest = file.sha256()
    except AuditInputError:
        return None
    return InputFacts(role=role, name=file.name, n_bytes=file.n_bytes, sha256=digest, path=path)


def vcf_arguments(
    outcomes: Sequence[PairOutcome],
    settings: VcfSettings,
    *,
    unmatched: Sequence[str] = (),
    panel: str = "",
) -> tuple[str, ...]:
    """Return the words that repeat the run on folders of the original and of the anonymized files.

    Pairs that were made by hand are named. `panel`: the path of a panel, where one was given.
    """
    pairs = [outcome.pair for outcome in outcomes]
    originals = {pair.original.name: pair.original for pair in pairs}
    anonymized = {pair.anonymized.name: pair.anonymized for pair in pairs}
    by_name = pair_files(list(originals.values()), list(anonymized.values())).pairs
    looked = [one.pair.anonymized.name for one in outcomes if one.donors is not None or one.donor_problems]
    words = ["-o", ORIGINALS, "-a", ANONYMIZED]
    if pairs != [*by_name]:
        words += [
            word
            for pair in pairs
            for word in (
                "--pair",
                _in(ORIGINALS, pair.original),
                _in(ANONYMIZED, pair.anonymized),
                pair.level,
            )
        ]
    words += [word for name in unmatched for word in ("--not-paired", name)]
    if looked:
        words += ["--panel", panel] if panel else ["--donors"]
        words += ["--donors-of", *looked] if len(looked) < len(pairs) else []
    return (*words, *option_words(settings))


def _in(folder: str, file: VcfFile) -> str:
    return f"{folder}/{file.name}"


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
