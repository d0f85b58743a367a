"""Reports for tests: one like a real run, and the texts that break careless writers."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pandas as pd

from core.charts import alt, class_size_chart, layered
from core.files.plain_text import valid_unicode
from core.reports import Figure, InputFacts, Report
from core.result import Col, Drawing, Table
from core.tables import read_dataset
from core.tabular import audit_tabular, pair_files, read_log
from core.tabular.report import tabular_report
from core.tabular.verified import verified_file
from core.verdict import Finding, Verdict

CREATED_AT = datetime(2026, 11, 20, 6, 30, tzinfo=UTC)

FORMULAS = (
    "=1+1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://evil.example","x")', "+1+1", "-2+3", "-5", "@SUM(A1)",
    "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", "＋1", "－1", "＠A1",
)  # fmt: skip

HOSTILE = (
    *FORMULAS,
    "</style><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "]]>", "<!--", "-->",
    "javascript:alert(1)", '" onmouseover="alert(1)', "' autofocus onfocus='alert(1)",
    "</title><svg onload=alert(1)>", "</svg><script>1</script>", "&lt;b&gt; &amp;amp; &#x3c;",
    "#N/A", "_x0041_", "a\x00b\x01c\x1fd", "lone \ud800 surrogate", "\ufeffbom", "\u202etxt.exe",
    'a,b;c\t"d"\r\ne', "[x](javascript:alert(1)) :red[y] $z$", "q:Q", "a.b[0]", "x" * 40_000, "",
)  # fmt: skip


def report(**changes: object) -> Report:
    """Return a report with every part filled; `changes` replaces parts."""
    parts: dict[str, object] = {
        "tool": "tabular",
        "title": "Verify an anonymized table",
        "question": "Was this table anonymized as its log says?",
        "verdict": Verdict.FAIL,
        "headline": "1 of 3 columns fails.",
        "verdicts": {"Published rule": Verdict.WARN, "Second opinion": Verdict.FAIL},
        "inputs": (
            InputFacts(role="Original", name="patients.csv", n_bytes=12345, sha256="ab" * 32, reading="CSV"),
        ),
        "settings": {"k": 5, "Quasi-identifiers": ["age", "zip"], "Diagnosis retention": False},
        "figures": (
            Figure(measure="k", value=1, threshold="at least 5", verdict=Verdict.FAIL),
            Figure(measure="share_k_lt_5", value=0.1234, verdict=Verdict.WARN, of="patients.csv"),
            Figure(measure="share_k_lt_2", value=None, verdict=Verdict.NOT_ASSESSED),
        ),
        "findings": (
            Finding(check="log", verdict=Verdict.PASS, message="The log mentions all 3 columns."),
            Finding(
                check="unchanged",
                verdict=Verdict.FAIL,
                message="FIRST is unchanged in 9 of 10 cells.",
                column="FIRST",
                n_affected=9,
            ),
        ),
        "tables": (columns_table(), class_sizes_table(7)),
        "charts": (class_sizes_chart(),),
        "limits": ("It does not know what else is known about these people.",),
        "created_at": CREATED_AT,
        "versions": {"anonaudit": "1.0", "python": "3.11"},
    }
    return Report(**(parts | changes))  # type: ignore[arg-type]


def replaced(report: Report, **changes: object) -> Report:
    """Return a copy of a report with other parts."""
    return dataclasses.replace(report, **changes)  # type: ignore[arg-type]


def as_table(columns: Mapping[str, object] | pd.DataFrame, name: str = "t", note: str = "") -> Table:
    """Return columns as a table that is called and titled alike."""
    frame = pd.DataFrame(columns)
    heads = tuple(Col(str(each), str(each)) for each in frame)
    return Table("", name, heads, [*frame.itertuples(index=False, name=None)], note, name=name[:31])


def frame_of(table: Table) -> pd.DataFrame:
    """Return the cells of a table by the keys of its columns."""
    return pd.DataFrame(table.cells(), columns=[each.key for each in table.columns])


def columns_table() -> Table:
    """Return a table with text, verdicts, shares, counts and missing cells."""
    rows = [
        ("FIRST", Verdict.FAIL, 0.9, 10),
        ("ZIP", Verdict.WARN, 0.0001, 9),
        ("AGE", Verdict.PASS, np.nan, 8),
    ]
    names = ("Column", "Status", "unchanged_share", "Cells")
    columns = tuple(Col(name, name, "share" if name.endswith("share") else None) for name in names)
    return Table("", "Every column", columns, rows, "One line per column.", name="columns")


def marked_table() -> Table:
    """Return a table in which a cell is tinted by a verdict."""
    mark = {"no": Verdict.FAIL}
    done = Col("done", "Was it done?", kind="words", mark=lambda row: mark.get(row[1]))
    return Table("", "Map", (Col("name", "Column"), done), [("a", "no"), ("b", "yes")], name="map")


def class_sizes_table(n_rows: int) -> Table:
    """Return a table of numbers alone."""
    columns = (Col("size", "Group size"), Col("records", "Records"))
    rows = [(n + 1, n) for n in range(n_rows)]
    return Table("", "Records by group size", columns, rows, name="group sizes")


def class_sizes_chart() -> Drawing:
    """Return a chart like the tools' own."""
    drawn = partial(class_size_chart, np.array([1, 4, 9]), np.array([3, 8, 90]), 5)
    return Drawing("Group sizes", drawn, "11 of 101 records are in small groups.")


def text_report(text: str) -> Report:
    """Return a report with the same text in every place that can hold one."""
    cell = valid_unicode(text)  # no frame can hold a lone surrogate
    heads = (Col("hostile", cell), Col("other", "other"))
    table = Table("", text, heads, [(cell, "plain"), ("plain", cell)], text, name=text)
    points = pd.DataFrame({"c0": [cell, "other"], "c1": [1, 2]})
    bars = alt.Chart(points).mark_bar().encode(x=alt.X("c0:N", title=text), y=alt.Y("c1:Q"))
    return report(
        **dict.fromkeys(("tool", "title", "question", "headline"), text),
        verdicts={text: Verdict.WARN},
        inputs=(InputFacts(role=text, name=text, n_bytes=1, sha256=text, reading=text),),
        settings={text: text, "list": [text, {text: text}]},
        figures=(Figure(measure="k", value=2, threshold=text, verdict=Verdict.WARN, of=text),),
        findings=(Finding(check=text, verdict=Verdict.WARN, message=text, column=text, n_affected=1),),
        tables=(table,) * 2,
        charts=(Drawing(text, lambda: layered(bars, height=100), text),),
        limits=(text,),
        versions={text: text},
    )


_PEOPLE = ("Ana Novak", "Boris Horvat", "Clara Walker", "David Zupan", "Eva Bennett", "Filip Mlakar")
_MEANINGS = {"age": "gender", "region": "gender"}
_KINDS = ("name", "email", "date", "age", "region", "amount", "code", "answer", "note", "score")


def wide_tables(n_columns: int = 30, n_records: int = 120) -> dict[str, bytes]:
    """Return four originals, anonymized tables and logs, of many columns each, the first the best kept."""
    files: dict[str, bytes] = {}
    for number in range(4):
        rng = np.random.default_rng(number)
        columns = {
            f"{_KINDS[place % 10]}_{place}": _cells(_KINDS[place % 10], n_records, rng)
            for place in range(n_columns)
        }
        released, log = {}, {}
        for place, (name, cells) in enumerate(columns.items()):
            is_kept = place % 4 < number or _KINDS[place % 10] in ("answer", "score")
            released[name] = cells if is_kept else [""] * n_records
            meaning = _MEANINGS.get(_KINDS[place % 10], "other") if is_kept else "other"
            log[name] = {"semantic": meaning, "action": "keep" if is_kept else "drop"}
        log[f"note_{n_columns - 2}"]["action"] = "drop"  # which one of them does not hold
        meta = {"mode": "low", "allow_dx": False, "source_file": f"clinic_{number}.csv"}
        files[f"clinic_{number}.csv"] = pd.DataFrame(columns).to_csv(index=False).encode()
        files[f"clinic_{number}_anonymized.csv"] = pd.DataFrame(released).to_csv(index=False).encode()
        files[f"clinic_{number}_anonymized_log.json"] = json.dumps({"_meta": meta, "log_info": log}).encode()
    return files


def _cells(kind: str, n: int, rng: np.random.Generator) -> list[str]:
    drawn = rng.integers(0, 10_000, n)
    makes: dict[str, Callable[[int], str]] = {
        "name": lambda x: f"{_PEOPLE[x % 6]} {x}",
        "email": lambda x: f"person{x}@example.org",
        "date": lambda x: f"{1950 + x % 60}-{1 + x % 12:02}-{1 + x % 28:02}",
        "age": lambda x: str(18 + x % 80),
        "region": lambda x: f"Region {x % 7}",
        "amount": lambda x: str(x * 3),
        "code": lambda x: f"C{x:05}",
        "answer": lambda x: ("yes", "no", "unsure")[x % 3],
        "note": lambda x: f"called 010-{x:04}-{9999 - x:04} twice",
        "score": lambda x: str(x % 5),
    }
    return [makes[kind](int(x)) for x in drawn]


def tabular_run(files: Mapping[str, bytes], created_at: datetime = CREATED_AT) -> Report:
    """Return the report of the tabular verifier on files by name."""
    done = []
    for pair in pair_files(list(files)).pairs:
        tables = [read_dataset(files[name], name=name) for name in (pair.original, pair.anonymized)]
        audit = audit_tabular(*tables, read_log(files[pair.log], name=pair.log))
        done.append(verified_file(audit, *tables))
    return tabular_report(done, created_at=created_at)
