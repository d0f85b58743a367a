"""The VCF verifier's page as a visitor meets it."""

import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.demo import VCF as DEMOS
from core.processes.jobs import Progress
from core.vcf import CHECKS
from pages.components.access import NOT_OPENED
from pages.components.navigation import HOME
from pages.verify.vcf_parts import inputs
from tests.vcf_bad_input import BAD_INPUT
from tests.vcf_donors import donor_file, people
from tests.vcf_files import bgzf, masked_header, vcf_text

PAGE = "pages/verify/vcf.py"
LINES = [
    "chr1 100 . A G . . AF=0.001",
    "chr1 200 . A ACACACACACACACA . . AF=0.3",
    "chr1 300 . A T . . AF=0.03",
]
MASKED = ["chr1 100 . A . . . .", "chr1 200 . A N . . .", LINES[2]]
ORIGINAL = ("s.vcf.gz", bgzf(vcf_text(LINES)))
GOOD = ("high_anony_s.vcf.gz", bgzf(vcf_text(MASKED, header=masked_header())))
LEFT = ("high_anony_s.vcf.gz", bgzf(vcf_text(LINES, header=masked_header())))


def _upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app = app.file_uploader[0].set_value([(name, data, "application/gzip") for name, data in files]).run()
    return _finished(app)


def _finished(app: AppTest) -> AppTest:
    """Wait for the reading beside the page."""
    for _ in range(50):
        if app.metric or app.error or app.warning:
            break
        time.sleep(0.1)
        app = app.run()
    assert not app.exception
    return app


def _when(app: AppTest, done: Callable[[AppTest], object]) -> AppTest:
    """Wait until the page shows what is read beside it."""
    for _ in range(100):
        if done(app):
            break
        time.sleep(0.1)
        app = app.run()
    assert not app.exception
    return app


def _metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value.replace("\xa0", " ") for metric in app.metric}


def _badges(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown).replace("\\", "")


def _headlines(app: AppTest) -> str:
    return " ".join(header.value for header in app.header).replace("\\", "").replace("\xa0", " ")


def _column(app: AppTest, name: str) -> list[object]:
    """Return a column of the first table that has it."""
    found: list[object] = next(
        table.value[name].tolist() for table in app.dataframe if name in table.value.columns
    )
    return found


def _words(elements: object) -> str:
    return (
        " ".join(element.value for element in elements)
        .replace("\\", "")
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )


def test_empty__says_what_to_upload_and_offers_the_demo(open_page: Callable[[str], AppTest]) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert "Upload the **original** genome files" in _words(app.markdown)
    assert f"vcf_demo_{DEMOS[0].key}" in {button.key for button in app.button}
    assert not app.metric


def test_happy_path__shows_verdict_and_counts(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, GOOD)
    assert "Every target counts as masked (4 of 4)." in _headlines(app)
    assert _metrics(app)["Masked targets"] == "100 %"
    assert _metrics(app)["Sites masked"] == "2"
    assert "Nothing further was noticed." in _words(app.markdown)


def test_threshold__counts_again_at_once(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, GOOD)
    app.number_input(key="vcf_maf").set_value(0.05).run()
    assert "1 of 5 targets is not masked" in _headlines(app)
    assert _column(app, "Position") == [300]


def test_threshold__slider_and_typed_value_follow_each_other(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, GOOD)
    steps = [float(step) for step in app.select_slider(key="vcf_maf_slider").options]
    assert (steps[0], steps[-1]) == (0.0001, 0.5)
    assert all(later <= 2 * step for step, later in itertools.pairwise(steps))
    app.select_slider(key="vcf_maf_slider").set_value("0.05").run()
    assert app.number_input(key="vcf_maf").value == pytest.approx(0.05)
    assert "1 of 5 targets is not masked" in _headlines(app)
    app.number_input(key="vcf_maf").set_value(0.0301).run()
    assert app.select_slider(key="vcf_maf_slider").value == pytest.approx(0.0301)
    assert "1 of 5 targets is not masked" in _headlines(app)
    app.number_input(key="vcf_maf").set_value(0.02).run()
    assert "Every target counts as masked (4 of 4)" in _headlines(app)


def test_second_upload__replaces_the_file_of_the_same_name(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, LEFT)
    assert "2 of 4 targets are not masked" in _headlines(app)
    app = _upload(app, GOOD)
    assert "Every target counts as masked" in _headlines(app)


def test_repeats__a_change_reads_again(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, LEFT)
    app.number_input(key="vcf_min_repeat").set_value(9)
    app = app.button(key="vcf_use_repeats").click().run()
    app = _finished(app)
    assert "1 of 3 targets is not masked" in _headlines(app)
    app.number_input(key="vcf_min_motif").set_value(7)
    app = app.button(key="vcf_use_repeats").click().run()
    assert "“Shortest motif (bases)” must be at most “Longest motif (bases)”, received 7 and 6." in _words(
        app.error
    )


def test_repeats__a_change_after_a_long_reading_keeps_its_result_in_grey(
    open_page: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, LEFT)
    monkeypatch.setattr(inputs, "SMALL", 0)
    app.number_input(key="vcf_min_repeat").set_value(9)
    app = app.button(key="vcf_use_repeats").click().run()
    assert "Settings changed" in _words(app.warning)
    assert "2 of 4 targets are not masked" in _headlines(app)
    app = _when(app.button(key="vcf_start").click().run(), lambda one: one.metric)
    assert "1 of 3 targets is not masked" in _headlines(app)
    assert "Settings changed" not in _words(app.warning)


def test_page_switch__keeps_files_and_settings(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, GOOD)
    app.number_input(key="vcf_maf").set_value(0.05).run()
    app.switch_page(HOME).run()
    app = _finished(app.switch_page(PAGE).run())
    assert app.number_input(key="vcf_maf").value == pytest.approx(0.05)
    assert app.select_slider(key="vcf_maf_slider").value == pytest.approx(0.05)
    assert "1 of 5 targets is not masked" in _headlines(app)


def test_severities__are_the_persons_choice_and_survive_a_page_switch(
    open_page: Callable[[str], AppTest],
) -> None:
    with_id = [MASKED[0].replace("100 .", "100 lab_17"), *MASKED[1:]]
    files = (ORIGINAL, ("high_anony_s.vcf.gz", bgzf(vcf_text(with_id, header=masked_header()))))
    app = _upload(open_page(PAGE), *files)
    assert "Exposure: WARN" in _badges(app)
    row = list(CHECKS).index("other_id")
    app.session_state["vcf_severities"] = {
        "edited_rows": {row: {"severity": "FAIL"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    app = app.run()
    assert "Exposure: FAIL" in _badges(app)
    app = app.run()
    assert "Exposure: FAIL" in _badges(app)
    app.switch_page(HOME).run()
    app = _finished(app.switch_page(PAGE).run())
    assert "Exposure: FAIL" in _badges(app)
    app.session_state["vcf_severities"] = {
        "edited_rows": {row: {"severity": "WARN"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    assert "Exposure: WARN" in _badges(app.run())


@pytest.mark.slow
def test_demo__shows_all_files_and_the_chosen_one(open_page: Callable[[str], AppTest]) -> None:
    app = open_page(PAGE)
    app = _finished(app.button(key=f"vcf_demo_{DEMOS[0].key}").click().run())
    assert _column(app, "Overall") == ["✕ FAIL", "! WARN", "✓ PASS"]
    assert app.selectbox(key="vcf_file").value == _column(app, "Anonymized file")[0]
    assert "3 pairs: 1 FAIL, 1 WARN, 1 PASS." in _headlines(app)
    assert app.selectbox(key="vcf_file").value == "high_0.01_anony_south.vcf.gz"
    assert "targets are not masked" in _headlines(app)
    assert "keep an ID of a public database" in _words(app.markdown)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ((ORIGINAL, ("low_anony_s.vcf.gz", b"")), "low_anony_s.vcf.gz: the file is empty (0 bytes)"),
        ((ORIGINAL, ("low_anony_s.vcf.gz", GOOD[1][:-9])), "low_anony_s.vcf.gz: the file is cut short"),
    ],
)
def test_broken_file__is_one_error_and_the_other_pair_is_verified(
    open_page: Callable[[str], AppTest], files: tuple[tuple[str, bytes], ...], problem: str
) -> None:
    app = _upload(open_page(PAGE), *files, GOOD)
    assert problem in _words(app.error)
    assert "Every target counts as masked" in _headlines(app)


def test_bad_input__each_pair_has_its_own_result(open_page: Callable[[str], AppTest], tmp_path: Path) -> None:
    for name, pair in BAD_INPUT.items():
        (tmp_path / f"{name}.vcf.gz").write_bytes(pair.original)
        (tmp_path / f"high_anony_{name}.vcf.gz").write_bytes(pair.anonymized)
    app = open_page(PAGE)
    app.text_input(key="vcf_origin_folder").set_value(str(tmp_path))
    app = _finished(app.text_input(key="vcf_anony_folder").set_value(str(tmp_path)).run())
    figures = next(table.value for table in app.dataframe if "Original" in table.value.columns)
    files = figures["Original"].tolist()
    for name, pair in BAD_INPUT.items():
        row = files.index(f"{name}.vcf.gz")
        if pair.expected.endswith(")") and "%" in pair.expected:
            share = float(pair.expected.partition("%")[0]) / 100
            assert figures["Masked"][row] == pytest.approx(share), name
        else:
            assert figures["Overall"][row] == "error", name
            why = dict(zip(_column(app, "Anonymized file"), _column(app, "Why"), strict=True))
            told = str(why[f"high_anony_{name}.vcf.gz"]).removesuffix(" …")
            assert pair.expected in told or pair.expected.startswith(told.removeprefix(f"{name}.vcf.gz: "))
            assert f"{name}.vcf.gz: {pair.expected}" in _words(app.error)


def test_stopped__what_was_not_read_is_told_and_the_rest_is_shown(
    open_page: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two pairs is asked to stop before it is read."""

    def stop_at_second(self: Progress, n_done: int, n_total: int, text: str = "") -> None:
        self.n_done, self.n_total, self.text = n_done, n_total, text
        if "high" in text:
            self._stop.set()

    monkeypatch.setattr(Progress, "report", stop_at_second)
    app = _upload(open_page(PAGE), ORIGINAL, ("low_anony_s.vcf.gz", GOOD[1]), GOOD)
    assert "Not read, because you stopped, and therefore not assessed: high_anony_s.vcf.gz." in _words(
        app.warning
    )
    assert _column(app, "Overall") == ["? NOT ASSESSED", "✓ PASS"]
    assert "reading was stopped before its turn or its end" in str(_column(app, "Why")[0])
    assert "Every target counts as masked" in _headlines(app)


def test_files_that_are_no_genome_files__are_told_first_and_there_is_nothing_to_pair(
    open_page: Callable[[str], AppTest],
) -> None:
    app = _upload(open_page(PAGE), ("a.vcf", b"hello"), ("high_anony_b.vcf.gz", b"\x1f\x8b\x08\x00abc"))
    assert "a.vcf: not a VCF file; its first line must begin with" in _words(app.error)
    assert not app.warning
    assert not app.expander[0].proto.expanded


def test_unmatched__is_a_warning_and_can_be_paired_by_hand(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ORIGINAL, ("masked.vcf.gz", GOOD[1]))
    assert "Without a partner, not verified: s.vcf.gz, masked.vcf.gz." in _words(app.warning)
    app.selectbox(key="vcf_pair_original").set_value("s.vcf.gz")
    app.selectbox(key="vcf_pair_anonymized").set_value("masked.vcf.gz").run()
    app = _finished(app.button(key="vcf_pair").click().run())
    assert "Every target counts as masked (4 of 4)" in _headlines(app)
    app = app.button(key="vcf_unpair_masked.vcf.gz").click().run()
    assert not app.metric


def test_folders__files_in_them_can_be_paired_by_hand(
    open_page: Callable[[str], AppTest], tmp_path: Path
) -> None:
    (tmp_path / ORIGINAL[0]).write_bytes(ORIGINAL[1])
    (tmp_path / "masked.vcf.gz").write_bytes(GOOD[1])
    app = open_page(PAGE)
    app.text_input(key="vcf_origin_folder").set_value(str(tmp_path))
    app = _finished(app.text_input(key="vcf_anony_folder").set_value(str(tmp_path)).run())
    assert "Without a partner, not verified: masked.vcf.gz, s.vcf.gz." in _words(app.warning)
    app.selectbox(key="vcf_pair_original").set_value("s.vcf.gz")
    app.selectbox(key="vcf_pair_anonymized").set_value("masked.vcf.gz").run()
    app = app.button(key="vcf_pair").click().run()
    for _ in range(50):
        if app.metric:
            break
        time.sleep(0.1)
        app = app.run()
    assert "Every target counts as masked (4 of 4)" in _headlines(app)


def test_folders__are_opened_in_place(open_page: Callable[[str], AppTest], tmp_path: Path) -> None:
    for name, data in (ORIGINAL, GOOD):
        (tmp_path / name).write_bytes(data)
    app = open_page(PAGE)
    app.text_input(key="vcf_origin_folder").set_value(str(tmp_path))
    app = _finished(app.text_input(key="vcf_anony_folder").set_value(str(tmp_path)).run())
    assert "Every target counts as masked (4 of 4)" in _headlines(app)
    app = app.text_input(key="vcf_anony_folder").set_value(str(tmp_path / "gone")).run()
    assert NOT_OPENED in _words(app.error)


def test_folders__are_not_offered_unless_the_operator_names_some(
    open_page: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANONAUDIT_FOLDERS")
    assert not open_page(PAGE).text_input


@pytest.mark.parametrize(
    "how", ["outside", "above", "gone", "a link out", "a file that is a link out", "nonsense"]
)
def test_folders__what_leads_out_of_them_is_refused_in_the_same_words(
    open_page: Callable[[str], AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    offered, other = tmp_path / "offered", tmp_path / "other"
    for folder in (offered, other):
        folder.mkdir()
        for name, data in (ORIGINAL, GOOD):
            (folder / name).write_bytes(data)
    (offered / "link").symlink_to(other)
    (offered / "mixed").mkdir()
    (offered / "mixed" / ORIGINAL[0]).symlink_to(other / ORIGINAL[0])
    monkeypatch.setenv("ANONAUDIT_FOLDERS", os.pathsep.join([str(offered), str(tmp_path / "not there")]))
    given = {
        "outside": other,
        "above": offered / ".." / "other",
        "gone": offered / "gone",
        "a link out": offered / "link",
        "a file that is a link out": offered / "mixed",
        "nonsense": "\0~",
    }[how]
    app = open_page(PAGE)
    app.text_input(key="vcf_origin_folder").set_value(str(given))
    app = app.text_input(key="vcf_anony_folder").set_value(str(given)).run()
    assert _words(app.error).strip() == NOT_OPENED
    assert not app.metric


def test_page__says_what_the_file_tells_of_its_donors(open_page: Callable[[str], AppTest]) -> None:
    page = _upload(open_page(PAGE), *_donor_files())
    page = _when(page, lambda one: "Common alleles that remain" in _metrics(one))
    metrics = _metrics(page)
    assert metrics["Common alleles that remain"] == "2,000"
    assert metrics["Independent common variants"] == "202"
    assert "Closest kinship with the panel" not in metrics
    assert "Could the donor be found?" in _headlines(page)
    assert "2,000 common variants remain, 202 of them independent." in _headlines(page)


@pytest.mark.slow
def test_page__finds_the_donor_in_a_panel(open_page: Callable[[str], AppTest]) -> None:
    page = _upload(open_page(PAGE), *_donor_files())
    uploader = next(one for one in page.file_uploader if one.label == "Panel")
    page = uploader.set_value([("panel.vcf.gz", _panel(), "application/gzip")]).run()
    page = _when(page, lambda one: "Closest kinship with the panel" in _metrics(one))
    assert _metrics(page)["Closest kinship with the panel"] == "0.500"
    assert "1 of 2 donors are in the panel too." in _headlines(page)
    assert "Donors: FAIL" in _badges(page)


def test_page__a_panel_that_cannot_be_read_is_an_error_in_words(open_page: Callable[[str], AppTest]) -> None:
    page = _upload(open_page(PAGE), *_donor_files())
    path = next(one for one in page.text_input if one.label == "Or its path on this machine")
    page = _when(path.set_value("/nowhere/panel.vcf.gz").run(), lambda one: one.error)
    assert NOT_OPENED in _words(page.error)


def _donor_files() -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    rng = np.random.default_rng(1)
    frequencies = rng.uniform(0.1, 0.5, 2_000)
    content = donor_file("s.vcf.gz", people(3, frequencies, rng)[:2], frequencies).content or b""
    return ("s.vcf.gz", content), ("high_anony_s.vcf.gz", content)


def _panel() -> bytes:
    rng = np.random.default_rng(1)
    frequencies = rng.uniform(0.1, 0.5, 2_000)
    return donor_file("panel.vcf.gz", people(3, frequencies, rng)[1:], frequencies).content or b""
