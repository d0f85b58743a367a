"""Altair, loaded when the first chart is made: what draws nothing starts without it.

A chart is not held against the schema of Vega-Lite while it is made or shown, which takes longer than all
else between a slider and its chart; the tests hold every one against it.
"""

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        """Stands for the module, and loads it when anything of it is asked for."""

        def __getattr__(self, name: str) -> object:
            return getattr(_loaded(), name)

    alt = _Altair()


@cache
def _loaded() -> ModuleType:
    import altair  # noqa: PLC0415 - takes as long as all that a command loads beside it
    from altair.utils import schemapi  # noqa: PLC0415

    schemapi.disable_debug_mode()
    return altair
