"""A filed report is decided on: what it says, which findings are accepted, and what to hand over."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate
from typing import get_args

import streamlit as st

from core.errors import AuditInputError
from core.filed import deciding
from core.filed.package import Signed, checked_signature, evidence_zip
from core.filed.reading import FiledReport
from core.settings.form import command_line
from core.verdict import worst_first
from core.web.caching import StoredFile
from core.words import say
from pages.components.reading import show_problems
from pages.components.results import Download, show_download, show_finding
from pages.components.text import plain, sentence

TOOL = "filed"
_WORDS_IN_SIGHT = 120  # of findings before anything is opened
_VERBS = {"approved": "Approve", "rejected": "Reject", "returned": "Return for changes"}


def show_deciding(stored: StoredFile, report: FiledReport) -> None:
    """Ask for a decision on a report, and offer what comes of it."""
    st.subheader(say("Decide"), anchor=False)
    try:
        deciding.read_undecided(stored.data, name=stored.name)
    except AuditInputError as error:
        show_problems(error)
        return
    if (decision := _ask_for_decision(report)) is not None:
        try:
            made = deciding.decide(stored.data, decision, name=stored.name)
        except AuditInputError as error:
            show_problems(error)
            return
        _show_decided(deciding.read_decided(made, name=deciding.decided_name(stored.name)), is_new=True)


def show_decided(stored: StoredFile, signatures: Sequence[StoredFile], signers: bytes) -> None:
    """Show what was decided, where the file is as it was written, and who signed it.

    Of several signatures, those that are named like the report are its own.
    """
    try:
        decided = deciding.read_decided(stored.data, name=stored.name)
    except AuditInputError as error:
        show_problems(error)
        return
    own_ones = [each for each in signatures if each.name == f"{stored.name}.sig"] or signatures
    signed = None
    for each in own_ones:
        try:
            signed = checked_signature(
                decided,
                each.data,
                name=each.name,
                signers=signers or None,
                signers_name=say("The list of signers"),
            )
        except AuditInputError as error:
            show_problems(error)
            return
    _show_decided(decided, is_new=False, signed=signed)


def _ask_for_decision(report: FiledReport) -> deciding.Decision | None:
    """Ask who decides what and why, and which findings are accepted; return the decision once it is made."""
    made = f"{TOOL}_decision_{report.sha256}"
    with st.form(f"{TOOL}_deciding_{report.sha256}"):
        accepted = _ask_for_exceptions(report)
        outcome: deciding.Outcome | None = st.radio(
            say("Decision"),
            get_args(deciding.Outcome),
            format_func=lambda each: say(_VERBS[each]),
            index=None,
            horizontal=True,
            key=f"{TOOL}_outcome_{report.sha256}",
            persist_state="session",
        )
        by = st.text_input(
            say("Who decides"), max_chars=deciding.LONGEST_NAME, key=f"{TOOL}_by", persist_state="session"
        )
        reason = st.text_area(
            say("Reason"),
            max_chars=deciding.LONGEST_REASON,
            key=f"{TOOL}_reason_{report.sha256}",
            persist_state="session",
        )
        if st.form_submit_button(say("Decide"), type="primary", icon=":material/gavel:"):
            st.session_state.pop(made, None)
            if outcome is None:
                st.error(say("Choose what is decided: approve, reject, or return."))
            else:
                st.session_state[made] = deciding.Decision(
                    outcome=outcome,
                    by=by.strip(),
                    at=datetime.now(UTC),
                    reason=reason.strip(),
                    accepted=tuple(
                        deciding.accepted_finding(report, number, why) for number, why in accepted.items()
                    ),
                )
    decision: deciding.Decision | None = st.session_state.get(made)
    return decision


def _ask_for_exceptions(report: FiledReport) -> dict[int, str]:
    """Show findings in the report's order, each field below; return what was written, by place from 1.

    Those in sight are the worst, as many as a screen has words for; the others are one click away.
    """
    given: dict[int, str] = {}
    numbered = {id(finding): (number, finding) for number, finding in enumerate(report.findings, start=1)}
    worst = [numbered[id(finding)] for finding in worst_first(report.findings)]
    n_words = accumulate(len(say(finding.message).split()) for _, finding in worst)
    n_in_sight = max(1, sum(n <= _WORDS_IN_SIGHT for n in n_words))
    rest = worst[n_in_sight:]
    places = [st.container()]
    if rest:
        places.append(st.expander(say("{n} more", n=len(rest)), key=f"{TOOL}_more_findings"))
    for place, findings in zip(places, (worst[:n_in_sight], rest), strict=False):
        for number, finding in sorted(findings, key=lambda each: each[0]):
            with place:
                show_finding(finding)
                given[number] = st.text_input(
                    say("Finding {number} is accepted because", number=number),
                    max_chars=deciding.LONGEST_REASON,
                    key=f"{TOOL}_accepted_{number}_{report.sha256}",
                    persist_state="session",
                ).strip()
    return {number: given[number] for number in sorted(given) if given[number]}


def _show_decided(decided: deciding.DecidedReport, *, is_new: bool, signed: Signed | None = None) -> None:
    """Show what was decided, and offer the decided report and the package."""
    st.header(say("What was decided"), anchor=False)
    first, *lines = deciding.decision_lines(decided)
    st.markdown(f"**{sentence(say(first))}**")
    for line in lines:
        st.markdown(f"- {sentence(say(line))}")
    if not is_new:
        st.success(say("The file is byte for byte as it was written."), icon=":material/verified:")
        _show_signature(signed)
    digest = decided.sha256[:8]
    with st.container(horizontal=True):
        if is_new:
            name = decided.name.removesuffix(".json")
            show_download(
                Download(
                    "Decided report",
                    f"{name}_{digest}.json",
                    lambda: decided.data,
                    "The report as it was filed, with the decision. Sign and file this one.",
                    is_main=True,
                ),
                key=f"{TOOL}_decided",
            )
        show_download(
            Download(
                "Evidence package (ZIP)",
                f"evidence_{digest}.zip",
                partial(evidence_zip, decided, signed=signed),
                "Everything but the data, with how to verify it without AnonAudit.",
            ),
            key=f"{TOOL}_evidence",
        )
    st.caption(
        say(
            "Private keys are never uploaded. To sign, save the decided report and run there: {command}",
            command=plain(
                command_line(
                    "decide", ["REPORT_decided.json"], ["--sign", "KEY", "--package", "evidence.zip"]
                )
            ),
        )
    )


def _show_signature(signed: Signed | None) -> None:
    """Say whose key signed, as far as that can be told here."""
    if signed is None:
        st.info(say("No signature is here. Was the report signed, drop the file that ends in .sig too."))
    elif signed.name:
        told = say("Signed by {name}, key {fingerprint}.", name=signed.name, fingerprint=signed.fingerprint)
        st.success(sentence(told), icon=":material/verified_user:")
    else:
        told = say(
            "Signed by the key {fingerprint}. Whose it is was not checked: drop the list of signers, or the "
            "public key of the person, too.",
            fingerprint=signed.fingerprint,
        )
        st.warning(sentence(told))
