"""What an export of a log tells beside an earlier one; on logs countable by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.events import EventSettings, ReleaseOptions, Rule, audit_events
from core.events.earlier import exported_table
from core.events.judging import EventAudit
from core.events.result import told_in_headline
from core.releases import EarlierTable, Ledger, new_ledger, read_ledger
from core.tables import read_dataset
from core.verdict import Verdict
from tests.cases.table import says
from tests.events_examples import HEADER, log_of
from tests.kinds import Told

WEEK = EventSettings(columns=("event", "week_number"), flatten="week_number", leave_out=())
RULE = Rule(k=5, max_whole_trace_share=1, max_rows_unique_share=1)


def rows(users: range, *days_and_kinds: str, prefix: str = "u") -> list[str]:
    """Return for each user an event of each day of January 2024 and kind, such as ``3 fall``."""
    said = [each.split() for each in days_and_kinds]
    return [f"2024-01-{int(day):02d}T10:00;{prefix}{n};{kind}" for n in users for day, kind in said]


USUAL = [
    *rows(range(20), "1 fall", "8 idle"),
    *rows(range(20, 40), "1 idle", "8 fall"),
    *rows(range(40, 60), "1 fall", "8 fall"),
]


def export(lines: list[str], *, seed: int, **options: object) -> EventAudit:
    return audited(lines, seed=seed, **options)


def audited(
    lines: list[str], *earlier: EarlierTable | Ledger, seed: int = 1, **options: object
) -> EventAudit:
    return audit_events(
        log_of(*lines),
        settings=WEEK,
        rule=RULE,
        options=ReleaseOptions(**options),
        token_source=np.random.default_rng(seed).bytes,
        earlier=earlier,
    )


def beside(later: list[str], earlier: list[str], **options: object) -> EventAudit:
    before = export(earlier, seed=2, **options)
    table = EarlierTable(
        release="january", dataset=read_dataset(before.release.events_csv, name="january.csv")
    )
    return audited(later, table, **options)


def told(found: EventAudit) -> dict[str, tuple[Verdict, int | None]]:
    return {each.check: (each.verdict, each.n_affected) for each in found.findings if "release" in each.check}


def test_earlier__tells_of_few_users_who_came_or_left() -> None:
    one = beside([*USUAL, *rows(range(1), "1 fall", "8 idle", prefix="new")], USUAL)
    assert told(one)["release_newcomers"] == (Verdict.FAIL, 1)
    assert told_in_headline(one) == "release_newcomers"
    two = beside(USUAL, [*USUAL, *rows(range(2), "1 idle", "8 idle", prefix="gone")])
    assert told(two)["release_leavers"] == (Verdict.FAIL, 2)
    on = beside([*USUAL, *rows(range(60), "15 fall"), *rows(range(3), "1 fall", prefix="new")], USUAL)
    assert told(on)["release_newcomers"] == (Verdict.FAIL, 3)
    kept = beside([*USUAL, *rows(range(1), "1 fall", prefix="new")], USUAL, keep_user_ids=True)
    assert told(kept)["release_newcomers"] == (Verdict.FAIL, 1)


def test_earlier__finds_users_again_by_traces_that_are_one_users() -> None:
    kinds = [f"K{n}" for n in range(8)]
    pairs = [(one, other) for one in range(8) for other in range(8)]
    apart = [
        line
        for n, (a, b) in enumerate(pairs)
        for line in rows(range(n, n + 1), f"1 {kinds[a]}", f"8 {kinds[b]}")
    ]
    assert told(beside(apart, apart))["release_relinked"] == (Verdict.FAIL, 64)
    assert "release_relinked" not in told(beside(USUAL, USUAL))


def test_earlier__passes_logs_that_went_on_and_k_users_who_came_together() -> None:
    passed = {"releases": (Verdict.PASS, None)}
    assert told(beside([*USUAL, *rows(range(60), "15 fall")], USUAL)) == passed
    together = [*USUAL, *rows(range(6), "1 fall", "8 idle", prefix="new")]
    assert told(beside(together, USUAL)) == passed
    assert told(beside(USUAL, USUAL)) == passed | {"same_release": (Verdict.WARN, None)}
    assert told(audited(USUAL)) == {}


def test_earlier__takes_ledgers_and_says_what_it_cannot_compare() -> None:
    before = export(USUAL, seed=2)
    ledger = new_ledger([exported_table(before.anonymized, before.release)], k=5)
    new = rows(range(2), "1 fall", "8 idle", prefix="new")
    found = audited([*USUAL, *new], read_ledger(ledger, name="ledger.json"))
    assert told(found)["release_newcomers"] == (Verdict.FAIL, 2)
    for data in (b"a,b\n1,2\n", b"event;week_number\nfall;1\n"):
        other = EarlierTable(release="other", dataset=read_dataset(data, name="other.csv"))
        assert told(audited(USUAL, other))["release_not_compared"][0] is Verdict.NOT_ASSESSED


def test_earlier__is_compared_in_whichever_form_it_was_written() -> None:
    before = export(USUAL, seed=2)
    written = before.release.events_csv
    as_numbers = written.replace(b",W0", b",").replace(b",W", b",").replace(b",any", b",100")
    assert as_numbers != written
    new = [*USUAL, *rows(range(2), "1 fall", "8 idle", prefix="new")]
    found = [
        told(audited(new, EarlierTable(release="old", dataset=read_dataset(data, name="old.csv"))))
        for data in (written, as_numbers)
    ]
    assert found[0] == found[1]
    assert found[0]["release_newcomers"] == (Verdict.FAIL, 2)


@pytest.mark.slow
def test_events__holds_an_export_against_earlier_ones(tmp_path: Path, capsys: Told) -> None:
    for name, lines in (("old", USUAL), ("new", [*USUAL, *rows(range(1), "1 fall", prefix="new")])):
        (tmp_path / f"{name}.csv").write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    chosen = "--columns event,week_number --k 5 --leave-out-none --max-whole-trace-share 1 --max-rows-share 1"
    common = [*chosen.split(), "--out-dir", str(tmp_path / "out")]
    ledger = tmp_path / "ledger.json"
    assert main(["events", str(tmp_path / "old.csv"), *common, "--ledger", str(ledger)]) == 0
    export_of_old = tmp_path / "old_export.csv"
    export_of_old.write_bytes((tmp_path / "out" / "anonymized_events.csv").read_bytes())
    capsys.readouterr()
    for earlier in (export_of_old, ledger):
        assert main(["events", str(tmp_path / "new.csv"), *common, "--earlier", str(earlier), "--json"]) == 1
        document = json.loads(capsys.readouterr().out)
        found = {each["check"]: each["message"] for each in document["findings"]}
        assert says(found["release_newcomers"], f"{earlier.name}: its difference …1 of 1 newcomers …")
