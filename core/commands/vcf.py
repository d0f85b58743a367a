"""``python -m core vcf``: verify folders of VCF files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core import vcf
from core.cluster import Task, settings_digest, stamps
from core.commands.audited import Audited, memory_asked_for
from core.commands.batches import Batch
from core.commands.folders import tell_passed_over
from core.commands.output import DEFAULT_REPORT_DIR, print_line
from core.errors import AuditInputError
from core.files import named_files
from core.settings.asked import Asked
from core.settings.form import from_options
from core.vcf.outcomes import ended, judge_outcome, ranked, run_verdict, unread
from core.vcf.pairing import Level, VcfPair, file_at, is_vcf_name
from core.vcf.result import run_result
from core.verdict import Verdict
from core.words import Text, Written, input_error, own, text

if TYPE_CHECKING:
    from core.reports import Report


def run(arguments: Asked) -> int:
    """Verify all pairs, print the result, return the exit code."""
    return audit(arguments, write_csv=True).show(arguments)


def audit(arguments: Asked, *, write_csv: bool = False) -> Audited:
    """Verify all pairs; `write_csv`: say which are done, and write the CSV reports too."""
    settings = from_options(vcf.VcfSettings, arguments, severities=_severities(arguments.severity or ()))
    pairing = _pairing(arguments)
    panel = None if arguments.panel is None else file_at(arguments.panel)
    started = time.perf_counter()
    work = _Run(pairs=pairing.pairs, settings=settings, panel=panel, asked=arguments)
    tells = write_csv and not arguments.json
    told = work.outcomes(_tell if tells else lambda _number, _total, _pair: None)
    outcomes = vcf.beside_each_other(list(told), settings.severities)
    seconds = time.perf_counter() - started
    csv = _write(outcomes, pairing, arguments) if write_csv else None

    def report(created_at: datetime) -> Report:
        from core.vcf.report import vcf_report  # noqa: PLC0415 - takes long to import

        return vcf_report(outcomes, unmatched=pairing.unmatched, panel=panel, created_at=created_at)

    return Audited(
        verdict=run_verdict(outcomes),
        n_audited=sum(one.audit is not None for one in outcomes),
        report=report,
        result=lambda: run_result(outcomes, dict.fromkeys(pairing.unmatched, "")),
        tables=("list",) if len(outcomes) > 1 else (),
        written=tuple(_summary(outcomes, csv, seconds, settings)),
        seconds=[one.n_seconds for one in ranked(outcomes) if one.audit is not None],
        problems=tuple(problem for _, problems in ended(outcomes) for problem in problems),
        problem_files=tuple(name for name, problems in ended(outcomes) for _ in problems),
        warnings=tuple(dict.fromkeys(why or _alone(name) for name, why in pairing.proposals().items())),
        is_incomplete=bool(pairing.unmatched),
    )


def _alone(name: str) -> Text:
    return text(
        "{file}: no partner; an anonymized file is named <level>_…anony_<original's name>.", file=name
    )


def _pairing(arguments: Asked) -> vcf.Pairing:
    """Pair the files of the folders by name, and others as the person did."""
    by_hand = [
        VcfPair(original=file_at(Path(first)), anonymized=file_at(Path(second)), level=_level(level))
        for first, second, level in arguments.pair
    ]
    if by_hand:
        return vcf.Pairing(pairs=tuple(by_hand), unmatched=tuple(arguments.not_paired))
    pairing = vcf.pair_folders(arguments.origin, arguments.anony)
    if pairing.is_exchanged:
        raise input_error(
            "The folders are exchanged: {origin} holds the anonymized files of what is in {anony}. Give the "
            "originals to -o and the anonymized files to -a.",
            origin=str(arguments.origin),
            anony=str(arguments.anony),
        )
    for folder in dict.fromkeys((arguments.origin, arguments.anony)):
        tell_passed_over(folder, (each for each in named_files.files_in(folder) if is_vcf_name(each.name)))
    if not pairing.pairs and not pairing.unmatched:
        raise input_error(
            "Neither {origin} nor {anony} holds files that end in .vcf.gz, .vcf.bgz, .vcf or .bcf.",
            origin=str(arguments.origin),
            anony=str(arguments.anony),
        )
    return vcf.Pairing(pairs=pairing.pairs, unmatched=(*pairing.unmatched, *arguments.not_paired))


def _level(word: str) -> Level:
    if word in ("high", "low"):
        return "high" if word == "high" else "low"
    raise input_error("--pair: the level is high or low, received {given}.", given=word)


def _severities(given: Sequence[str]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for pair in given:
        check, separator, verdict = pair.partition("=")
        if not separator or verdict.upper() not in Verdict.__members__:
            raise input_error(
                "--severity needs CHECK=VERDICT with one of {verdicts}; received {given}.",
                verdicts=", ".join(Verdict),
                given=pair,
            )
        if check in found:
            raise input_error("--severity names {check} twice; give it one verdict.", check=check)
        found[check] = Verdict[verdict.upper()]
    vcf.check_severities(found)
    return found


@dataclass(frozen=True, kw_only=True)
class _Run:
    """The pairs of a run, and how each is verified."""

    pairs: Sequence[VcfPair]
    settings: vcf.VcfSettings
    panel: vcf.VcfFile | None
    asked: Asked

    def outcomes(self, tell: Callable[[int, int, VcfPair], object]) -> Iterator[vcf.PairOutcome]:
        """Verify all pairs, and look for their donors where that was asked for; in the order of the pairs.

        `tell` is called with how many of how many are done, and the last of them.
        """
        total = len(self.pairs)
        if self.asked.scheduler is None and self.asked.report is None and not self.asked.resume:
            for n_done, one in enumerate(self._here(self.pairs), 1):
                tell(n_done, total, one.pair)
                yield one
            return
        batch = Batch(
            tool="vcf",
            tasks=[*map(self._task, self.pairs)],
            kind=vcf.MeasuredPair,
            here=lambda numbers: self._measured_here([self.pairs[one] for one in numbers]),
            judge=lambda number, found: found.judged(self.pairs[number], self.settings),
        )
        done: dict[int, vcf.PairOutcome] = {}
        for n_done, (number, outcome) in enumerate(batch.outcomes(self.asked), 1):
            tell(n_done, total, self.pairs[number])
            if isinstance(outcome, AuditInputError):
                done[number] = judge_outcome(unread(self.pairs[number], *outcome.problems), self.settings)
            else:
                done[number] = outcome
        yield from (done[number] for number in range(len(self.pairs)))

    def _here(self, pairs: Sequence[VcfPair]) -> Iterator[vcf.PairOutcome]:
        for outcome in vcf.run_pairs(pairs, self.settings, n_jobs=self.asked.jobs or vcf.default_jobs()):
            looks = self._looks_for_donors(outcome.pair)
            yield vcf.look_for_donors(outcome, self.settings, panel=self.panel) if looks else outcome

    def _measured_here(self, pairs: Sequence[VcfPair]) -> Iterator[vcf.MeasuredPair | AuditInputError]:
        for outcome in self._here(pairs):
            try:
                yield vcf.MeasuredPair.of(outcome)
            except AuditInputError as error:
                yield error

    def _looks_for_donors(self, pair: VcfPair) -> bool:
        asked = self.asked
        is_meant = not asked.donors_of or pair.anonymized.name in asked.donors_of
        return is_meant and bool(asked.donors or asked.donors_of or self.panel is not None)

    def _task(self, pair: VcfPair) -> Task:
        looks = self._looks_for_donors(pair)
        original, anonymized, *others = (
            replace(file, path=file.path and file.path.absolute())
            for file in (pair.original, pair.anonymized, *([self.panel] if self.panel and looks else []))
        )
        there = replace(pair, original=original, anonymized=anonymized)
        return Task(
            name=pair.anonymized.name,
            files=stamps([file.path for file in (original, anonymized, *others) if file.path is not None]),
            settings=settings_digest(self.settings, pair.level, looks),
            measure=partial(
                vcf.measure_pair,
                there,
                self.settings,
                looks_for_donors=looks,
                panel=others[0] if others else None,
            ),
            memory=memory_asked_for(self.asked),
        )


def _tell(number: int, total: int, pair: VcfPair) -> None:
    done = "[CHECK] {number}/{total} origin={origin}, anony={anony}"
    line = text(
        done,
        number=str(number),
        total=str(total),
        origin=pair.original.name,
        anony=pair.anonymized.name,
    )
    print_line(line, flush=True)


def _write(outcomes: Sequence[vcf.PairOutcome], pairing: vcf.Pairing, arguments: Asked) -> Path | None:
    folder: Path | None = arguments.report_dir
    if folder is None:
        if arguments.json:
            return None
        folder = DEFAULT_REPORT_DIR
    try:
        return vcf.write_reports(outcomes, folder, unmatched=pairing.unmatched)
    except OSError as error:
        reason = error.strerror or own("unknown reason")
        raise input_error(
            "The report cannot be written to {folder} ({reason}).", folder=str(folder), reason=reason
        ) from None


def _summary(
    outcomes: Sequence[vcf.PairOutcome], report: Path | None, seconds: float, settings: vcf.VcfSettings
) -> Iterator[Text]:
    """Yield what stands below the files: how many are to be done again, and where all of it is."""
    n_checked = sum(outcome.audit is not None for outcome in outcomes)
    yield text("Pairs checked: {checked} of {total}", checked=n_checked, total=len(outcomes))
    again = [one.pair.anonymized.name for one in outcomes if one.is_to_anonymize_again]
    yield text("Files to anonymize again: {count}", count=len(again))
    yield from (text("  {file}", file=name) for name in again)
    yield text("Time: {seconds} s", seconds=Written(f"{seconds:.1f}"))
    yield text("Report: {file}", file=str(report))
    if report is not None:
        findings, summary = (str(report.with_stem(f"{report.stem}_{one}")) for one in ("findings", "summary"))
        yield text("All findings with all places: {file}", file=findings)
        yield text("All pairs: {file}", file=summary)
    for check, verdict in settings.severities.items():
        yield text(
            "Severity changed: {check} {default} → {verdict}",
            check=check,
            default=vcf.ALL_CHECKS[check].default.word,
            verdict=verdict.word,
        )
