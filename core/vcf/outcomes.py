"""What reading and verifying one pair came to: an error ends one pair, never the run."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import AuditInputError
from core.processes.unforeseen import UNEXPECTED, pair_ended_by
from core.vcf.donor import DonorAudit
from core.vcf.files import Progress as ByteCount
from core.vcf.files import VcfFile
from core.vcf.judging import VcfAudit, judge_scan
from core.vcf.measuring import VcfScan, scan_pair
from core.vcf.pairing import Level, VcfPair, level_of
from core.vcf.settings import VcfSettings
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import joined, text

STOPPED = "{file}: not read, because reading was stopped before its turn or its end."
TOO_LITTLE_MEMORY = (
    "{file}: not enough memory to read this pair. Sort both files by contig and position, which lets them "
    "stream, or read fewer pairs at once."
)
RULE = "targets_left"  # the check of what the published rule counts


@dataclass(frozen=True, kw_only=True, eq=False)
class ScanOutcome:
    """What reading one pair came to: its scan, or the problems that ended it, asked for or not."""

    pair: VcfPair
    scan: VcfScan | None
    problems: tuple[str, ...]
    n_seconds: float
    was_stopped: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOutcome:
    """What verifying one pair came to: its audit, or the problems that ended it, asked for or not."""

    pair: VcfPair
    audit: VcfAudit | None
    problems: tuple[str, ...]
    n_seconds: float
    was_stopped: bool = False
    donors: DonorAudit | None = None  # where somebody asked for them
    donor_problems: tuple[str, ...] = ()  # that ended the look for them

    @property
    def overall(self) -> Verdict:
        """Return the worst of the rule, exposure and, where asked for, the donors."""
        verdicts = [self.audit.overall if self.audit else Verdict.NOT_ASSESSED]
        if self.donors is not None:
            verdicts.append(self.donors.verdict)
        return worst([*verdicts, *([Verdict.NOT_ASSESSED] if self.donor_problems else [])])

    @property
    def is_to_anonymize_again(self) -> bool:
        """Tell whether the file must be anonymized again, by the published rule or by our own findings."""
        return self.overall is Verdict.FAIL


def audit_vcf(
    original: Path, anonymized: Path, *, level: Level | None = None, settings: VcfSettings | None = None
) -> VcfAudit:
    """Verify an anonymized VCF file against its original."""
    settings = settings or VcfSettings()
    files = [VcfFile(name=path.name, path=path) for path in (original, anonymized)]
    pair = VcfPair(original=files[0], anonymized=files[1], level=level or level_of(anonymized.name))
    return judge_scan(scan_pair(pair, settings), settings)


def run_scan(pair: VcfPair, settings: VcfSettings, progress: ByteCount | None = None) -> ScanOutcome:
    """Read one pair; problems of its files, and too little memory, become part of the outcome."""
    started = time.perf_counter()
    scan: VcfScan | None = None
    problems: tuple[str, ...] = ()
    try:
        scan = scan_pair(pair, settings, progress=progress)
    except AuditInputError as error:
        problems = error.problems
    except MemoryError:
        problems = (text(TOO_LITTLE_MEMORY, file=pair.anonymized.name),)
    except UNEXPECTED as error:
        problems = pair_ended_by(error, file=pair.anonymized.name).problems
    return ScanOutcome(pair=pair, scan=scan, problems=problems, n_seconds=time.perf_counter() - started)


def unread(pair: VcfPair, *problems: str, was_stopped: bool = False) -> ScanOutcome:
    """Return the outcome of a pair that could not be read to its end."""
    return ScanOutcome(pair=pair, scan=None, problems=problems, n_seconds=0.0, was_stopped=was_stopped)


def judge_outcome(outcome: ScanOutcome, settings: VcfSettings) -> PairOutcome:
    """Judge one outcome at the threshold of `settings`."""
    return PairOutcome(
        pair=outcome.pair,
        audit=judge_scan(outcome.scan, settings) if outcome.scan is not None else None,
        problems=outcome.problems,
        n_seconds=outcome.n_seconds,
        was_stopped=outcome.was_stopped,
    )


def ended(outcomes: Sequence[PairOutcome]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what ended in an error or was stopped: the file, and why."""
    every = [(one.pair.anonymized.name, (*one.problems, *one.donor_problems)) for one in outcomes]
    return [(name, problems) for name, problems in every if problems]


def ranked(outcomes: Iterable[PairOutcome]) -> list[PairOutcome]:
    """Return the outcomes as a result lists them, the worst first."""
    return sorted(outcomes, key=lambda one: -one.overall.severity)


def run_verdict(outcomes: Sequence[PairOutcome], *, n_unmatched: int = 0) -> Verdict:
    """Return the worst overall verdict; a pair in error or a file without a partner was not assessed."""
    return worst([*(one.overall for one in outcomes), *([Verdict.NOT_ASSESSED] * min(n_unmatched, 1))])


def findings_of(
    audit: VcfAudit, donors: DonorAudit | None, *, steps: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """Return what the rule counts, and what was found beside it; no places where a step says the remedy."""
    found = (*audit.exposure, *(donors.exposure if donors else ()))
    return (*rule_findings(audit), *worst_first(one.beside(steps, at_most=0) for one in found))


def rule_findings(audit: VcfAudit) -> list[Finding]:
    """Return what the published rule found left, with the first site; nothing where all is masked."""
    n_left, n_sites = audit.n_targets - audit.n_masked, audit.n_variant_targets - audit.n_variant_masked
    if not n_left:
        return []
    message = text(
        "{n} of {total} targets is not masked.",
        "{n} of {total} targets are not masked.",
        n=n_left,
        total=audit.n_targets,
    )
    found = Finding(check=RULE, verdict=Verdict.FAIL, message=message, n_affected=n_left)
    if not n_sites:
        return [found]
    step = text(
        "Mask the {n} site that is left as it was, {place}, and verify again.",
        "Mask the {n} sites that are left as they were, first {place}, and verify again.",
        n=n_sites,
        place=":".join(map(str, next(audit.unmasked()))),
    )
    return [found.told(step=step)]


def gravest(outcome: PairOutcome, *, is_short: bool = False) -> str:
    """Return the most important reason for a pair's verdict, with what to do, or why it was not read."""
    audit, donors = outcome.audit, outcome.donors
    if audit is None:
        return joined(outcome.problems)
    overall = outcome.overall
    if overall is Verdict.PASS:
        return text("Nothing speaks against the file.")
    reasons = [finding for finding in findings_of(audit, donors) if finding.verdict is overall]
    if reasons:
        return reasons[0].gist if is_short else reasons[0].message
    return joined(outcome.donor_problems)
