"""``make trust``: hostile files to their readers, every command many times, long texts to every pattern.

A file is read or refused in a sentence, within ten seconds, without its cells in the sentence. Files are
read in processes of 200, so that one that ends its process is named and the others go on.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from core.commands.audit import audit_again, repeated_report
from core.diversity import load_estimator
from core.errors import AuditInputError
from core.events import read_event_mapping
from core.filed import compare_reports, read_report
from core.filed.comparing import comparison_document
from core.filed.deciding import read_decided, read_undecided
from core.filed.package import evidence_zip
from core.filed.signing import (
    check_signature,
    name_of_signer,
    read_private_key,
    read_signature,
    read_signers,
)
from core.files.named_files import Source, alone
from core.policies import read_policy
from core.processes.unforeseen import UNREADABLE
from core.reports import render_json
from core.risk.ladders import read_hierarchy
from core.settings.files import read_settings
from core.tables import read_dataset
from core.tabular import read_log
from core.vcf import VcfFile, VcfPair, VcfSettings, render_findings, render_report, render_summary
from core.vcf.donor import judge_donors, measure_donors
from core.vcf.outcomes import judge_outcome, run_scan
from core.words import own
from tests.hostile.corpus import PLANTED, Hostile, genome, hostile_file, killers
from tests.hostile.exits import commands, exit_codes, n_otherwise, table_of_exits
from tests.hostile.filed import SIGNED, report, signature
from tests.hostile.genomes import both_sides, genome_pair
from tests.hostile.patterns import LETTERS, PATTERNS, SHAPES, too_slow
from tests.hostile.repeats import files

ROOT = Path(__file__).parents[2]
SECONDS = 10  # of processor time
WAITING = 5  # times as long may it wait, on a busy machine, for a process that reads
AT_ONCE = 200
READ, REFUSED, FAULTS = "read", "refused", ("aborted", "traceback", "timed out", "leaked a cell")


def _vcf(data: bytes) -> None:
    _verify(genome("bgzf"), data)


def _verify(original: bytes, anonymized: bytes) -> None:
    """Verify a pair, look for its donors, and write everything that is said of it."""
    pair = VcfPair(
        original=VcfFile(name="a.vcf", content=original),
        anonymized=VcfFile(name="high_anony_a.vcf", content=anonymized),
        level="high",
    )
    settings = VcfSettings()
    outcome = judge_outcome(run_scan(pair, settings), settings)
    if any(own(problem).message == UNREADABLE for problem in outcome.problems):
        raise RuntimeError(outcome.problems)
    if outcome.audit is None:
        raise AuditInputError(*outcome.problems)
    original_sites = outcome.audit.scan.candidates
    measured = measure_donors(pair.anonymized, original=original_sites, panel=pair.original)
    outcome = replace(outcome, donors=judge_donors(measured, settings))
    said = render_findings([outcome]) + render_summary([outcome]) + render_report([outcome.audit])
    if PLANTED.encode() in said:
        raise AuditInputError(PLANTED)


def _model(data: bytes) -> None:
    loaded = load_estimator(data, name="m.skops")
    columns = [np.zeros(3)] * min(loaded.n_features, 100_000)
    loaded.process.predict(pa.table(columns, names=[str(i) for i in range(len(columns))]), named=False)


def _report(data: bytes) -> None:
    """Read a filed report, hold it against a good one and itself, and see whether it can be decided on."""
    found = read_report(data, name="r.json")
    for other in (read_report(report(), name="good.json"), found):
        comparison_document(compare_reports(other, found))
    read_undecided(data, name="r.json")
    repeated_report(found, list(files("risk").values()))


def _decided(data: bytes) -> None:
    evidence_zip(read_decided(data, name="d.json"))


def _ledger(data: bytes) -> None:
    """Read a ledger and hold a release against it."""
    given = {"people.csv": files("risk")["people.csv"], "ledger.json": Source("ledger.json", data)}
    words = ["people.csv", "--quasi-identifier", "age", "sex", "--sensitive", "disease"]
    with alone(given):
        made = audit_again("risk", [[*words, "--earlier", "ledger.json"]])
    if made.problems:
        raise AuditInputError(*made.problems)
    render_json(made.full_report(datetime(2026, 11, 23, tzinfo=UTC)))


def _signature(data: bytes) -> None:
    check_signature(read_signature(data, name="r.sig"), SIGNED, name="r.sig")


def _signers(data: bytes) -> None:
    signed = read_signature(signature(), name="r.sig")
    name_of_signer(signed, read_signers(data, name="signers"), name="signers")


READERS: Mapping[str, Callable[[bytes], object]] = {
    "table": lambda data: read_dataset(data, name="t.csv"),
    "log": lambda data: read_log(data, name="t.json"),
    "mapping": read_event_mapping,
    "hierarchy": lambda data: read_hierarchy(read_dataset(data, name="h.csv")),
    "model": _model,
    "vcf": _vcf,
    "settings": lambda data: read_settings(data, name="s.toml", tool="risk"),
    "policy": lambda data: read_policy(data, name="p.toml"),
    "report": _report,
    "decided": _decided,
    "ledger": _ledger,
    "key": lambda data: read_private_key(data, name="k"),
    "signature": _signature,
    "signers": _signers,
    "VCF pairs": lambda data: _verify(*both_sides(data)),
}


class _TooLongError(BaseException):
    pass


def outcome_of(file: Hostile) -> str:
    """Return what became of a file: one of the words above, with the fault's place."""
    try:
        READERS[file.reader](file.data)
    except AuditInputError as error:
        return FAULTS[3] if PLANTED in str(error) else REFUSED
    except _TooLongError:
        return FAULTS[2]
    except Exception as error:
        return f"{FAULTS[1]}: {type(error).__name__}"
    return READ


def limited(file: Hostile, *, seconds: float | None = None) -> str:
    """Return what became of a file, and end what takes longer than it may."""

    def end(*_: object) -> None:
        raise _TooLongError

    file = file._replace(given=file.data)
    signal.signal(signal.SIGALRM, end)
    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds or SECONDS)
    signal.alarm(SECONDS * WAITING)
    try:
        return outcome_of(file)
    except _TooLongError:
        return FAULTS[2]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)


MAKERS: Mapping[str, Callable[[int], Hostile]] = {"files": hostile_file, "pairs": genome_pair}


def _files(kind: str, first: int, last: int) -> Iterator[Hostile]:
    return killers() if kind == "killers" else map(MAKERS[kind], range(first, last))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _part(kind: str, first: int, last: int) -> None:
    """Read some files and write a line before and after each."""
    for file in _files(kind, first, last):
        _say(json.dumps([file.reader, file.how]))
        started = time.perf_counter()
        word = limited(file)
        _say(json.dumps([word, round(time.perf_counter() - started, 2)]))


def run(n_files: int, n_pairs: int, *, first: int = 0) -> Counter[tuple[str, str]]:
    """Read the files of the corpus; return how many of each reader came to what."""
    counts: Counter[tuple[str, str]] = Counter()
    parts = [("killers", 0, 0)]
    for kind, n, at_once in (("files", n_files, AT_ONCE), ("pairs", n_pairs, 10 * AT_ONCE)):
        parts += [(kind, at, min(at + at_once, first + n)) for at in range(first, first + n, at_once)]
    for kind, begins, ends in parts:
        command = [sys.executable, "-m", "tests.hostile.trust", "--part", kind, str(begins), str(ends)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for file, word in zip(lines[::2], [*lines[1::2], [FAULTS[0], 0]], strict=False):
            counts[file[0], word[0].split(":")[0]] += 1
            if word[0] not in (READ, REFUSED):
                _say(f"{word[0]}: {file[0]}, {file[1]}")
        if done.returncode and len(lines) % 2 == 0:
            _say(done.stderr[-2000:])
    return counts


def table(counts: Counter[tuple[str, str]]) -> str:
    """Return the counts as a Markdown table."""
    words = (READ, REFUSED, *FAULTS)
    rows = ["| reader | files | " + " | ".join(words) + " |", "|---" * (len(words) + 2) + "|"]
    for reader in READERS:
        found = [counts[reader, word] for word in words]
        rows.append(f"| {reader} | {sum(found):,} | " + " | ".join(f"{n:,}" for n in found) + " |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=4000, help="how many files (4000)")
    parser.add_argument("--pairs", type=int, default=20_000, help="how many pairs of VCF files (20000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first, its seed (0)")
    parser.add_argument("--runs", type=int, default=150, help="how many runs of each command (150)")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        kind, begins, ends = arguments.part
        _part(kind, int(begins), int(ends))
        return 0
    counts = run(arguments.files, arguments.pairs, first=arguments.first)
    _say(table(counts))
    with TemporaryDirectory() as folder:
        given = commands(Path(folder))
        ended = {tool: exit_codes(tool, words, arguments.runs) for tool, words in given.items()}
    _say(table_of_exits(ended))
    slow = list(too_slow())
    _say(f"{len(PATTERNS)} patterns, {len(SHAPES)} shapes of {LETTERS:,} letters: {len(slow)} too slow")
    _say("\n".join(slow))
    is_fault = any(counts[reader, fault] for reader in READERS for fault in FAULTS)
    return 1 if is_fault or slow or any(map(n_otherwise, ended.values())) else 0


if __name__ == "__main__":
    sys.exit(main())
