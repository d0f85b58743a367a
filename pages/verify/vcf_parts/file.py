"""One verified genome file on the page: verdicts, figures, exposure, charts, sites."""

from collections.abc import Sequence

import streamlit as st

from core.vcf import PairOutcome, VcfAudit, views
from core.vcf.outcomes import RULE, findings_of
from core.verdict import next_steps
from core.words import say
from pages.components.results import show_chart, show_figures, show_findings, show_table, show_verdict
from pages.verify.vcf_parts.settings import ask_for_threshold

TOOL = "vcf"
MAX_ROWS = 5_000
LOW = (
    "Low level: the published rule asks for the header only. No variant is masked or checked, so the file "
    "still tells what its donors carry."
)


def show_vcf_file(outcome: PairOutcome, audit: VcfAudit, *, is_alone: bool) -> None:
    """Show everything that was found out about one anonymized file; less at once beside a list of others."""
    found = findings_of(audit, outcome.donors)
    steps = next_steps(found)
    show_verdict(
        outcome.overall,
        views.headline(audit, outcome.donors, steps=steps),
        parts=[
            ("Published rule", audit.verdict),
            ("Exposure", audit.exposure_verdict),
            *([("Donors", outcome.donors.verdict)] if outcome.donors else []),
        ],
        reasons=[LOW] if audit.scan.level == "low" else [],
        findings=found,
        key="file",
    )
    ask_for_threshold(TOOL)
    if audit.n_variant_targets:
        _show_charts(audit)
    in_card = next((one.check for one in found if one.check != RULE), "")
    _show_exposure(audit, steps, in_card=in_card, at_once=int(is_alone))
    show_figures(views.figures(audit))
    if audit.n_variant_targets:
        _show_sites(audit)


def _show_exposure(audit: VcfAudit, steps: Sequence[str], *, in_card: str, at_once: int) -> None:
    st.subheader(
        say("What would still give it away"),
        anchor=False,
        help=say(
            "Beside the published rule: what an attacker with this file, its positions and public databases "
            "would find. Counts are sites, records, header lines or samples, as each sentence says."
        ),
    )
    if audit.exposure:
        findings = views.findings(audit.exposure, steps=steps)
        show_findings(findings, key="vcf_exposure", at_once=at_once, in_card=in_card)
    else:
        st.success(say("None of the checks found anything."), icon=":material/check_circle:")


def _show_charts(audit: VcfAudit) -> None:
    frequencies, places = st.columns(2)
    with frequencies:
        show_chart(views.maf_chart(audit), key="vcf_maf_chart")
    with places:
        show_chart(views.density_chart(audit), key="vcf_density_chart")


def _show_sites(audit: VcfAudit) -> None:
    unmasked, motifs = st.tabs([say("Sites that are not masked"), say("Repeat motifs")])
    with unmasked:
        rows = views.unmasked_table(audit, limit=MAX_ROWS)
        total = audit.n_variant_targets - audit.n_variant_masked
        if not total:
            st.markdown(say("Every target site counts as masked."))
        else:
            show_table(rows, alt="Target sites that do not count as masked, and why")
        if total > len(rows):
            st.caption(
                say("The first {shown} of {total}; the downloads hold all.", shown=len(rows), total=total)
            )
    with motifs:
        found = views.motif_table(audit)
        if len(found):
            show_table(found, alt="Repeat motifs: sites, masked, not masked")
        else:
            st.markdown(say("The original has no short tandem repeat under these settings."))
