"""Trace risk on traces countable by hand, and the audit that judges it."""

import numpy as np
import pytest

from core.events import (
    EventAudit,
    EventSettings,
    ReleaseOptions,
    Rule,
    audit_events,
    judge_events,
    trace_risk,
)
from core.events.row_risk import combination_diversity
from core.events.trace_risk import KnownEvents, Share, TraceRisk
from core.events.traces import Traces, TraceSearch, build_traces
from core.intervals import wilson_interval
from core.tables import read_dataset
from core.verdict import Verdict
from tests.saying import Saying


def traces(*sets: tuple[int, str], repeat: int = 1) -> Traces:
    """Return traces of (user, letters)."""
    points = [(n, user, ord(letter)) for n, (user, letters) in enumerate(sets) for letter in letters * repeat]
    return build_traces(*(np.array(column) for column in zip(*points, strict=True)))


def test_trace_risk__counts_choices_that_nobody_else_has() -> None:
    """a has xy with b and yz with c, but xz alone; b and c share xy and yz with a; d alone has w."""
    risk = trace_risk(traces((0, "xyz"), (1, "xy"), (2, "yz"), (3, "w"), repeat=2))
    assert [known.singled_out.value for known in risk.by_known] == [1 / 4, 2 / 4, 2 / 4, 2 / 4]
    one_third = 1 / 3
    assert [known.random.value for known in risk.by_known] == [
        1 / 4,
        pytest.approx((one_third + 1) / 4),
        2 / 4,
        2 / 4,
    ]
    assert risk.whole_trace == 1.0
    assert (risk.n_users, risk.n_traces) == (4, 4)


def test_trace_risk__does_not_take_two_pseudonyms_of_one_user_for_two_users() -> None:
    risk = trace_risk(traces((0, "xy"), (0, "xy"), (1, "x"), (2, "x")))
    assert [known.singled_out.value for known in risk.by_known] == [1 / 3, 1 / 3, 1 / 3, 1 / 3]
    assert risk.whole_trace == 1 / 3
    assert risk.n_traces == 4


def test_trace_risk__of_no_trace_is_not_assessed() -> None:
    nothing = np.empty(0, dtype=np.int64)
    risk = trace_risk(build_traces(nothing, nothing, nothing))
    assert risk.by_known[0].singled_out is None
    assert risk.by_known[3].random is None
    assert risk.whole_trace is None
    assert risk.singled_out(2) is None


def test_trace_risk__of_a_sample_has_an_interval_and_a_seed() -> None:
    rng = np.random.default_rng(3)
    users = np.repeat(np.arange(300), 12)
    sampled = build_traces(users, users, rng.integers(0, 60, len(users)))
    exact = trace_risk(sampled)
    some = trace_risk(sampled, largest_exact=0, n_users_searched=60, seed=5)
    again = trace_risk(sampled, largest_exact=0, n_users_searched=60, seed=5)
    assert some == again
    for known, found in zip(exact.by_known[1:], some.by_known[1:], strict=True):
        assert not found.singled_out.is_exact
        assert found.singled_out.lower <= known.singled_out.value <= found.singled_out.upper
        assert found.random.lower - 0.02 <= known.random.value <= found.random.upper + 0.02
    assert some.by_known[1].singled_out.n_sampled == 60


def test_trace_risk__counts_undecided_users_as_singled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = traces((0, "xyz"), (1, "xy"), (2, "yz"), (3, "xz"))
    exact = trace_risk(found, largest_exact=0)
    assert [exact.singled_out(n_known) for n_known in (1, 2, 3, 4)] == [0.0, 0.0, 1 / 4, 1 / 4]
    monkeypatch.setattr("core.events.traces._LARGEST_PRODUCT", 0)
    known = trace_risk(found, largest_exact=0).by_known[1].singled_out
    assert known is not None
    assert (known.value, known.is_exact) == (1 / 4, False)
    assert known.lower == 0.0
    assert known.upper > 1 / 4


@pytest.mark.parametrize(
    ("n_hits", "n_draws", "lower", "upper"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)],
)
def test_wilson_interval__is_the_published_one(n_hits: int, n_draws: int, lower: float, upper: float) -> None:
    assert wilson_interval(n_hits, n_draws) == pytest.approx((lower, upper), abs=1e-4)


def audit(
    *lines: str, k: int = 2, limit: float | None = None, scope: str = "user", **changes: object
) -> EventAudit:
    data = "\n".join(["OD_ISO;GUID;dogodek", *lines]).encode()
    strategy = changes.pop("strategy", "remove-events")
    keep = bool(changes.pop("keep_user_ids", False))
    return audit_events(
        read_dataset(data, name="log.csv"),
        settings=EventSettings(columns=("weekday", "time_period"), flatten="weekday", **changes),
        rule=Rule(k=k, strategy=str(strategy), max_trace_unique_share=limit),
        options=ReleaseOptions(pseudonym_per=scope, keep_user_ids=keep),
        token_source=np.random.default_rng(1).bytes,
    )


def messages(found: EventAudit) -> dict[str, str]:
    return {finding.check: finding.message for finding in found.findings}


MONDAY, TUESDAY, SUNDAY = "2024-01-08T10:00", "2024-01-09T10:00", "2024-01-14T10:00"
# a is on Monday and Tuesday, b on Monday and Sunday, c on Tuesday and Sunday: each pair is one user's.
TRIANGLE = tuple(
    f"{time};{user};X.FALL_DETECTED"
    for user, times in {"a": (MONDAY, TUESDAY), "b": (MONDAY, SUNDAY), "c": (TUESDAY, SUNDAY)}.items()
    for time in times
)


def test_audit_events__says_that_k_holds_and_two_events_single_out_everybody() -> None:
    found = audit(*TRIANGLE)
    assert (found.verdict, found.trace_verdict, found.rows_verdict) == (
        Verdict.PASS,
        Verdict.WARN,
        Verdict.FAIL,
    )
    assert found.overall is Verdict.FAIL
    assert messages(found) == {
        "k_anonymity": Saying(
            "The smallest of 3 released combinations is shared by 2 users, k … 2 is … (6 events)."
        ),
        "trace_risk": Saying("k = 2 does not cover what a pseudonym links: … 100 % … 3 users, … 100 %."),
        "whole_trace": Saying(
            "The whole trace under a pseudonym, the set of its combinations, … 3 of 3 users; … 50.0 % …"
        ),
        "row_numbers": Saying(
            "The number of rows under a pseudonym alone singles out 0 of 3 … 0 have … 2 users …"
        ),
        "row_multisets": Saying(
            "All rows under a pseudonym together, each as often as it … 3 of 3 users. … 0 by … 3 by …"
        ),
    }


def test_audit_events__fails_traces_above_the_limit_that_was_set() -> None:
    found = audit(*TRIANGLE, limit=0.5)
    assert (found.verdict, found.trace_verdict, found.overall) == (Verdict.PASS, Verdict.FAIL, Verdict.FAIL)
    assert messages(found)["trace_risk"].endswith("four 100 % (limit for two: 50.0 %).")
    assert audit(*TRIANGLE, limit=1.0).trace_verdict is Verdict.PASS


@pytest.mark.parametrize("scope", ["day", "event"])
def test_audit_events__finds_nobody_when_no_pseudonym_links_two_events(scope: str) -> None:
    found = audit(*TRIANGLE, scope=scope)
    assert found.overall is Verdict.PASS
    assert messages(found)["trace_risk"] == Saying(
        f"k = 2 does not cover what a pseudonym …{scope}, two known events can single out 0 % …"
    )


def test_audit_events__says_why_nothing_is_left() -> None:
    found = audit(
        f"{MONDAY};a;X.FALL_DETECTED", "2024-01-08T23:00;b;X.FALL_DETECTED", strategy="remove-users"
    )
    assert (found.verdict, found.overall) == (Verdict.NOT_ASSESSED, Verdict.NOT_ASSESSED)
    assert messages(found) == {
        "k_anonymity": Saying("Nothing is left to release: with k = 2 all 2 events would be …"),
        "trace_risk": "No event is released, so there is no trace to assess.",
        "whole_trace": "No event is released, so there is no whole trace to assess.",
        "row_numbers": "No event is released, so there are no counts to assess.",
        "events_removed": Saying("2 of 2 events after cleanup are removed to reach k. … 2 of 2."),
    }


def test_audit_events__notes_what_was_left_out_removed_and_kept() -> None:
    found = audit(
        *TRIANGLE,
        f"{MONDAY};d;X.BATTERY_EMPTY",
        "2024-01-08T23:00;a;X.FALL_DETECTED",
        keep_user_ids=True,
        sensitive="generalized_event",
    )
    notes = messages(found)
    assert notes["classes_left_out"] == (
        "1 of 8 events belong to classes that are left out; 1 of 4 users have no other events."
    )
    assert notes["events_removed"] == (
        "1 of 7 events after cleanup are removed to reach k. Users of whom no event is left: 0 of 3."
    )
    assert notes["user_ids_kept"] == Saying("The export holds the original user identifiers, as asked; …")
    assert notes["diversity"] == Saying("3 of 3 released combinations have one value of …")


def test_audit_events__says_when_multi_level_raised_events_or_was_not_used() -> None:
    raised = audit(
        *(f"{MONDAY};{user};X.FALL_DETECTED" for user in "ab"),
        f"{TUESDAY};c;X.FALL_DETECTED",
        flatten_steps=("weekday:workday_weekend", "weekday:any"),
    )
    assert messages(raised)["events_raised"] == Saying(
        "2 events that had k users at an earlier step were taken to the …"
    )
    fallen_back = audit(
        f"{MONDAY};a;X.FALL_DETECTED",
        f"{SUNDAY};c;X.FALL_DETECTED",
        flatten_steps=("weekday:workday_weekend",),
    )
    assert messages(fallen_back)["single_level_used"] == Saying(
        "Single-level flattening is used: it keeps more events here than …"
    )


def test_combination_diversity__counts_values_within_combinations() -> None:
    found = audit(
        f"{MONDAY};a;X.FALL_DETECTED",
        f"{MONDAY};b;X.NOT_MOVING",
        f"{TUESDAY};a;X.NOT_MOVING",
        f"{TUESDAY};b;X.NOT_MOVING",
        sensitive="generalized_event",
    )
    diversity = found.diversity
    assert diversity == combination_diversity(found.anonymized, "generalized_event")
    assert (diversity.n_combinations, diversity.n_uniform) == (2, 1)
    assert (diversity.distinct_l, diversity.entropy_l, diversity.t) == (1.0, 1.0, 0.25)
    assert found.overall is Verdict.WARN


def test_trace_search__ends_at_once_where_somebody_else_has_everything() -> None:
    search = TraceSearch(traces((0, "xy"), (1, "xyz"), (2, "xyz")))
    assert [search.fewest_known(trace, at_least=2, at_most=4) for trace in range(3)] == [5, 5, 5]


def test_trace_search__knows_the_fewest_events_whatever_it_starts_with() -> None:
    found = traces((0, "xyz"), (1, "xy"), (2, "yz"), (3, "xz"), (4, "w"), (5, "xy"))
    search = TraceSearch(found)
    assert [search.fewest_known(trace, at_least=1, at_most=3) for trace in range(6)] == [3, 4, 4, 4, 1, 4]


def test_trace_search__gives_one_more_than_asked_where_only_more_events_would_do() -> None:
    found = traces((0, "abcde"), (1, "abcd"), (2, "abce"), (3, "abde"), (4, "acde"), (5, "bcde"))
    assert TraceSearch(found).fewest_known(0, at_least=1, at_most=4) == 5
    assert TraceSearch(found).fewest_known(0, at_least=1, at_most=6) == 5


def share(value: float, upper: float) -> Share:
    return Share(value=value, lower=0.0, upper=upper, n_sampled=500)


@pytest.mark.parametrize(
    ("two", "four", "limit", "verdict"),
    [
        (share(0.01, 0.02), share(0.02, 0.04), None, Verdict.PASS),
        (share(0.01, 0.02), share(0.04, 0.06), None, Verdict.WARN),
        (share(0.01, 0.02), share(0.9, 0.95), 0.02, Verdict.PASS),
        (share(0.01, 0.03), share(0.9, 0.95), 0.02, Verdict.WARN),
        (share(0.03, 0.05), share(0.9, 0.95), 0.02, Verdict.FAIL),
    ],
)
def test_judge_events__passes_a_sampled_share_only_by_the_upper_end_of_its_interval(
    two: Share, four: Share, limit: float | None, verdict: Verdict
) -> None:
    found = audit(*TRIANGLE, limit=limit)
    by_known = tuple(
        KnownEvents(n_known=n, singled_out=two if n <= 2 else four, random=None) for n in (1, 2, 3, 4)
    )
    risk = TraceRisk(by_known=by_known, whole_trace=1.0, n_users=3, n_traces=3)
    judged = judge_events(
        found.anonymized,
        release=found.release,
        traces_before=found.traces_before,
        rows=found.rows,
        traces_after=risk,
    )
    assert judged.trace_verdict is verdict
    finding = next(finding for finding in judged.findings if finding.check == "trace_risk")
    assert "from a sample), four" not in finding.message
    assert "from a sample) of 3 users, four" in finding.message
    assert finding.n_affected is None
