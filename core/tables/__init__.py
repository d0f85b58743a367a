"""Bytes or a path in, a :class:`Dataset` out: every cell as text, with what was assumed while reading."""

from core.settings.reading import (
    DELIMITERS,
    ENCODINGS,
    HEADERS,
    MISSING_SPELLINGS,
    ReadOptions,
    check_options,
)
from core.tables.hidden_contents import Beside
from core.tables.model import Dataset, Reading
from core.tables.reading import read_dataset, read_sheets
