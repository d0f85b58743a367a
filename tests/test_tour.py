"""The tour of docs/ runs from its first cell to its last, and is kept without what its cells print."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

TOUR = Path(__file__).parents[1] / "docs/tour.ipynb"


@pytest.mark.slow
def test_tour__runs_on_the_demos_data() -> None:
    tour = nbformat.read(TOUR, as_version=4)
    cells = [cell for cell in tour.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells)
    NotebookClient(tour, timeout=120, resources={"metadata": {"path": TOUR.parent}}).execute()
    assert all(cell.outputs for cell in cells[1:])
