"""Earlier releases on the pages of one table and of several, as a visitor meets them."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from core.releases import ReleasedTable, new_ledger
from tests.releases_examples import ROLES, Row, table

HEADER = "pid,age,sex,diagnosis"
GROUPS = [(age, sex) for age in ("20-29", "30-39", "40-49") for sex in "FM"]
EARLIER: list[Row] = [
    (f"p{number}", *GROUPS[number % 6], ("flu", "asthma", "none")[number // 6 % 3]) for number in range(360)
]
LATER: list[Row] = [*EARLIER, ("n1", "20-29", "F", "flu"), ("n2", "20-29", "F", "flu")]


def _file(
    name: str, rows: list[Row], *, columns: slice = slice(None), head: str = HEADER
) -> tuple[str, bytes, str]:
    lines = [head, *(",".join(row[columns]) for row in rows)]
    return name, ("\n".join(lines) + "\n").encode(), "text/csv"


def _ledger() -> tuple[str, bytes, str]:
    released = ReleasedTable(name="january", dataset=table(EARLIER), roles=ROLES)
    return "ledger.json", new_ledger([released], k=5), "application/json"


def _uploader(app: AppTest, label: str) -> int:
    return next(at for at, each in enumerate(app.file_uploader) if each.label.startswith(label))


def _give(app: AppTest, label: str, *files: tuple[str, bytes, str]) -> AppTest:
    return app.file_uploader[_uploader(app, label)].set_value([*files]).run()


def _texts(app: AppTest) -> str:
    found = [*app.markdown, *app.header, *app.subheader, *app.caption, *app.info, *app.error]
    return " ".join(text.value for text in found).replace("\\", "").replace("\xa0", " ").replace("\u2060", "")


def _risk(open_page: Callable[[str], AppTest]) -> AppTest:
    app = open_page("pages/measure/risk.py")
    return app.file_uploader[0].set_value([_file("february.csv", LATER)]).run()


_TABLES = "Tables of earlier releases"


@pytest.mark.parametrize("given", [_file("january.csv", EARLIER), _ledger()])
def test_risk_page__fails_beside_an_earlier_release(
    open_page: Callable[[str], AppTest], given: tuple[str, bytes, str]
) -> None:
    app = _risk(open_page)
    assert not app.exception
    assert "gives `diagnosis` of" not in _texts(app)
    app = _give(app, _TABLES, given)
    assert not app.exception
    assert "gives diagnosis of 2 of 2 new" in _texts(app).replace("`", "")
    shown = {metric.label: (metric.value, metric.delta) for metric in app.metric}
    assert shown["Newcomers whose value follows"] == ("100\u00a0%", "FAIL · none allowed")
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)


def test_risk_page__subtracts_an_earlier_table_of_counts(open_page: Callable[[str], AppTest]) -> None:
    table = "region,diagnosis,n\nA,flu,20\nA,cold,12\nA,Total,32\nB,flu,30\nB,cold,12\nB,Total,42\n"
    earlier = table.replace("flu,20", "flu,18").replace("32", "30")
    app = (
        open_page("pages/measure/risk.py")
        .file_uploader[0]
        .set_value([("may.csv", table.encode(), "text/csv")])
        .run()
    )
    app = app.button(key="risk_as_counts").click().run()
    assert "in another table" not in _texts(app)
    app = _give(app, _TABLES, ("april.csv", earlier.encode(), "text/csv"), _ledger())
    assert not app.exception
    assert "that of the same cell in another table: 2" in _texts(app)
    assert "is a ledger of persons" in _texts(app)


def test_risk_page__names_a_ledger_that_was_cut_short_and_goes_on(
    open_page: Callable[[str], AppTest],
) -> None:
    name, data, kind = _ledger()
    app = _give(_risk(open_page), _TABLES, (name, data[:100], kind), _file("january.csv", EARLIER))
    assert not app.exception
    assert "is no ledger, or was cut short" in _texts(app)
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)


def test_dataset_page__holds_tables_against_earlier_ones(open_page: Callable[[str], AppTest]) -> None:
    app = open_page("pages/measure/dataset.py")
    visits = [(row[0], "AB"[number % 2]) for number, row in enumerate(LATER)]
    app = app.file_uploader[0].set_value(
        [_file("persons.csv", LATER), _file("visits.csv", visits, head="pid,ward")]
    )
    app = app.run()
    assert not app.exception
    app = _give(app, _TABLES, _file("persons.csv", EARLIER))
    assert not app.exception
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)
    assert "2 of 2 newcomers" in _texts(app)
