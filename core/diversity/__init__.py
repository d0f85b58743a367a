"""Which (k, l) protects people at an accuracy the person can live with: cells, minimization, search.

`prepare_search` checks the inputs and gets the model, `measure_diversity` searches the grid,
`judge_diversity` filters, recommends and says what to know.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.diversity.offered import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Return what the package offers, loaded when it is asked for: who lists the tools need not wait."""
    import core.diversity.offered as offered  # noqa: PLC0415, PLR0402 - `from` would ask this function again

    return getattr(offered, name)
