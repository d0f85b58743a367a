"""VCF verifier: whether genome files were really masked, and what would still give them away."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from core import vcf
from core.errors import AuditInputError
from core.reports import Report
from core.vcf.csv_report import bed_of_unmasked, csv_of_unmasked
from core.vcf.donor.result import LIMITS as DONOR_LIMITS
from core.vcf.report import vcf_report
from core.vcf.result import run_result, vcf_result
from core.vcf.tool import TOOL
from core.words import say, text
from pages.components.drawer import FILES, ask_for_inputs, files_heading, place_drawer
from pages.components.inputs import list_file
from pages.components.long_work import ask_for_work
from pages.components.parts import show_beside
from pages.components.policy import ask_for_settings_file
from pages.components.reading import show_problems
from pages.components.results import Download
from pages.components.runs import ask_for_file, show_figures_of_files, show_run
from pages.components.shown import Shown
from pages.components.text import plain
from pages.components.tool_page import ToolPage, show_found, show_page, show_tabs, show_whole
from pages.verify.vcf_parts import inputs
from pages.verify.vcf_parts.donors import show_donors
from pages.verify.vcf_parts.settings import (
    ask_for_repeats,
    ask_for_severities,
    ask_for_threshold,
    threshold_asked,
)

_MEANS = (
    "Masked: ALT names the allele no more; blank genotypes are not enough. Targets: header lines, rare "
    "variants and repeats."
)
_LOW = (
    "Low level: the published rule asks for the header only. No variant is masked or checked, so the file "
    "still tells what its donors carry."
)
_BY_HAND, _REPEATS, _SEVERITIES = "Pair files by hand", "Short tandem repeats", "Severity of exposure"


def _ask_for_inputs(shown: Shown) -> bool:
    """Ask for files, and for folders on this machine; return whether there are any."""
    is_uploaded = ask_for_inputs(shown)
    shown.found["folders"] = inputs.ask_for_folders(TOOL.key)
    return is_uploaded or bool(shown.found["folders"])


def _show_drawer(shown: Shown) -> None:
    """Show files and settings, opened where a pair can be made by hand."""
    files, in_folders = shown.given["files"], shown.found["folders"]
    uploaded = inputs.uploaded_files(files)
    pairing = shown.found["pairing"] = inputs.pair_given(TOOL.key, in_folders, uploaded)
    to_pair = not pairing.pairs and (
        in_folders or sum(not inputs.what_is_wrong(stored) for stored in files) > 1
    )
    titles = (_BY_HAND, FILES, _REPEATS, _SEVERITIES)
    place_drawer(shown, files_heading(files), titles, opened=_BY_HAND if to_pair else "")
    with shown.drawer[_BY_HAND]:
        inputs.ask_for_pairs(TOOL.key, pairing, in_folders, uploaded)
    with shown.drawer[FILES]:
        for stored in files:
            list_file(TOOL.key, "files", stored)
    with shown.drawer[_REPEATS]:
        ask_for_settings_file(TOOL.key)
        shown.settings = ask_for_repeats(TOOL.key)
    with shown.drawer[_SEVERITIES]:
        shown.found["severities"] = ask_for_severities(TOOL.key)


def _show(shown: Shown) -> None:
    """Verify the pairs beside the page, and show what was found."""
    pairing, repeats = shown.found["pairing"], shown.settings
    causes = shown.found["causes"] = inputs.causes_of(pairing.unmatched, shown.given["files"])
    if not (pairs := pairing.pairs):
        inputs.show_unmatched(causes)
        return
    identity = repr([(pair.original.identity, pair.anonymized.identity, pair.level) for pair in pairs])
    label = text("Verify {n} pair", "Verify {n} pairs", n=len(pairs))
    work = partial(vcf.scan_pairs, pairs, repeats)
    key = f"{identity} {repeats}"
    files = [file for pair in pairs for file in (pair.original, pair.anonymized)]
    inputs.start_small_work(TOOL.key, key, work, files)
    job = ask_for_work(TOOL.key, key, work, label=label, inputs=identity)
    if job is None or not job.result:
        return
    shown.measured, shown.is_outdated, shown.found["identity"] = job.result, job.key != key, identity
    if any(scan.scan is not None for scan in job.result):
        show_whole(shown)
    else:
        _show_unread([vcf.judge_outcome(scan, repeats) for scan in job.result])
        inputs.show_unmatched(causes)


def _judge_live(shown: Shown) -> None:
    """Judge all files, list them, the worst first; show the threshold and the charts that it moves."""
    scans: Sequence[vcf.ScanOutcome] = shown.measured
    used = next(scan.scan.settings for scan in scans if scan.scan is not None)
    settings = replace(used, maf_threshold=threshold_asked(TOOL.key), severities=shown.found["severities"])
    judged = [vcf.judge_outcome(scan, settings) for scan in scans]
    outcomes = shown.found["outcomes"] = vcf.beside_each_other(judged, settings.severities)
    _choose(shown, outcomes, settings)
    shown.judge(settings)
    ask_for_threshold(TOOL.key)
    show_beside(shown.result.group("charts").drawings, key="vcf_chart")
    st.caption(say(_MEANS))


def _choose(shown: Shown, outcomes: list[vcf.PairOutcome], settings: vcf.VcfSettings) -> None:
    """Ask which file to look at, look for its donors below, and list all files above."""
    audits = {number: one.audit for number, one in enumerate(outcomes) if one.audit is not None}
    read = sorted(audits, key=lambda number: -outcomes[number].overall.severity)
    names = [audits[number].scan.anonymized_name for number in read]
    all_files = shown.top.container()
    with shown.top:
        asked = ask_for_file(TOOL.key, names) if len(outcomes) > 1 else names[0]
    number = shown.found["number"] = read[names.index(asked)]
    with shown.last:
        outcomes[number], shown.found["panel"] = show_donors(outcomes[number], audits[number], settings)
    run = shown.found["run"] = run_result(outcomes, shown.found["causes"])
    with all_files:
        if len(outcomes) > 1 or shown.found["causes"]:
            show_run(run, names)
    donors = outcomes[number].donors
    shown.depends_on = [shown.found["identity"], asked, donors and donors.measurement.identity]


def _outcome(shown: Shown) -> vcf.PairOutcome:
    outcome: vcf.PairOutcome = shown.found["outcomes"][shown.found["number"]]
    return outcome


def _show_sites(shown: Shown) -> None:
    if shown.audit.n_variant_targets:
        show_tabs(shown, only=("unmasked", "motifs"))


def _show_other_files(shown: Shown) -> None:
    show_figures_of_files(shown.found["run"])
    _show_unread(shown.found["outcomes"])


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


def _downloads(shown: Shown) -> list[Download]:
    """Return the published report; all findings and pairs, and the shown file's unmasked sites."""
    outcomes, audit = shown.found["outcomes"], shown.audit
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    stem = audit.scan.anonymized_name.partition(".vcf")[0]
    return [
        Download(
            "CSV report",
            f"{vcf.REPORT_NAME}.csv",
            partial(vcf.render_report, audits),
            "A row per file, exactly as published.",
            is_further=True,
        ),
        Download(
            "All findings",
            f"{vcf.REPORT_NAME}_findings.csv",
            partial(vcf.render_findings, outcomes),
            "A row per finding, with all its places and what to do.",
            is_further=True,
        ),
        Download(
            "All pairs",
            f"{vcf.REPORT_NAME}_summary.csv",
            partial(vcf.render_summary, outcomes, tuple(shown.found["causes"])),
            "A row per pair, those in error and files without a partner included.",
            is_further=True,
        ),
        Download(
            "Unmasked sites as CSV",
            f"{stem}_unmasked.csv",
            partial(csv_of_unmasked, audit),
            "Every target site of this file that does not count as masked, and why.",
            is_further=True,
        ),
        Download(
            "Unmasked sites as BED",
            f"{stem}_unmasked.bed",
            partial(bed_of_unmasked, audit),
            "For genome browsers and for masking again.",
            is_further=True,
        ),
    ]


def _report(shown: Shown, created_at: datetime) -> Report:
    outcomes, panel = shown.found["outcomes"], shown.found["panel"]
    is_used = any(one.donors and one.donors.measurement.kinship for one in outcomes)
    return vcf_report(
        outcomes,
        unmatched=tuple(shown.found["causes"]),
        panel=panel if is_used else None,
        created_at=created_at,
    )


show_page(
    ToolPage(
        tool=replace(TOOL, limits=(*TOOL.limits, *DONOR_LIMITS)),
        inputs=_ask_for_inputs,
        drawer=_show_drawer,
        body=_show,
        live=_judge_live,
        judge=lambda shown: _outcome(shown).audit,
        result=lambda shown: vcf_result(_outcome(shown), shown.audit),
        reasons=lambda shown: [_LOW] if shown.audit.scan.level == "low" else [],
        figures=("counts",),
        found=partial(show_found, at_once=1),  # the card above says both of the gravest
        tabs=_show_sites,
        further=_show_other_files,
        report=_report,
        downloads=_downloads,
    )
)
