"""What the VCF verifier says: of a file what was masked and what gives it away, of a run which got which."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from core.result import Col, Figure, Group, Result, Table
from core.settings.form import described, report_lines, settings_document
from core.vcf.charts import density_drawing, maf_drawing
from core.vcf.checks import ALL_CHECKS
from core.vcf.csv_report import COLUMNS as UNMASKED
from core.vcf.csv_report import REPORT_NAME, unmasked_rows
from core.vcf.donor import DonorAudit
from core.vcf.donor.result import LIMITS as DONOR_LIMITS
from core.vcf.donor.result import MOST_ROWS, donors_result
from core.vcf.exposure import places_text
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import (
    RULE,
    PairOutcome,
    ended,
    findings_of,
    gravest,
    ranked,
    rule_findings,
    run_verdict,
)
from core.vcf.pairing import Pairing
from core.vcf.settings import VcfSettings
from core.vcf.tool import TOOL
from core.verdict import Finding, Verdict, next_steps, verdict_counts, worst
from core.words import Text, joined, own, percent, text

_MOST_PLACES = 1_000  # of one finding in a table
_MOST_ON_PAGE = 5_000  # sites
_NOTHING = "–"


def _state(outcome: PairOutcome) -> str:
    if outcome.audit is not None:
        return outcome.overall
    return "not read" if outcome.was_stopped else own("error")


def _of(outcome: PairOutcome, masked: str, targets: str) -> str:
    """Return how many of how many are masked, such as 3/7."""
    if outcome.audit is None:
        return _NOTHING
    return f"{getattr(outcome.audit, masked):,}/{getattr(outcome.audit, targets):,}"


_VERDICTS = (
    Col(
        "published_rule",
        "Published rule",
        kind="words",
        get=lambda one: _NOTHING if one.audit is None else one.audit.verdict,
    ),
    Col(
        "exposure",
        "Exposure",
        kind="words",
        get=lambda one: _NOTHING if one.audit is None else one.audit.exposure_verdict,
    ),
)
_DONORS = Col(
    "donors", "Donors", kind="words", get=lambda one: _NOTHING if one.donors is None else one.donors.verdict
)
_RUN = (
    Col("overall", "Overall", kind="words"),
    Col("file", "Anonymized file", get=lambda one: one.pair.anonymized.name),
    *_VERDICTS,
    _DONORS,
    Col("why", "Why", kind="words", get=lambda one: gravest(one, is_short=True)),
)
_FILES = (
    Col("anonymized", "Anonymized file", get=lambda one: one.pair.anonymized.name),
    Col("original", "Original", get=lambda one: one.pair.original.name),
    Col("level", "Level", kind="words", get=lambda one: one.pair.level),
    Col("overall", "Overall", kind="words", get=_state),
    *_VERDICTS,
    Col(
        "masked_share",
        "Masked",
        "share",
        get=lambda one: one.audit.masked_share if one.audit and one.audit.n_targets else None,
    ),
    Col("header", "Header", get=lambda one: _of(one, "metadata_masked", "metadata_targets")),
    Col("sites", "Sites", get=lambda one: _of(one, "n_variant_masked", "n_variant_targets")),
    Col("n_missing", "Missing", get=lambda one: nan if one.audit is None else len(one.audit.missing)),
    _DONORS,
)
_SECONDS = Col("seconds", "Seconds", get=lambda one: round(one.n_seconds, 2))
_FINDINGS = (
    Col("verdict", "Verdict", kind="words"),
    Col("about", "Check", kind="words", get=lambda one: ALL_CHECKS[one.check].label),
    Col("n_affected", "Found"),
    Col("message", "What it means", kind="words"),
    Col("remedy", "What to do", kind="words"),
    Col(
        "places",
        "Places",
        kind="words",
        get=lambda one: places_text(one.places, at_most=_MOST_PLACES) if one.places else "",
    ),
)
_MOTIFS = (
    Col("motif", "Motif"),
    Col("n_bases", "Length (bases)"),
    Col("n_sites", "Sites"),
    Col("n_masked", "Masked"),
    Col("n_left", "Not masked"),
)


def run_result(outcomes: Sequence[PairOutcome], unmatched: Mapping[str, str]) -> Result:
    """Return all that a run says: its files, the worst first, and those that were not verified.

    `unmatched` are those without a partner, with what is wrong with each, empty where only the partner is
    missing.
    """
    alone = Pairing(pairs=(), unmatched=tuple(name for name, why in unmatched.items() if not why))
    unmatched = {**unmatched, **alone.proposals()}
    audits = [one.audit for one in outcomes if one.audit is not None]
    donors = [one.donors for one in outcomes if one.donors is not None]
    return Result(
        tool=TOOL.key,
        verdict=run_verdict(outcomes, n_unmatched=len(unmatched)),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Exposure": worst(audit.exposure_verdict for audit in audits),
            **({"Donors": worst(donor.verdict for donor in donors)} if donors else {}),
        },
        headline=_run_headline(outcomes, n_unmatched=len(unmatched)),
        findings=tuple(_trouble(outcomes, unmatched)),
        files=lambda: [vcf_result(one, one.audit) for one in ranked(outcomes) if one.audit is not None],
        groups=(
            Group("list", "Files", (_run_table(outcomes, unmatched),), where="page"),
            Group(
                "files",
                "Files",
                (
                    Table("file_list", "Files", (*_FILES, _SECONDS), outcomes, where="page"),
                    Table("file_list", "Files", _FILES, outcomes, where="report"),
                    *_unmatched(unmatched),
                ),
            ),
        ),
        limits=DONOR_LIMITS if donors else (),
        settings=_settings(audits[0].settings) if audits else {},
        asked=settings_document(audits[0].settings) if audits else {},
        is_whole=not unmatched and not ended(outcomes),
    )


def _unmatched(names: Iterable[str]) -> Iterator[Table]:
    """Yield the files without a partner, where there are any."""
    rows = [(name,) for name in names]
    if rows:
        yield Table("unmatched", "Files without a partner", (Col("file", "File"),), rows, where="report")


def vcf_result(outcome: PairOutcome, audit: VcfAudit) -> Result:
    """Return what is said of one file: counts, positions and header keys; no allele, genotype or name."""
    donors = donors_result(outcome.donors) if outcome.donors else None
    counts = _counts_sentence(audit, outcome.donors)
    remedies = [one.remedy for one in audit.exposure]  # which, as places, stand in the table of findings
    findings = (
        *(one.told(short=counts) for one in rule_findings(audit)),
        *(one.beside(remedies) for one in audit.exposure),
        *(donors.findings if donors else ()),
    )
    return Result(
        tool=TOOL.key,
        name=audit.scan.anonymized_name,
        short=outcome.pair.short,
        verdict=outcome.overall,
        verdicts={
            "Published rule": audit.verdict,
            "Exposure": audit.exposure_verdict,
            **({"Donors": donors.verdict} if donors else {}),
        },
        headline=headline(audit, outcome.donors, steps=next_steps(findings)),
        findings=findings,
        groups=(*_groups(audit), *(donors.groups if donors else ())),
    )


def _groups(audit: VcfAudit) -> Iterator[Group]:
    """Yield the parts of a file."""
    name, has_sites = audit.scan.anonymized_name, audit.n_variant_targets > 0
    yield Group("charts", "Sites", (maf_drawing(audit), density_drawing(audit)) if has_sites else ())
    yield Group("counts", "Figures", tuple(_figures(audit)))
    found = Table(
        "exposure",
        text("Findings of {file}", file=name),
        _FINDINGS,
        audit.exposure,
        text(
            "Up to {most} places each; {table} holds all.",
            most=_MOST_PLACES,
            table=f"{REPORT_NAME}_findings.csv",
        ),
    )
    yield Group("findings", "Findings", (found,) if audit.exposure else (), where="report", is_detail=True)
    motifs = Table(
        "motifs",
        text("Repeat motifs of {file}", file=name),
        _MOTIFS,
        _motif_rows(audit),
    )
    yield Group(
        "motifs",
        "Repeat motifs",
        (motifs,) if motifs.rows else (),
        empty="The original has no short tandem repeat under these settings.",
        is_detail=True,
    )
    yield Group(
        "unmasked",
        "Sites that are not masked",
        tuple(_unmasked_tables(audit)),
        empty="Every target site counts as masked.",
        is_detail=True,
    )


def _figures(audit: VcfAudit) -> Iterator[Figure]:
    """Yield what the published rule counts."""
    yield Figure(
        "vcf_masked_share",
        audit.masked_share if audit.n_targets else None,
        text("at least {least}", least=percent(1)),
        audit.verdict,
    )
    for key, n, total in (
        ("n_metadata_masked", audit.metadata_masked, audit.metadata_targets),
        ("n_variant_masked", audit.n_variant_masked, audit.n_variant_targets),
    ):
        verdict = Verdict.PASS if n == total else Verdict.FAIL
        yield Figure(key, n, text("all {total}", total=total), verdict, total=total)
    n_missing = len(audit.missing)
    yield Figure("n_missing_sites", n_missing, "none allowed", Verdict.FAIL if n_missing else Verdict.PASS)


def _motif_rows(audit: VcfAudit) -> list[tuple[object, ...]]:
    """Return a row per repeat motif: target sites, masked, not masked; most sites first."""
    targets, names = audit.targets, audit.scan.candidates.motif_names
    motifs = audit.scan.candidates.motifs[targets.candidates[targets.is_repeat]]
    masked = motifs[targets.is_masked[targets.is_repeat]]
    sites, done = (np.bincount(each, minlength=len(names)).tolist() for each in (motifs, masked))
    found = sorted(zip(names, sites, done, strict=True), key=lambda each: (-each[1], each[0]))
    return [(name, len(name), n, n_done, n - n_done) for name, n, n_done in found if n]


def _unmasked_tables(audit: VcfAudit) -> Iterator[Table]:
    """Yield the first sites that are not masked, many for a page and fewer for a report; none without any."""
    rows, total = unmasked_rows(audit, limit=_MOST_ON_PAGE), audit.n_variant_targets - audit.n_variant_masked
    whole = Table(
        "unmasked",
        text("Sites of {file} that are not masked", file=audit.scan.anonymized_name),
        UNMASKED,
        rows,
    )
    if total <= MOST_ROWS:
        yield from [whole] if rows else []
        return
    on_page = text("The first {shown} of {total}; the downloads hold all.", shown=len(rows), total=total)
    yield replace(whole, note=on_page if total > len(rows) else "", where="page")
    in_report = text("The first {shown} of {total}, in file order.", shown=MOST_ROWS, total=total)
    yield replace(whole, rows=rows[:MOST_ROWS], note=in_report, where="report")


def _run_table(outcomes: Sequence[PairOutcome], unmatched: Mapping[str, str]) -> Table:
    """Return the files, the worst first, each with its gravest reason, and those without a partner."""
    alone, table = "It has no partner among these files.", Table("run", "Files", _RUN, outcomes)
    rows = [
        *((Verdict.NOT_ASSESSED, name, *[_NOTHING] * 3, why or alone) for name, why in unmatched.items()),
        *table.cells(),
    ]
    return replace(table, rows=sorted(rows, key=lambda row: -row[0].severity))


def _settings(settings: VcfSettings) -> dict[str, object]:
    changed = {ALL_CHECKS[name].label: verdict.value for name, verdict in settings.severities.items()}
    return report_lines(settings) | {described(VcfSettings)["severities"].label: changed}


def _trouble(outcomes: Sequence[PairOutcome], unmatched: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what was not verified, and why."""
    for one in outcomes:
        for problem in (*one.problems, *one.donor_problems):
            yield Finding(check="pair_error", verdict=Verdict.NOT_ASSESSED, message=problem)
    for name, why in unmatched.items():
        alone = text("{file} has no partner and was not verified.", file=name)
        yield Finding(
            check="unmatched_file",
            verdict=Verdict.NOT_ASSESSED,
            message=joined([alone, *([why] if why else [])]),
        )


def headline(audit: VcfAudit, donors: DonorAudit | None = None, *, steps: Sequence[str] = ()) -> Text:
    """Return what explains a file's overall verdict: the counts, and the gravest finding beside the rule.

    The finding is shorter where one of the `steps` said with it is its remedy.
    """
    told = findings_of(audit, donors, steps=steps)
    found = [one.message for one in told if one.verdict is not Verdict.PASS and one.check != RULE]
    return joined([text("{rule}.", rule=_rule_counts(audit)), *found[:1]])


def _counts_sentence(audit: VcfAudit, donors: DonorAudit | None = None) -> Text:
    """Return what the rule counts and the verdicts beside it, in a sentence; findings say the rest."""
    rule = _rule_counts(audit)
    ours = own(audit.exposure_verdict.word)
    if donors is None:
        return text("{rule}; beside the rule, exposure is {exposure}.", rule=rule, exposure=ours)
    return text(
        "{rule}; beside the rule, exposure is {exposure}, and what tells of the donors is {donors}.",
        rule=rule,
        exposure=ours,
        donors=own(donors.verdict.word),
    )


def _rule_counts(audit: VcfAudit) -> Text:
    n_targets, n_left = audit.n_targets, audit.n_targets - audit.n_masked
    if n_left:
        return text(
            "{n} of {total} targets is not masked",
            "{n} of {total} targets are not masked",
            n=n_left,
            total=n_targets,
        )
    if n_targets:
        return text("Every target counts as masked ({n} of {total})", n=audit.n_masked, total=n_targets)
    return text("Nothing had to be masked")


def _run_headline(outcomes: Sequence[PairOutcome], *, n_unmatched: int = 0) -> Text:
    """Return the sentence that explains the verdict of a run: one pair's, or how many pairs got which."""
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    if len(outcomes) == 1 and audits:
        said = _counts_sentence(audits[0], outcomes[0].donors)
    else:
        counts = Counter(outcome.overall for outcome in outcomes)
        found = {verdict: counts[verdict] for verdict in reversed(Verdict) if counts[verdict]}
        said = text(
            "{n} pair: {counts}.", "{n} pairs: {counts}.", n=len(outcomes), counts=verdict_counts(found)
        )
    if not n_unmatched:
        return said
    alone = text("{n} file has no partner.", "{n} files have no partner.", n=n_unmatched)
    return joined([said, alone])
