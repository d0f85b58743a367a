"""VCF verifier: whether genome files were really masked, and what would still give them away."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from core.demo.vcf import DEMOS
from core.errors import AuditInputError
from core.reports import InputFacts, Report
from core.vcf import (
    REPORT_NAME,
    PairOutcome,
    ScanOutcome,
    VcfAudit,
    VcfSettings,
    judge_outcome,
    render_findings,
    render_report,
    render_summary,
    scan_pairs,
    views,
)
from core.words import own, say, text
from pages.components.inputs import ask_for_files, list_file, show_empty_state, show_privacy_line
from pages.components.long_work import ask_for_work
from pages.components.reading import show_problems
from pages.components.results import Download, show_definitions, show_downloads, show_table, show_verdict
from pages.components.text import plain
from pages.verify.vcf_parts.donors import show_donors
from pages.verify.vcf_parts.file import show_vcf_file
from pages.verify.vcf_parts.inputs import (
    ask_for_folders,
    pair_given,
    show_unmatched,
    start_small_work,
    uploaded_files,
)
from pages.verify.vcf_parts.settings import ask_for_repeats, ask_for_severities, ask_for_threshold

TOOL = "vcf"
WHAT_TO_UPLOAD = (
    "Upload the **original** genome files, such as `donor.vcf.gz`, together with the **anonymized** ones, "
    "such as `high_0.01_anony_donor.vcf.gz` or `low_anony_donor.vcf.gz`. Files of gigabytes are for "
    "the command line, or for folders that the server may open."
)


def show_vcf() -> None:
    st.title(say(views.TITLE))
    st.markdown(say(views.QUESTION))
    files = ask_for_files(
        TOOL,
        "files",
        label="Originals and anonymized files, all together",
        types=("gz", "bgz", "vcf", "bcf"),
        help_text="VCF compressed with bgzip (.vcf.gz, .vcf.bgz), plain .vcf, or .bcf. No index is needed.",
    )
    in_folders = ask_for_folders(TOOL)
    if not files and not in_folders:
        show_empty_state(TOOL, text=WHAT_TO_UPLOAD, demos=DEMOS)
        show_privacy_line()
        return
    pairing = pair_given(TOOL, in_folders, uploaded_files(files))
    if files:
        with st.expander(say("Files ({n})", n=len(files)), icon=":material/draft:"):
            for stored in files:
                list_file(TOOL, "files", stored)
    show_unmatched(pairing.unmatched)
    if pairs := pairing.pairs:
        repeats = ask_for_repeats(TOOL)
        identity = repr([(pair.original.identity, pair.anonymized.identity, pair.level) for pair in pairs])
        label = text("Verify {n} pair", "Verify {n} pairs", n=len(pairs))
        work = partial(scan_pairs, pairs, repeats)
        given = [file for pair in pairs for file in (pair.original, pair.anonymized)]
        start_small_work(TOOL, f"{identity} {repeats}", work, given)
        job = ask_for_work(TOOL, f"{identity} {repeats}", work, label=label)
        if job is not None and job.result:
            _show_results(job.result, repeats, pairing.unmatched, identity)
    show_privacy_line()


def _show_results(
    scans: Sequence[ScanOutcome], repeats: VcfSettings, unmatched: Sequence[str], identity: str
) -> None:
    threshold = ask_for_threshold(TOOL)
    severities = ask_for_severities(TOOL)
    settings = VcfSettings(
        maf_threshold=threshold,
        min_motif=repeats.min_motif,
        max_motif=repeats.max_motif,
        min_repeat=repeats.min_repeat,
        severities=severities,
    )
    outcomes = [judge_outcome(scan, settings) for scan in scans]
    _show_unread(outcomes)
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    if not audits:
        return
    all_files = st.container()
    if len(outcomes) > 1:
        names = [audit.scan.anonymized_name for audit in audits]
        st.selectbox(say("File to look at"), names, key="vcf_file", persist_state="session")
    number, shown = _chosen(outcomes)
    one_file = st.container()
    outcomes[number] = show_donors(outcomes[number], shown, settings)
    with all_files:
        _show_all(outcomes, unmatched)
    with one_file:
        show_vcf_file(outcomes[number], shown)
    looked = outcomes[number].donors
    st.header(say("Downloads"), anchor=False)
    show_downloads(
        TOOL,
        partial(_report, outcomes, unmatched),
        identity=f"{identity} {settings} {shown.scan.anonymized_name} "
        f"{looked and looked.measurement.identity}",
        extra=_downloads(outcomes, unmatched, shown),
    )
    show_definitions(
        (*views.MEASURE_KEYS, *views.DONOR_MEASURE_KEYS), limits=(*views.LIMITS, *views.DONOR_LIMITS)
    )


def _show_all(outcomes: Sequence[PairOutcome], unmatched: Sequence[str]) -> None:
    if len(outcomes) > 1 or unmatched:
        st.header(say("All files"), anchor=False)
        show_verdict(
            views.run_verdict(outcomes, n_unmatched=len(unmatched)),
            views.run_headline(outcomes, n_unmatched=len(unmatched)),
        )
    if len(outcomes) > 1:
        table = views.files_table(outcomes)
        show_table(table, alt="Verdicts and counts of all files", columns=views.file_columns(table))


def _show_unread(outcomes: Sequence[PairOutcome]) -> None:
    """Say which pairs ended in an error, and which were not read because the person stopped."""
    ended = [problem for one in outcomes if not one.was_stopped for problem in one.problems]
    if ended:
        show_problems(AuditInputError(*ended))
    if stopped := [plain(one.pair.anonymized.name) for one in outcomes if one.was_stopped]:
        st.warning(
            say(
                "Not read, because you stopped, and therefore not assessed: {files}.",
                files=", ".join(stopped),
            ),
            icon=":material/stop_circle:",
        )


def _chosen(outcomes: Sequence[PairOutcome]) -> tuple[int, VcfAudit]:
    """Return which pair to look at, and its audit: the one chosen, or else the first that was read."""
    read = [(number, one.audit) for number, one in enumerate(outcomes) if one.audit is not None]
    name = st.session_state.get("vcf_file")
    return next(((one, audit) for one, audit in read if audit.scan.anonymized_name == name), read[0])


def _downloads(
    outcomes: Sequence[PairOutcome],
    unmatched: Sequence[str],
    shown: VcfAudit,
) -> list[Download]:
    """Offer the published CSV report, all findings and pairs, and the shown file's unmasked sites."""
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    stem = shown.scan.anonymized_name.partition(".vcf")[0]
    return [
        Download(
            "CSV report",
            f"{REPORT_NAME}.csv",
            "text/csv",
            partial(render_report, audits),
            "A row per file, exactly as published.",
        ),
        Download(
            "All findings",
            f"{REPORT_NAME}_findings.csv",
            "text/csv",
            partial(render_findings, outcomes),
            "A row per finding, with all its places and what to do.",
        ),
        Download(
            "All pairs",
            f"{REPORT_NAME}_summary.csv",
            "text/csv",
            partial(render_summary, outcomes, unmatched),
            "A row per pair, those in error and files without a partner included.",
        ),
        Download(
            "Unmasked sites as CSV",
            f"{stem}_unmasked.csv",
            "text/csv",
            partial(views.csv_of_unmasked, shown),
            "Every target site of this file that does not count as masked, and why.",
        ),
        Download(
            "Unmasked sites as BED",
            f"{stem}_unmasked.bed",
            "text/plain",
            partial(views.bed_of_unmasked, shown),
            "For genome browsers and for masking again.",
        ),
    ]


def _report(
    outcomes: Sequence[PairOutcome],
    unmatched: Sequence[str],
    created_at: datetime,
) -> Report:
    files = {
        (role, file.name): file
        for outcome in outcomes
        for role, file in (
            (own("original"), outcome.pair.original),
            (own("anonymized"), outcome.pair.anonymized),
        )
    }
    facts = tuple(
        InputFacts(role=role, name=name, n_bytes=file.n_bytes, sha256=file.sha256())
        for (role, name), file in files.items()
    )
    return views.vcf_report(outcomes, unmatched=unmatched, inputs=facts, created_at=created_at)


show_vcf()
