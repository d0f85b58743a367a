"""VCF verifier: whether genome files were really masked, and what would still give them away."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from core import vcf
from core.caching import StoredFile
from core.demo import VCF as DEMOS
from core.errors import AuditInputError
from core.reports import Report
from core.vcf.donor.result import LIMITS as DONOR_LIMITS
from core.vcf.outcomes import RULE
from core.vcf.report import vcf_report
from core.vcf.result import run_result, vcf_result
from core.vcf.tool import TOOL
from core.vcf.unmasked import bed_of_unmasked, csv_of_unmasked
from core.verdict import Verdict, next_steps, worst_first
from core.words import listed, say, text
from pages.components import results
from pages.components.inputs import ask_for_files, list_file, show_empty_state, show_privacy_line
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_group, show_part
from pages.components.policy import ask_for_settings_file
from pages.components.reading import show_problems
from pages.components.runs import ask_for_file, show_figures_of_files, show_run
from pages.components.text import plain, sentence
from pages.verify.vcf_parts import inputs
from pages.verify.vcf_parts.donors import show_donors
from pages.verify.vcf_parts.settings import (
    ask_for_repeats,
    ask_for_severities,
    ask_for_threshold,
    threshold_asked,
)

WHAT_TO_UPLOAD = (
    "Upload the **original** genome files, such as `donor.vcf.gz`, together with the **anonymized** ones, "
    "such as `high_0.01_anony_donor.vcf.gz` or `low_anony_donor.vcf.gz`. Files of gigabytes are for "
    "the command line, or for folders that the server may open."
)
_LOW = (
    "Low level: the published rule asks for the header only. No variant is masked or checked, so the file "
    "still tells what its donors carry."
)


def show_vcf() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    files = ask_for_files(
        TOOL.key,
        "files",
        label="Originals and anonymized files, all together",
        help_text="VCF compressed with bgzip (.vcf.gz, .vcf.bgz), plain .vcf, or .bcf. No index is needed.",
    )
    in_folders = inputs.ask_for_folders(TOOL.key)
    if not files and not in_folders:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    pairing = inputs.pair_given(TOOL.key, in_folders, inputs.uploaded_files(files))
    to_pair = not pairing.pairs and (
        in_folders or sum(not inputs.what_is_wrong(stored) for stored in files) > 1
    )
    repeats, severities = _ask_for_settings(files, in_folders, expanded=bool(to_pair))
    if pairs := pairing.pairs:
        identity = repr([(pair.original.identity, pair.anonymized.identity, pair.level) for pair in pairs])
        label = text("Verify {n} pair", "Verify {n} pairs", n=len(pairs))
        work = partial(vcf.scan_pairs, pairs, repeats)
        given = [file for pair in pairs for file in (pair.original, pair.anonymized)]
        key = f"{identity} {repeats}"
        inputs.start_small_work(TOOL.key, key, work, given)
        job = ask_for_work(TOOL.key, key, work, label=label, inputs=identity)
        if job is not None and job.result:
            with greyed_out(TOOL.key, when=job.key != key):
                causes = inputs.causes_of(pairing.unmatched, files)
                _show_results(job.result, repeats, severities, causes, identity)
    else:
        inputs.show_unmatched(inputs.causes_of(pairing.unmatched, files))
    show_privacy_line()


def _ask_for_settings(
    files: Sequence[StoredFile], in_folders: inputs.GivenFiles, *, expanded: bool
) -> tuple[vcf.VcfSettings, Mapping[str, Verdict]]:
    """Show files and settings in one drawer; return what counts as a repeat, and the severities."""
    names = listed([stored.name for stored in files], at_most=2) if files else text("none")
    heading = sentence(say("Files and settings: {files}", files=names))
    drawer = st.expander(heading, icon=":material/tune:", expanded=expanded)
    parts = ["Pair files by hand", "Files", "Short tandem repeats", "Severity of exposure"]
    places = drawer.tabs([say(name) for name in parts])
    with places[0]:
        inputs.ask_for_pairs(TOOL.key, in_folders, inputs.uploaded_files(files))
    with places[1]:
        for stored in files:
            list_file(TOOL.key, "files", stored)
    with places[2]:
        ask_for_settings_file(TOOL.key)
        repeats = ask_for_repeats(TOOL.key)
    with places[3]:
        return repeats, ask_for_severities(TOOL.key)


def _show_results(
    scans: Sequence[vcf.ScanOutcome],
    repeats: vcf.VcfSettings,
    severities: Mapping[str, Verdict],
    causes: Mapping[str, str],
    identity: str,
) -> None:
    used = next((scan.scan.settings for scan in scans if scan.scan is not None), repeats)
    settings = replace(used, maf_threshold=threshold_asked(TOOL.key), severities=severities)
    outcomes = [vcf.judge_outcome(scan, settings) for scan in scans]
    read = sorted(
        ((number, outcome.audit) for number, outcome in enumerate(outcomes) if outcome.audit is not None),
        key=lambda one: -outcomes[one[0]].overall.severity,
    )
    if not read:
        _show_unread(outcomes)
        inputs.show_unmatched(causes)
        return
    all_files = st.container()
    names = [audit.scan.anonymized_name for _, audit in read]
    if len(outcomes) > 1:
        ask_for_file(TOOL.key, names)
    asked = st.session_state.get("vcf_file")
    number, shown = read[names.index(asked) if asked in names else 0]
    one_file = st.container()
    outcomes[number], panel = show_donors(outcomes[number], shown, settings)
    run = run_result(outcomes, causes)
    with all_files:
        if len(outcomes) > 1 or causes:
            show_run(run, names)
    with one_file:
        _show_file(outcomes[number], shown, is_alone=len(outcomes) == 1)
    show_figures_of_files(run)
    _show_unread(outcomes)
    looked = outcomes[number].donors
    donors = looked and looked.measurement.identity
    _show_downloads(
        outcomes, tuple(causes), shown, panel, f"{identity} {settings} {shown.scan.anonymized_name} {donors}"
    )
    results.show_definitions(TOOL.measures, limits=(*TOOL.limits, *DONOR_LIMITS))


def _show_file(outcome: vcf.PairOutcome, audit: vcf.VcfAudit, *, is_alone: bool) -> None:
    """Show everything that was found out about one anonymized file; less at once beside a list of others."""
    result = vcf_result(outcome, audit)
    steps = next_steps(result.findings)
    results.show_verdict(
        result.verdict,
        result.headline,
        parts=[*result.verdicts.items()],
        reasons=[_LOW] if audit.scan.level == "low" else [],
        findings=result.findings,
        key="file",
    )
    ask_for_threshold(TOOL.key)
    if audit.n_variant_targets:
        keys = ("vcf_maf_chart", "vcf_density_chart")
        for place, part, key in zip(st.columns(2), result.group("charts").drawings, keys, strict=True):
            with place:
                show_part(part, key=key)
    in_card = next((one.check for one in worst_first(result.findings) if one.check != RULE), "")
    _show_exposure(audit, steps, in_card=in_card, at_once=int(is_alone))
    show_group(result, "counts")
    if audit.n_variant_targets:
        groups = [result.group(key) for key in ("unmasked", "motifs")]
        for tab, group in zip(st.tabs([say(group.title) for group in groups]), groups, strict=True):
            with tab:
                show_group(result, group.key)


def _show_exposure(audit: vcf.VcfAudit, steps: Sequence[str], *, in_card: str, at_once: int) -> None:
    st.subheader(
        say("What would still give it away"),
        anchor=False,
        help=say(
            "Beside the published rule: what an attacker with this file, its positions and public databases "
            "would find. Counts are sites, records, header lines or samples, as each sentence says."
        ),
    )
    if audit.exposure:
        findings = [one.beside(steps) for one in audit.exposure]
        results.show_findings(findings, key="vcf_exposure", at_once=at_once, in_card=in_card)
    else:
        st.success(say("None of the checks found anything."), icon=":material/check_circle:")


def _show_unread(outcomes: Sequence[vcf.PairOutcome]) -> None:
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


def _show_downloads(
    outcomes: Sequence[vcf.PairOutcome],
    unmatched: Sequence[str],
    shown: vcf.VcfAudit,
    panel: vcf.VcfFile | None,
    identity: str,
) -> None:
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    published = results.Download(
        "CSV report",
        f"{vcf.REPORT_NAME}.csv",
        "text/csv",
        partial(vcf.render_report, audits),
        "A row per file, exactly as published.",
    )
    st.header(say("Downloads"), anchor=False)
    results.show_downloads(
        TOOL.key,
        partial(_report, outcomes, unmatched, panel),
        identity=identity,
        extra=[published],
        further=_further_downloads(outcomes, unmatched, shown),
    )


def _further_downloads(
    outcomes: Sequence[vcf.PairOutcome], unmatched: Sequence[str], shown: vcf.VcfAudit
) -> list[results.Download]:
    """Return all findings and pairs, and the shown file's unmasked sites."""
    stem = shown.scan.anonymized_name.partition(".vcf")[0]
    return [
        results.Download(
            "All findings",
            f"{vcf.REPORT_NAME}_findings.csv",
            "text/csv",
            partial(vcf.render_findings, outcomes),
            "A row per finding, with all its places and what to do.",
        ),
        results.Download(
            "All pairs",
            f"{vcf.REPORT_NAME}_summary.csv",
            "text/csv",
            partial(vcf.render_summary, outcomes, unmatched),
            "A row per pair, those in error and files without a partner included.",
        ),
        results.Download(
            "Unmasked sites as CSV",
            f"{stem}_unmasked.csv",
            "text/csv",
            partial(csv_of_unmasked, shown),
            "Every target site of this file that does not count as masked, and why.",
        ),
        results.Download(
            "Unmasked sites as BED",
            f"{stem}_unmasked.bed",
            "text/plain",
            partial(bed_of_unmasked, shown),
            "For genome browsers and for masking again.",
        ),
    ]


def _report(
    outcomes: Sequence[vcf.PairOutcome],
    unmatched: Sequence[str],
    panel: vcf.VcfFile | None,
    created_at: datetime,
) -> Report:
    is_used = any(one.donors and one.donors.measurement.kinship for one in outcomes)
    return vcf_report(outcomes, unmatched=unmatched, panel=panel if is_used else None, created_at=created_at)


show_vcf()
