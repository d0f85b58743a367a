"""The pages of docs/reference/ are what `make docs` writes; each figure and each check stands there once."""

import re
from pathlib import Path

import pytest

from core.checks import CHECKS
from core.measures import MEASURES
from core.vcf.checks import ALL_CHECKS
from docs.reference import PAGES, checks_of, measures_of, page

FOLDER = Path(__file__).parents[1] / "docs/reference"


@pytest.mark.parametrize("name", PAGES)
def test_page__is_what_make_docs_writes(name: str) -> None:
    written = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert written == page(name), "run: make docs"
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", written) if not (FOLDER / link).exists()] == []


def test_pages__are_those_of_the_folder() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*PAGES}


def test_pages__define_every_figure_once() -> None:
    assert sorted(measure.key for name in PAGES for measure in measures_of(name)) == sorted(MEASURES)
    for name in PAGES:
        assert [each.key for each in measures_of(name) if f" | `{each.key}` | " not in page(name)] == []


def test_pages__tell_of_every_check_once() -> None:
    named = [check.name for name in PAGES for check in checks_of(name)]
    of_files = {check.name for check in CHECKS.values() if not check.asks}
    assert sorted(named) == sorted({*CHECKS} - of_files | {*ALL_CHECKS})
    for name in PAGES:
        assert [each.name for each in checks_of(name) if f"\n`{each.name}` " not in page(name)] == []
