"""Laws of decided reports: any change is found, and what was written is read."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import AuditInputError
from core.filed.deciding import (
    OUTCOMES,
    Decision,
    accepted_finding,
    decide,
    decided_for_other,
    read_decided,
    read_undecided,
)
from core.filed.signing import (
    check_signature,
    new_key,
    read_private_key,
    read_signature,
    sign,
)
from core.reports import render
from tests import report_examples as examples

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
REPORT = render(examples.report(), "json")
FILED = read_undecided(REPORT, name="report.json")
ACCEPTED = (accepted_finding(FILED, 1, "known"),)
DECIDED = decide(
    REPORT, Decision(outcome="approved", by="Ana", at=NOON, reason="so", accepted=ACCEPTED), name="r.json"
)
KEY = read_private_key(new_key().private, name="key")
SIGNATURE = sign(DECIDED, KEY)


def _flipped(data: bytes, bit: int) -> bytes:
    place, which = divmod(bit % (8 * len(data)), 8)
    return data[:place] + bytes([data[place] ^ 1 << which]) + data[place + 1 :]


def test_decided__is_read() -> None:
    decided_for_other(DECIDED, name="d")
    check_signature(read_signature(SIGNATURE, name="s"), DECIDED, name="s")


@settings(max_examples=400, deadline=None)
@given(bit=st.integers(0, 8 * len(DECIDED) - 1))
def test_decided__any_flipped_bit_is_found(bit: int) -> None:
    changed = _flipped(DECIDED, bit)
    with pytest.raises(AuditInputError):
        decided_for_other(changed, name="d")
    with pytest.raises(AuditInputError):
        check_signature(read_signature(SIGNATURE, name="s"), changed, name="s")


@settings(max_examples=400, deadline=None)
@given(bit=st.integers(0, 8 * len(SIGNATURE) - 1))
def test_signature__any_flipped_bit_is_found_or_says_the_same(bit: int) -> None:
    changed = _flipped(SIGNATURE, bit)
    try:
        found = read_signature(changed, name="s")
        check_signature(found, DECIDED, name="s")
    except AuditInputError:
        return
    assert found == read_signature(SIGNATURE, name="s")  # a space in place of a line's end


@settings(max_examples=300, deadline=None)
@given(cut=st.integers(0, len(DECIDED) - 1))
def test_decided__cut_short_is_found(cut: int) -> None:
    with pytest.raises(AuditInputError):
        decided_for_other(DECIDED[:cut], name="d")


@settings(max_examples=40, deadline=None)
@given(
    outcome=st.sampled_from([*OUTCOMES]),
    by=st.text(min_size=1, max_size=80).filter(str.strip),
    reason=st.text(min_size=1, max_size=300).filter(str.strip),
    accepted=st.dictionaries(st.integers(1, len(FILED.findings)), st.text(min_size=1).filter(str.strip)),
)
def test_decided__is_read_as_it_was_decided(
    outcome: str, by: str, reason: str, accepted: dict[int, str]
) -> None:
    taken = tuple(accepted_finding(FILED, number, why) for number, why in sorted(accepted.items()))
    decision = Decision(outcome=outcome, by=by, at=NOON, reason=reason, accepted=taken)
    made = decide(REPORT, decision, name="report.json")
    decided = read_decided(made, name="report_decided.json")
    assert decided.decision == decision
    assert decided.undecided == REPORT
    assert decide(REPORT, decision, name="report.json") == made
