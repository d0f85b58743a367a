"""What one anonymized file still tells of its donors, alone and beside a panel."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from core.errors import AuditInputError
from core.processes.jobs import Progress
from core.result import Result
from core.tools import Input
from core.vcf import PairOutcome, VcfAudit, VcfFile, VcfSettings, judge_donors
from core.vcf.donor import DonorMeasurement
from core.vcf.donor.result import donors_result
from core.vcf.running import measure_apart
from core.words import say, text
from pages.components.access import offers_folders, path_within
from pages.components.inputs import ask_for_files, list_file
from pages.components.long_work import ask_for_work
from pages.components.parts import show_group
from pages.components.reading import show_problems
from pages.components.results import show_findings, show_verdict
from pages.verify.vcf_parts.inputs import start_small_work

TOOL = "vcf_donors"
_PANEL = Input(role="panel", label="Panel")


def show_donors(
    outcome: PairOutcome, audit: VcfAudit, settings: VcfSettings
) -> tuple[PairOutcome, VcfFile | None]:
    """Ask for a panel, show what the file tells of its donors; return the pair with it, and the panel."""
    st.header(
        say("Could the donor be found?"),
        anchor=False,
        help=say(
            "Common variants need no masking by the rule, and a few dozen of them single a person out. This "
            "reads the anonymized file once more."
        ),
    )
    panel = _ask_for_panel()
    files = (outcome.pair.anonymized, *([panel] if panel else []))
    key = repr([file.identity for file in files])
    work = partial(_measure, outcome.pair.anonymized, audit, panel)
    start_small_work(TOOL, key, work, files)
    job = ask_for_work(TOOL, key, work, label="Look at the donors")
    if job is None or job.result is None:
        return replace(outcome, donor_problems=job.problems if job else ()), panel
    donors = judge_donors(job.result, settings)
    _show(donors_result(donors))
    return replace(outcome, donors=donors), panel


def _ask_for_panel() -> VcfFile | None:
    with st.expander(say("Compare with another file"), icon=":material/family_restroom:"):
        st.caption(
            say(
                "A panel is another file with genotypes of the same reference build: a public one, a former "
                "release, a study that others hold."
            )
        )
        files = ask_for_files(TOOL, _PANEL, several=False)
        for stored in files[-1:]:
            list_file(TOOL, "panel", stored)
        path = _path_of_panel() if offers_folders() else None
    if files:
        return VcfFile(name=files[-1].name, content=files[-1].data)
    return VcfFile(name=path.name, path=path) if path else None


def _path_of_panel() -> Path | None:
    given = st.text_input(
        say("Or its path on this machine"), key=f"{TOOL}_panel_path", persist_state="session"
    ).strip()
    try:
        return path_within(given) if given else None
    except AuditInputError as error:
        show_problems(error)
        return None


class _StoppedError(Exception):
    """The person asked to stop."""


def _measure(
    anonymized: VcfFile, audit: VcfAudit, panel: VcfFile | None, progress: Progress
) -> DonorMeasurement | None:
    """Read both files, telling how far it is; None when asked to stop."""
    progress.unit = "bytes"
    n_total = anonymized.n_bytes + (panel.n_bytes if panel else 0)

    def count(n_bytes: int) -> None:
        if progress.stop_asked:
            raise _StoppedError
        progress.report(progress.n_done + n_bytes, n_total, text("Reading {files}", files=anonymized.name))

    try:
        return measure_apart(anonymized, original=audit.scan.candidates, panel=panel, report=count)
    except _StoppedError:
        return None


def _show(result: Result) -> None:
    show_verdict(result.verdict, result.headline, key="donors")
    with st.expander(say("All about the donors"), icon=":material/table:"):
        show_findings(result.findings, key=TOOL, fold_held=False)
        for tab, group in zip(
            st.tabs([say(group.title) for group in result.groups]), result.groups, strict=True
        ):
            with tab:
                show_group(result, group.key)
