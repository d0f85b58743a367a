"""Many at once: heavy work waits in order and says so, light work waits for nobody, each has a quota."""

import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.sessions import Session
from tests.browser.conftest import TOKEN, let_in, start_server, stop_server

RISK, LABEL = "risk", "table to be released"
MEGABYTE = 1 << 20


def _table(n: int, *, towns: int = 40) -> bytes:
    draw = random.Random(towns)  # noqa: S311 - repeatable, not secret
    lines = [
        f"p{i:09},{draw.randrange(20, 90)},{draw.choice('FM')},t{draw.randrange(towns)}" for i in range(n)
    ]
    return "\n".join(["person,age,sex,town", *lines]).encode()


@pytest.mark.slow
def test_heavy_work__waits_in_order_and_says_so__light_work_does_not(tmp_path: Path) -> None:
    tables = {towns: _table(150_000, towns=towns) for towns in range(40, 46)}
    server, address = start_server(tmp_path / "log.txt", ANONAUDIT_AT_ONCE="1")
    try:
        light = Session(address, RISK, token=TOKEN)
        light.upload(LABEL, {"small.csv": _table(500)})
        visitors = {towns: Session(address, RISK, token=TOKEN) for towns in tables}
        with ThreadPoolExecutor(len(tables)) as pool:
            at_once = [
                pool.submit(each.upload, LABEL, {f"with{towns}.csv": tables[towns]})
                for towns, each in visitors.items()
            ]
            moves = []
            while not all(each.done() for each in at_once):
                k = 2 + len(moves) % 30
                moves.append(light.move("Smallest group size k", k))
                assert f"k = {k}" in light.text
                time.sleep(0.2)
        assert [each.result() for each in at_once]
    finally:
        stop_server(server)
    assert not [told for told in light.told if "before you" in told]
    waited = [told for each in visitors.values() for told in each.told if "at work for others" in told]
    places = {int(found[1]) for told in waited if (found := re.search(r"(\d+) before you", told))}
    assert max(places) >= 3
    assert any("you are next" in told for told in waited)
    for towns, each in visitors.items():
        assert "at work for others" not in each.text, "the place is shown no more"
        assert f"with{towns}" in each.text.replace("\\", "")
        assert "150,000" in each.text.replace("\\", "")
    assert sorted(moves)[len(moves) // 2] < 2


def test_upload__over_a_session_s_quota_is_refused_though_no_page_shows_it(
    page: Page, tmp_path: Path, wait_until_idle: Callable[[Page], None]
) -> None:
    server, address = start_server(tmp_path / "log.txt", ANONAUDIT_QUOTA="4")
    try:
        session = Session(address, RISK, token=TOKEN)
        data = b"x" * (MEGABYTE * 3 // 2)
        session.put(LABEL, {"a.csv": data, "b.csv": data})
        session.upload(LABEL, {"c.csv": data})
        assert "would hold more than it may" in session.text
        other = Session(address, RISK, token=TOKEN)
        other.upload(LABEL, {"of-another.csv": b"a,b\n" + b"1,2\n" * 100_000})
        assert "would hold more than it may" not in other.text
        let_in(page.context, address)
        page.goto(f"{address}/risk")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
        wait_until_idle(page)
        large = {"name": "t.csv", "mimeType": "text/csv", "buffer": b"a,b\n" + b"1,2\n" * (MEGABYTE * 5 // 4)}
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(large)
        expect(page.get_by_text("would hold more than it may")).to_be_visible(timeout=30_000)
    finally:
        stop_server(server)
