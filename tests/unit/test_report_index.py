"""The page that lists the reports of a folder."""

import html
import os
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pytest

from core.__main__ import main
from core.demo import TABULAR as HOSPITALS
from core.demo import VCF as COHORTS
from core.reports import render_html, report_stem
from core.reports.index import render_index
from core.verdict import Verdict
from tests import report_examples as examples
from tests.kinds import Told

_AT = datetime(2026, 11, 23, tzinfo=UTC)


class _Page(HTMLParser):
    """Rows and links of a page, and what it would fetch."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.fetched += [tag] if {"src", "srcset", "data", "action"} & told.keys() or tag == "link" else []
        if tag == "a":
            self.links.append(str(told["href"]))
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def _demo(demo: object, folder: Path) -> None:
    folder.mkdir()
    for file in chain(*demo.make().values()):
        (folder / file.name).write_bytes(file.data)


def _rows(rows: str) -> str:
    return f'<meta name="anonaudit-rows" content="{html.escape(rows)}">\n'


def _index(folder: Path) -> _Page:
    return _Page((folder / "index.html").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko", "sl"])
def test_index__lists_a_batch_worst_first_with_what_was_not_verified(language: str, tmp_path: Path) -> None:
    _demo(HOSPITALS[0], tmp_path / "t")
    (tmp_path / "t/lone_anonymized.csv").write_text("a\n1\n")
    (tmp_path / "t/visits_anonymized.csv").write_bytes(b"")
    out = tmp_path / "out"
    words = ["tabular", str(tmp_path / "t"), "--report", str(out), "--report-dir", str(tmp_path / "csv")]
    assert main([*words, "--language", language, "--formats", "html"]) == 2
    page = _index(out)
    rows = page.rows[1:]
    (report,) = out.glob("anonaudit_*.html")
    shown = report.read_text(encoding="utf-8")
    severities = [next(each.severity for each in Verdict if row[0].startswith(each.symbol)) for row in rows]
    assert severities == sorted(severities, reverse=True)
    assert severities[0] == Verdict.FAIL.severity
    assert {row[1] for row in rows} == {"lab_results.csv", "patients.csv", "survey.csv", ""}
    assert sorted("visits" in row[2] or "lone" in row[2] for row in rows) == [False] * 3 + [True] * 2
    assert len(page.links) == 5
    for link in page.links:
        name, _, place = link.partition("#")
        assert name == report.name
        assert f'id="{place}"' in shown or not place
    for row, link in zip(rows, page.links, strict=True):
        if row[1]:
            section = shown.split(f'id="{link.partition("#")[2]}"')[1]
            assert html.escape(row[1]) in section[:300]
    assert page.fetched == []
    assert f'<html lang="{language}">' in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_index__of_genome_files_names_those_without_a_partner(tmp_path: Path) -> None:
    _demo(COHORTS[0], tmp_path / "v")
    (tmp_path / "v/alone.vcf").touch()
    folder, out = str(tmp_path / "v"), tmp_path / "out"
    main(["vcf", "-o", folder, "-a", folder, "--report", str(out), "--report-dir", str(tmp_path / "csv")])
    told = [row[2] for row in _index(out).rows[1:] if not row[1]]
    assert told == ["alone.vcf has no partner and was not verified."]


def _table(folder: Path, name: str, first: int, step: int) -> str:
    (folder / name).write_text("x,y\n" + "".join(f"{i + first},{i % step}\n" for i in range(30)))
    return str(folder / name)


@pytest.mark.slow
def test_index__is_made_anew_of_all_reports_of_the_folder(tmp_path: Path, capsys: Told) -> None:
    one, other, out = _table(tmp_path, "a.csv", 0, 3), _table(tmp_path, "b.csv", 90, 2), tmp_path / "out"
    run = ["leakage", one, "--report", str(out), "--formats", "html"]
    main([*run, one])
    assert [path.suffix for path in out.iterdir()] == [".html"]
    assert not (out / "index.html").exists()  # one report is what to open
    capsys.readouterr()
    main([*run, other])
    assert f"All reports of the folder, the worst first: {out / 'index.html'}" in capsys.readouterr().out
    assert {row[1] for row in _index(out).rows[1:]} == {"a.csv", "a.csv, b.csv"}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("is_link", [False, True])
def test_index__never_replaces_a_page_that_is_not_ours(is_link: bool, tmp_path: Path, capsys: Told) -> None:
    table, out = _table(tmp_path, "a.csv", 0, 3), tmp_path / "out"
    out.mkdir()
    theirs = tmp_path / "page.html" if is_link else out / "index.html"
    theirs.write_text("<p>Mine</p>")
    if is_link:
        (out / "index.html").symlink_to(theirs)
    for k in ("3.0", "4.0"):
        main(["leakage", table, table, "--z", k, "--report", str(out), "--formats", "html"])
    assert theirs.read_text() == "<p>Mine</p>"
    assert "is no index of AnonAudit and was left as it is." in capsys.readouterr().err


def test_render_index__shows_names_as_typed_and_leaves_other_files_out(tmp_path: Path) -> None:
    report = examples.report()
    for hours in (1, 2):
        at = _AT + timedelta(hours=hours)
        (tmp_path / f"{report_stem(report.tool, at, 'a' * 8)}.html").write_bytes(render_html(report))
    whole = render_index(tmp_path)

    def path(second: str, day: str = "23T0000") -> Path:
        return tmp_path / f"anonaudit_risk_202611{day}{second}Z_{'b' * 8}.html"

    (tmp_path / "anonaudit_x.html").write_bytes(render_html(report))
    odd = (
        '[["PASS","n","t","\\" onclick=x"]]',
        '[["GOOD","n","t",""]]',
        "[",
        "{}",
        '[["PASS"]]',
        "[" * 9_000,
    )
    for number, rows in enumerate(odd):
        path(f"0{number}").write_text(_rows(rows))
    path("99", "99T9999").write_text(_rows('[["FAIL","n","t",""]]'))  # no time
    path("09").write_bytes(b"\xff\xfe")
    os.mkfifo(path("08"))  # which nobody writes into
    assert whole is not None
    assert render_index(tmp_path) == whole
    path("10").write_text(_rows('[["FAIL","<script>x</script>","`<b>`",""]]'))
    page = (render_index(tmp_path) or b"").decode()
    assert "<script" not in page
    assert "<code>&lt;b&gt;</code>" in page
    assert f'href="{path("10").name}"' in page


@pytest.mark.slow
def test_report__of_the_same_second_has_a_name_of_its_own(tmp_path: Path) -> None:
    table, out = tmp_path / "people.csv", tmp_path / "filed"
    table.write_text("age,sex\n" + "30,F\n40,M\n" * 10)
    words = ["risk", str(table), "--quasi-identifier", "age", "--report", str(out), "--formats", "json"]
    assert {main(words) for _ in range(4)} <= {0, 1}
    assert len(list(out.iterdir())) == 4
