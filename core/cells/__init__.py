"""When two cells say the same: equal as trimmed text, as numbers, and, where asked for, as dates.

Every cell has one canonical text (:func:`canonical_text`), and two cells are equal exactly when
their canonical texts are. Being equality of a function's results, this is an equivalence relation:
reflexive, symmetric and transitive, so that cells may be counted, grouped and joined by it. The
vectorized functions give the same answers without writing out a canonical text for each cell:
they compare as text first and look at numbers only where the texts differ.

- Text: compared without the white space around it; case, accents and inner spaces count.
- Numbers: an optional sign, ASCII digits with at most one decimal point, an optional exponent of at
  most 18 digits. Compared as exact decimals, never rounded: ``-999`` = ``-999.0``, ``1e3`` = ``1000``,
  ``00123`` = ``123``, ``-0`` = ``0``, but ``9007199254740993`` ≠ ``9007199254740992`` although both
  round to the same 64-bit float. Thousands separators and decimal commas make a text.
- ``inf``, ``infinity`` (any case, any sign) and ``nan`` (any case) are one value each, equal to
  themselves; that keeps the relation reflexive, unlike IEEE 754.
- Dates, only where asked for: year, month, day separated by ``-``, ``/`` or ``.``, then possibly a
  time. ``2020-01-02`` = ``2020/1/2`` = ``2020-01-02T00:00:00`` = ``2020-01-02 00:00Z``; UTC is assumed
  where no offset is written, another offset is part of the value. Impossible dates are text.
- Missing: equal to nothing, also not to another missing cell; callers decide what that means.
"""

from core.cells.arrays import BoolArray, CodeArray, Column
from core.cells.codes import canonical_codes, shared_codes
from core.cells.equality import cells_equal, cells_equal_to
from core.cells.floats import as_numbers
from core.cells.one_cell import canonical_text
from core.cells.values import canonical_values

__all__ = [
    "BoolArray",
    "CodeArray",
    "Column",
    "as_numbers",
    "canonical_codes",
    "canonical_text",
    "canonical_values",
    "cells_equal",
    "cells_equal_to",
    "shared_codes",
]
